"""Sizes of networks, and the paper's table."""

from __future__ import annotations

import pytest

from naive.game_network import NaiveSolver
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_statistics import PAPER_TABLE, PaperGame, find_paper_game, measure_network
from woodstock.scsp.scopes import same_variables


@pytest.mark.parametrize("encoding", Encoding)
def test_sizes_count_what_is_there(encoding: Encoding) -> None:
    game = GameNetwork(ground(load_rules("hex_small")), 2, encoding=encoding)
    size = measure_network(game)
    counted = NaiveSolver(game.network)
    assert size.variables + size.auxiliaries == game.network.num_vars
    assert (size.gates, size.clauses) == (len(counted.gates), len(counted.clauses))
    assert (size.tables, size.loops) == (len(counted.tables), len(counted.loops))
    assert size.tuples == sum(len(tuples) for _, tuples in counted.tables)
    assert size.literals == sum(map(len, counted.clauses)) + sum(1 + len(body) for _, body in counted.gates)
    assert size.loops == 4
    assert size.soft == len(game.network.utilities) == 2
    assert size.constraints == size.gates + size.clauses + size.tables + size.loops + size.soft
    assert size.max_domain == max(map(len, game.network.domains))


def test_variables_of_a_stage_are_those_of_the_paper() -> None:
    size = measure_network(GameNetwork(ground(load_rules("tic_tac_toe"))))
    squares_and_turn, terminal, utilities, actions = 10, 1, 2, 2
    assert size.variables == 2 * squares_and_turn + terminal + utilities + actions
    assert size.max_domain == 9 + 1 + 1, "squares, a pass and no move"


def test_further_constraints_are_counted() -> None:
    game = GameNetwork(ground(load_rules("tic_tac_toe")))
    clauses = game.position_clauses(game.initial_position())
    network = same_variables(game.network, [clauses, *game.network.constraints, *game.network.utilities])
    assert measure_network(game, network).constraints == measure_network(game).constraints + 10


def test_the_paper_s_table() -> None:
    assert len(PAPER_TABLE) == 15
    assert PAPER_TABLE["TicTacToe"] == (19, 18, 37, 0)
    assert sum(row.variables for row in PAPER_TABLE.values()) == 799
    assert sum(row.max_domain for row in PAPER_TABLE.values()) == 2109137
    assert sum(row.constraints for row in PAPER_TABLE.values()) == 10145
    assert sum(row.seconds for row in PAPER_TABLE.values()) == 1472


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("tic_tac_toe", PaperGame("TicTacToe")),
        ("chess_200", PaperGame("Chess", "at most 200 steps")),
        ("chineseCheckers3", PaperGame("Chinese Checkers")),
        ("nim", None),
    ],
)
def test_games_of_the_paper_are_known_by_their_names(name: str, game: PaperGame | None) -> None:
    assert find_paper_game(name) == game
    assert game is None or game.name in PAPER_TABLE

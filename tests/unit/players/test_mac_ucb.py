"""The papers' players: every kind of game, legal moves, matches that can be repeated, clocks that are kept."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from woodstock.circuit.game import CircuitGame
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.match import MatchSetup, play_match, seats
from woodstock.players import Clocks, Seat, Turn, make_player
from woodstock.players.loading import prepare_game
from woodstock.players.mac_ucb import MacUcbPlayer, MacUcbSymPlayer
from woodstock.players.registry import player_names

SPECS = ("mac-ucb:samples=2", "fc-ucb:samples=2", "mac-ucb-sym:samples=2", "mac-ucb:values=paranoid,resolver=circuit")
GAMES = (
    "tic_tac_toe",
    "rock_paper_scissors",
    "pig",
    "monty_hall",
    "nim",
    "lights_out",
    "kuhn_poker",
    "two_by_two_opponent",
)


def play(spec: str, name: str, iterations: int) -> Any:
    rules = load_rules(name)
    game = prepare_game(rules)
    setup = MatchSetup(rules, game, [spec] * len(seats(game.roles)), clocks=Clocks(iterations=iterations))
    return play_match(setup, [make_player(spec) for _ in setup.player_names])


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", GAMES)
def test_they_play_every_kind_of_game(spec: str, name: str) -> None:
    match = play(spec, name, 4 if JIT_DISABLED else 12)
    assert match.ending.value == "finished"
    assert all(not error for step in match.steps for error in step.errors)


@pytest.mark.skipif(JIT_DISABLED, reason="large networks without the compiler")
@pytest.mark.parametrize("spec", SPECS)
def test_they_play_games_whose_rules_form_positive_loops(spec: str) -> None:
    rules = load_rules("hex_small")
    player = make_player(spec)
    player.start(Seat(rules, prepare_game(rules), 0, Clocks(iterations=40), False, Random(1)))
    assert player.statistics is not None  # type: ignore[attr-defined]


def test_they_have_names() -> None:
    assert {"mac-ucb", "fc-ucb", "mac-ucb-sym"} <= set(player_names())


def test_iterations_make_a_match_repeatable() -> None:
    one, other = (play("mac-ucb-sym:samples=2", "tic_tac_toe", 10) for _ in range(2))
    assert [step.moves for step in one.steps] == [step.moves for step in other.steps]


@pytest.mark.parametrize("spec", ["mac-ucb", "fc-ucb", "mac-ucb-sym", "mac-ucb:resolver=circuit"])
def test_a_win_is_taken_and_a_loss_is_warded_off(spec: str) -> None:
    rules = load_rules("tic_tac_toe")
    game: Any = prepare_game(rules)
    position = game.initial_position()
    for role, square in ((0, "1 1"), (1, "2 2"), (0, "1 2")):
        moves = ["wait", "wait"]
        moves[role] = ("place", *square.split())  # type: ignore[call-overload]
        position = game.next_position(position, moves)
    player = make_player(spec)
    player.start(Seat(rules, game, 1, Clocks(iterations=20), False, Random(2)))
    turn = Turn(3, game.legal_moves(position, 1), position, iterations=60 if JIT_DISABLED else 200)
    assert player.choose(turn) == ("place", "1", "3")
    position = game.next_position(position, ["wait", ("place", "3", "3")])
    player.start(Seat(rules, game, 0, Clocks(iterations=20), False, Random(2)))
    turn = Turn(4, game.legal_moves(position, 0), position, iterations=20)
    assert player.choose(turn) == ("place", "1", "3")
    explanation = player.explain()
    assert explanation is not None
    assert explanation.value == 100
    assert explanation.candidates[0].proven


def test_statistics_are_shown() -> None:
    rules = load_rules("tic_tac_toe")
    game: Any = prepare_game(rules)
    player = MacUcbSymPlayer(samples=2)
    player.start(Seat(rules, game, 0, Clocks(iterations=20), False, Random(2)))
    position = game.initial_position()
    player.choose(Turn(0, game.legal_moves(position, 0), position, iterations=40))
    explanation = player.explain()
    assert explanation is not None
    assert explanation.statistics["resolver"] == "mac"
    statistics = player.statistics
    assert statistics is not None
    assert 0 < statistics.solved <= 40
    assert statistics.playouts > 0
    assert statistics.symmetry > 0
    assert statistics.stages < statistics.stages_without
    assert "stages without symmetry" in str(explanation)


def test_clocks_are_kept_and_networks_too_large_for_them_are_not_built() -> None:
    rules = load_rules("tic_tac_toe")
    game: Any = prepare_game(rules)
    assert isinstance(game, CircuitGame)
    player = MacUcbPlayer()
    seat = Seat(rules, game, 0, Clocks(1e-3, 0.05), False, Random(2), Deadline(1e-3))
    player.start(seat)
    position = game.initial_position()
    move = player.choose(Turn(0, game.legal_moves(position, 0), position, Deadline(0.05)))
    assert move in game.legal_moves(position, 0)
    assert player.statistics is not None
    assert player.statistics.resolver == "circuit (no time for mac)"


def test_a_game_without_a_circuit_is_searched_with_its_reasoner() -> None:
    rules = load_rules("tic_tac_toe")
    game = ReferenceGame(rules)
    player = MacUcbPlayer()
    player.start(Seat(rules, game, 0, Clocks(iterations=5), False, Random(2)))
    position = game.initial_position()
    move = player.choose(Turn(0, game.legal_moves(position, 0), position, iterations=5))
    assert move in game.legal_moves(position, 0)
    assert player.statistics is None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mac-ucb:values=greedy", "expected the values maxn or paranoid, found 'greedy'"),
        ("mac-ucb:resolver=sat", "expected the resolver mac, fc or circuit, found 'sat'"),
        ("mac-ucb-sym:symmetry=guessed", "expected the symmetry proved or learnt, found 'guessed'"),
        ("mac-ucb:shares=all", "expected shares SOLVING:SAMPLING"),
        ("mac-ucb:samples=0", "samples must be 1 or more, found 0"),
    ],
)
def test_options_that_make_no_sense(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_player(spec)

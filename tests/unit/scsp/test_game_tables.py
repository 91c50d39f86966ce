"""Small tables in place of gates: which there are, what they hold, and that they change no solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naive.game_network import NaiveSolver, fixed_position, random_positions, told_by_network
from naive.small_games import program_of, random_game
from woodstock.cp.constraints import Table
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.ground.exclusion import prove_exclusions
from woodstock.scsp import game_tables
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import GameNetwork

NUM_GAMES = 15

PENNIES = """
(role alice) (role random) (side heads) (side tails)
(init (coin alice unset)) (init (coin random unset)) (init (control alice))
(<= (legal ?p (choose ?x)) (true (control ?p)) (side ?x))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (coin ?p ?x)) (does ?p (choose ?x)))
(<= (next (coin ?p ?x)) (does ?p noop) (true (coin ?p ?x)))
(<= (next (control random)) (true (control alice)))
(<= (next (control alice)) (true (control random)))
(<= terminal (not (true (coin alice unset))) (not (true (coin random unset))))
(<= (goal alice 100) (true (coin alice ?x)) (true (coin random ?x)) (side ?x))
"""
"""As in Fig. 1 of the paper, with one player less and control in turn."""


def tables_of(game: GameNetwork) -> dict[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the tuples of each table by the names of its scope."""
    network = game.network
    found = {}
    for entry in network.constraints:
        if isinstance(entry, Table):
            names = tuple(network.names[var].removesuffix(" @ 1") for var in entry.scope)
            found[names] = [
                tuple(network.domains[var][place] for var, place in zip(entry.scope, row, strict=True))
                for row in np.asarray(entry.tuples).tolist()
            ]
    return found


def test_tables_of_the_paper() -> None:
    tables = tables_of(GameNetwork(program_of(PENNIES)))
    rows = {(coin, False, None) for coin in ("heads", "tails")}
    terminal = {row[:2]: row[2] for row in tables["coin alice", "coin random", "terminal"]}
    assert terminal == {
        (first, second): "unset" not in (first, second)
        for first in ("heads", "tails", "unset")
        for second in ("heads", "tails", "unset")
    }
    legal = set(tables["control", "action alice"])
    assert legal == {
        ("alice", "choose heads"),
        ("alice", "choose tails"),
        ("random", "noop"),
        ("alice", None),
        ("random", None),
    }
    coin = tables["coin alice", "terminal", "action alice", "coin alice @ 2"]
    assert {(before, after) for before, over, move, after in coin if move == "noop"} == {
        (side, side) for side in ("heads", "tails", "unset")
    }
    assert {after for _, _, move, after in coin if move == "choose heads"} == {"heads"}
    assert {(before, after) for before, over, _, after in coin if over} == {
        (side, side) for side in ("heads", "tails", "unset")
    }
    assert all((move is None) == over for _, over, move, _ in coin)
    assert not rows & set(coin)
    control = set(tables["control", "terminal", "control @ 2"])
    assert control == {
        ("alice", False, "random"),
        ("random", False, "alice"),
        ("alice", True, "alice"),
        ("random", True, "random"),
    }
    utility = tables["coin alice", "coin random", "terminal", "utility alice"]
    assert {row for row in utility if row[3] == 100} == {(side, side, True, 100) for side in ("heads", "tails")}


def test_a_counter_is_a_table_however_many_values_it_has() -> None:
    steps = " ".join(f"(succ {number} {number + 1})" for number in range(150))
    program = program_of(
        f"(role a) (init (step 0)) (legal a x) {steps} (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))"
        "(<= terminal (true (step 150))) (goal a 50)"
    )
    rows = tables_of(GameNetwork(program))["step", "terminal", "step @ 2"]
    moving = {(int(before), int(after)) for before, over, after in rows if not over}
    assert {(number, number + 1) for number in range(150)} <= moving
    assert len(rows) <= game_tables.MAX_TUPLES


def test_large_relations_stay_gates() -> None:
    tables = tables_of(GameNetwork(ground(load_rules("tic_tac_toe"))))
    assert list(tables) == [("turn", "terminal", "turn @ 2")]


@pytest.mark.parametrize("encoding", Encoding)
def test_tables_and_gates_have_the_same_solutions(encoding: Encoding, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(21)
    programs = [program_of(PENNIES), *(random_game(rng) for _ in range(NUM_GAMES))]
    proved = [prove_exclusions(program, with_latches=False) for program in programs]
    found = []
    for limits in ((0, 0, 0), (4, 64, 4), (8, 100_000, 1000)):
        for name, limit in zip(("MAX_INPUTS", "MAX_COMBINATIONS", "MAX_PER_VALUE"), limits, strict=True):
            monkeypatch.setattr(game_tables, name, limit)
        told = []
        num_tables = 0
        for program, exclusions in zip(programs, proved, strict=True):
            game = GameNetwork(program, encoding=encoding, exclusions=exclusions)
            solver = NaiveSolver(game.network)
            num_tables += len(solver.tables)
            told += [
                told_by_network(game, solver.solutions(fixed_position(game, position)), position)
                for position in random_positions(GroundGame(program), 1, 3)
            ]
        found.append(told)
        assert (num_tables == 0) == (limits == (0, 0, 0))
    assert found[0] == found[1] == found[2]

"""Foresight: who can win makes no other moves, and nobody lets another one win."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from naive.foresight import foreseeing_moves
from naive.small_games import STUCK, program_of
from woodstock.circuit.circuit import Circuit
from woodstock.circuit.expansion import Expander
from woodstock.circuit.foresight import foresee
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.packing import unpack
from woodstock.circuit.runner import Batch, Runner
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.gdl.keywords import goal_number
from woodstock.ground import GroundProgram, ground

foresights = pytest.mark.parametrize("foresight", [1, 2])

AT_ONCE = """
(role a) (role b) (init start)
(<= (legal ?r stone) (role ?r)) (<= (legal ?r paper) (role ?r)) (<= (legal a knife) (true late))
(<= (next late) (does a stone)) (<= (next cut) (does a knife))
(<= (next paper_b) (does b paper)) (<= (next done) (does a paper))
(<= terminal (true cut)) (<= terminal (true done))
(<= (goal a 100) (true cut)) (<= (goal b 0) (true cut))
(<= (goal a 100) (true done) (true paper_b)) (<= (goal b 0) (true done) (true paper_b))
(<= (goal a 0) (true done) (not (true paper_b))) (<= (goal b 100) (true done) (not (true paper_b)))
"""
"""Both move at once. The knife wins whatever the other does; paper may win or lose. A stone gets the knife."""


THREE_LINES = """
(role a) (role b) (role c) (init (control a)) (follows a b) (follows b c) (follows c a)
(cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6)
(next_to 1 2) (next_to 2 3) (next_to 3 4) (next_to 4 5) (next_to 5 6)
(<= (taken ?c) (true (mark ?c ?r)))
(<= (legal ?r (take ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (control ?s)) (true (control ?r)) (follows ?r ?s))
(<= (next (mark ?c ?r)) (does ?r (take ?c))) (<= (next (mark ?c ?r)) (true (mark ?c ?r)))
(<= (pair ?r) (next_to ?c ?d) (true (mark ?c ?r)) (true (mark ?d ?r)))
(<= open (cell ?c) (not (taken ?c)))
(<= terminal (pair ?r)) (<= terminal (not open))
(<= (goal ?r 100) (pair ?r)) (<= (goal ?r 0) (role ?r) (not (pair ?r)))
"""
"""Three roles in turn: who has two neighbours wins."""


def extremes(program: GroundProgram) -> tuple[int, int]:
    values = [goal_number(term) or 0 for term in program.goals.terms]
    return min(values), max(values)


def check(program: GroundProgram, foresight: int, matches: int) -> int:
    """Compare with the naive twin in the positions of random matches; return in how many moves are left out."""
    game, random = CircuitGame(program), Random(1)
    circuit = foresee(game.circuit, foresight)
    assert circuit is not None
    expander = Expander(circuit)
    num_short = 0
    for _ in range(matches):
        position = game.initial_position()
        while not game.is_terminal(position):
            legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
            holds = unpack(expander.look(position.row[None]).legal[0], program.num_moves)
            for role, moves in enumerate(program.moves):
                start, end = program.move_start[role : role + 2]
                found = {moves[number] for number in np.flatnonzero(holds[start:end])}
                assert found == foreseeing_moves(game, position, role, foresight, extremes(program))
                num_short += len(found) < len(legal[role])
            position = game.next_position(position, [random.choice(moves) for moves in legal])
    return num_short


@foresights
@pytest.mark.parametrize(
    ("name", "matches"),
    [
        ("tic_tac_toe", 8),
        ("connect_four", 3),
        ("quarto", 1),
        ("breakthrough_small", 2),
        ("ttcc4", 1),
        ("pig", 2),
    ],
)
def test_moves_are_those_of_the_naive_twin(name: str, matches: int, foresight: int) -> None:
    assert check(ground(load_rules(name)), foresight, matches) > 0


@foresights
def test_three_roles_in_turn(foresight: int) -> None:
    assert check(program_of(THREE_LINES), foresight, 16) > 0


@foresights
def test_moves_at_once_win_only_whatever_the_others_do(foresight: int) -> None:
    assert check(program_of(AT_ONCE), foresight, 16) > 0


def test_none_where_nobody_can_win() -> None:
    assert foresee(Circuit(program_of(STUCK)), 1) is None


def test_none_where_ends_are_found_by_recursion() -> None:
    assert foresee(Circuit(ground(load_rules("hex_small"))), 1) is None


def test_none_without_time() -> None:
    assert foresee(Circuit(ground(load_rules("connect_four"))), 2, Deadline(0)) is None


def test_playouts_are_over_sooner_if_nobody_misses_a_win_and_later_if_nobody_allows_one() -> None:
    game = CircuitGame(ground(load_rules("connect_four")))
    lengths = []
    for foresight in (0, 1, 2):
        circuit = game.foreseeing(foresight)
        assert circuit is not None
        results = Runner(circuit).run(Batch(game.initial_position().row[None], np.array([2000]), seed=1))
        lengths.append(results.moves[0] / results.counts[0])
    assert lengths[1] < lengths[0] - 3
    assert lengths[2] > lengths[0] + 3


def test_positions_that_cannot_be_reached_are_played_without_foresight() -> None:
    game = CircuitGame(ground(load_rules("quarto")))
    circuit = game.foreseeing(2)
    assert circuit is not None
    both = game.position_of([*game.fluents(game.initial_position()), ("turn", "ben")])
    results = Runner(circuit).run(Batch(both.row[None], np.array([64]), horizon=40))
    assert results.counts[0] == 64

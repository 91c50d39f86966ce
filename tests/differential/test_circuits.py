"""Random small games: circuits, one position at a time and in lanes, against the ground program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, note, settings

from naive.random_sheets import FLUENTS, sheets
from naive.small_games import ALL_GAMES, program_of, random_game, rules_of
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.lane_game import LaneGame
from woodstock.circuit.words import WIDTHS
from woodstock.common.errors import LimitError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Limits
from woodstock.game.difference import View
from woodstock.game.ground_game import GroundGame
from woodstock.game.reference import ReferenceGame
from woodstock.game.verify import walk_together
from woodstock.game.walk import Budget
from woodstock.gdl.printer import rules_to_kif, to_kif
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import GroundProgram, ground

NUM_PROGRAMS = 6 if JIT_DISABLED else 300
NUM_POSITIONS = 10 if JIT_DISABLED else 60
EXAMPLES = 2 if JIT_DISABLED else settings.default.max_examples // 4
"""A share of what the Hypothesis profile asks for: each example starts a grounder."""

FRAME = """
(small a) (small b) (small gz) (small (g a)) (small (g b))
(legal r1 a) (legal r2 noop) (legal r2 (mark a b))
(<= (next (out ?x)) (v ?x) (small ?x))
(<= (next ?x) (p ?x) (small ?x))
(<= (next (cell ?x ?y)) (t ?x ?y) (small ?x) (small ?y) (not (s)))
(<= (next (cell ?x ?y)) (true (cell ?x ?y)) (u ?x ?z ?y))
(<= terminal (s) (t a b))
(<= (goal ?r 100) (role ?r) (q ?x ?y) (distinct ?x ?y))
(<= (goal ?r 10) (role ?r) (not (v a)))
(<= (sees r1 (p ?x)) (p ?x) (small ?x))
"""
"""Makes a game of a random sheet: `next` asks for its relations, over terms that cannot grow."""


def check(program: GroundProgram, positions: int) -> None:
    """Compare all ways to evaluate a circuit with the ground program."""
    for game in (CircuitGame(program), *(LaneGame(program, width) for width in WIDTHS)):
        found = walk_together(GroundGame(program), game, Budget(positions=positions))
        assert found.failure == ""
        assert found.difference is None, found.difference.render()


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_random_programs(seed: int) -> None:
    check(random_game(np.random.default_rng(seed)), NUM_POSITIONS)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(sheet=sheets())
def test_random_sheets(sheet: Rules) -> None:
    starts = " ".join(f"(init {to_kif(fluent)})" for fluent in FLUENTS[::2])
    note(rules_to_kif(sheet))
    try:
        program = ground(Rules([*sheet, *parse_rules(FRAME + starts, "kif")]), Limits(seconds=10, bytes=1 << 31))
    except LimitError:
        assume(False)
    else:
        check(program, NUM_POSITIONS)


@pytest.mark.parametrize("name", ALL_GAMES)
def test_written_games(name: str) -> None:
    reference = ReferenceGame(rules_of(ALL_GAMES[name]))
    program = program_of(ALL_GAMES[name])
    for game in (CircuitGame(program), *(LaneGame(program, width) for width in WIDTHS)):
        found = walk_together(reference, game, Budget(positions=NUM_POSITIONS * 3))
        assert found.failure == ""
        assert found.difference is None, found.difference.render()


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS // 3))
def test_single_positions_are_right_whether_they_can_be_reached_or_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = random_game(rng)
    ground_game, circuit = GroundGame(program), CircuitGame(program)
    for _ in range(8):
        fluents = [fluent for fluent in program.fluents if rng.random() < 0.5]
        one, two = ground_game.position_of(fluents), circuit.position_of(fluents)
        assert View.of(ground_game, one) == View.of(circuit, two)
        # Moves need not be legal, nor the match go on.
        moves = [choices[int(rng.integers(len(choices)))] for choices in program.moves]
        for role in range(len(program.roles)):
            assert ground_game.percepts(one, moves, role) == circuit.percepts(two, moves, role)
        after: tuple[Any, Any] = ground_game.next_position(one, moves), circuit.next_position(two, moves)
        assert ground_game.fluents(after[0]) == circuit.fluents(after[1])
        assert circuit.position_of(circuit.fluents(after[1])) == after[1]
        assert circuit.position_of(circuit.fluents(after[1])).key == after[1].key

"""What can hold when: nothing that can be reached is missed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np
import pytest

from naive.small_games import ALL_GAMES, STEP_COUNTER, program_of, random_game
from woodstock.circuit import reach as module
from woodstock.circuit.circuit import Circuit
from woodstock.circuit.packing import pack
from woodstock.circuit.reach import find_reach
from woodstock.common.jit import JIT_DISABLED
from woodstock.game.load import load_rules
from woodstock.ground import GroundProgram, ground
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.program import NO_ATOM

NUM_PROGRAMS = 10 if JIT_DISABLED else 200


def reachable(program: GroundProgram, num_phases: int, most: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield positions that can be reached with their phase, up to some number."""
    evaluator = Evaluator(program)
    queue = [(tuple(np.flatnonzero(program.initial).tolist()), 0)]
    seen = set(queue)
    for position, phase in queue:
        yield position, phase
        values = evaluator.position(position)
        if program.terminal_atom != NO_ATOM and values[2 * program.terminal_atom]:
            continue
        legal = holds(values, program.legal_atom)
        choices = [(first + np.flatnonzero(legal[first:last])).tolist() for first, last in pairwise(program.move_start)]
        for moves in product(*choices):
            after = tuple(np.flatnonzero(holds(evaluator.after(values, moves), program.next_atom)).tolist())
            entry = after, (phase + 1) % num_phases
            if entry not in seen and len(seen) < most:
                seen.add(entry)
                queue.append(entry)


def check(program: GroundProgram, most: int) -> None:
    circuit = Circuit(program)
    found = list(reachable(program, circuit.num_phases, most))
    bits = np.zeros((len(found), program.num_fluents), np.bool_)
    for number, (position, phase) in enumerate(found):
        bits[number, list(position)] = True
        assert not (bits[number] & ~circuit.reach.can_hold[phase]).any()
        assert not (~bits[number] & ~circuit.reach.can_fail[phase]).any()
    assert circuit.phases_of(pack(bits)).tolist() == [phase for _, phase in found]


@pytest.mark.parametrize("name", ALL_GAMES)
def test_written_games(name: str) -> None:
    check(program_of(ALL_GAMES[name]), 50 if JIT_DISABLED else 1500)


@pytest.mark.parametrize("name", ["nim", "tic_tac_toe", "monty_hall", "rock_paper_scissors", "lights_out", "pig"])
def test_bundled_games(name: str) -> None:
    check(ground(load_rules(name)), 20 if JIT_DISABLED else 300)


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_random_programs(seed: int) -> None:
    check(random_game(np.random.default_rng(seed)), 300)


def test_a_counter_is_followed() -> None:
    program = program_of(STEP_COUNTER)
    circuit = Circuit(program)
    holds_in = circuit.reach.can_hold[:, [program.fluent_index["step", number] for number in "0123"]]
    # The third step is the last, and begins with the first role.
    assert holds_in.tolist() == [[True, True, True, True], [True, True, True, False]]
    control = program.fluent_index["control", "a"]
    assert circuit.reach.can_hold[:, control].tolist() == [True, False]
    assert circuit.reach.can_fail[:, control].tolist() == [False, True]


@pytest.mark.parametrize("exact", [0, 1, 3])
def test_late_points_of_time_are_taken_together(exact: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EXACT", exact)
    for seed in range(5 if JIT_DISABLED else 40):
        check(random_game(np.random.default_rng(seed)), 300)
    check(program_of(STEP_COUNTER), 100)


def test_too_much_work_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WORK", 10)
    program = program_of(STEP_COUNTER)
    found = find_reach(Circuit(program).network, program.initial, 2)
    assert found.can_hold.all()
    assert found.can_fail.all()

"""Cases: they are refuted or split, and a goal whose cases are not all refuted has failed, whatever the limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from naive.exclusion import random_program
from woodstock.common.jit import JIT_DISABLED
from woodstock.ground.cases import FAILED, HEADER, MAX_DEPTH, OPEN, Cases, search
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.plan import Groups, atoms_of_moves, first_facts, make_plan
from woodstock.ground.program import NO_ATOM, BoolArray, GroundProgram

NUM_PROGRAMS = 4 if JIT_DISABLED else 40
NO_GROUPS = Groups(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_))
LIMITS = (1000, 1000, MAX_DEPTH)


def make_cases(pairs: list[tuple[int, int]], room: int = 2000) -> Cases:
    """Return cases of two literals each, the first as a list, the second as a decision; each is a goal."""
    stack = np.zeros((len(pairs) + room, HEADER + MAX_DEPTH), dtype=np.int64)
    for goal, (_, second) in enumerate(pairs):
        stack[goal, : HEADER + 1] = goal, goal, -1, 1, -1 - second
    return Cases(
        np.arange(len(pairs) + 1),
        np.array([first for first, _ in pairs], dtype=np.int64),
        stack,
        np.zeros(len(pairs), dtype=np.int64),
        np.zeros(len(pairs), dtype=np.int64),
    )


def run(program: GroundProgram, cases: Cases, limits: tuple[int, int, int] = LIMITS) -> list[int]:
    uses_moves = atoms_of_moves(program)
    plan, facts = make_plan(program, uses_moves), first_facts(program, uses_moves)
    search(plan, NO_GROUPS, facts, cases, len(cases.state), limits)
    return cases.state.tolist()


def all_models(program: GroundProgram) -> BoolArray:
    """Return the literals that hold in each position that is not terminal, with each legal joint move."""
    evaluator, found = Evaluator(program), []
    for chosen in itertools.product([False, True], repeat=program.num_fluents):
        values = evaluator.position(np.flatnonzero(chosen).tolist())
        if program.terminal_atom != NO_ATOM and values[2 * program.terminal_atom]:
            continue
        legal = holds(values, program.legal_atom)
        moves = [first + np.flatnonzero(legal[first:last]) for first, last in itertools.pairwise(program.move_start)]
        found += [evaluator.after(values, joint) for joint in itertools.product(*moves)]
    return np.array(found, dtype=np.bool_).reshape(-1, 2 * program.num_atoms)


def random_pairs(program: GroundProgram, rng: np.random.Generator, number: int) -> list[tuple[int, int]]:
    return [(int(one), int(two)) for one, two in rng.integers(2, 2 * program.num_atoms, size=(number, 2))]


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
@pytest.mark.parametrize("limits", [LIMITS, (2, 1000, MAX_DEPTH), (1000, 2, MAX_DEPTH), (1000, 1000, 2)])
def test_what_is_refuted_has_no_model(seed: int, limits: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(seed)
    program = random_program(rng)
    pairs = random_pairs(program, rng, 150)
    models = all_models(program)
    for (one, two), state in zip(pairs, run(program, make_cases(pairs), limits), strict=True):
        if state == OPEN:
            assert not (models[:, one] & models[:, two]).any()


def test_most_of_what_has_no_model_is_refuted() -> None:
    missed, count = 0, 0
    for seed in range(NUM_PROGRAMS):
        rng = np.random.default_rng(seed)
        program = random_program(rng)
        pairs = random_pairs(program, rng, 100)
        models = all_models(program)
        for (one, two), state in zip(pairs, run(program, make_cases(pairs)), strict=True):
            if not (models[:, one] & models[:, two]).any():
                count += 1
                missed += state == FAILED
    assert missed < count / 4


@pytest.mark.parametrize("limits", [(0, 1000, MAX_DEPTH), (1000, 0, MAX_DEPTH)])
def test_without_work_all_goals_fail(limits: tuple[int, int, int]) -> None:
    program = random_program(np.random.default_rng(1))
    pairs = [(2, 3)] * 100
    assert set(run(program, make_cases(pairs), limits)) == {FAILED}
    assert set(run(program, make_cases(pairs))) == {OPEN}


def test_without_room_for_parts_goals_fail() -> None:
    for seed in range(NUM_PROGRAMS):
        rng = np.random.default_rng(seed)
        program = random_program(rng)
        pairs = random_pairs(program, rng, 64)
        less, more = run(program, make_cases(pairs, room=0)), run(program, make_cases(pairs))
        assert all(state == OPEN for state, narrow in zip(more, less, strict=True) if narrow == OPEN)

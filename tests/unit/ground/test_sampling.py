"""Random play of many matches at once: every position follows from the one before it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from naive.exclusion import all_steps, random_program
from woodstock.common.jit import JIT_DISABLED
from woodstock.game.load import load_rules
from woodstock.ground import GroundProgram, ground
from woodstock.ground.plan import LANES, WordArray, atoms_of_moves, make_plan
from woodstock.ground.program import NO_ATOM
from woodstock.ground.sampling import count_seen, play_at_random

NUM_PROGRAMS = 4 if JIT_DISABLED else 30


def play(program: GroundProgram, steps: int) -> WordArray:
    uses_moves = atoms_of_moves(program)
    outputs = np.append(program.legal_atom, program.terminal_atom)
    asks_for_moves = bool(uses_moves[outputs[outputs != NO_ATOM]].any())
    return play_at_random(program, make_plan(program, uses_moves), asks_for_moves, steps)


def check_matches(program: GroundProgram, seen: WordArray) -> None:
    successors: dict[frozenset[int], set[frozenset[int]]] = {}
    for step in all_steps(program):
        successors.setdefault(step.before, set()).add(step.after)
    start = frozenset(np.flatnonzero(program.initial).tolist())
    for lane in range(LANES):
        bits = seen >> np.uint64(lane) & np.uint64(1) != 0
        positions = [frozenset(np.flatnonzero(row).tolist()) for row in bits]
        assert positions[0] == start
        for before, after in itertools.pairwise(positions):
            assert after in successors.get(before, {start})


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_random_programs_are_played_by_the_rules(seed: int) -> None:
    program = random_program(np.random.default_rng(seed))
    check_matches(program, play(program, 8))


@pytest.mark.parametrize("name", ["nim", "rock_paper_scissors", "matching_pennies"])
def test_games_are_played_by_the_rules(name: str) -> None:
    program = ground(load_rules(name))
    seen = play(program, 12)
    check_matches(program, seen)
    assert len(np.unique(seen[-1])) > 2, "matches differ"


def test_all_moves_are_played() -> None:
    """The first moves of 64 matches: each of nine cells is marked in some of them."""
    program = ground(load_rules("tic_tac_toe"))
    seen = play(program, 2)
    marked = [
        bool(seen[1, fluent]) for fluent, term in enumerate(program.fluents) if term[-1] == "x" and len(term) == 4
    ]
    assert all(marked)
    assert len(marked) == 9


def test_fluents_seen_together_are_counted() -> None:
    rng = np.random.default_rng(0)
    seen = rng.integers(0, 2**63, size=(3, 12)).astype(np.uint64) & rng.integers(0, 2**63, size=(3, 12)).astype(
        np.uint64
    )
    seen[:, 5] = np.uint64(0xFFFFFFFFFFFFFFFF)
    seen[:, 6] = 0
    groups = [(0, 1), (5, 6), (6, 7), (2, 3, 4), (6,)]
    start = np.cumsum([0, *map(len, groups)])
    two, none = np.zeros(len(groups), dtype=np.bool_), np.zeros(len(groups), dtype=np.bool_)
    count_seen(start, np.array([fluent for group in groups for fluent in group]), seen, two, none)
    for number, group in enumerate(groups):
        bits = np.array([[[int(word) >> lane & 1 for word in row[list(group)]] for lane in range(64)] for row in seen])
        counts = bits.sum(axis=2)
        assert two[number] == (counts > 1).any()
        if not two[number]:
            assert none[number] == (counts == 0).any()

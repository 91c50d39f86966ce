"""Propagation: what is said to follow does, in every lane for itself."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import pytest

from naive.exclusion import random_program
from woodstock.common.jit import JIT_DISABLED
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import ground
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.implied import imply
from woodstock.ground.plan import LANES, Groups, Plan, WordArray, atoms_of_moves, first_facts, make_plan
from woodstock.ground.program import NO_ATOM, BoolArray, GroundProgram

NUM_PROGRAMS = 5 if JIT_DISABLED else 40


class Setting(NamedTuple):
    """A program with groups that are supposed, and cases of some literals."""

    program: GroundProgram
    plan: Plan
    groups: Groups
    cases: list[list[int]]


def make_setting(seed: int) -> Setting:
    rng = np.random.default_rng(seed)
    program = random_program(rng)
    members = 1 + rng.permutation(program.num_fluents)
    middle = int(rng.integers(0, program.num_fluents + 1))
    start = np.array([0, middle, program.num_fluents], dtype=np.int64)
    groups = Groups(start, members.astype(np.int64), rng.random(2) < 0.5)
    literals = [rng.integers(2, 2 * program.num_atoms, size=int(rng.integers(1, 4))).tolist() for _ in range(LANES)]
    return Setting(program, make_plan(program, atoms_of_moves(program)), groups, literals)


def suppose(setting: Setting, cases: dict[int, list[int]]) -> WordArray:
    known = first_facts(setting.program, atoms_of_moves(setting.program))
    for lane, literals in cases.items():
        known[literals] |= np.uint64(1 << lane)
    return known


def all_models(setting: Setting) -> BoolArray:
    """Return the literals that hold in each position, reachable or not, with each legal joint move."""
    program, found = setting.program, []
    evaluator = Evaluator(program)
    for chosen in itertools.product([False, True], repeat=program.num_fluents):
        values = evaluator.position(np.flatnonzero(chosen).tolist())
        bounds = itertools.pairwise(setting.groups.start.tolist())
        counts = [int(values[2 * setting.groups.atom[first:last]].sum()) for first, last in bounds]
        limits = zip(counts, setting.groups.is_exact, strict=True)
        is_over = program.terminal_atom != NO_ATOM and values[2 * program.terminal_atom]
        if is_over or any(count > 1 or (is_exact and count == 0) for count, is_exact in limits):
            continue
        legal = holds(values, program.legal_atom)
        moves = [first + np.flatnonzero(legal[first:last]) for first, last in itertools.pairwise(program.move_start)]
        found += [evaluator.after(values, joint) for joint in itertools.product(*moves)]
    return np.array(found, dtype=np.bool_).reshape(-1, 2 * program.num_atoms)


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_what_follows_holds_in_all_models(seed: int) -> None:
    setting = make_setting(seed)
    known = suppose(setting, dict(enumerate(setting.cases)))
    refuted = int(imply(setting.plan, setting.groups, known, 3))
    models = all_models(setting)
    for lane, literals in enumerate(setting.cases):
        fitting = models[models[:, literals].all(axis=1)]
        follows = (known >> np.uint64(lane)) & np.uint64(1) != 0
        # Atoms that nothing needs are not looked at.
        assert fitting[:, follows].all()
        if refuted >> lane & 1:
            assert len(fitting) == 0


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_lanes_do_not_disturb_each_other(seed: int) -> None:
    setting = make_setting(seed)
    together = suppose(setting, dict(enumerate(setting.cases)))
    refuted = int(imply(setting.plan, setting.groups, together, 2))
    for lane in (0, 1, 31, 62, 63):
        alone = suppose(setting, {lane: setting.cases[lane]})
        assert refuted >> lane & 1 == int(imply(setting.plan, setting.groups, alone, 2)) >> lane & 1
        if not refuted >> lane & 1:
            bit = np.uint64(1 << lane)
            assert (together & bit == alone & bit).all()


def test_more_rounds_never_know_less() -> None:
    setting = make_setting(3)
    once = suppose(setting, dict(enumerate(setting.cases)))
    refuted = int(imply(setting.plan, setting.groups, once, 1))
    twice = once.copy()
    assert int(imply(setting.plan, setting.groups, twice, 1)) & refuted == refuted
    assert (twice & once == once).all()


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_what_an_atom_needs_holds_with_it(seed: int) -> None:
    setting = make_setting(seed)
    plan, models = setting.plan, all_models(setting)
    for number, atom in enumerate(plan.atom.tolist()):
        needs = plan.needs[plan.needs_start[number] : plan.needs_start[number + 1]]
        assert models[models[:, 2 * atom]][:, needs].all()


NEEDS = """
(role x) (init a) (init b) (init c) (legal x go) (goal x 1) (<= (next a) (does x go) (true b))
(<= (next b) (does x run))
(<= (next c) why) (<= (legal x run) why) (<= why (true a) {0}) (<= why (not (true a)) {1})
"""


@pytest.mark.parametrize(
    ("reasons", "is_needed"), [(("(true b)", "(true b)"), True), (("(true b)", "(true c)"), False)]
)
def test_what_all_rules_ask_for_is_needed(reasons: tuple[str, str], is_needed: bool) -> None:
    program = ground(parse_rules(NEEDS.format(*reasons)), use_cache=False)
    plan = make_plan(program, atoms_of_moves(program))
    needed = 2 * (1 + program.fluent_index["b"])
    assert (needed in plan.needs) == is_needed
    known = first_facts(program, atoms_of_moves(program))
    run = 1 + program.num_fluents + program.move_index[0]["run"]
    known[2 * run] = np.uint64(1)
    imply(plan, Groups(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)), known, 1)
    assert bool(known[needed]) == is_needed

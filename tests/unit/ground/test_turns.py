"""Turns: facts and domains hold for every legal joint move, and derived turns exclude each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from naive.exclusion import all_steps, random_program
from woodstock.common.jit import JIT_DISABLED
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import GroundProgram, ground
from woodstock.ground.plan import ALL, LANES, Groups, atoms_of_moves, first_facts, make_plan
from woodstock.ground.turns import Domains, find_turns, narrow, settle, with_derived_turns

NUM_PROGRAMS = 5 if JIT_DISABLED else 40


def make_groups(*groups: tuple[int, ...], is_exact: bool = True) -> Groups:
    return Groups(
        np.cumsum([0, *map(len, groups)], dtype=np.int64),
        np.array([atom for group in groups for atom in group], dtype=np.int64),
        np.full(len(groups), is_exact),
    )


def room(program: GroundProgram, num_turns: int = 1) -> Domains:
    sizes = [len(moves) for moves in program.moves if moves]
    literals = np.arange(2, 2 * program.num_atoms, dtype=np.int64)
    words = np.zeros((len(literals), num_turns * sum(-(-size // LANES) for size in sizes)), dtype=np.uint64)
    return Domains(literals, words, np.zeros(num_turns * len(sizes) + 1, dtype=np.int64))


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_facts_and_domains_hold_for_all_moves(seed: int) -> None:
    program = random_program(np.random.default_rng(seed))
    uses_moves = atoms_of_moves(program)
    domains = room(program)
    plan = make_plan(program, uses_moves)
    none = np.zeros(0, dtype=np.int64)
    facts = settle(plan, make_groups(), first_facts(program, uses_moves), none, domains) == ALL
    first_move = 1 + program.num_fluents
    for step in all_steps(program, most=200):
        literals = np.stack([step.atoms, ~step.atoms], axis=1).ravel()
        assert literals[facts].all()
        made = np.flatnonzero(step.atoms[first_move : first_move + program.num_moves])
        starts = [first for first, last in itertools.pairwise(program.move_start) if first < last]
        for role, move in enumerate(made.tolist()):
            place = move - starts[role]
            # The words of moves that are never possible are left out: here all moves of a role fit into one word.
            word = domains.word[:, domains.start[role]]
            assert (word[literals[2:]] >> np.uint64(place) & np.uint64(1) == 1).all()


TURNS = """
(role x) (role y) (init (control x)) (init (mood a))
(<= (legal ?r go) (true (control ?r))) (<= (legal ?r run) (true (control ?r)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (control x)) (true (control y))) (<= (next (control y)) (true (control x)))
(<= (next (mood a)) (does ?r run)) (<= (next (mood b)) (not (does x run)) (not (does y run)))
(goal x 1) (goal y 1)
"""


def test_the_group_that_tells_the_moves_is_found() -> None:
    program = ground(parse_rules(TURNS), use_cache=False)
    uses_moves = atoms_of_moves(program)
    number = program.fluent_index
    control = tuple(1 + number["control", role] for role in "xy")
    mood = tuple(1 + number["mood", name] for name in "ab")
    plan, facts = make_plan(program, uses_moves), first_facts(program, uses_moves)
    assert tuple(find_turns(plan, make_groups(mood, control), facts)) == control
    assert not len(find_turns(plan, make_groups(mood), facts))
    assert not len(find_turns(plan, make_groups(control, is_exact=False), facts))


DERIVED = """
(role x) (role y) (init (last y)) (init even)
(<= (turn x) (true (last y)) (true even)) (<= (turn x) (true (last {0})) (not (true even)))
(<= (turn y) (true (last x)) (true even)) (<= (turn y) (true (last {1})) (not (true even)))
(<= (legal ?r go) (turn ?r)) (<= (legal ?r run) (turn ?r)) (<= (legal ?r noop) (role ?r) (not (turn ?r)))
(<= (next (last ?r)) (does ?r go)) (<= (next (last ?r)) (does ?r run)) (<= (next even) (does ?r run))
(goal x 1) (goal y 1)
"""


@pytest.mark.parametrize(("roles", "is_exclusive"), [("xy", True), ("xx", False)])
def test_derived_turns_are_found(roles: str, is_exclusive: bool) -> None:
    program = ground(parse_rules(DERIVED.format(*roles)), use_cache=False)
    uses_moves = atoms_of_moves(program)
    last = tuple(1 + program.fluent_index["last", role] for role in "xy")
    groups = make_groups(last)
    found = with_derived_turns(make_plan(program, uses_moves), groups, first_facts(program, uses_moves))
    assert len(found.start) - len(groups.start) == int(is_exclusive)
    if is_exclusive:
        assert bool(found.is_exact[-1])


def test_domains_of_lists_are_what_their_literals_share() -> None:
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**63, size=(6, 5)).astype(np.uint64)
    start, place = np.array([0, 1, 3, 6]), np.array([4, 0, 5, 1, 2, 3])
    found = narrow(start, place, words, 4)
    for number, (first, last) in enumerate(itertools.pairwise(start.tolist())):
        assert (found[number] == np.bitwise_and.reduce(words[place[first:last], :4], axis=0)).all()

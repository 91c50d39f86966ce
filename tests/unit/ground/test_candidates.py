"""Candidates: the shapes of fluents, what random play leaves of them, and the largest of them."""

from __future__ import annotations

import numpy as np

from woodstock.game.load import load_rules
from woodstock.gdl.terms import GroundTerm, arguments, functor
from woodstock.ground import GroundProgram, ground
from woodstock.ground.candidates import Candidate, Shape, find_candidates, make_groups, maximal
from woodstock.ground.plan import atoms_of_moves, make_plan


def candidates_of(program: GroundProgram) -> dict[frozenset[GroundTerm], Candidate]:
    plan = make_plan(program, atoms_of_moves(program))
    return {
        frozenset(program.fluents[fluent] for fluent in candidate.fluents): candidate
        for candidate in find_candidates(program, plan, asks_for_moves=False)
    }


def test_cells_and_turns_are_candidates() -> None:
    found = candidates_of(ground(load_rules("tic_tac_toe")))
    assert len(found) == 10
    assert all(candidate.is_exact for candidate in found.values())
    shapes = {functor(next(iter(fluents))): candidate.shape for fluents, candidate in found.items()}
    assert shapes == {"square": Shape.FAMILY, "turn": Shape.WHOLE}


def test_fluents_that_differ_in_two_arguments_are_candidates() -> None:
    """There is one treasure, at one place."""
    found = candidates_of(ground(load_rules("treasure_hunt")))
    treasures = [fluents for fluents in found if {functor(fluent) for fluent in fluents} == {"treasure"}]
    assert max(map(len, treasures)) == 9
    assert all(len(arguments(fluent)) == 2 for fluents in treasures for fluent in fluents)


def test_what_is_seen_together_is_no_candidate() -> None:
    found = candidates_of(ground(load_rules("lights_out")))
    assert all("light" not in {functor(fluent) for fluent in fluents} for fluents in found)


def group(*fluents: int, is_exact: bool = False) -> Candidate:
    return Candidate(fluents, is_exact, Shape.PART)


def test_parts_of_candidates_are_dropped() -> None:
    assert maximal([group(0, 1), group(0, 1, 2), group(2, 3)]) == [group(0, 1, 2), group(2, 3)]
    assert maximal([group(0, 1)], given=[group(0, 1, 2)]) == []


def test_what_is_exact_says_more_than_what_contains_it() -> None:
    part = group(0, 1, is_exact=True)
    assert maximal([part, group(0, 1, 2)]) == [group(0, 1, 2), part]
    assert maximal([part, group(0, 1, 2, is_exact=True)]) == [group(0, 1, 2, is_exact=True)]
    assert maximal([part], given=[group(0, 1)]) == [part]


def test_groups_become_arrays_of_atoms() -> None:
    groups = make_groups([group(3, 5, is_exact=True), group(0, 1, 2)])
    assert groups.start.tolist() == [0, 2, 5]
    assert groups.atom.tolist() == [4, 6, 1, 2, 3]
    assert groups.is_exact.tolist() == [True, False]
    assert make_groups([]).atom.dtype == np.int64

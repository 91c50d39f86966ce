"""Orbits of moves, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.symmetry import close_group, orbits_of_moves
from woodstock.symmetry import orbits
from woodstock.symmetry.group import SymmetryGroup
from woodstock.symmetry.orbits import NO_ORBIT, MoveOrbits, merge_moves
from woodstock.symmetry.symmetry import Shape, Symmetry

TURN = [2, 5, 8, 1, 4, 7, 0, 3, 6]
FLIP = [2, 1, 0, 5, 4, 3, 8, 7, 6]


def board(copies: int = 8) -> SymmetryGroup:
    """Three by three squares, several fluents of each, and a move on each and one more."""
    generators = []
    for image in (TURN, FLIP):
        fluents = [9 * copy + square for copy in range(copies) for square in image]
        generators.append(Symmetry.of(fluents, [*image, 9], [0, 1]))
    return SymmetryGroup(generators, Shape(9 * copies, 10, 2))


def parts(least: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(least == move).tolist()) for move in set(least.tolist()) - {NO_ORBIT}}


def words(numbers: list[int], size: int) -> np.ndarray:
    found = np.zeros((1, (size + 63) // 64), np.uint64)
    for number in numbers:
        found[0, number // 64] |= np.uint64(1) << np.uint64(number % 64)
    return found


@pytest.mark.parametrize("is_explicit", [True, False])
@given(st.sets(st.integers(0, 71), max_size=6))
def test_orbits_follow_the_definition(is_explicit: bool, held: set[int]) -> None:
    group = board()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orbits, "MAX_BYTES", 1 << 29 if is_explicit else 0)
        finder = MoveOrbits(group)
    assert finder.is_explicit == is_explicit
    # What is legal is symmetric if the position is: the squares with nothing on them, and the move without a square.
    legal = [square for square in range(9) if all(fluent % 9 != square for fluent in held)] + [9]
    found = finder.find(words(sorted(held), 72), words(legal, 10))[0]
    elements = [(each.fluents.tolist(), each.moves.tolist()) for each in group.elements()]
    assert parts(found) == orbits_of_moves(elements, held, legal)
    assert all(move == min(orbit) for orbit in parts(found) for move in found[list(orbit)])
    order = sum({fluents[fluent] for fluent in held} == held for fluents, _ in elements)
    assert finder.stabiliser_order(words(sorted(held), 72)[0]) == order


def test_empty_board_and_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orbits, "CALL_WORK", 1)
    rows = np.concatenate([words([], 72), words([0], 72), words([4], 72)])
    legal = np.concatenate([words(list(range(10)), 10), words(list(range(1, 10)), 10), words([0, 1, 9], 10)])
    found = MoveOrbits(board()).find(rows, legal)
    assert [len(parts(row)) for row in found] == [4, 6, 3]
    assert found[1].tolist() == [NO_ORBIT, 1, 2, 1, 4, 5, 2, 5, 8, 9]


def test_symmetries_that_exchange_roles_do_not_count() -> None:
    swap = Symmetry.of([0, 1], [1, 0, 3, 2], [1, 0])
    mirror = Symmetry.of([1, 0], [0, 1, 3, 2], [0, 1])
    finder = MoveOrbits(SymmetryGroup([swap, mirror], Shape(2, 4, 2)))
    assert finder.group.order * 2 == SymmetryGroup([swap, mirror], Shape(2, 4, 2)).order
    assert parts(finder.find(words([], 2), words([0, 1, 2, 3], 4))[0]) == {
        frozenset({0}),
        frozenset({1}),
        frozenset({2, 3}),
    }


def test_merge_moves_by_generators() -> None:
    images = [np.array([1, 2, 0, 3, 4], dtype=np.int32), np.array([0, 1, 2, 4, 3], dtype=np.int32)]
    assert merge_moves(images, np.array([True, True, True, True, True])).tolist() == [0, 0, 0, 3, 3]
    assert merge_moves([], np.array([True, False])).tolist() == [0, NO_ORBIT]


def test_closure_of_the_board() -> None:
    assert len(close_group([TURN, FLIP], 9)) == board().order == 8

from __future__ import annotations

import numpy as np

from woodstock.symmetry.symmetry import Shape, Symmetry

TURN = Symmetry.of([1, 2, 0], [1, 0], [0, 1], [0])


def test_points_and_back() -> None:
    assert TURN.points().tolist() == [1, 2, 0, 4, 3, 5, 6, 7]
    assert TURN.shape == Shape(3, 2, 2, 1)
    back = Symmetry.from_points(TURN.points(), TURN.shape)
    assert np.array_equal(back.moves, TURN.moves)


def test_composition_is_the_first_one_first() -> None:
    swap = Symmetry.of([1, 0, 2], [0, 1], [0, 1], [0])
    both = TURN.compose(swap)
    position = np.array([True, False, False])
    assert (
        both.apply_to_position(position).tolist() == swap.apply_to_position(TURN.apply_to_position(position)).tolist()
    )
    assert TURN.compose(TURN.inverse()).is_identity


def test_roles_and_positions() -> None:
    assert TURN.keeps_roles
    assert not Symmetry.of([0], [0], [1, 0]).keeps_roles
    assert TURN.keeps_position(np.array([True, True, True]))
    assert not TURN.keeps_position(np.array([True, True, False]))
    rows = np.array([[True, False, False], [False, False, True]])
    assert TURN.apply_to_position(rows).tolist() == [[False, True, False], [True, False, False]]


def test_percepts_alone() -> None:
    assert Symmetry.of([0, 1], [0], [0], [1, 0]).moves_percepts_only
    assert not Symmetry.of([1, 0], [0], [0], [1, 0]).moves_percepts_only

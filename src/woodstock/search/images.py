"""Images: where symmetries of a game take its positions, and what these are worth to whom.

A symmetry may exchange roles: what a position is worth to a role, its image is worth to the one that takes its place.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import BoolArray, Int32Array, Int64Array
from woodstock.common.errors import LimitError
from woodstock.search.evaluation import Model
from woodstock.symmetry.group import SymmetryGroup

MOST: Final = 64
"""So many symmetries are used at most."""
TOLD: Final = 3
"""So many images of a position are told what it is told."""
STEPS: Final = 16
"""Of a larger group those are used that so many generators in a row lead to, any of them."""


class Images(NamedTuple):
    """Some symmetries of a game, the identity not among them.

    Attributes:
        fluents: Where each takes each fluent, shape (n, num_fluents), int32.
        columns: Where each takes each column of a model, shape (n, num_columns), int64.
        turns: Whether what the column says is turned round there: one role's gain is another's loss, and they have
            changed places; shape (n, num_columns).
        told: How many images of a position are told what it is told.
    """

    fluents: Int32Array
    columns: Int64Array
    turns: BoolArray
    told: int


def find_images(model: Model, symmetries: SymmetryGroup | None) -> Images:
    """Return where symmetries take what a model knows.

    Args:
        model: The model.
        symmetries: The symmetries; None if they are not known.
    """
    num_fluents, num_columns = len(model.held), len(model.sums)
    points = np.empty((0, 0), np.int32) if symmetries is None else _some_elements(symmetries)
    fluents = np.ascontiguousarray(points[:, :num_fluents]).reshape(len(points), num_fluents)
    columns = np.empty((len(points), num_columns), np.int64)
    turns = np.empty((len(points), num_columns), np.bool_)
    if symmetries is not None:
        first_role = num_fluents + symmetries.shape.num_moves
        for role in np.flatnonzero(model.signs)[::-1]:  # a column is the first role's that it tells of
            there = points[:, first_role + role] - first_role
            columns[:, model.columns[role]] = model.columns[there]
            turns[:, model.columns[role]] = model.signs[there] != model.signs[role]
    return Images(fluents, columns, turns, min(TOLD, len(points)))


def _some_elements(symmetries: SymmetryGroup) -> Int32Array:
    """Return elements of a group, without the identity, all of them if they are few; shape (n, degree)."""
    group = symmetries.points
    with suppress(LimitError):  # they are too many, or nobody knows in time how many they are
        return group.elements(MOST + 1)[1:]
    random = np.random.default_rng(0)
    found = np.empty((MOST, group.degree), np.int32)
    for number in range(MOST):
        element = np.arange(group.degree, dtype=np.int32)
        for _ in range(STEPS):
            element = group.generators[random.integers(len(group.generators))][element]
        found[number] = element
    return found

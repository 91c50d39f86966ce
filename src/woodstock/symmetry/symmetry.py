"""A symmetry of a game: where it takes every fluent, move, role and percept.

A symmetry takes positions to positions and joint moves to joint moves such that everything that the rules say follows
along: legal moves, successors, the end, goals and percepts. It need not take the initial position to itself: values
carry over between any two positions, one of which it takes to the other.

>>> swap = Symmetry.of(fluents=[1, 0, 2], moves=[0, 2, 1], roles=[0])
>>> swap.compose(swap).is_identity
True
>>> swap.apply_to_position(np.array([True, False, True])).tolist()
[False, True, True]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from woodstock.symmetry.graphs import Int32Array

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Shape:
    """How many fluents, moves (of all roles), roles and percepts a game has; in this order they are points."""

    num_fluents: int
    num_moves: int
    num_roles: int
    num_percepts: int = 0

    @property
    def degree(self) -> int:
        """Number of points."""
        return self.num_fluents + self.num_moves + self.num_roles + self.num_percepts


@dataclass(frozen=True, eq=False)
class Symmetry:
    """Where everything goes.

    Attributes:
        fluents: Image of each fluent, shape (num_fluents,), int32.
        moves: Image of each move, counted over all roles, shape (num_moves,), int32.
        roles: Image of each role, shape (num_roles,), int32.
        percepts: Image of each entry of the program's percepts, shape (num_percepts,), int32.
    """

    fluents: Int32Array
    moves: Int32Array
    roles: Int32Array
    percepts: Int32Array

    @classmethod
    def of(
        cls, fluents: npt.ArrayLike, moves: npt.ArrayLike, roles: npt.ArrayLike, percepts: Sequence[int] = ()
    ) -> Symmetry:
        """Make a symmetry from anything that NumPy turns into arrays."""
        parts = (fluents, moves, roles, percepts)
        return cls(*(np.asarray(part, dtype=np.int32) for part in parts))

    @classmethod
    def from_points(cls, points: npt.NDArray[np.integer], shape: Shape) -> Symmetry:
        """Make a symmetry from a permutation of the points: fluents, then moves, roles and percepts."""
        starts = np.cumsum([0, shape.num_fluents, shape.num_moves, shape.num_roles, shape.num_percepts])
        return cls(*((points[start:end] - start).astype(np.int32) for start, end in pairwise(starts.tolist())))

    @property
    def shape(self) -> Shape:
        return Shape(len(self.fluents), len(self.moves), len(self.roles), len(self.percepts))

    def points(self) -> Int32Array:
        """Return the permutation of the points: fluents, then moves, roles and percepts."""
        parts = (self.fluents, self.moves, self.roles, self.percepts)
        starts = np.cumsum([0] + [len(part) for part in parts[:-1]])
        return np.concatenate([part + start for part, start in zip(parts, starts, strict=True)]).astype(np.int32)

    @property
    def is_identity(self) -> bool:
        points = self.points()
        return np.array_equal(points, np.arange(len(points)))

    @property
    def moves_percepts_only(self) -> bool:
        """Whether everything that positions and moves consist of stays in its place."""
        return all(np.array_equal(part, np.arange(len(part))) for part in (self.fluents, self.moves, self.roles))

    @property
    def keeps_roles(self) -> bool:
        return np.array_equal(self.roles, np.arange(len(self.roles)))

    def compose(self, other: Symmetry) -> Symmetry:
        """Return the symmetry that does this one first and then the other."""
        return Symmetry.from_points(other.points()[self.points()], self.shape)

    def inverse(self) -> Symmetry:
        points = self.points()
        inverse = np.empty_like(points)
        inverse[points] = np.arange(len(points), dtype=np.int32)
        return Symmetry.from_points(inverse, self.shape)

    def apply_to_position(self, bits: BoolArray) -> BoolArray:
        """Return the image of positions, given as which fluents hold, shape (…, num_fluents), bool."""
        image = np.empty_like(bits)
        image[..., self.fluents] = bits
        return image

    def keeps_position(self, bits: BoolArray) -> bool:
        return np.array_equal(self.apply_to_position(bits), bits)

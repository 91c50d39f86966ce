"""Orbits of moves: which legal moves of a position are equivalent under the symmetries that keep it.

A symmetry that takes a position to itself takes each of its legal moves to one with the same values for all roles, if
it keeps the roles in their places; so one move of each orbit is enough. Symmetries that exchange roles are left out.

>>> from woodstock.symmetry.symmetry import Shape, Symmetry
>>> mirror = Symmetry.of(fluents=[1, 0, 2], moves=[1, 0, 2], roles=[0])
>>> orbits = MoveOrbits(SymmetryGroup([mirror], Shape(3, 3, 1)))
>>> rows, legal = np.array([[0b100], [0b101]], dtype=np.uint64), np.array([[0b011], [0b111]], dtype=np.uint64)
>>> orbits.find(rows, legal).tolist()
[[0, 0, -1], [0, 1, 2]]
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import jit
from woodstock.symmetry.canonical import MAX_ELEMENTS, as_rows
from woodstock.symmetry.canonical_kernels import U0, U1, U63, Int32Array, WordArray
from woodstock.symmetry.group import SymmetryGroup, orbits_of
from woodstock.symmetry.symmetry import BoolArray

NO_ORBIT: Final = -1
"""Stands for a move that is not legal."""
MAX_BYTES: Final = 1 << 29
"""The elements of a group fill no more; if they did, stabilisers are searched for one at a time."""
CALL_WORK: Final = 2_000_000
"""Images that one call of a kernel looks at, at most: a few milliseconds."""


class MoveOrbits:
    """Finds the orbits of legal moves of positions.

    Attributes:
        group: The group; its elements keep the roles.
        is_explicit: Whether its elements are written out. Else the stabiliser of a position is searched for, within
            limits, which takes milliseconds: for the root.
    """

    def __init__(self, group: SymmetryGroup) -> None:
        """Prepare for a group.

        Args:
            group: Symmetries of a game; those that exchange roles are left out.
        """
        keeps_roles = all(generator.keeps_roles for generator in group.generators)
        self.group = group if keeps_roles else group.role_stabiliser()
        shape = self.group.shape
        size = 4 * self.group.order * shape.degree
        self.is_explicit = self.group.order <= MAX_ELEMENTS and size <= MAX_BYTES
        if self.is_explicit:
            elements = self.group.points.elements()
            end = shape.num_fluents + shape.num_moves
            self._fluents = np.ascontiguousarray(elements[:, : shape.num_fluents])
            self._moves = np.ascontiguousarray(elements[:, shape.num_fluents : end] - np.int32(shape.num_fluents))

    def find(self, rows: WordArray, legal: WordArray) -> Int32Array:
        """Return for each legal move of positions the least move of its orbit, NO_ORBIT for moves that are not legal.

        Args:
            rows: Packed positions, shape (n, num_words), uint64.
            legal: Their legal moves, packed, counted over all roles, shape (n, num_move_words), uint64.

        Returns:
            Moves counted over all roles, shape (n, num_moves), int32.
        """
        shape = self.group.shape
        rows, legal = as_rows(rows, shape.num_fluents), as_rows(legal, shape.num_moves)
        least = np.full((len(rows), shape.num_moves), NO_ORBIT, np.int32)
        if not self.is_explicit:
            for row in range(len(rows)):
                least[row] = self._search(rows[row], legal[row])
            return least
        step = max(1, CALL_WORK // (len(self._fluents) * (shape.num_fluents + shape.num_moves)))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            find_orbits(self._fluents, self._moves, rows[part], legal[part], least[part])
        return least

    def stabiliser_order(self, row: WordArray) -> int:
        """Return how many symmetries that keep the roles keep a packed position, shape (num_words,), uint64."""
        return self._stabiliser(row).order

    def _stabiliser(self, row: WordArray) -> SymmetryGroup:
        return self.group.position_stabiliser(_unpack(row, self.group.shape.num_fluents))

    def _search(self, row: WordArray, legal: WordArray) -> Int32Array:
        """Find the orbits of one position by the generators of its stabiliser."""
        shape = self.group.shape
        least = self._stabiliser(row).move_orbits()
        return np.where(_unpack(legal, shape.num_moves), least, NO_ORBIT).astype(np.int32)


def merge_moves(images: list[Int32Array], legal: BoolArray) -> Int32Array:
    """Return the orbits of legal moves under some symmetries that keep a position and generate the others.

    Args:
        images: Where each symmetry takes each move, shape (num_moves,), int32.
        legal: Which moves are legal, shape (num_moves,), bool.

    Returns:
        The least move of each orbit, NO_ORBIT for moves that are not legal, shape (num_moves,), int32.
    """
    least = orbits_of(images, len(legal))
    return np.where(legal, least, NO_ORBIT).astype(np.int32)


def _unpack(words: WordArray, num_bits: int) -> BoolArray:
    octets = np.ascontiguousarray(words, "<u8").view(np.uint8)
    found: npt.NDArray[np.bool_] = np.unpackbits(octets, count=num_bits, bitorder="little").view(np.bool_)
    return found


@jit
def find_orbits(fluents: Int32Array, moves: Int32Array, rows: WordArray, legal: WordArray, least: Int32Array) -> None:
    """Find the orbits of the legal moves of positions under a group that is written out.

    The elements that keep a position are a group, so an orbit is all that they make of one move.

    Args:
        fluents: Where each element takes each fluent, shape (num_elements, num_fluents), int32.
        moves: Where it takes each move, shape (num_elements, num_moves), int32.
        rows: Packed positions, shape (n, num_words), uint64.
        legal: Their legal moves, packed, shape (n, num_move_words), uint64.
        least: The least move of each orbit, written for legal moves, shape (n, num_moves), int32.
    """
    num_fluents, num_moves = fluents.shape[1], moves.shape[1]
    for row in range(len(rows)):
        position = rows[row]
        for move in range(num_moves):
            if (legal[row, move >> 6] >> (np.uint64(move) & U63)) & U1 != U0:
                least[row, move] = move
        for element in range(len(fluents)):
            keeps = True
            for fluent in range(num_fluents):
                image = fluents[element, fluent]
                held = (position[fluent >> 6] >> (np.uint64(fluent) & U63)) & U1
                if held != U0 and (position[image >> 6] >> (np.uint64(image) & U63)) & U1 == U0:
                    keeps = False
                    break
            if keeps:
                for move in range(num_moves):
                    if least[row, move] >= 0:
                        least[row, move] = min(least[row, move], moves[element, move])

"""Canonical keys: one 64-bit number for a position and for all its images under a group of symmetries.

The canonical key of a position is the least Zobrist key of its images. Positions of one orbit have one key; positions
with one key are of one orbit, unless 64 bits collide, as with any Zobrist key. Where a group is too large for a list of
its elements a key is still that of *some* image, so that it never joins what does not belong together; it may then miss
that two positions are of one orbit, which costs time and nothing else.

Take a group that keeps roles where a key stands for the values of all roles: an element that exchanges roles exchanges
their values too.

>>> mirror = np.array([[0, 1, 2], [2, 1, 0]])
>>> keys = ExplicitKeys(mirror, np.array([5, 6, 3], dtype=np.uint64))
>>> rows = np.array([[0b001], [0b100], [0b010]], dtype=np.uint64)
>>> keys.keys(rows)
array([3, 3, 6], dtype=uint64)
>>> keys.keys_and_elements(rows)[1]
array([1, 0, 0], dtype=int32)
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import LimitError, UsageError
from woodstock.symmetry.canonical_kernels import (
    CHUNK,
    OCTET,
    Int32Array,
    Int64Array,
    WordArray,
    find_by_octets,
    find_by_vectors,
    find_changes,
    find_vectors,
    update_by_fluents,
)

MAX_ELEMENTS: Final = 100_000
"""Larger groups are not written out."""
MAX_IMAGE_BYTES: Final = 1 << 29
"""The numbers of all images of all fluents fill no more."""
MAX_OCTET_BYTES: Final = 1 << 22
"""Tables of octets, 32 times as large, fill no more: beyond the cache they are slower than one fluent at a time."""
CALL_WORK: Final = 8_000_000
"""Looked-up numbers of one call of a kernel: a few milliseconds."""

NO_ELEMENTS: Final = np.zeros(0, np.int32)
NO_VECTORS: Final = np.zeros((0, 0), np.uint64)


class CanonicalKeys(Protocol):
    """Keys of positions under a group.

    Attributes:
        is_complete: Whether all positions of an orbit have one key.
    """

    is_complete: bool

    def keys(self, rows: WordArray) -> WordArray:
        """Return the keys of packed positions, shape (n, num_words), uint64: (n,), uint64."""
        ...


class Updated(NamedTuple):
    """What is known of successors.

    Attributes:
        keys: Their canonical keys, shape (n,), uint64.
        elements: The first element that gives each key, shape (n,), int32, or (0,) if they were not asked for.
        vectors: The keys of all their images, shape (n, num_elements rounded up to eights), uint64, or (0, 0).
    """

    keys: WordArray
    elements: Int32Array
    vectors: WordArray


class ExplicitKeys:
    """Canonical keys under a group whose elements are written out.

    Attributes:
        elements: Where each element takes each fluent, shape (num_elements, num_fluents), int32; the elements that keys
            are found with are numbered so. Several may do the same to the fluents, and differ in what they do to moves.
        is_complete: True: the elements are a group.
    """

    def __init__(self, elements: npt.ArrayLike, numbers: WordArray) -> None:
        """Make the tables.

        Args:
            elements: Where each element of a group takes each fluent, shape (num_elements, num_fluents).
            numbers: The Zobrist number of each fluent, shape (num_fluents,), uint64.

        Raises:
            UsageError: The elements are no permutations of the fluents.
            LimitError: The tables would be too large.
        """
        self.elements = check_permutations(elements, len(numbers))
        self.is_complete = True
        num_elements, num_fluents = self.elements.shape
        if num_elements > MAX_ELEMENTS or 8 * num_elements * num_fluents > MAX_IMAGE_BYTES:
            raise LimitError(
                f"a group of {num_elements:,} elements on {num_fluents:,} fluents is too large to write out"
            )
        self._num_fluents = num_fluents
        self._num_octets = -(-num_fluents // OCTET)
        self._width = -(-num_elements // CHUNK) * CHUNK
        self._images = _make_images(self.elements, numbers, self._width)
        is_small = 32 * self._images.nbytes <= MAX_OCTET_BYTES
        self._tables = _make_tables(self._images.reshape(num_fluents, self._width)) if is_small else None

    @property
    def num_elements(self) -> int:
        return len(self.elements)

    def keys(self, rows: WordArray) -> WordArray:
        """Return the keys of packed positions, shape (n, num_words), uint64: (n,), uint64."""
        return self._find(rows, NO_ELEMENTS)

    def keys_and_elements(self, rows: WordArray) -> tuple[WordArray, Int32Array]:
        """Return the keys and the first element that takes each position to the image with that key, (n,), int32."""
        elements = np.empty(len(rows), np.int32)
        return self._find(rows, elements), elements

    def _find(self, rows: WordArray, elements: Int32Array) -> WordArray:
        rows = as_rows(rows, self._num_fluents)
        found = np.zeros(len(rows), np.uint64)
        if self._num_fluents == 0:
            elements[:] = 0
            return found
        step = max(1, CALL_WORK // (self._width * self._num_fluents))
        space = np.empty((1, self._width), np.uint64)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            if self._tables is not None:
                find_by_octets(self._tables, self._num_octets, rows[part], found[part], elements[part])
            else:
                find_by_vectors(self._images, rows[part], found[part], elements[part], space)
        return found

    def vectors(self, rows: WordArray) -> WordArray:
        """Return the keys of all images of positions, for `update`: shape (n, num_elements rounded up to eights)."""
        rows = as_rows(rows, self._num_fluents)
        found = np.zeros((len(rows), self._width), np.uint64)
        step = max(1, CALL_WORK // max(1, self._width * self._num_fluents))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            find_vectors(self._images, rows[part], found[part])
        return found

    def update(
        self,
        rows: WordArray,
        vectors: WordArray,
        parents: npt.ArrayLike,
        successors: WordArray,
        *,
        with_elements: bool = False,
        with_vectors: bool = False,
    ) -> Updated:
        """Find the keys of successors from their parents': quick for a large group if they differ little.

        Args:
            rows: Packed positions, shape (num_positions, num_words), uint64.
            vectors: The keys of all their images (`vectors`).
            parents: Which of the positions each successor comes from, shape (n,).
            successors: Packed positions, shape (n, num_words), uint64.
            with_elements: Whether the elements that give the keys are wanted.
            with_vectors: Whether the vectors of the successors are wanted.
        """
        rows, successors = as_rows(rows, self._num_fluents), as_rows(successors, self._num_fluents)
        if vectors.shape != (len(rows), self._width):
            raise UsageError(f"expected vectors of shape {(len(rows), self._width)}, found {vectors.shape}")
        parent_of = np.ascontiguousarray(parents, np.int32)
        if parent_of.shape != (len(successors),) or not ((parent_of >= 0) & (parent_of < len(rows))).all():
            raise UsageError(f"expected one of {len(rows)} parents for each of {len(successors)} successors")
        keys = np.zeros(len(successors), np.uint64)
        elements = np.empty(len(successors), np.int32) if with_elements else NO_ELEMENTS
        found = np.empty((len(successors), self._width), np.uint64) if with_vectors else NO_VECTORS
        start = 0
        step = max(1, CALL_WORK // (self._width * 8))
        while start < len(successors):
            part = slice(start, start + step)
            changes, count = self._changes(rows, parent_of[part], successors[part])
            part = slice(start, start + count)
            old = vectors, parent_of[part]
            update_by_fluents(self._images, changes, old, keys[part], elements[part], found[part])
            start += count
        return Updated(keys, elements, found)

    def _changes(
        self, rows: WordArray, parents: Int32Array, successors: WordArray
    ) -> tuple[tuple[Int64Array, Int32Array], int]:
        """Return the fluents that change, of as many successors as there is room for, at least one."""
        starts = np.zeros(len(successors) + 1, np.int64)
        fluents = np.empty(self._num_fluents + 16 * len(successors), np.int32)
        count = find_changes(rows, parents, successors, starts, fluents)
        return (starts[: count + 1], fluents), count


def check_permutations(elements: npt.ArrayLike, degree: int) -> Int32Array:
    """Return permutations as one array, shape (n, degree), int32.

    Raises:
        UsageError: They are none, or there is none at all.
    """
    found = np.ascontiguousarray(elements, np.int32)
    if found.ndim != 2 or found.shape[1] != degree or not len(found):
        raise UsageError(f"expected permutations of {degree} fluents, found an array of shape {found.shape}")
    if not np.array_equal(np.sort(found, axis=1), np.broadcast_to(np.arange(degree), found.shape)):
        raise UsageError(f"expected permutations of {degree} fluents, found an array whose rows are none")
    return found


def as_rows(rows: WordArray, num_bits: int) -> WordArray:
    """Return packed positions, or sets of moves, in the one form that kernels are compiled for.

    Raises:
        UsageError: They are not of that many bits.
    """
    num_words = (num_bits + 63) // 64
    if rows.ndim != 2 or rows.shape[1] != num_words:
        raise UsageError(f"expected words of shape {(len(rows), num_words)}, found {rows.shape}")
    spare = 64 * num_words - num_bits
    if spare and (rows[:, -1] >> np.uint64(64 - spare)).any():
        raise UsageError(f"expected rows of {num_bits} bits, found one with bits beyond them")
    return np.ascontiguousarray(rows, np.uint64)


def _make_images(elements: Int32Array, numbers: WordArray, width: int) -> WordArray:
    """Return the numbers of images by fluent and element, filled up with the first element to a width."""
    images = np.empty((elements.shape[1], width), np.uint64)
    images[:, : len(elements)] = numbers[elements].T
    images[:, len(elements) :] = images[:, :1]
    return images.reshape(-1)


def _make_tables(images: WordArray) -> WordArray:
    """Return the tables of octets: what the values of eight neighbouring fluents put into the keys."""
    num_fluents, width = images.shape
    num_octets, num_chunks = -(-num_fluents // OCTET), width // CHUNK
    padded = np.zeros((num_chunks, num_octets * OCTET, CHUNK), np.uint64)
    padded[:, :num_fluents] = images.reshape(num_fluents, num_chunks, CHUNK).transpose(1, 0, 2)
    padded = padded.reshape(num_chunks, num_octets, OCTET, CHUNK)
    tables = np.zeros((num_chunks, num_octets, 1 << OCTET, CHUNK), np.uint64)
    for bit in range(OCTET):
        # The second half of the values so far is the first half with one more fluent.
        size = 1 << bit
        tables[:, :, size : 2 * size] = tables[:, :, :size] ^ padded[:, :, bit, None]
    return tables.reshape(-1)

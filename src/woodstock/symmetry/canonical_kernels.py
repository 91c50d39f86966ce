"""Kernels of canonical keys: the least Zobrist key of a packed position over the elements of a group.

The elements of a group come in *chunks* of eight, the last one filled up with copies of the first element: eight
64-bit keys are one AVX-512 register. For a small group there is a table of what the values of eight neighbouring
fluents (an octet) put into the keys of a chunk. Chunks come first there, and all rows are gone through with one chunk
before the next, so that what is read stays in the cache. For a large group that would take too much room; there all
keys of a position, its *vector*, are made at once, one fluent after the other.

`canonical` cuts the rows so that no call takes longer than 20 ms.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import inner_kernel, jit

WordArray = npt.NDArray[np.uint64]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]

CHUNK: Final = 8
"""Elements that are handled at once."""
OCTET: Final = 8
"""Fluents that are looked up at once."""

U0: Final = np.uint64(0)
U1: Final = np.uint64(1)
U2: Final = np.uint64(2)
U3: Final = np.uint64(3)
U4: Final = np.uint64(4)
U5: Final = np.uint64(5)
U6: Final = np.uint64(6)
U7: Final = np.uint64(7)
U8: Final = np.uint64(8)
U11: Final = np.uint64(11)
U16: Final = np.uint64(16)
U32: Final = np.uint64(32)
U63: Final = np.uint64(63)
U64: Final = np.uint64(64)
LOW_OCTET: Final = np.uint64(255)
LOW_BITS: Final = np.uint64(127)
ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
_ODD_BITS: Final = np.uint64(0x5555555555555555)
_PAIRS: Final = np.uint64(0x3333333333333333)
_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)

Eight = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]


@inner_kernel
def lowest_bit(word: np.uint64) -> np.uint64:
    """Return the number of the lowest bit that is set in a word that is not zero."""
    below = (word & (~word + U1)) - U1
    below = below - ((below >> U1) & _ODD_BITS)
    below = (below & _PAIRS) + ((below >> U2) & _PAIRS)
    below = (below + (below >> U4)) & _NIBBLES
    below = below + (below >> U8)
    below = below + (below >> U16)
    return (below + (below >> U32)) & LOW_BITS


@inner_kernel
def _changed(keys: Eight, table: WordArray, at: np.uint64) -> Eight:
    """Return eight keys after eight numbers of a table were put into them."""
    a, b, c, d, e, f, g, h = keys
    return (
        a ^ table[at],
        b ^ table[at + U1],
        c ^ table[at + U2],
        d ^ table[at + U3],
        e ^ table[at + U4],
        f ^ table[at + U5],
        g ^ table[at + U6],
        h ^ table[at + U7],
    )


@inner_kernel
def _least(keys: Eight) -> np.uint64:
    """Return the least of eight keys."""
    a, b, c, d, e, f, g, h = keys
    a, b, c, d = min(a, e), min(b, f), min(c, g), min(d, h)
    a, b = min(a, c), min(b, d)
    return min(a, b)


@inner_kernel
def _place_of(keys: Eight, key: np.uint64) -> int:
    """Return the first place where a key stands among eight."""
    for place in range(CHUNK):
        if keys[place] == key:
            return place
    return CHUNK


@inner_kernel
def _note(keys: Eight, chunk: np.int64, row: int, found: WordArray, elements: Int32Array) -> None:
    """Keep the least of eight keys of a row if it is less than what was found before, and its element if wanted."""
    key = _least(keys)
    if key < found[row] or chunk == 0:
        found[row] = key
        if len(elements):
            elements[row] = chunk * CHUNK + _place_of(keys, key)


@jit
def find_by_octets(tables: WordArray, num_octets: int, rows: WordArray, found: WordArray, elements: Int32Array) -> None:
    """Find the canonical keys of positions, eight fluents at a time.

    Args:
        tables: For each chunk, octet, value of the octet and element of the chunk, in this order, the exclusive or of
            the numbers of the images; shape (num_chunks * num_octets * 256 * 8,), uint64.
        num_octets: How many octets a position has.
        rows: Packed positions, shape (n, num_words), uint64.
        found: Their keys, written, shape (n,), uint64.
        elements: The first element that gives each key, written unless it is empty, shape (n,) or (0,), int32.
    """
    octets = np.uint64(num_octets)
    size = octets << U11
    num_chunks = np.uint64(len(tables)) // max(size, U1)
    for chunk in range(num_chunks):
        first = np.uint64(chunk) * size
        for row in range(np.uint64(len(rows))):
            keys = (U0, U0, U0, U0, U0, U0, U0, U0)
            at = first
            left = octets
            for number in range(np.uint64(rows.shape[1])):
                word = rows[row, number]
                for _ in range(min(left, U8)):
                    keys = _changed(keys, tables, at + ((word & LOW_OCTET) << U3))
                    word >>= U8
                    at += np.uint64(2048)
                left -= min(left, U8)
            _note(keys, np.int64(chunk), row, found, elements)


@inner_kernel
def _put(vector: WordArray, images: WordArray, fluent: np.uint64) -> None:
    """Put the numbers of all images of a fluent into a vector."""
    size = np.uint64(len(vector))
    first = fluent * size
    for place in range(size):
        vector[place] ^= images[first + np.uint64(place)]


@jit
def find_vectors(images: WordArray, rows: WordArray, vectors: WordArray) -> None:
    """Find the keys of all images of positions.

    Args:
        images: For each fluent and element the number of the image, shape (num_fluents * num_elements,), uint64; the
            number of elements is a multiple of eight.
        rows: Packed positions, shape (n, num_words), uint64.
        vectors: The keys, written, shape (n, num_elements), uint64.
    """
    for row in range(len(rows)):
        vector = vectors[row]
        vector[:] = U0
        for number in range(rows.shape[1]):
            word = rows[row, number]
            while word != U0:
                _put(vector, images, np.uint64(number) * U64 + lowest_bit(word))
                word &= word - U1


@jit
def find_by_vectors(
    images: WordArray, rows: WordArray, found: WordArray, elements: Int32Array, vectors: WordArray
) -> None:
    """Find the canonical keys of positions, one position and one fluent at a time.

    Args:
        images: As for `find_vectors`.
        rows: Packed positions, shape (n, num_words), uint64.
        found: Their keys, written, shape (n,), uint64.
        elements: The first element that gives each key, written unless it is empty, shape (n,) or (0,), int32.
        vectors: Space, shape (1, num_elements), uint64.
    """
    vector = vectors[0]
    for row in range(len(rows)):
        find_vectors(images, rows[row : row + 1], vectors)
        for chunk in range(np.uint64(len(vector)) >> U3):
            _note(_load(vector, np.uint64(chunk) << U3), np.int64(chunk), row, found, elements)


@inner_kernel
def _load(vector: WordArray, at: np.uint64) -> Eight:
    """Return eight keys of a vector."""
    return (
        vector[at],
        vector[at + U1],
        vector[at + U2],
        vector[at + U3],
        vector[at + U4],
        vector[at + U5],
        vector[at + U6],
        vector[at + U7],
    )


@inner_kernel
def _store(vector: WordArray, at: np.uint64, keys: Eight) -> None:
    """Write eight keys into a vector."""
    a, b, c, d, e, f, g, h = keys
    vector[at] = a
    vector[at + U1] = b
    vector[at + U2] = c
    vector[at + U3] = d
    vector[at + U4] = e
    vector[at + U5] = f
    vector[at + U6] = g
    vector[at + U7] = h


@jit
def update_by_fluents(
    images: WordArray,
    changes: tuple[Int64Array, Int32Array],
    parents: tuple[WordArray, Int32Array],
    found: WordArray,
    elements: Int32Array,
    vectors: WordArray,
) -> None:
    """Find the canonical keys of successors from the keys of all images of their parents.

    Args:
        images: As for `find_vectors`.
        changes: Where the fluents begin that differ between each successor and its parent, shape (n + 1,), int64, and
            these fluents, int32.
        parents: The vectors of the parents, shape (num_parents, num_elements), and which one each successor has,
            shape (n,), int32.
        found: The keys of the successors, written, shape (n,), uint64.
        elements: The first element that gives each key, written unless it is empty, shape (n,) or (0,), int32.
        vectors: The vectors of the successors, written unless it is empty, shape (n, num_elements) or (0, 0).
    """
    starts, fluents = changes
    olds, parent_of = parents
    size = np.uint64(olds.shape[1])
    for row in range(len(found)):
        old = olds[parent_of[row]]
        for chunk in range(size >> U3):
            first = np.uint64(chunk) << U3
            keys = _load(old, first)
            for place in range(starts[row], starts[row + 1]):
                keys = _changed(keys, images, np.uint64(fluents[place]) * size + first)
            if len(vectors):
                _store(vectors[row], first, keys)
            _note(keys, np.int64(chunk), row, found, elements)


@jit
def find_changes(
    positions: WordArray, parents: Int32Array, successors: WordArray, starts: Int64Array, fluents: Int32Array
) -> int:
    """Find the fluents that differ between successors and their parents; return how many rows there was room for.

    Args:
        positions: Packed positions, shape (num_positions, num_words), uint64.
        parents: Which position each successor comes from, shape (n,), int32.
        successors: Packed positions, shape (n, num_words), uint64.
        starts: Where the fluents of each row begin, written, shape (n + 1,), int64.
        fluents: The fluents, written, int32.
    """
    count = 0
    starts[0] = 0
    for row in range(len(successors)):
        for number in range(successors.shape[1]):
            word = successors[row, number] ^ positions[parents[row], number]
            while word != U0:
                if count == len(fluents):
                    return row
                fluents[count] = np.int64(np.uint64(number) * U64 + lowest_bit(word))
                count += 1
                word &= word - U1
        starts[row + 1] = count
    return len(successors)

"""Packed positions: one bit for each fluent, and the way from there to lanes and back.

A *packed position* is a row of 64-bit words: fluent f is bit `f & 63` of word `f >> 6`. It is what tree nodes hold and
what keys are made of. Bitsets of moves are packed in the same way. The *values* that circuits work on lie the other way
round, one bit for each lane: fluent f is slot `1 + f`, lane l is bit `l & 63` of word `l >> 6` of that slot. The way
between the two is the transposition of blocks of 64 fluents and 64 lanes, all words of a slot at once.

>>> import numpy as np
>>> pack(np.array([True, False, True])), num_words(65)
(array([5], dtype=uint64), 2)
"""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.circuit.network import BoolArray, Int64Array
from woodstock.circuit.words import (
    ALL,
    U0,
    U1,
    U2,
    U3,
    U4,
    U5,
    U6,
    U7,
    WordArray,
    Words,
    aligned,
    both,
    differing,
    load,
    lowest_bit,
    spread,
    store,
)
from woodstock.common.errors import UsageError
from woodstock.common.jit import jit

BITS: Final = np.uint64(64)
"""Bits of a word."""
LAST_BIT: Final = np.uint64(63)

# How far apart the rows are that each round of a transposition exchanges bits between, and which bits.
U8: Final = np.uint64(8)
U16: Final = np.uint64(16)
U32: Final = np.uint64(32)
MASK_1: Final = np.uint64(0x5555555555555555)
MASK_2: Final = np.uint64(0x3333333333333333)
MASK_4: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
MASK_8: Final = np.uint64(0x00FF00FF00FF00FF)
MASK_16: Final = np.uint64(0x0000FFFF0000FFFF)
MASK_32: Final = np.uint64(0x00000000FFFFFFFF)


def num_words(num_bits: int) -> int:
    """Return how many words that many bits fill."""
    return (num_bits + 63) // 64


def pack(bits: BoolArray) -> WordArray:
    """Return bits as words, shape (..., num_bits) becomes (..., num_words), uint64."""
    size = bits.shape[-1]
    full = np.zeros((*bits.shape[:-1], num_words(size) * 64), np.bool_)
    full[..., :size] = bits
    return np.packbits(full, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def unpack(words: WordArray, num_bits: int) -> BoolArray:
    """Return words as bits, shape (..., num_words) becomes (..., num_bits), bool."""
    octets = np.ascontiguousarray(words, "<u8").view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=num_bits, bitorder="little").view(np.bool_)


def check_rows(rows: WordArray, num_fluents: int) -> None:
    """Refuse what are not packed positions of so many fluents."""
    shape = (len(rows), num_words(num_fluents))
    if rows.shape != shape:
        raise UsageError(f"expected words of shape {shape}, found {rows.shape}")
    spare = 64 * shape[1] - num_fluents
    if spare and len(rows) and (rows[:, -1] >> np.uint64(64 - spare)).any():
        raise UsageError(f"expected positions of {num_fluents} fluents, found one with bits beyond them")


def new_space(width: int) -> WordArray:
    """Return the working space of the kernels below, shape (64 * width,), uint64."""
    return aligned(64 * width)


@jit
def load_positions(
    values: WordArray, positions: WordArray, rows: Int64Array, num_fluents: int, space: WordArray, like: Words
) -> None:
    """Load many positions, one into each lane, beginning with lane 0; the lanes that are left get no fluents.

    Args:
        values: The words of all slots; those of the fluents are written.
        positions: Packed positions, shape (num_positions, num_words), uint64.
        rows: Which position each lane gets, at most 64 * width of them, shape (n,), int64.
        num_fluents: Number of fluents.
        space: Working space (`new_space`).
        like: Words of the width.
    """
    width = np.uint64(len(like))
    count = np.uint64(len(rows))
    for block in range(np.uint64(positions.shape[1])):
        if count < BITS * width:
            for bit in range(BITS):
                store(space, bit * width, spread(U0, like))
        for lane in range(count):
            space[(lane & LAST_BIT) * width + lane // BITS] = positions[np.uint64(rows[lane]), block]
        transpose(space, like)
        first = block * BITS
        for bit in range(min(BITS, np.uint64(num_fluents) - first)):
            store(values, (U1 + first + bit) * width, load(space, bit * width, like))


@jit
def replace_positions(
    values: WordArray, positions: WordArray, rows: Int64Array, num_fluents: int, space: WordArray, mask: Words
) -> None:
    """Load many positions, one into each lane of a mask; the other lanes stay as they are.

    Args:
        values: The words of all slots; those of the fluents are written.
        positions: Packed positions, shape (num_positions, num_words), uint64.
        rows: Which position each lane of the mask gets, shape (64 * width,), int64; other lanes are not looked at.
        num_fluents: Number of fluents.
        space: Working space (`new_space`).
        mask: The lanes to load.
    """
    width = np.uint64(len(mask))
    for block in range(np.uint64(positions.shape[1])):
        # What is left in the space of other lanes does no harm: the mask takes it out.
        for number in range(len(mask)):
            word = mask[number]
            while word != U0:
                lane = lowest_bit(word)
                word &= word - U1
                row = np.uint64(rows[np.uint64(number) * BITS + lane])
                space[lane * width + np.uint64(number)] = positions[row, block]
        transpose(space, mask)
        first = block * BITS
        for bit in range(min(BITS, np.uint64(num_fluents) - first)):
            at = (U1 + first + bit) * width
            old = load(values, at, mask)
            new = load(space, bit * width, mask)
            store(values, at, differing(old, both(differing(old, new), mask)))


@jit
def spread_position(values: WordArray, position: WordArray, num_fluents: int, mask: Words) -> None:
    """Load one position into all lanes of a mask; the other lanes stay as they are.

    Args:
        values: The words of all slots; those of the fluents are written.
        position: A packed position, shape (num_words,), uint64.
        num_fluents: Number of fluents.
        mask: The lanes to load.
    """
    width = np.uint64(len(mask))
    for fluent in range(np.uint64(num_fluents)):
        holds = (position[fluent // BITS] >> (fluent & LAST_BIT)) & U1 != U0
        at = (U1 + fluent) * width
        old = load(values, at, mask)
        new = spread(ALL if holds else U0, mask)
        store(values, at, differing(old, both(differing(old, new), mask)))


@jit
def store_lanes(
    values: WordArray, places: WordArray, flips: WordArray, rows: WordArray, space: WordArray, like: Words
) -> None:
    """Pack literals, such as those of the next position or of legal moves, for each lane, beginning with lane 0.

    Args:
        values: The words of all slots.
        places: Where in `values` the words of each literal begin, shape (num_literals,), uint32.
        flips: All ones for the literals that are complements, else 0, shape (num_literals,), uint64.
        rows: One row for each lane that is wanted, written, shape (n, num_words), uint64.
        space: Working space (`new_space`).
        like: Words of the width.
    """
    width = np.uint64(len(like))
    count = np.uint64(rows.shape[0])
    num_literals = np.uint64(len(places))
    for block in range(np.uint64(rows.shape[1])):
        first = block * BITS
        size = min(BITS, num_literals - first)
        for bit in range(size):
            words = load(values, np.uint64(places[first + bit]), like)
            store(space, bit * width, differing(words, spread(flips[first + bit], like)))
        for bit in range(size, BITS):
            store(space, bit * width, spread(U0, like))
        transpose(space, like)
        for lane in range(count):
            rows[lane, block] = space[(lane & LAST_BIT) * width + lane // BITS]


@jit
def exchange(upper: np.uint64, lower: np.uint64, shift: np.uint64, mask: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Exchange the high bits of each field of one row for the low bits of another row."""
    changed = ((upper >> shift) ^ lower) & mask
    return upper ^ (changed << shift), lower ^ changed


@jit
def transpose(space: WordArray, like: Words) -> None:
    """Transpose blocks of 64 rows of 64 bits in place, by halves (Warren, Hacker's Delight, section 7-3).

    Row r of block w is word `r * width + w`; there are as many blocks as words. Three rounds at a time are made in
    registers, for rows that are eight apart and then for neighbours. They are written out because the compiler turns
    this, and nothing shorter, into vector code.
    """
    width = np.uint64(len(like))
    step = U8 * width
    for at in range(step):
        a, b, c, d = space[at], space[at + step], space[at + U2 * step], space[at + U3 * step]
        e, f, g, h = space[at + U4 * step], space[at + U5 * step], space[at + U6 * step], space[at + U7 * step]
        a, e = exchange(a, e, U32, MASK_32)
        b, f = exchange(b, f, U32, MASK_32)
        c, g = exchange(c, g, U32, MASK_32)
        d, h = exchange(d, h, U32, MASK_32)
        a, c = exchange(a, c, U16, MASK_16)
        b, d = exchange(b, d, U16, MASK_16)
        e, g = exchange(e, g, U16, MASK_16)
        f, h = exchange(f, h, U16, MASK_16)
        a, b = exchange(a, b, U8, MASK_8)
        c, d = exchange(c, d, U8, MASK_8)
        e, f = exchange(e, f, U8, MASK_8)
        g, h = exchange(g, h, U8, MASK_8)
        space[at], space[at + step], space[at + U2 * step], space[at + U3 * step] = a, b, c, d
        space[at + U4 * step], space[at + U5 * step], space[at + U6 * step], space[at + U7 * step] = e, f, g, h
    step = width
    for eighth in range(U8):
        first = eighth * U8 * width
        for at in range(first, first + width):
            a, b, c, d = space[at], space[at + step], space[at + U2 * step], space[at + U3 * step]
            e, f, g, h = space[at + U4 * step], space[at + U5 * step], space[at + U6 * step], space[at + U7 * step]
            a, e = exchange(a, e, U4, MASK_4)
            b, f = exchange(b, f, U4, MASK_4)
            c, g = exchange(c, g, U4, MASK_4)
            d, h = exchange(d, h, U4, MASK_4)
            a, c = exchange(a, c, U2, MASK_2)
            b, d = exchange(b, d, U2, MASK_2)
            e, g = exchange(e, g, U2, MASK_2)
            f, h = exchange(f, h, U2, MASK_2)
            a, b = exchange(a, b, U1, MASK_1)
            c, d = exchange(c, d, U1, MASK_1)
            e, f = exchange(e, f, U1, MASK_1)
            g, h = exchange(g, h, U1, MASK_1)
            space[at], space[at + step], space[at + U2 * step], space[at + U3 * step] = a, b, c, d
            space[at + U4 * step], space[at + U5 * step], space[at + U6 * step], space[at + U7 * step] = e, f, g, h

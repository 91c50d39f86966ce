"""Zobrist keys: 64-bit numbers that stand for packed positions (Zobrist 1970).

Every fluent has a number that looks random; the key of a position is the exclusive or of the numbers of the fluents
that hold. So the key of a successor follows from that of its parent and the few fluents that change. The numbers are
the same in every process and on every machine: keys can be stored.

>>> keys = make_keys(70)
>>> f"{keys[0]:016x}", f"{keys[69]:016x}"
('b10ac8a2a3daaa85', '48752dbedc19c137')
"""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.circuit.network import Int64Array
from woodstock.circuit.packing import BITS
from woodstock.circuit.words import U0, U1, WordArray, lowest_bit
from woodstock.common.jit import jit

SEED: Final = np.uint64(0x576F6F6473746F63)
"""Chosen once: the letters `Woodstoc`."""

# SplitMix64 (Steele, Lea and Flood 2014, figure 17).
GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR: Final = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR: Final = np.uint64(0x94D049BB133111EB)


def make_keys(num_fluents: int) -> WordArray:
    """Return the numbers of the fluents, the first outputs of SplitMix64 for `SEED`, shape (num_fluents,), uint64."""
    state = SEED + np.arange(1, num_fluents + 1, dtype=np.uint64) * GAMMA
    state = (state ^ (state >> np.uint64(30))) * FIRST_FACTOR
    state = (state ^ (state >> np.uint64(27))) * SECOND_FACTOR
    return state ^ (state >> np.uint64(31))


@jit
def change_key(keys: WordArray, key: np.uint64, number: int, changed: np.uint64) -> np.uint64:
    """Return the key after some fluents have changed, the set bits of a word.

    Args:
        keys: The numbers of the fluents (`make_keys`).
        key: The key before.
        number: Which word of the packed position it is.
        changed: The word.
    """
    first = np.uint64(number) * BITS
    while changed != U0:
        key ^= keys[first + lowest_bit(changed)]
        changed &= changed - U1
    return key


@jit
def find_key(keys: WordArray, position: WordArray) -> np.uint64:
    """Return the key of a position.

    Args:
        keys: The numbers of the fluents (`make_keys`).
        position: A packed position, shape (num_words,), uint64.
    """
    key = U0
    for number in range(np.uint64(len(position))):
        key = change_key(keys, key, number, position[number])
    return key


@jit
def update_key(keys: WordArray, key: np.uint64, old: WordArray, new: WordArray) -> np.uint64:
    """Return the key of a position, given that of another one: quick if they differ little.

    Args:
        keys: The numbers of the fluents (`make_keys`).
        key: The key of the old position.
        old: A packed position, shape (num_words,), uint64.
        new: Another one.
    """
    for number in range(np.uint64(len(old))):
        key = change_key(keys, key, number, old[number] ^ new[number])
    return key


@jit
def find_keys(keys: WordArray, positions: WordArray, found: WordArray) -> None:
    """Find the keys of many positions.

    Args:
        keys: The numbers of the fluents (`make_keys`).
        positions: Packed positions, shape (n, num_words), uint64.
        found: Their keys, written, shape (n,), uint64.
    """
    for row in range(np.uint64(len(positions))):
        key = U0
        for number in range(np.uint64(positions.shape[1])):
            key = change_key(keys, key, number, positions[row, number])
        found[row] = key


@jit
def update_keys(
    keys: WordArray,
    positions: WordArray,
    position_keys: WordArray,
    parents: Int64Array,
    successors: WordArray,
    found: WordArray,
) -> None:
    """Find the keys of many successors from those of their parents.

    Args:
        keys: The numbers of the fluents (`make_keys`).
        positions: Packed positions, shape (num_positions, num_words), uint64.
        position_keys: Their keys, shape (num_positions,), uint64.
        parents: Which position each successor comes from, shape (n,), int64.
        successors: Packed positions, shape (n, num_words), uint64.
        found: The keys of the successors, written, shape (n,), uint64.
    """
    for row in range(np.uint64(len(successors))):
        parent = np.uint64(parents[row])
        key = position_keys[parent]
        for number in range(np.uint64(positions.shape[1])):
            key = change_key(keys, key, number, positions[parent, number] ^ successors[row, number])
        found[row] = key

"""Packed positions, lanes and keys, bit by bit, with Python's numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MASK = 2**64 - 1


def pack_bits(bits: Sequence[bool]) -> list[int]:
    """Return bits as words."""
    words = [0] * -(-len(bits) // 64)
    for number, bit in enumerate(bits):
        words[number // 64] |= bool(bit) << number % 64
    return words


def packed_bit(words: Sequence[int], number: int) -> bool:
    """Return one bit of words."""
    return bool(int(words[number // 64]) >> number % 64 & 1)


def lane_bit(values: np.ndarray, at: int, lane: int) -> bool:
    """Return the bit of a lane, of the slot that begins at a place of the values."""
    return bool(int(values[at + lane // 64]) >> lane % 64 & 1)


def set_lane_bit(values: np.ndarray, at: int, lane: int, bit: bool) -> None:
    """Set the bit of a lane, of the slot that begins at a place of the values."""
    word = int(values[at + lane // 64]) & ~(1 << lane % 64)
    values[at + lane // 64] = np.uint64(word | bool(bit) << lane % 64)


def load_position(values: np.ndarray, position: Sequence[int], num_fluents: int, lane: int, width: int) -> None:
    """Load one position into one lane."""
    for fluent in range(num_fluents):
        set_lane_bit(values, (1 + fluent) * width, lane, packed_bit(position, fluent))


def store_lane(values: np.ndarray, places: Sequence[int], flips: Sequence[int], lane: int) -> list[int]:
    """Pack the literals of one lane."""
    return pack_bits(
        [lane_bit(values, int(place), lane) != bool(flip) for place, flip in zip(places, flips, strict=True)]
    )


def splitmix(seed: int, count: int) -> list[int]:
    """Return the first outputs of SplitMix64."""
    outputs = []
    for number in range(1, count + 1):
        state = (seed + number * 0x9E3779B97F4A7C15) & MASK
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
        state = (state ^ state >> 27) * 0x94D049BB133111EB & MASK
        outputs.append(state ^ state >> 31)
    return outputs


def position_key(keys: Sequence[int], bits: Sequence[bool]) -> int:
    """Return the exclusive or of the numbers of the fluents that hold."""
    key = 0
    for number, bit in zip(keys, bits, strict=True):
        key ^= int(number) if bit else 0
    return key

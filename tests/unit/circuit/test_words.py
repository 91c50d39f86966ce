"""Words of lanes: the compiled operations against whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

from woodstock.circuit.words import (
    ALL,
    U0,
    WIDTHS,
    WordArray,
    Words,
    aligned,
    both,
    count_bits,
    count_lanes,
    differing,
    either,
    inverse,
    is_empty,
    load,
    lowest_bit,
    spread,
    store,
    without,
    zero,
)
from woodstock.common.jit import jit

widths = pytest.mark.parametrize("width", WIDTHS)
FULL = 0xFFFFFFFFFFFFFFFF


@jit
def compute(left: WordArray, right: WordArray, out: WordArray, like: Words) -> int:
    """Write the results of all operations one after the other; return the number of lanes of the first."""
    width = np.uint64(len(like))
    one, two = load(left, width, like), load(right, U0, like)
    store(out, U0, both(one, two))
    store(out, width, either(one, two))
    store(out, width * np.uint64(2), without(one, two))
    store(out, width * np.uint64(3), differing(one, two))
    store(out, width * np.uint64(4), inverse(one))
    store(out, width * np.uint64(5), spread(right[0], like))
    return count_lanes(one)


@jit
def is_none(array: WordArray, like: Words) -> bool:
    return is_empty(load(array, U0, like))


@jit
def bits_of(word: np.uint64) -> np.uint64:
    return count_bits(word)


@widths
def test_operations(width: int) -> None:
    rng = np.random.default_rng(width)
    for _ in range(50):
        left, right = (rng.integers(0, FULL, 2 * width, np.uint64, endpoint=True) for _ in range(2))
        out = np.zeros(6 * width, np.uint64)
        lanes = compute(left, right, out, zero(width))
        one, two = left[width:].tolist(), right[:width].tolist()
        assert lanes == sum(word.bit_count() for word in one)
        wanted = [
            [a & b for a, b in zip(one, two, strict=True)],
            [a | b for a, b in zip(one, two, strict=True)],
            [a & ~b for a, b in zip(one, two, strict=True)],
            [a ^ b for a, b in zip(one, two, strict=True)],
            [a ^ FULL for a in one],
            [int(right[0])] * width,
        ]
        assert out.reshape(6, width).tolist() == wanted


@widths
def test_empty_words(width: int) -> None:
    array = np.zeros(width, np.uint64)
    assert is_none(array, zero(width))
    for place in range(width):
        array[place] = np.uint64(1) << np.uint64(place)
        assert not is_none(array, zero(width))
        array[place] = 0


def test_bits() -> None:
    rng = np.random.default_rng(0)
    for word in [1, FULL, 1 << 63, *rng.integers(1, FULL, 100, np.uint64, endpoint=True).tolist()]:
        assert bits_of(np.uint64(word)) == word.bit_count()
        assert lowest_bit(np.uint64(word)) == (word & -word).bit_length() - 1
    assert bits_of(U0) == 0
    assert int(ALL) == FULL


@pytest.mark.parametrize("size", [0, 1, 8, 1000])
def test_arrays_begin_at_a_cache_line(size: int) -> None:
    array = aligned(size)
    assert array.shape == (size,)
    assert array.ctypes.data % 64 == 0 or size == 0
    assert not array.any()

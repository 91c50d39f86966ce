from __future__ import annotations

import numpy as np
import pytest

from naive.packing import lane_bit, load_position, pack_bits, packed_bit, store_lane
from woodstock.circuit.packing import (
    load_positions,
    new_space,
    num_words,
    pack,
    replace_positions,
    spread_position,
    store_lanes,
    transpose,
    unpack,
)
from woodstock.circuit.words import ALL, WIDTHS, count_bits, lowest_bit, zero

SIZES = (1, 29, 63, 64, 65, 130)


def random_words(random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.integers(0, 2**64, shape, dtype=np.uint64)


def random_positions(random: np.random.Generator, count: int, num_fluents: int) -> np.ndarray:
    return pack(random.random((count, num_fluents)) < 0.5)


def as_words(lanes: set[int], width: int) -> tuple[np.uint64, ...]:
    """Return lanes as words."""
    return tuple(np.uint64(sum(1 << lane % 64 for lane in lanes if lane // 64 == word)) for word in range(width))


def lane_counts(width: int) -> tuple[int, ...]:
    return (0, 1, 7, 64 * width - 1, 64 * width) if width == 1 else (1, 65, 64 * width)


@pytest.mark.parametrize("size", [0, *SIZES])
def test_pack_and_unpack(size: int) -> None:
    bits = np.random.default_rng(size).random((3, size)) < 0.5
    words = pack(bits)
    assert words.dtype == np.uint64
    assert words.shape == (3, num_words(size))
    assert words.tolist() == [pack_bits(row) for row in bits.tolist()]
    assert unpack(words, size).dtype == np.bool_
    assert np.array_equal(unpack(words, size), bits)
    assert np.array_equal(pack(bits[0]), words[0])
    assert np.array_equal(unpack(words[1], size), bits[1])


@pytest.mark.parametrize("word", [1, 2, 3, 2**63, 2**64 - 1, 0x0123456789ABCDEF, 0x8000000000001000])
def test_bits_of_words(word: int) -> None:
    assert lowest_bit(np.uint64(word)) == (word & -word).bit_length() - 1
    assert count_bits(np.uint64(word)) == word.bit_count()


def test_no_bits() -> None:
    assert count_bits(np.uint64(0)) == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_transpose(width: int) -> None:
    space = new_space(width)
    assert space.ctypes.data % 64 == 0
    space[:] = random_words(np.random.default_rng(width), 64 * width)
    before = unpack(space.reshape(64, width, 1), 64)
    transpose(space, zero(width))
    assert np.array_equal(unpack(space.reshape(64, width, 1), 64), before.transpose(2, 1, 0))


@pytest.mark.parametrize("num_fluents", SIZES)
@pytest.mark.parametrize("width", WIDTHS)
def test_load_positions(width: int, num_fluents: int) -> None:
    random = np.random.default_rng(num_fluents)
    positions = random_positions(random, 11, num_fluents)
    for count in lane_counts(width):
        rows = random.integers(0, 11, count)
        values = random_words(random, (num_fluents + 3) * width)
        expected = values.copy()
        expected[width : (1 + num_fluents) * width] = 0
        for lane, row in enumerate(rows):
            load_position(expected, positions[row], num_fluents, lane, width)
        load_positions(values, positions, rows, num_fluents, new_space(width), zero(width))
        assert np.array_equal(values, expected)


@pytest.mark.parametrize("num_fluents", SIZES)
@pytest.mark.parametrize("width", WIDTHS)
def test_replace_positions(width: int, num_fluents: int) -> None:
    random = np.random.default_rng(num_fluents)
    positions = random_positions(random, 11, num_fluents)
    space = new_space(width)
    for count in lane_counts(width):
        lanes = set(random.permutation(64 * width)[:count].tolist())
        rows = np.full(64 * width, -1)
        rows[list(lanes)] = random.integers(0, 11, len(lanes))
        values = random_words(random, (num_fluents + 3) * width)
        expected = values.copy()
        for lane in lanes:
            load_position(expected, positions[rows[lane]], num_fluents, lane, width)
        space[:] = random_words(random, 64 * width)
        replace_positions(values, positions, rows, num_fluents, space, as_words(lanes, width))
        assert np.array_equal(values, expected)


@pytest.mark.parametrize("num_fluents", SIZES)
@pytest.mark.parametrize("width", WIDTHS)
def test_spread_position(width: int, num_fluents: int) -> None:
    random = np.random.default_rng(num_fluents)
    position = random_positions(random, 1, num_fluents)[0]
    for count in lane_counts(width):
        lanes = set(random.permutation(64 * width)[:count].tolist())
        values = random_words(random, (num_fluents + 3) * width)
        expected = values.copy()
        for lane in lanes:
            load_position(expected, position, num_fluents, lane, width)
        spread_position(values, position, num_fluents, as_words(lanes, width))
        assert np.array_equal(values, expected)


@pytest.mark.parametrize("num_literals", SIZES)
@pytest.mark.parametrize("width", WIDTHS)
def test_store_lanes(width: int, num_literals: int) -> None:
    random = np.random.default_rng(num_literals)
    values = random_words(random, 20 * width)
    places = (random.integers(0, 20, num_literals) * width).astype(np.uint32)
    flips = np.where(random.random(num_literals) < 0.5, ALL, np.uint64(0))
    for count in lane_counts(width):
        rows = random_words(random, count, num_words(num_literals))
        store_lanes(values, places, flips, rows, new_space(width), zero(width))
        assert rows.tolist() == [store_lane(values, places, flips, lane) for lane in range(count)]


def test_there_and_back() -> None:
    random = np.random.default_rng(5)
    positions = random_positions(random, 64, 100)
    values = np.zeros(101, np.uint64)
    load_positions(values, positions, np.arange(64), 100, new_space(1), zero(1))
    assert all(lane_bit(values, 1 + 70, lane) == packed_bit(positions[lane], 70) for lane in range(64))
    rows = np.zeros_like(positions)
    store_lanes(values, np.arange(1, 101, dtype=np.uint32), np.zeros(100, np.uint64), rows, new_space(1), zero(1))
    assert np.array_equal(rows, positions)

from __future__ import annotations

import numpy as np
import pytest

from naive.choice import BIAS, NaiveGenerator, enough_draws, largest_bias
from naive.choice import draw_below as draw_below_slowly
from woodstock.circuit.randomness import advance, begin, draw_below, end, num_draws, output, seed_state
from woodstock.circuit.words import U0, WIDTHS, WordArray, Words, store, zero
from woodstock.common.jit import JIT_DISABLED, jit


@jit
def draw_words(state: WordArray, words: WordArray, like: Words) -> None:
    generator = begin(state, like)
    for place in range(U0, np.uint64(len(words)), np.uint64(len(like))):
        store(words, place, output(generator))
        generator = advance(generator)
    end(state, generator)


@jit
def draw_numbers(
    scratch: WordArray,
    place: tuple[np.uint64, np.uint64],
    size: tuple[np.uint64, np.uint64],
    state: WordArray,
    like: Words,
) -> None:
    draw_below(scratch, place, size[0], size[1], state, like)


def slice_numbers(numbers: list[int], bits: int) -> np.ndarray:
    """Sliced numbers, shape (bits * width,), uint64."""
    planes = [[number >> bit & 1 for number in numbers] for bit in range(bits)]
    return np.packbits(np.array(planes, np.uint8), axis=1, bitorder="little").view(np.uint64).ravel()


def unslice_numbers(words: np.ndarray, width: int) -> list[int]:
    """The inverse."""
    planes = np.unpackbits(words.reshape(-1, width).view(np.uint8), axis=1, bitorder="little")
    return (planes.astype(np.int64) << np.arange(len(planes))[:, np.newaxis]).sum(axis=0).tolist()


def draw(bounds: list[int], bits: int, draws: int, state: np.ndarray) -> list[int]:
    """What the kernel draws."""
    width = len(bounds) // 64
    room = max(bits, 8) * width
    scratch = np.full(3 * room, np.uint64(0x5555555555555555))
    scratch[: bits * width] = slice_numbers(bounds, bits)
    place, size = (np.uint64(0), np.uint64(room)), (np.uint64(bits), np.uint64(draws))
    draw_numbers(scratch, place, size, state, zero(width))
    assert (scratch[2 * room :] == 0x5555555555555555).all()
    return unslice_numbers(scratch[room : room + bits * width], width)


def random_bits(seed: int, width: int, count: int) -> np.ndarray:
    """Bits of all lanes, shape (count, lanes), bool."""
    words = np.zeros(count * width, np.uint64)
    draw_words(seed_state(seed, 0, width), words, zero(width))
    return np.unpackbits(words.reshape(count, width).view(np.uint8), axis=1, bitorder="little").astype(bool)


def test_known_numbers() -> None:
    # The first numbers of xoshiro256+ from the state 1, 2, 3, 4, as other libraries publish them.
    words = np.zeros(5, np.uint64)
    draw_words(np.array([1, 2, 3, 4], np.uint64), words, zero(1))
    assert words.tolist() == [5, 211106232532999, 211106635186183, 9223759065350669058, 9250833439874351877]


@pytest.mark.parametrize("width", WIDTHS)
def test_words_are_those_of_one_generator_for_each_column(width: int) -> None:
    state = seed_state(7, 3, width)
    naive = NaiveGenerator(state)
    words = np.zeros(20 * width, np.uint64)
    draw_words(state, words, zero(width))
    found = np.unpackbits(words.reshape(20, width).view(np.uint8), axis=1, bitorder="little")
    assert found.tolist() == [naive.draw() for _ in range(20)]
    np.testing.assert_array_equal(state, naive.state())


@pytest.mark.parametrize("width", WIDTHS)
def test_seeds(width: int) -> None:
    state = seed_state(1, 0, width)
    assert state.shape == (4 * width,)
    assert state.dtype == np.uint64
    np.testing.assert_array_equal(state, seed_state(1, 0, width))
    others = [seed_state(seed, stream, width) for seed in range(3) for stream in range(3)]
    numbers = np.concatenate(others)
    assert len(np.unique(numbers)) == len(numbers)
    assert (state[:width] != 0).all()


@pytest.mark.skipif(JIT_DISABLED, reason="too many numbers for plain Python")
@pytest.mark.parametrize("width", WIDTHS)
def test_lanes_and_draws_are_independent(width: int) -> None:
    count = 1 << 15
    bits = random_bits(5, width, count)
    pairs = {
        "ones": bits,
        "draw after draw": bits[1:] ^ bits[:-1],
        "draw after two": bits[2:] ^ bits[:-2],
        "lane beside lane": bits[:, 1:] ^ bits[:, :-1],
        "lane beside lane before": bits[1:, 1:] ^ bits[:-1, :-1],
        "shifted lane": bits[1:, 17:] ^ bits[:-1, :-17],
        "rotated lane": bits[1:, 45:] ^ bits[:-1, :-45],
        "three draws": bits[2:] ^ bits[1:-1] ^ bits[:-2],
        "three lanes": bits[:, 2:] ^ bits[:, 1:-1] ^ bits[:, :-2],
    }
    for name, found in pairs.items():
        deviations = (2 * found.mean(axis=0) - 1) * np.sqrt(len(found))
        assert abs(deviations).max() < 5, name
        assert abs(np.square(deviations).mean() - 1) < 6 * np.sqrt(2 / found.shape[1]), name
    # All pairs of lanes at once.
    signs = 2.0 * bits - 1
    correlations = (signs.T @ signs) / np.sqrt(count)
    np.fill_diagonal(correlations, 0)
    assert abs(correlations).max() < 6


def test_num_draws() -> None:
    assert [num_draws(largest) for largest in range(5)] == [0, 0, 1, 11, 11]
    assert [num_draws(largest) for largest in (7, 11, 12, 13, 16, 256)] == [13, 13, 13, 14, 14, 18]
    assert all(num_draws(largest) == enough_draws(largest) for largest in range(1, 40))


@pytest.mark.parametrize("largest", [100, 256, 257, 1000, 4096, 4097, 20000])
def test_num_draws_is_enough(largest: int) -> None:
    draws = num_draws(largest)
    bounds = {1, 2, 3, largest // 3, largest // 2, largest // 2 + 1, *range(largest - 50, largest + 1)}
    assert all(largest_bias(bound, draws) <= BIAS for bound in bounds)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 7, 8, 9, 13, 23])
def test_numbers_are_those_of_the_naive_twin(width: int, bits: int) -> None:
    random = np.random.default_rng(bits)
    state = seed_state(bits, 0, width)
    naive = NaiveGenerator(state)
    for draws in (0, 1, 2, bits + 10):
        bounds = random.integers(0, 2**bits, 64 * width).tolist()
        bounds[5], bounds[6] = 0, 2**bits - 1
        assert draw(bounds, bits, draws, state) == draw_below_slowly(bounds, draws, naive)
        np.testing.assert_array_equal(state, naive.state())


@pytest.mark.skipif(JIT_DISABLED, reason="too many numbers for plain Python")
@pytest.mark.parametrize("bound", [2, 3, 7, 15, 100, 200, 1000])
def test_numbers_are_uniform(bound: int) -> None:
    state = seed_state(bound, 0, 8)
    bits = bound.bit_length()
    times = max(20, bound // 5)
    numbers = np.concatenate([draw([bound] * 512, bits, num_draws(bound), state) for _ in range(times)])
    counts = np.bincount(numbers, minlength=bound)
    assert len(counts) == bound
    expected = len(numbers) / bound
    chi_square = (np.square(counts - expected) / expected).sum()
    assert abs(chi_square - (bound - 1)) < 5 * np.sqrt(2 * (bound - 1))

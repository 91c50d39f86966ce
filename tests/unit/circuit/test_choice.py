from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from naive.choice import NaiveGenerator
from naive.choice import choose as choose_slowly
from woodstock.circuit.choice import (
    Candidates,
    arrange_candidates,
    choose,
    role_sizes,
    scratch_size,
)
from woodstock.circuit.randomness import seed_state
from woodstock.circuit.words import ALL, WIDTHS, zero
from woodstock.common.jit import JIT_DISABLED

GARBAGE = np.uint64(0x0123456789ABCDEF)


class Board(NamedTuple):
    """Values in which candidates are legal at random."""

    values: np.ndarray
    candidates: Candidates
    legal: list[np.ndarray]
    does_at: list[np.ndarray]

    def choose(self, role: int, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the kernel chooses in each lane, or -1, and the lanes that it calls able."""
        width = len(state) // 4
        size = scratch_size(self.candidates, width)
        scratch = np.full(size + 8, GARBAGE)
        before = self.values.copy()
        able = choose(self.values, self.candidates, np.uint64(role), state, scratch[:size], zero(width))
        assert (scratch[size:] == GARBAGE).all()
        chosen = self.read(role, width)
        written = (self.does_at[role][:, np.newaxis] + np.arange(width)).ravel()
        untouched = np.ones(len(self.values), bool)
        untouched[written] = False
        np.testing.assert_array_equal(self.values[untouched], before[untouched])
        return chosen, lanes_of(np.array(able, np.uint64)[np.newaxis])[0]

    def read(self, role: int, width: int) -> np.ndarray:
        """The candidate that each lane has chosen, or -1; none has chosen two."""
        words = self.values[self.does_at[role][:, np.newaxis] + np.arange(width)]
        chosen = lanes_of(words)
        assert (chosen.sum(axis=0) <= 1).all()
        return np.where(chosen.any(axis=0), chosen.argmax(axis=0), -1)


def lanes_of(words: np.ndarray) -> np.ndarray:
    """Words of shape (n, width) as lanes, shape (n, 64 * width), bool."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little").astype(bool)


def words_of(lanes: np.ndarray) -> np.ndarray:
    """The inverse."""
    return np.packbits(lanes, axis=1, bitorder="little").view(np.uint64)


def make_board(legal: list[np.ndarray], random: np.random.Generator) -> Board:
    """Put what is legal for each role into slots in a random order, some of it complemented."""
    width = legal[0].shape[1] // 64
    num_moves = sum(len(own) for own in legal)
    slots = 1 + random.permutation(2 * num_moves + 3)
    values = random.integers(0, 2**64, (2 * num_moves + 4) * width, np.uint64)
    values[:width] = ALL
    flips = np.where(random.random(num_moves) < 0.4, ALL, np.uint64(0))
    rows = values.reshape(-1, width)
    rows[slots[:num_moves]] = words_of(np.concatenate(legal)) ^ flips[:, np.newaxis]
    starts = np.cumsum([0] + [len(own) for own in legal])
    legal_at, does_at = slots[:num_moves] * width, slots[num_moves : 2 * num_moves] * width
    candidates = arrange_candidates(starts, legal_at, flips, does_at)
    does = [does_at[start:end] for start, end in pairwise(starts)]
    return Board(values, candidates, legal, does)


def random_legal(size: int, width: int, density: float, random: np.random.Generator) -> np.ndarray:
    """What is legal where: some candidates often, some rarely or never; in a few lanes nothing is."""
    often = np.minimum(1, density * random.choice([0, 0.3, 1, 1.5], size))
    legal = random.random((size, 64 * width)) < often[:, np.newaxis]
    legal[:, random.random(64 * width) < 0.05] = False
    return legal


SIZES = [1, 2, 3, 7, 8, 14, 15, 16, 29, 30, 31, 46, 100, 155]
LARGE_SIZES = [] if JIT_DISABLED else [300, 1100, 3800, 20000]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("size", SIZES + LARGE_SIZES)
def test_choice_is_that_of_the_naive_twin(size: int, width: int) -> None:
    random = np.random.default_rng(size)
    state = seed_state(size, 1, width)
    naive = NaiveGenerator(state)
    for density in (0.02, 0.1, 0.5, 1.0) if size < 200 else (20 / size, 0.05):
        board = make_board([random_legal(size, width, density, random)], random)
        chosen, able = board.choose(0, state)
        assert chosen.tolist() == choose_slowly(board.legal[0], naive)
        np.testing.assert_array_equal(able, board.legal[0].any(axis=0))
        np.testing.assert_array_equal(state, naive.state())


@pytest.mark.parametrize("size", [2, 15, 16, 40])
def test_extremes(size: int) -> None:
    random = np.random.default_rng(size)
    state = seed_state(1, 1, 1)
    naive = NaiveGenerator(state)
    nothing = np.zeros((size, 64), bool)
    last_alone = nothing.copy()
    last_alone[-1] = True
    two = nothing.copy()
    two[[0, -1]] = True
    one_of_each = np.arange(size)[:, np.newaxis] == np.arange(64) % size
    for legal in (nothing, ~nothing, last_alone, two, one_of_each, ~one_of_each):
        board = make_board([legal], random)
        chosen, able = board.choose(0, state)
        assert chosen.tolist() == choose_slowly(legal, naive)
        np.testing.assert_array_equal(able, legal.any(axis=0))
        np.testing.assert_array_equal(state, naive.state())


def test_nothing_is_drawn_without_a_choice() -> None:
    random = np.random.default_rng(1)
    legal = np.zeros((40, 64), bool)
    legal[random.integers(0, 40, 64), np.arange(64)] = True
    state = seed_state(1, 1, 1)
    before = state.copy()
    chosen, _ = make_board([legal], random).choose(0, state)
    np.testing.assert_array_equal(chosen, legal.argmax(axis=0))
    np.testing.assert_array_equal(state, before)


@pytest.mark.parametrize("width", WIDTHS)
def test_roles_have_their_own_candidates(width: int) -> None:
    random = np.random.default_rng(3)
    sizes = [5, 1, 0, 17, 15]
    board = make_board([random_legal(size, width, 0.5, random) for size in sizes], random)
    assert role_sizes(board.candidates) == ([0, 15, 30, 30, 60], sizes)
    state = seed_state(2, 0, width)
    naive = NaiveGenerator(state)
    for role in (4, 0, 3, 1):
        chosen, able = board.choose(role, state)
        assert chosen.tolist() == choose_slowly(board.legal[role], naive)
        np.testing.assert_array_equal(able, board.legal[role].any(axis=0))
    scratch = np.zeros(scratch_size(board.candidates, width), np.uint64)
    assert not any(choose(board.values, board.candidates, np.uint64(2), state, scratch, zero(width)))


def test_without_roles() -> None:
    candidates = arrange_candidates([0], [], [], [])
    assert role_sizes(candidates) == ([], [])
    assert scratch_size(candidates, 8) > 0


def test_same_seed_same_moves() -> None:
    random = np.random.default_rng(5)
    board = make_board([random_legal(25, 1, 0.7, random)], random)
    moves = {
        tuple(board.choose(0, seed_state(seed, stream, 1))[0].tolist())
        for seed, stream in [(1, 0), (1, 0), (1, 1), (2, 0)]
    }
    assert len(moves) == 3


def choose_often(board: Board, times: int, seed: int) -> np.ndarray:
    """The choices of all lanes, shape (times, lanes)."""
    width = board.legal[0].shape[1] // 64
    state = seed_state(seed, 0, width)
    scratch = np.zeros(scratch_size(board.candidates, width), np.uint64)
    found = []
    for _ in range(times):
        choose(board.values, board.candidates, np.uint64(0), state, scratch, zero(width))
        found.append(board.read(0, width))
    return np.array(found)


def assert_uniform(counts: np.ndarray, expected: np.ndarray | float) -> None:
    """Compare with what is expected, by a chi-square test at five standard deviations."""
    freedom = counts.size - 1
    chi_square = (np.square(counts - expected) / expected).sum()
    assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom) + 3


@pytest.mark.skipif(JIT_DISABLED, reason="too many choices for plain Python")
@pytest.mark.parametrize(("num_legal", "size"), [(2, 2), (2, 30), (3, 5), (7, 9), (7, 100), (100, 155), (3000, 3500)])
def test_all_legal_moves_are_chosen_equally_often(num_legal: int, size: int) -> None:
    random = np.random.default_rng(num_legal)
    # Every lane has its own legal candidates.
    legal = np.zeros((size, 512), bool)
    for lane in range(512):
        legal[random.permutation(size)[:num_legal], lane] = True
    times = 400 if num_legal < 1000 else 100
    chosen = choose_often(make_board([legal], random), times, num_legal)
    ranks = np.cumsum(legal, axis=0)[chosen, np.arange(512)] - 1
    assert_uniform(np.bincount(ranks.ravel(), minlength=num_legal), ranks.size / num_legal)
    assert_uniform(np.bincount(chosen.ravel(), minlength=size), (legal / num_legal).sum(axis=1) * times)


@pytest.mark.skipif(JIT_DISABLED, reason="too many choices for plain Python")
def test_lanes_with_different_counts_are_uniform() -> None:
    random = np.random.default_rng(6)
    legal = random.random((60, 512)) < np.linspace(0.05, 1, 512)
    legal[0] = True
    times = 600
    chosen = choose_often(make_board([legal], random), times, 6)
    expected = (legal / legal.sum(axis=0)).sum(axis=1) * times
    counts = np.bincount(chosen.ravel(), minlength=60)
    assert abs((counts - expected) / np.sqrt(expected)).max() < 5
    ranks = np.cumsum(legal, axis=0)[chosen, np.arange(512)] - 1
    assert abs((2 * ranks + 1 - legal.sum(axis=0)).mean()) < 0.3


@pytest.mark.skipif(JIT_DISABLED, reason="too many choices for plain Python")
@pytest.mark.parametrize("size", [2, 3, 5])
def test_choices_are_independent(size: int) -> None:
    random = np.random.default_rng(size)
    chosen = choose_often(make_board([np.ones((size, 512), bool)], random), 400, size)
    pairs = {
        "one after the other": (chosen[1:], chosen[:-1]),
        "neighbours": (chosen[:, 1:], chosen[:, :-1]),
        "words": (chosen[:, 64:], chosen[:, :-64]),
        "neighbours, one after the other": (chosen[1:, 1:], chosen[:-1, :-1]),
    }
    for first, second in pairs.values():
        assert_uniform(np.bincount((first * size + second).ravel(), minlength=size * size), first.size / size**2)

from __future__ import annotations

import numpy as np
import pytest

from naive.choice import NaiveGenerator
from naive.choice import choose_weighted as choose_slowly
from woodstock.circuit.choice import Candidates, arrange_candidates
from woodstock.circuit.randomness import seed_state
from woodstock.circuit.weighted import (
    NUM_PLANES,
    WeightedCandidates,
    choose_weighted,
    weigh_candidates,
    weighted_scratch_size,
)
from woodstock.circuit.words import ALL, WIDTHS, zero
from woodstock.common.jit import JIT_DISABLED

GARBAGE = np.uint64(0x0123456789ABCDEF)


def make_values(legal: list[np.ndarray], random: np.random.Generator) -> tuple[np.ndarray, Candidates, np.ndarray]:
    """Values in which candidates are legal, the candidates, and the places of their moves."""
    words = np.packbits(np.concatenate(legal), axis=1, bitorder="little").view(np.uint64)
    num_moves, width = words.shape
    flips = np.where(random.random(num_moves) < 0.5, ALL, np.uint64(0))
    values = random.integers(0, 2**64, (2 * num_moves + 1) * width, np.uint64)
    rows = values.reshape(-1, width)
    rows[0] = ALL
    rows[1 : num_moves + 1] = words ^ flips[:, np.newaxis]
    places = np.arange(1, 2 * num_moves + 1) * width
    starts = np.cumsum([0] + [len(own) for own in legal])
    candidates = arrange_candidates(starts, places[:num_moves], flips, places[num_moves:])
    return values, candidates, places[num_moves:]


def run(values: np.ndarray, weighted: WeightedCandidates, role: int, state: np.ndarray) -> np.ndarray:
    """Run the kernel; the lanes that it calls able."""
    width = len(state) // 4
    size = weighted_scratch_size(weighted, width)
    scratch = np.full(size + 8, GARBAGE)
    able = choose_weighted(values, weighted, np.uint64(role), state, scratch[:size], zero(width))
    assert (scratch[size:] == GARBAGE).all()
    return np.unpackbits(np.array(able, np.uint64).view(np.uint8), bitorder="little").astype(bool)


def read(values: np.ndarray, does_at: np.ndarray, width: int) -> np.ndarray:
    """The candidate that each lane has chosen, or -1; none has chosen two."""
    words = values[does_at[:, np.newaxis] + np.arange(width)]
    chosen = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").astype(bool)
    assert (chosen.sum(axis=0) <= 1).all()
    return np.where(chosen.any(axis=0), chosen.argmax(axis=0), -1)


def weights_of(kind: str, size: int, random: np.random.Generator) -> np.ndarray:
    """Weights of one kind."""
    weights = {
        "any": random.integers(1, 256, size),
        "small": random.integers(1, 4, size),
        "large": np.full(size, 255),
        "one": np.ones(size, np.int64),
        "powers": 2 ** random.integers(0, 8, size),
        "gap": random.choice([1, 128], size),
    }
    return weights[kind]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("size", [1, 2, 9, 15, 16, 50, *([] if JIT_DISABLED else [155, 1200])])
@pytest.mark.parametrize("kind", ["any", "small", "large", "one", "powers", "gap"])
def test_choice_is_that_of_the_naive_twin(kind: str, size: int, width: int) -> None:
    random = np.random.default_rng(size)
    weights = weights_of(kind, size, random)
    state = seed_state(size, 2, width)
    naive = NaiveGenerator(state)
    for density in (0.1, 0.6) if size < 1000 else (0.02,):
        legal = random.random((size, 64 * width)) < density
        legal[:, 7] = False
        values, candidates, does_at = make_values([legal], random)
        able = run(values, weigh_candidates(candidates, weights), 0, state)
        assert read(values, does_at, width).tolist() == choose_slowly(legal, weights.tolist(), naive)
        np.testing.assert_array_equal(able, legal.any(axis=0))
        np.testing.assert_array_equal(state, naive.state())


def test_nothing_legal() -> None:
    random = np.random.default_rng(1)
    legal = np.zeros((20, 64), bool)
    values, candidates, does_at = make_values([legal], random)
    able = run(values, weigh_candidates(candidates, np.full(20, 3)), 0, seed_state(1, 0, 1))
    assert not able.any()
    assert (read(values, does_at, 1) == -1).all()


def test_roles_have_their_own_weights() -> None:
    random = np.random.default_rng(2)
    sizes = [4, 1, 20]
    legal = [random.random((size, 64)) < 0.5 for size in sizes]
    values, candidates, does_at = make_values(legal, random)
    weights = random.integers(1, 256, sum(sizes))
    weighted = weigh_candidates(candidates, weights)
    assert len(weighted.planes.roles) == NUM_PLANES * len(weighted.plain.roles)
    state = seed_state(3, 0, 1)
    naive = NaiveGenerator(state)
    ends = np.cumsum([0, *sizes])
    for role in (2, 0, 1):
        own = slice(ends[role], ends[role + 1])
        others = np.delete(values, does_at[own])
        run(values, weighted, role, state)
        assert read(values, does_at[own], 1).tolist() == choose_slowly(legal[role], weights[own].tolist(), naive)
        np.testing.assert_array_equal(np.delete(values, does_at[own]), others)


@pytest.mark.skipif(JIT_DISABLED, reason="too many choices for plain Python")
@pytest.mark.parametrize("size", [2, 6, 40])
def test_moves_are_chosen_in_proportion_to_their_weights(size: int) -> None:
    random = np.random.default_rng(size)
    legal = random.random((size, 512)) < 0.7
    weights = random.integers(1, 256, size)
    weights[0] = 1
    values, candidates, does_at = make_values([legal], random)
    weighted = weigh_candidates(candidates, weights)
    state = seed_state(size, 0, 8)
    times = 400
    counts = np.zeros(size)
    for _ in range(times):
        run(values, weighted, 0, state)
        chosen = read(values, does_at, 8)
        counts += np.bincount(chosen[chosen >= 0], minlength=size)
    shares = legal * weights[:, np.newaxis]
    expected = (shares / np.maximum(shares.sum(axis=0), 1)).sum(axis=1) * times
    assert (abs(counts - expected) < 5 * np.sqrt(expected)).all()

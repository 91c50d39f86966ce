from __future__ import annotations

import numpy as np
import pytest

from naive.packing import position_key, splitmix
from woodstock.circuit.packing import pack
from woodstock.circuit.zobrist import SEED, find_key, find_keys, make_keys, update_key, update_keys

SIZES = (1, 29, 64, 65, 200)


def test_numbers_of_fluents() -> None:
    keys = make_keys(1000)
    assert keys.dtype == np.uint64
    assert keys.tolist() == splitmix(int(SEED), 1000)
    assert len(set(keys.tolist())) == 1000
    assert np.array_equal(make_keys(10), keys[:10])
    assert len(make_keys(0)) == 0


def test_generator_is_the_published_one() -> None:
    # The first outputs for seed 1234567, as in the reference implementation by Vigna.
    assert splitmix(1234567, 3) == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("num_fluents", SIZES)
def test_keys_of_positions(num_fluents: int) -> None:
    random = np.random.default_rng(num_fluents)
    keys = make_keys(num_fluents)
    bits = random.random((20, num_fluents)) < 0.5
    bits[0] = False
    bits[1] = True
    positions = pack(bits)
    expected = [position_key(keys.tolist(), row) for row in bits.tolist()]
    assert [int(find_key(keys, position)) for position in positions] == expected
    found = np.zeros(20, np.uint64)
    find_keys(keys, positions, found)
    assert found.tolist() == expected


@pytest.mark.parametrize("num_fluents", SIZES)
def test_keys_of_successors(num_fluents: int) -> None:
    random = np.random.default_rng(num_fluents)
    keys = make_keys(num_fluents)
    bits = random.random((10, num_fluents)) < 0.5
    parents = random.integers(0, 10, 30)
    after = bits[parents] ^ (random.random((30, num_fluents)) < 0.1)
    after[0] = bits[parents[0]]
    positions, successors = pack(bits), pack(after)
    position_keys = np.array([position_key(keys.tolist(), row) for row in bits.tolist()], np.uint64)
    expected = [position_key(keys.tolist(), row) for row in after.tolist()]
    found = np.zeros(30, np.uint64)
    update_keys(keys, positions, position_keys, parents, successors, found)
    assert found.tolist() == expected
    for parent, successor, key in zip(parents, successors, expected, strict=True):
        assert int(update_key(keys, position_keys[parent], positions[parent], successor)) == key

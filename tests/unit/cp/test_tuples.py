"""Tuples as numbers, in order, and without some."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from woodstock.cp.tuples import checked_tuples, complement, from_keys, keys_of, sorted_tuples


def test_tuples_become_numbers_and_back() -> None:
    sizes = np.array([3, 1, 4])
    everything = np.array(list(itertools.product(range(3), range(1), range(4))))
    assert keys_of(everything, sizes).tolist() == list(range(12))
    assert (from_keys(np.arange(12), sizes) == everything).all()
    kept = everything[[2, 3, 7]]
    assert complement(kept, sizes).tolist() == np.delete(everything, [2, 3, 7], axis=0).tolist()


@pytest.mark.parametrize("size", [7, 1 << 30])
def test_tuples_are_sorted_and_each_is_there_once(size: int) -> None:
    sizes = np.full(3, size)
    tuples = checked_tuples([(2, 0, 1), (0, 5, 0), (2, 0, 1), (0, 4, 6)], sizes)
    assert sorted_tuples(tuples, sizes).tolist() == [[0, 4, 6], [0, 5, 0], [2, 0, 1]]

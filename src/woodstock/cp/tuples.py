"""Tuples of places, as tables and soft constraints list them.

>>> import numpy as np
>>> sizes = np.array([2, 3])
>>> keys_of(np.array([[0, 2], [1, 0]]), sizes).tolist()
[2, 3]
"""

from __future__ import annotations

import math

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Int64Array


def checked_tuples(tuples: object, sizes: Int64Array) -> Int64Array:
    """Return tuples of places in domains of some sizes, shape (n, len(sizes)), int64; refuse others."""
    array = np.asarray(tuples, np.int64)
    if array.size == 0:
        array = array.reshape(len(array), len(sizes))
    if array.ndim != 2 or array.shape[1] != len(sizes):
        raise UsageError(f"expected tuples of {len(sizes)} places, found an array of shape {array.shape}")
    if array.size and (array.min() < 0 or (array >= sizes).any()):
        wrong = array[((array < 0) | (array >= sizes)).any(axis=1)][0]
        raise UsageError(f"expected places in domains of sizes {sizes.tolist()}, found {wrong.tolist()}")
    return array


def sorted_tuples(tuples: Int64Array, sizes: Int64Array) -> Int64Array:
    """Return tuples in order, each once."""
    if math.prod(sizes.tolist()) < 1 << 62:
        return from_keys(np.unique(keys_of(tuples, sizes)), sizes)
    return np.unique(tuples, axis=0)


def keys_of(tuples: Int64Array, sizes: Int64Array) -> Int64Array:
    """Return tuples as numbers, each place a digit, the first one the most significant; shape (n,), int64."""
    keys = np.zeros(len(tuples), np.int64)
    for column, size in enumerate(sizes.tolist()):
        keys = keys * size + tuples[:, column]
    return keys


def from_keys(keys: Int64Array, sizes: Int64Array) -> Int64Array:
    """Return the tuples that numbers stand for."""
    tuples = np.empty((len(keys), len(sizes)), np.int64)
    for column in range(len(sizes) - 1, -1, -1):
        keys, tuples[:, column] = np.divmod(keys, sizes[column])
    return tuples


def complement(tuples: Int64Array, sizes: Int64Array) -> Int64Array:
    """Return all tuples but these, which are in order."""
    return from_keys(np.setdiff1d(np.arange(math.prod(sizes.tolist())), keys_of(tuples, sizes)), sizes)

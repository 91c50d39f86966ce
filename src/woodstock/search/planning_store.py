"""What searches for plans keep: which positions they have seen, and how they came there."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.words import U0, U1, WordArray
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.planning_puzzle import Moves

Uint16Array = npt.NDArray[np.uint16]

ROOT: Final = 0
"""The first node of a search."""
NO_PARENT: Final = -1
DEEPEST: Final = 65535
FIRST_SIZE: Final = 1 << 12
BYTES_PER_KEY: Final = 45
"""Of a table of keys: 10 bytes an entry, a third full at least; while it fills from there to two thirds, there is half
of that for the one before, then twice that for the next one."""
GROWN_FOR_EACH: Final = 8
"""For each key so many places of the old table are looked at, or prepared in the next one: all of them, two and a half
times the size of the table, when it has become a third fuller."""
PAGE: Final = 4096
"""Bytes that the system provides at once."""
HALF: Final = np.uint64(32)


class KeyTable:
    """Keys of positions, with the least depth at which each was seen.

    It grows little by little, so that no call takes long: the next table, of twice the size, is prepared while this one
    fills, and the keys move there while that one fills.
    """

    def __init__(self) -> None:
        self._old = NO_ENTRIES
        self._now, self._next = _make_entries(FIRST_SIZE), _make_entries(2 * FIRST_SIZE)
        self._moved = self._prepared = 0
        self.count = 0

    def add(self, keys: WordArray, depths: Uint16Array) -> BoolArray:
        """Return which positions are new, or nearer than before; from now on they are known."""
        while 3 * (self.count + len(keys)) > 2 * len(self._now.keys):
            self._grow(GROWN_FOR_EACH * len(self._now.keys))
            self._old, self._now, self._next = self._now, self._next, _make_entries(2 * len(self._next.keys))
            self._moved = self._prepared = 0
        self._grow(GROWN_FOR_EACH * len(keys))
        is_new = np.zeros(len(keys), np.bool_)
        self.count += add_keys(self._now, self._old, keys, depths, is_new)
        return is_new

    def _grow(self, most: int) -> None:
        """Move what is in some places of the old table, or, if there is nothing left, prepare some of the next one."""
        end = min(self._moved + most, len(self._old.keys))
        most -= end - self._moved
        move_keys(self._now, self._old, self._moved, end)
        self._moved = end
        if end == len(self._old.keys):
            self._old, self._moved = NO_ENTRIES, 0
        self._next.prepare(self._prepared, self._prepared + most)
        self._prepared += most


class Entries(NamedTuple):
    """A table by open addressing; a key of 0 stands for an empty place.

    Attributes:
        keys: Keys, shape (2ⁿ,), uint64.
        depths: Their depths, shape (2ⁿ,), uint16.
    """

    keys: WordArray
    depths: Uint16Array

    def prepare(self, first: int, end: int) -> None:
        """Have the system provide the memory of some places, which are empty."""
        self.keys[first : end : PAGE // self.keys.itemsize] = 0
        self.depths[first : end : PAGE // self.depths.itemsize] = 0


def _make_entries(size: int) -> Entries:
    """Return an empty table; its memory is provided as it is used, or as it is prepared."""
    return Entries(np.zeros(size, np.uint64), np.zeros(size, np.uint16))


NO_ENTRIES: Final = Entries(np.zeros(1, np.uint64), np.zeros(1, np.uint16))


@inner_kernel
def _place_of(keys: WordArray, key: np.uint64) -> np.uint64:
    """Return where a key is in a table that is not full, or where it belongs."""
    last = np.uint64(len(keys) - 1)
    place = (key ^ key >> HALF) & last
    while keys[place] != U0 and keys[place] != key:
        place = (place + U1) & last
    return place


@jit
def add_keys(new: Entries, old: Entries, keys: WordArray, depths: Uint16Array, is_new: BoolArray) -> int:
    """Put keys into a table that has room; tell which are new or come at a lesser depth; return how many are new.

    Args:
        new: The table.
        old: One that some keys have not moved from yet. What has moved is still in it, and is out of date.
        keys: The keys, shape (n,), uint64.
        depths: Their depths, shape (n,), uint16.
        is_new: What is told, shape (n,), written.
    """
    count = 0
    for number in range(len(keys)):
        key = keys[number] if keys[number] != U0 else U1
        place = _place_of(new.keys, key)
        if new.keys[place] != U0:
            if depths[number] < new.depths[place]:
                new.depths[place] = depths[number]
                is_new[number] = True
            continue
        there = _place_of(old.keys, key)
        if old.keys[there] == U0:
            new.keys[place] = key
            new.depths[place] = depths[number]
            is_new[number] = True
            count += 1
        elif depths[number] < old.depths[there]:
            old.depths[there] = depths[number]
            is_new[number] = True
    return count


@jit
def move_keys(new: Entries, old: Entries, first: int, end: int) -> None:
    """Put the keys in some places of one table into another one that has none of them."""
    for number in range(first, end):
        if old.keys[number] != U0:
            place = _place_of(new.keys, old.keys[number])
            new.keys[place] = old.keys[number]
            new.depths[place] = old.depths[number]


class Paths:
    """The nodes of a search: where each comes from, and by which moves.

    Attributes:
        count: Number of nodes.
        capacity: How many there may be.
        depth: Joint moves from the root, shape (capacity,), uint16.
    """

    def __init__(self, capacity: int, num_roles: int) -> None:
        # What is not written yet takes no memory.
        self.capacity = capacity
        self.count = 1
        self._parent = np.empty(capacity, np.int32)
        self._moves = np.empty((capacity, num_roles), np.int32)
        self.depth = np.empty(capacity, np.uint16)
        self._parent[ROOT] = NO_PARENT
        self.depth[ROOT] = 0

    def add(self, parents: Int32Array, moves: Int32Array, depths: Uint16Array) -> int:
        """Add nodes, for which there has to be room; return the number of the first."""
        first = self.count
        self.count += len(parents)
        self._parent[first : self.count] = parents
        self._moves[first : self.count] = moves
        self.depth[first : self.count] = depths
        return first

    def read(self, node: int) -> list[Moves]:
        """Return the joint moves that lead from the root to a node."""
        found: list[Moves] = []
        while node != ROOT:
            found.append(tuple(self._moves[node].tolist()))
            node = int(self._parent[node])
        return found[::-1]


def bytes_per_path(num_roles: int) -> int:
    """Return how many bytes a node of `Paths` takes."""
    return 6 + 4 * num_roles

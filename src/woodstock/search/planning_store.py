"""What searches for plans keep: which positions they have seen, and how they came there."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.words import U0, U1, WordArray
from woodstock.common.jit import jit
from woodstock.search.planning_puzzle import Moves

Uint16Array = npt.NDArray[np.uint16]

ROOT: Final = 0
"""The first node of a search."""
NO_PARENT: Final = -1
DEEPEST: Final = 65535
FIRST_SIZE: Final = 1 << 12
BYTES_PER_KEY: Final = 30
"""Of a table of keys: 10 bytes an entry, two thirds full at most, half as full just after it has grown."""
HALF: Final = np.uint64(32)


class KeyTable:
    """Keys of positions, with the least depth at which each was seen."""

    def __init__(self) -> None:
        self._keys = np.zeros(FIRST_SIZE, np.uint64)
        self._depths = np.zeros(FIRST_SIZE, np.uint16)
        self.count = 0

    def add(self, keys: WordArray, depths: Uint16Array) -> BoolArray:
        """Return which positions are new, or nearer than before; from now on they are known."""
        while 3 * (self.count + len(keys)) > 2 * len(self._keys):
            old_keys, old_depths = self._keys, self._depths
            self._keys = np.zeros(2 * len(old_keys), np.uint64)
            self._depths = np.zeros(2 * len(old_keys), np.uint16)
            move_keys(self._keys, self._depths, old_keys, old_depths)
        is_new = np.zeros(len(keys), np.bool_)
        self.count += add_keys(self._keys, self._depths, keys, depths, is_new)
        return is_new


@jit
def add_keys(
    table: WordArray, table_depths: Uint16Array, keys: WordArray, depths: Uint16Array, is_new: BoolArray
) -> int:
    """Put keys into a table that has room; tell which are new or come at a lesser depth; return how many are new."""
    last = np.uint64(len(table) - 1)
    count = 0
    for number in range(len(keys)):
        key = keys[number] if keys[number] != U0 else U1  # 0 stands for an empty place
        place = (key ^ key >> HALF) & last
        while table[place] != U0 and table[place] != key:
            place = (place + U1) & last
        if table[place] == U0:
            table[place] = key
            table_depths[place] = depths[number]
            is_new[number] = True
            count += 1
        elif depths[number] < table_depths[place]:
            table_depths[place] = depths[number]
            is_new[number] = True
    return count


@jit
def move_keys(table: WordArray, table_depths: Uint16Array, old: WordArray, old_depths: Uint16Array) -> None:
    """Put all keys of one table into another, which is empty."""
    last = np.uint64(len(table) - 1)
    for number in range(len(old)):
        if old[number] != U0:
            place = (old[number] ^ old[number] >> HALF) & last
            while table[place] != U0:
                place = (place + U1) & last
            table[place] = old[number]
            table_depths[place] = old_depths[number]


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

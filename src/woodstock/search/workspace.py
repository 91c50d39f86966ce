"""What a thread needs to make cycles of a tree search: descents, and room for what they ask for."""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.circuit.network import Int32Array
from woodstock.circuit.words import WordArray
from woodstock.search.growth import Fresh, list_requests
from woodstock.search.selection import make_paths
from woodstock.search.tree import Float64Array, Tree

LONGEST_PATH: Final = 512
"""Joint moves of a descent; it ends there as if it had come to a node that is known."""


class Workspace:
    """What one thread needs to make cycles of a tree search.

    Args:
        num_roles: Number of roles.
        num_words: Words of a packed position.

    Attributes:
        paths: The descents.
        sample: Space to work in, shape (num_roles,).
    """

    def __init__(self, num_roles: int, num_words: int) -> None:
        self._num_roles = num_roles
        self._num_words = num_words
        self._capacity = 0
        self._fresh = Fresh(*(np.zeros(0, np.int32) for _ in range(3)))
        self.sample: Float64Array = np.zeros(num_roles, np.float64)
        self.reserve(64)

    def reserve(self, num: int) -> None:
        """Make room for so many descents."""
        if num > self._capacity:
            self._capacity = max(num, 2 * self._capacity)
            self.paths = make_paths(self._capacity, LONGEST_PATH, self._num_roles)
            self._requests = np.zeros(self._capacity, np.int32)
            self._rows = np.zeros((self._capacity, self._num_words), np.uint64)
            self._keys = np.zeros(self._capacity, np.uint64)

    def list_requests(self, tree: Tree, num: int) -> tuple[Int32Array, WordArray, WordArray]:
        """Return the descents that want something to be made, and the positions and keys that it is made from."""
        count = list_requests(tree, self.paths, num, self._requests, self._rows, self._keys)
        return self._requests[:count], self._rows[:count], self._keys[:count]

    def make_fresh(self, num: int) -> Fresh:
        """Return room for so many nodes to be sampled."""
        if num > len(self._fresh.nodes):
            self._fresh = Fresh(*(np.zeros(2 * num, np.int32) for _ in range(3)))
        return self._fresh

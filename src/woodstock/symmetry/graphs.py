"""Coloured graphs: what the library that finds automorphisms is given.

>>> triangle = Graph(3, np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32), np.array([0, 0, 1], dtype=np.int32))
>>> triangle.is_automorphism(np.array([1, 0, 2])), triangle.is_automorphism(np.array([1, 2, 0]))
(True, False)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph whose vertices have colours, without loops and without parallel edges.

    Attributes:
        num_vertices: How many vertices there are.
        edges: The two ends of each edge, in any order, shape (num_edges, 2), int32.
        colours: Colour of each vertex, numbers from 0 on, shape (num_vertices,), int32.
    """

    num_vertices: int
    edges: Int32Array
    colours: Int32Array

    @property
    def num_edges(self) -> int:
        return len(self.edges)

    def edge_keys(self) -> Int64Array:
        """Return one number for each edge, sorted: equal for equal sets of edges."""
        return np.sort(_keys(self.edges, self.num_vertices))

    def is_automorphism(self, image: npt.ArrayLike) -> bool:
        """Tell whether a permutation, given by the image of each vertex, keeps colours and edges."""
        moved = np.asarray(image, dtype=np.int64)
        if len(moved) != self.num_vertices or not np.array_equal(self.colours[moved], self.colours):
            return False
        return np.array_equal(np.sort(_keys(moved[self.edges], self.num_vertices)), self.edge_keys())

    def renamed(self, image: npt.ArrayLike) -> Graph:
        """Return the graph in which vertex v is called `image[v]`."""
        moved = np.asarray(image, dtype=np.int32)
        colours = np.empty_like(self.colours)
        colours[moved] = self.colours
        return Graph(self.num_vertices, moved[self.edges], colours)


def make_graph(num_vertices: int, edges: npt.ArrayLike, colours: Sequence[Hashable]) -> Graph:
    """Make a graph from any colours that can be told apart and sorted as text; parallel edges become one."""
    names = {colour: number for number, colour in enumerate(sorted(set(colours), key=repr))}
    numbers = np.array([names[colour] for colour in colours], dtype=np.int32)
    return Graph(num_vertices, distinct_edges(np.asarray(edges, dtype=np.int64).reshape(-1, 2), num_vertices), numbers)


def distinct_edges(edges: npt.NDArray[np.integer], num_vertices: int) -> Int32Array:
    """Return each edge once, smaller end first."""
    keys = np.sort(_keys(edges, num_vertices))
    is_last = np.ones(len(keys), dtype=np.bool_)
    is_last[:-1] = keys[:-1] != keys[1:]
    keys = keys[is_last]
    return np.stack([keys // max(1, num_vertices), keys % max(1, num_vertices)], axis=1).astype(np.int32)


def _keys(edges: npt.NDArray[np.integer], num_vertices: int) -> Int64Array:
    one, other = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64)
    keys: Int64Array = np.minimum(one, other) * num_vertices + np.maximum(one, other)
    return keys

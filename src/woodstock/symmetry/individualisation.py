"""A search of our own for automorphisms, which can be stopped after any step and keeps what it found.

It goes down once: one vertex after the other is *singled out* and the colours refined, until all vertices are told
apart. Then, from the bottom up, every vertex that might have been singled out instead is tried. If the cells on its way
down have the sizes that they had the first time, the two ends are compared, place by place, and what takes one to the
other is an automorphism if it keeps the edges. The search never goes back on its way down, so it may miss some; it
knows whether it may have.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from woodstock.symmetry.graphs import Graph, Int32Array
from woodstock.symmetry.refinement import neighbours_of, partition_of
from woodstock.symmetry.refinement_kernels import (
    Partition,
    choose_cell,
    keeps_edges,
    make_work,
    refine,
    restore,
    single_out,
)


class OwnSearch:
    """A search for automorphisms of a graph.

    Args:
        graph: The graph.
        largest: Whether vertices are singled out of the largest cells, which takes the fewest steps, or of the smallest
            ones. What one search misses the other one may find.

    Attributes:
        generators: Automorphisms that were found, given by the image of each vertex.
        order: The order of the group, once the search is finished.

    >>> square = Graph(4, np.array([[0, 1], [1, 2], [2, 3], [3, 0]], dtype=np.int32), np.zeros(4, dtype=np.int32))
    >>> search = OwnSearch(square)
    >>> while search.step():
    ...     pass
    >>> search.order, search.finished, [image.tolist() for image in search.generators]
    (8, True, [[0, 3, 2, 1], [2, 1, 0, 3], [1, 0, 3, 2]])
    """

    def __init__(self, graph: Graph, largest: bool = True) -> None:
        self.generators: list[Int32Array] = []
        self.order = 1
        self._is_finished = False
        self._largest = largest
        self._neighbours = neighbours_of(graph)
        self._work = make_work(graph.num_vertices)
        self._last = partition_of(graph)
        self._here = _like(self._last)
        self._marks = np.zeros(graph.num_vertices, dtype=np.bool_)
        self._vertices: list[int] = []
        self._cells: list[int] = []
        self._traces: list[int] = []
        self._orbit = np.arange(graph.num_vertices, dtype=np.int32)
        self._missed = False
        self._steps = self._run()

    @property
    def finished(self) -> bool:
        """Whether the generators are known to generate all automorphisms."""
        return self._is_finished

    def step(self) -> bool:
        """Go on by one refinement; tell whether there is more to do."""
        return next(self._steps, None) is not None

    def _run(self) -> Iterator[bool]:
        refine(self._neighbours, self._last, self._work, -1, 0)
        yield True
        while (cell := int(choose_cell(self._last, self._largest))) >= 0:
            self._go_down(cell)
            yield True
        for level in reversed(range(len(self._cells))):
            yield from self._try_others(level)
            orbit = self._orbit[self._vertices[level]]
            self.order *= int(np.count_nonzero(self._orbit == orbit))
        self._is_finished = not self._missed

    def _go_down(self, cell: int) -> None:
        """Single out the first vertex of a cell, on the way to the end that others are compared with."""
        vertex = int(self._last.order[cell])
        level = len(self._cells) + 1
        self._cells.append(cell)
        self._vertices.append(vertex)
        place = single_out(self._last, vertex, level)
        self._traces.append(int(refine(self._neighbours, self._last, self._work, place, level)))

    def _try_others(self, level: int) -> Iterator[bool]:
        """Try to single out each other vertex of a cell; those in the orbit of one that was tried are no others."""
        restore(self._last, level, self._here)
        cell = self._cells[level]
        others = self._here.order[cell : cell + int(self._here.length[cell])].copy()
        tried = {int(self._orbit[self._vertices[level]])}
        for vertex in others.tolist():
            if int(self._orbit[vertex]) in tried:
                continue
            restore(self._last, level, self._here)
            found = yield from self._follow(level, vertex)
            if found is not None:
                self._add(found)
                tried = {int(self._orbit[each]) for each in tried}
            tried.add(int(self._orbit[vertex]))

    def _follow(self, level: int, vertex: int) -> Generator[bool, None, Int32Array | None]:
        """Go down with another vertex singled out at a level; return the automorphism that takes the end there."""
        for below in range(level, len(self._cells)):
            if below > level:
                vertex = self._choose(below)
            place = single_out(self._here, vertex, below + 1)
            trace = int(refine(self._neighbours, self._here, self._work, place, below + 1))
            yield True
            if trace != self._traces[below] or not self._is_split_alike(below):
                # What differs at once cannot be taken there; further down another choice might have gone well.
                self._missed |= below > level
                return None
        image = np.empty_like(self._last.order)
        image[self._last.order] = self._here.order
        if keeps_edges(self._neighbours, image, self._marks):
            return image
        self._missed |= level + 1 < len(self._cells)
        return None

    def _choose(self, level: int) -> int:
        """Return the vertex that is singled out next: the one of the first way, so that it stays, or another."""
        vertex, cell = self._vertices[level], self._cells[level]
        return vertex if self._here.cell[vertex] == cell else int(self._here.order[cell])

    def _is_split_alike(self, level: int) -> bool:
        """Tell whether the cells have the places and sizes that they had on the first way, after a level."""
        return np.array_equal(self._here.born <= level + 1, self._last.born <= level + 1)

    def _add(self, image: Int32Array) -> None:
        """Keep an automorphism, and join the orbits that it joins."""
        self.generators.append(image)
        orbit = self._orbit
        while True:
            joined = np.minimum(orbit, orbit[image])
            np.minimum.at(joined, orbit, joined.copy())
            joined = joined[joined]
            if np.array_equal(joined, orbit):
                break
            orbit = joined
        self._orbit = orbit


def _like(partition: Partition) -> Partition:
    return Partition(*(array.copy() for array in partition))

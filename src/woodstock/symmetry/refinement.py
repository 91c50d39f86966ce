"""Colour refinement: which vertices of a graph can be told apart at first sight.

What stands alone in its cell stays in its place under every automorphism, and the colours of all others tell which of
these it is joined to. So it can be left out: what remains has the same automorphisms. Often nothing remains.

>>> path = Graph(3, np.array([[0, 1], [1, 2]], dtype=np.int32), np.zeros(3, dtype=np.int32))
>>> reduce_graph(path).vertices.tolist()
[0, 2]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from woodstock.symmetry.graphs import Graph, Int32Array
from woodstock.symmetry.refinement_kernels import NEVER, Neighbours, Partition, make_work, refine


@dataclass(frozen=True, eq=False)
class Reduced:
    """A graph without the vertices that stay in their places.

    Attributes:
        graph: What is left; its colours tell apart what refinement does.
        vertices: The number that each of its vertices had, ascending, int32.
        num_vertices: Number of vertices of the whole graph.
    """

    graph: Graph
    vertices: Int32Array
    num_vertices: int

    def whole(self, image: Int32Array) -> Int32Array:
        """Return what an automorphism of this graph does to the whole one."""
        found = np.arange(self.num_vertices, dtype=np.int32)
        found[self.vertices] = self.vertices[image]
        return found


def reduce_graph(graph: Graph) -> Reduced:
    """Refine the colours of a graph and leave out the vertices that stand alone."""
    partition = partition_of(graph)
    refine(neighbours_of(graph), partition, make_work(graph.num_vertices), -1, 0)
    alone = partition.length[partition.cell] == 1
    vertices = np.flatnonzero(~alone).astype(np.int32)
    number = np.cumsum(~alone, dtype=np.int32) - 1
    edges = graph.edges[~(alone[graph.edges[:, 0]] | alone[graph.edges[:, 1]])]
    starts = np.zeros(graph.num_vertices + 1, dtype=np.int32)
    starts[partition.cell[vertices]] = 1
    colours = (np.cumsum(starts, dtype=np.int32) - 1)[partition.cell[vertices]]
    return Reduced(Graph(len(vertices), number[edges], colours), vertices, graph.num_vertices)


def partition_of(graph: Graph) -> Partition:
    """Return the partition of the vertices by their colours, in the order of the colours."""
    order = np.argsort(graph.colours, kind="stable").astype(np.int32)
    place = np.empty_like(order)
    place[order] = np.arange(len(order), dtype=np.int32)
    sizes = np.bincount(graph.colours)
    first = (np.cumsum(sizes) - sizes).astype(np.int32)
    length = np.zeros_like(order)
    length[first[sizes > 0]] = sizes[sizes > 0]
    born = np.full_like(order, NEVER)
    born[first[sizes > 0]] = 0
    return Partition(order, place, first[graph.colours], length, born)


def neighbours_of(graph: Graph) -> Neighbours:
    """Return the neighbours of all vertices."""
    ends = graph.edges.reshape(-1)
    others = graph.edges[:, ::-1].reshape(-1)
    start = np.zeros(graph.num_vertices + 1, dtype=np.int32)
    np.cumsum(np.bincount(ends, minlength=graph.num_vertices), out=start[1:])
    return Neighbours(start, np.ascontiguousarray(others[np.argsort(ends, kind="stable")], dtype=np.int32))

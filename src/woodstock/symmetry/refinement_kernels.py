"""Kernels of colour refinement: cells of vertices are split until none can tell two vertices of another apart.

The vertices stand in one array, cell after cell; a cell is called by the place where it starts, which stays the place
where its first part starts when it is split. Everything that is decided, such as the order of the parts, depends on
the graph and not on the names of the vertices: two vertices that an automorphism takes to each other lead to the same
cells, in the same places, with the same trace (McKay 1981; Junttila and Kaski 2007).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import inner_kernel, jit

Int32Array = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

NEVER: Final = np.int32(2**31 - 1)
"""Stands for a cell that has not been made."""
_TRACE_MASK: Final = 0x7FFFFFFF


class Neighbours(NamedTuple):
    """The neighbours of all vertices: those of `v` are `data[start[v]:start[v + 1]]`."""

    start: Int32Array
    data: Int32Array


class Partition(NamedTuple):
    """Vertices in cells.

    Attributes:
        order: The vertices, cell after cell, shape (num_vertices,), int32.
        place: Where each vertex stands in `order`.
        cell: The cell of each vertex.
        length: Number of vertices of the cell that starts at each place; not defined elsewhere.
        born: The level of a search at which the cell that starts at each place was made, or NEVER.
    """

    order: Int32Array
    place: Int32Array
    cell: Int32Array
    length: Int32Array
    born: Int32Array


class Work(NamedTuple):
    """Room for a refinement; everything but `number` is zero between two of them.

    Attributes:
        queue: Cells that others are to be compared with, a ring, shape (num_vertices + 1,), int32.
        queued: Whether each cell is in the queue, bool.
        near: For each vertex the number of its neighbours in the cell at hand.
        touched: Vertices that have some.
        cells: Cells with such vertices.
        in_cell: For each cell the number of such vertices.
        number: For each cell that itself, by which cells are sorted.
    """

    queue: Int32Array
    queued: BoolArray
    near: Int32Array
    touched: Int32Array
    cells: Int32Array
    in_cell: Int32Array
    number: Int32Array


def make_work(num_vertices: int) -> Work:
    """Return room for refinements of partitions of some vertices."""
    numbers = np.zeros((4, num_vertices), dtype=np.int32)
    queue = np.zeros(num_vertices + 1, dtype=np.int32)
    near, touched, cells, in_cell = numbers
    number = np.arange(num_vertices, dtype=np.int32)
    return Work(queue, np.zeros(num_vertices, dtype=np.bool_), near, touched, cells, in_cell, number)


@inner_kernel
def _sink(values: Int32Array, keys: Int32Array, root: int, size: int) -> None:
    """Let a value sink in a heap of values whose greatest by key is on top; `keys` is by value."""
    while True:
        child = 2 * root + 1
        if child >= size:
            return
        if child + 1 < size and keys[values[child]] < keys[values[child + 1]]:
            child += 1
        if keys[values[root]] >= keys[values[child]]:
            return
        values[root], values[child] = values[child], values[root]
        root = child


@inner_kernel
def _sort_by(values: Int32Array, keys: Int32Array) -> None:
    """Sort values by their keys, in place: by insertion if they are few, else by a heap."""
    size = len(values)
    if size <= 16:
        for end in range(1, size):
            value = values[end]
            place = end
            while place > 0 and keys[values[place - 1]] > keys[value]:
                values[place] = values[place - 1]
                place -= 1
            values[place] = value
        return
    for root in range(size // 2 - 1, -1, -1):
        _sink(values, keys, root, size)
    for end in range(size - 1, 0, -1):
        values[0], values[end] = values[end], values[0]
        _sink(values, keys, 0, end)


@inner_kernel
def _all_equal(values: Int32Array, keys: Int32Array) -> bool:
    same = True
    for value in values:
        same = same and keys[value] == keys[values[0]]
    return same


@inner_kernel
def _touch(neighbours: Neighbours, partition: Partition, work: Work, first: int) -> int:
    """Count for all vertices their neighbours in a cell; return how many cells have some.

    Vertices that have some come to stand at the end of their cells.
    """
    num_touched = 0
    for place in range(first, first + partition.length[first]):
        vertex = partition.order[place]
        for edge in range(neighbours.start[vertex], neighbours.start[vertex + 1]):
            other = neighbours.data[edge]
            if partition.length[partition.cell[other]] > 1:
                if work.near[other] == 0:
                    work.touched[num_touched] = other
                    num_touched += 1
                work.near[other] += 1
    num_cells = 0
    for number in range(num_touched):
        vertex = work.touched[number]
        cell = partition.cell[vertex]
        if work.in_cell[cell] == 0:
            work.cells[num_cells] = cell
            num_cells += 1
        end = cell + partition.length[cell] - 1 - work.in_cell[cell]
        other, here = partition.order[end], partition.place[vertex]
        partition.order[here] = other
        partition.place[other] = here
        partition.order[end] = vertex
        partition.place[vertex] = end
        work.in_cell[cell] += 1
    return num_cells


@inner_kernel
def _split(partition: Partition, work: Work, cell: int, level: int) -> int:
    """Split a cell by the counts of its vertices; return the first place of its largest part, or -1 if it is one.

    The new parts stand in `partition`, which the caller puts into the queue.
    """
    end = cell + partition.length[cell]
    start = end - work.in_cell[cell]
    if start == cell and _all_equal(partition.order[start:end], work.near):
        return -1
    _sort_by(partition.order[start:end], work.near)
    best, most = cell, start - cell
    partition.length[cell] = most
    while start < end:
        count = work.near[partition.order[start]]
        after = start
        while after < end and work.near[partition.order[after]] == count:
            partition.place[partition.order[after]] = after
            partition.cell[partition.order[after]] = start
            after += 1
        partition.length[start] = after - start
        if start != cell:
            partition.born[start] = level
        if after - start > most:
            best, most = start, after - start
        start = after
    return int(best)


@jit
def refine(neighbours: Neighbours, partition: Partition, work: Work, first: int, level: int) -> int:
    """Refine a partition until nothing is left to split; return a trace, the same for what automorphisms join.

    Args:
        neighbours: The graph.
        partition: The partition, which is changed.
        work: Room.
        first: The cell to start with, if all others are known to tell nothing; -1 to start with all cells.
        level: Written where cells are born.
    """
    num_vertices = len(partition.order)
    size = len(work.queue)
    head, tail = 0, 0
    place = max(0, first)
    while place < num_vertices:
        work.queue[tail] = place
        work.queued[place] = True
        tail += 1
        place = num_vertices if first >= 0 else place + partition.length[place]
    trace = 0
    while head != tail:
        splitter = work.queue[head]
        head = (head + 1) % size
        work.queued[splitter] = False
        num_cells = _touch(neighbours, partition, work, splitter)
        cells = work.cells[:num_cells]
        _sort_by(cells, work.number)
        for cell in cells:
            end = cell + partition.length[cell]
            start = end - work.in_cell[cell]
            best = _split(partition, work, cell, level)
            trace = (trace * 31 + int(cell) * 7 + int(work.near[partition.order[end - 1]])) & _TRACE_MASK
            for each in range(start, end):
                work.near[partition.order[each]] = 0
            work.in_cell[cell] = 0
            if best < 0:
                continue
            # Of a cell that was compared with already, all parts but one tell everything that the last one does.
            was_queued = work.queued[cell]
            part = cell
            while part < end:
                if not work.queued[part] and (was_queued or part != best):
                    work.queue[tail] = part
                    work.queued[part] = True
                    tail = (tail + 1) % size
                trace = (trace * 31 + int(part)) & _TRACE_MASK
                part += partition.length[part]
    return trace


@jit
def single_out(partition: Partition, vertex: int, level: int) -> int:
    """Make a cell of one vertex alone, in front of the others of its cell; return its place."""
    cell = partition.cell[vertex]
    other, here = partition.order[cell], partition.place[vertex]
    partition.order[here] = other
    partition.place[other] = here
    partition.order[cell] = vertex
    partition.place[vertex] = cell
    for place in range(cell + 1, cell + partition.length[cell]):
        partition.cell[partition.order[place]] = cell + 1
    partition.length[cell + 1] = partition.length[cell] - 1
    partition.born[cell + 1] = level
    partition.length[cell] = 1
    return int(cell)


@jit
def restore(last: Partition, level: int, partition: Partition) -> None:
    """Write the partition that a search had at a level, given the last one on its way down."""
    cell = 0
    for place in range(len(last.order)):
        vertex = last.order[place]
        partition.order[place] = vertex
        partition.place[vertex] = place
        if last.born[place] <= level:
            cell = place
            partition.length[cell] = 0
            partition.born[cell] = last.born[place]
        else:
            partition.born[place] = NEVER
        partition.cell[vertex] = cell
        partition.length[cell] += 1


@jit
def choose_cell(partition: Partition, largest: bool) -> int:
    """Return the first of the largest, or of the smallest, cells with more than one vertex; -1 if there is none."""
    best, place = -1, 0
    while place < len(partition.order):
        length = partition.length[place]
        if length > 1 and (
            best < 0 or (length != partition.length[best] and largest == (length > partition.length[best]))
        ):
            best = place
        place += length
    return best


@jit
def keeps_edges(neighbours: Neighbours, image: Int32Array, marks: BoolArray) -> bool:
    """Tell whether a permutation takes edges to edges; `marks` is room, shape (num_vertices,), all false."""
    kept = True
    for vertex in range(len(image)):
        there = image[vertex]
        if there == vertex:
            continue
        start, end = neighbours.start[vertex], neighbours.start[vertex + 1]
        first, last = neighbours.start[there], neighbours.start[there + 1]
        if end - start != last - first:
            return False
        for edge in range(first, last):
            marks[neighbours.data[edge]] = True
        for edge in range(start, end):
            if not marks[image[neighbours.data[edge]]]:
                kept = False
        for edge in range(first, last):
            marks[neighbours.data[edge]] = False
        if not kept:
            return False
    return kept

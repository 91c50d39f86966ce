"""The order of gates: cones, loops, neighbours, and runs of one shape.

Three wishes are brought together. Gates come after what they read. A gate is evaluated soon after what it reads, while
that is in the cache: so the first order is depth-first from the outputs. Gates of one shape stand together: so within
chunks of that order gates are taken shape by shape, always from the shape of which most are ready.

A loop keeps the order of the network but for the runs: a gate still comes after those before it that it reads, so that
news travel as far as possible in one round.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import NO_LOOP, BoolArray, Int32Array, Int64Array
from woodstock.circuit.products import Gates
from woodstock.common.jit import jit

NO_GATE: Final = -1
NO_SHAPE: Final = -1

JOINED_GATES: Final = 256
"""Loops that do not wait for each other are evaluated together, about so many gates, to have longer runs."""

FIRST: Final = 0
LAST: Final = 1
READY: Final = 2
"""Rows about the queue of each shape: first and last gate that is ready, and how many are."""

GATE: Final = 0
WAITS: Final = 1
AFTER: Final = 2
READERS: Final = 3
"""Rows about each gate of a chunk: the gate, for how many others it waits, which comes after it in its queue, and where
its readers begin."""


class Order(NamedTuple):
    """The gates in the order of their evaluation.

    Attributes:
        gates: The gates, shape (num_gates,), int32.
        place: Where each gate is, shape (num_gates,), int32.
        segment_start: Where the segments begin, and the number of gates, shape (num_segments + 1,), int64.
        is_loop: Whether each segment is a loop, or several, shape (num_segments,), bool.
        cone_segment: Where the segments of each cone begin, and their number, shape (num_cones + 1,), int32.
    """

    gates: Int32Array
    place: Int32Array
    segment_start: Int64Array
    is_loop: BoolArray
    cone_segment: Int32Array


class _Units(NamedTuple):
    """The gates, and their *units*: a unit is a loop or a gate that is in none.

    Attributes:
        num_inputs: As in `Gates`.
        start: As in `Gates`.
        data: As in `Gates`.
        loop: As in `Gates`.
        first: First gate of the unit of each gate, shape (num_gates,), int32.
        end: End of the gates of that unit, shape (num_gates,), int32.
    """

    num_inputs: int
    start: Int64Array
    data: Int32Array
    loop: Int32Array
    first: Int32Array
    end: Int32Array


def order_gates(gates: Gates, outputs: Int32Array, num_cones: int, chunk: int) -> Order:
    """Order gates.

    Args:
        gates: The gates.
        outputs: The gates that are outputs, those of the first cone first, int32.
        num_cones: Number of cones.
        chunk: How many neighbouring gates may change places to make runs.
    """
    num_gates = len(gates.number)
    units = _find_units(gates)
    order = np.empty(num_gates, np.int32)
    _go_depth_first(units, outputs, order, np.empty((2, num_gates), np.int64), np.zeros(num_gates, np.bool_))
    stage = np.zeros(num_gates, np.int32)
    if gates.loop.max(initial=NO_LOOP) != NO_LOOP:
        _find_stages(units, gates.cone, stage)
        order = order[np.lexsort((stage[order], gates.cone[order]))]
    segment_start = _find_segments(gates, order, stage[order])
    firsts = order[segment_start[:-1]]
    cone_segment = np.searchsorted(gates.cone[firsts], np.arange(num_cones + 1)).astype(np.int32)
    place = np.empty(num_gates, np.int32)
    place[order] = np.arange(num_gates, dtype=np.int32)
    result = Order(order, place, segment_start, gates.loop[firsts] != NO_LOOP, cone_segment)
    size = min(chunk, int(np.diff(segment_start).max(initial=0)))
    _make_runs(gates, result, chunk, np.zeros((3, len(gates.shapes)), np.int32), np.zeros((4, size + 2), np.int32))
    place[order] = np.arange(num_gates, dtype=np.int32)
    return result


def _find_units(gates: Gates) -> _Units:
    """Return the units of gates."""
    num_gates = len(gates.loop)
    begins = np.ones(num_gates, np.bool_)
    begins[1:] = (gates.loop[1:] == NO_LOOP) | (gates.loop[1:] != gates.loop[:-1])
    unit = np.cumsum(begins) - 1
    firsts = np.flatnonzero(begins).astype(np.int32)
    ends = np.append(firsts[1:], np.int32(num_gates)).astype(np.int32)
    return _Units(gates.num_inputs, gates.start, gates.data, gates.loop, firsts[unit], ends[unit])


def _find_segments(gates: Gates, order: Int32Array, stage: Int32Array) -> Int64Array:
    """Return where the segments of an order by cones and stages begin, and the number of gates."""
    cone, loop = gates.cone[order], gates.loop[order]
    begins = np.ones(len(order), np.bool_)
    begins[1:] = (cone[1:] != cone[:-1]) | (stage[1:] != stage[:-1])
    if stage.any():
        loop_begins = begins.copy()
        loop_begins[1:] |= loop[1:] != loop[:-1]
        places = np.arange(len(order))
        stage_start, loop_start = (np.maximum.accumulate(places * where) for where in (begins, loop_begins))
        portion = (loop_start - stage_start) // JOINED_GATES
        begins[1:] |= (loop[1:] != NO_LOOP) & (portion[1:] != portion[:-1])
    return np.append(np.flatnonzero(begins), len(order)).astype(np.int64)


@jit
def _find_stages(units: _Units, cone: Int32Array, stage: Int32Array) -> None:
    """Find the stage of each gate: even for gates outside loops, odd for loops, later ones after those they read.

    So all loops that do not wait for each other follow all gates that wait for none of them. What another cone has
    evaluated does not count.
    """
    first = 0
    while first < len(stage):
        end = units.end[first]
        latest = 0
        for at in range(units.start[first], units.start[end]):
            source = (units.data[at] >> 1) - units.num_inputs
            if 0 <= source < first and cone[source] == cone[first]:
                latest = max(latest, stage[source] + (stage[source] & 1))
        for member in range(first, end):
            stage[member] = latest + 1 if units.loop[first] != NO_LOOP else latest
        first = end


@jit
def _go_depth_first(units: _Units, outputs: Int32Array, order: Int32Array, stack: Int64Array, seen: BoolArray) -> None:
    """Order the gates, each unit right after the last of those that it waits for.

    Args:
        units: The units.
        outputs: The gates to begin with.
        order: The gates in their order, shape (num_gates,), int32.
        stack: Room for units that wait for others, and for the places of their next literals, shape (2, num_gates).
        seen: Room for what has been found, all False, shape (num_gates,), bool.
    """
    length = 0
    for output in outputs:
        depth = -1
        below = units.first[output]
        while True:
            if below != NO_GATE and not seen[below]:
                seen[below] = True
                depth += 1
                stack[0, depth] = below
                stack[1, depth] = units.start[below]
            if depth < 0:
                break
            first = stack[0, depth]
            at = stack[1, depth]
            stop = units.start[units.end[first]]
            below = NO_GATE
            while at < stop and below == NO_GATE:
                source = (units.data[at] >> 1) - units.num_inputs
                if source >= 0 and not seen[units.first[source]]:
                    below = units.first[source]
                at += 1
            stack[1, depth] = at
            if below == NO_GATE:
                for member in range(first, units.end[first]):
                    order[length] = member
                    length += 1
                depth -= 1


@jit
def _make_runs(gates: Gates, order: Order, chunk: int, queues: Int32Array, room: Int32Array) -> None:
    """Rearrange the gates of each segment into runs of one shape, chunk by chunk.

    Args:
        gates: The gates.
        order: Their order; what is where, `place`, is not changed.
        chunk: How many neighbouring gates may change places.
        queues: Room for the queues of the shapes, all 0, shape (3, num_shapes), int32.
        room: Room for the gates of a chunk, shape (4, chunk + 2), int32.
    """
    for segment in range(len(order.is_loop)):
        shape = NO_SHAPE
        for begin in range(order.segment_start[segment], order.segment_start[segment + 1], chunk):
            end = min(order.segment_start[segment + 1], begin + chunk)
            readers = _find_readers(gates, order, begin, end, room)
            for at in range(end - begin):
                room[GATE, at] = order.gates[begin + at]
                if room[WAITS, at] == 0:
                    _enqueue(gates.shape[room[GATE, at]], at, queues, room)
            for to in range(begin, end):
                if shape == NO_SHAPE or queues[READY, shape] == 0:
                    shape = _most_ready(queues)
                at = queues[FIRST, shape]
                queues[FIRST, shape] = room[AFTER, at]
                queues[READY, shape] -= 1
                order.gates[to] = room[GATE, at]
                for edge in range(room[READERS, at], room[READERS, at + 1]):
                    reader = readers[edge]
                    room[WAITS, reader] -= 1
                    if room[WAITS, reader] == 0:
                        _enqueue(gates.shape[room[GATE, reader]], int(reader), queues, room)


@jit
def _most_ready(queues: Int32Array) -> int:
    """Return the shape of which most gates are ready."""
    best = 0
    for shape in range(1, queues.shape[1]):
        if queues[READY, shape] > queues[READY, best]:
            best = shape
    return best


@jit
def _enqueue(shape: int, at: int, queues: Int32Array, room: Int32Array) -> None:
    """Add a gate to the queue of its shape."""
    if queues[READY, shape] == 0:
        queues[FIRST, shape] = at
    else:
        room[AFTER, queues[LAST, shape]] = at
    queues[LAST, shape] = at
    queues[READY, shape] += 1


@jit
def _find_readers(gates: Gates, order: Order, begin: int, end: int, room: Int32Array) -> Int32Array:
    """Return the readers of the gates of a chunk, and find for how many others each gate waits.

    In a loop, what comes later is not waited for.
    """
    size = end - begin
    for at in range(size + 2):
        room[WAITS, at] = 0
        room[READERS, at] = 0
    for at in range(size):
        gate = order.gates[begin + at]
        for edge in range(gates.start[gate], gates.start[gate + 1]):
            source = (gates.data[edge] >> 1) - gates.num_inputs
            if source >= 0 and begin <= order.place[source] < begin + at:
                room[READERS, order.place[source] - begin] += 1
                room[WAITS, at] += 1
    for at in range(size + 1):
        room[READERS, at + 1] += room[READERS, at]
    # Now each has the end of its readers; it becomes their beginning while they are written, the last first.
    readers = np.empty(room[READERS, size], np.int32)
    for at in range(size):
        gate = order.gates[begin + at]
        for edge in range(gates.start[gate], gates.start[gate + 1]):
            source = (gates.data[edge] >> 1) - gates.num_inputs
            if source >= 0 and begin <= order.place[source] < begin + at:
                local = order.place[source] - begin
                room[READERS, local] -= 1
                readers[room[READERS, local]] = at
    return readers

"""Propagation: quantified arc consistency, SQGAC, and pure values, as kernels over `Arrays`.

*QAC* (Bordeaux & Monfroy 2002), for constraints of two variables: a value is kept if the constraint alone could be won
with it. A value of an existential variable needs a partner among the values of the other variable; if that one is
universal and comes later, it needs all of them. A value of a universal variable that has not what it needs means that
the universal side wins. *SQGAC* (Nightingale 2007) is the same for any number of variables: a value is kept if some
strategy that wins the constraint alone uses it. For a diagram: a node is won if a value (existential) or every value
(universal) of the domain leads to a node that is won; used are the values that lead from used nodes to nodes that are
won, from the first node on. For two variables both are the same.

A *strict* propagation takes the universal side for able: what it could do to win, it will do. One that is not strict
only looks at what has happened: nothing is asked for universal variables that have no value yet. If that fails, no luck
can help any more.

A value is *pure* if it is compatible with all values that are left of all other variables.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Int32Array, Int64Array
from woodstock.qcsp.compiled import ACCEPT, BACK, FLIP, NIBBLE, TARGET, Arrays, Int8Array
from woodstock.qcsp.diagrams import REJECT

# Entries of `Work.lengths`.
QUEUE_LENGTH: Final = 0
STACK_LENGTH: Final = 1

NIBBLE_MASK: Final = 15
COUNTS: Final = np.array([number.bit_count() for number in range(256)], np.int64)
"""How many bits are set in a byte."""


class Work(NamedTuple):
    """What propagation needs besides: n turns, c diagrams.

    Attributes:
        queue: Turns whose domain became smaller, shape (n,), int32.
        is_queued: Whether a turn is there, shape (n,), int8.
        stack: Diagrams that have to be looked at, shape (c,), int32.
        is_stacked: Whether a diagram is there, shape (c,), int8.
        marks: What is known of each node of the diagrams, shape (nodes,), int8.
        lengths: See QUEUE_LENGTH and STACK_LENGTH, int64.
    """

    queue: Int32Array
    is_queued: Int8Array
    stack: Int32Array
    is_stacked: Int8Array
    marks: Int8Array
    lengths: Int64Array


def make_work(arrays: Arrays) -> Work:
    """Return empty arrays for propagation in a network."""
    num_turns, num_diagrams = len(arrays.domains), len(arrays.layer_start) - 1
    return Work(
        np.zeros(num_turns, np.int32),
        np.zeros(num_turns, np.int8),
        np.zeros(num_diagrams, np.int32),
        np.zeros(num_diagrams, np.int8),
        np.zeros(len(arrays.children), np.int8),
        np.zeros(2, np.int64),
    )


@inner_kernel
def count_values(mask: int) -> int:
    """Return how many values a set has."""
    count = 0
    while mask != 0:
        count += COUNTS[mask & 255]
        mask >>= 8
    return count


@inner_kernel
def join(tables: Int64Array, edge: int, mask: int) -> int:
    """Return what a table says of a set of values."""
    joined = tables[edge, 0, mask & NIBBLE_MASK]
    mask >>= NIBBLE
    nibble = 1
    while mask != 0:
        joined |= tables[edge, nibble, mask & NIBBLE_MASK]
        mask >>= NIBBLE
        nibble += 1
    return int(joined)


@inner_kernel
def propagate_all(net: Arrays, domains: Int64Array, work: Work, strict: bool) -> bool:
    """Make domains consistent, whatever happened to them; tell whether that is possible."""
    for turn in range(len(domains)):
        if domains[turn] == 0:
            return False
        work.queue[turn] = turn
        work.is_queued[turn] = 1
    work.lengths[QUEUE_LENGTH] = len(domains)
    return _propagate(net, domains, work, -1, strict)


@inner_kernel
def propagate_turn(net: Arrays, domains: Int64Array, work: Work, turn: int, strict: bool) -> bool:
    """Make domains consistent after a turn was given its value; all turns before it have theirs."""
    work.queue[0] = turn
    work.is_queued[turn] = 1
    work.lengths[QUEUE_LENGTH] = 1
    return _propagate(net, domains, work, turn, strict)


@inner_kernel
def _propagate(net: Arrays, domains: Int64Array, work: Work, given: int, strict: bool) -> bool:
    """Work until nothing changes; all turns up to `given` have their values, and need not be looked at."""
    has_diagrams = len(work.stack) > 0
    is_possible = True
    while is_possible and (work.lengths[QUEUE_LENGTH] > 0 or work.lengths[STACK_LENGTH] > 0):
        if work.lengths[QUEUE_LENGTH] > 0:
            work.lengths[QUEUE_LENGTH] -= 1
            source = work.queue[work.lengths[QUEUE_LENGTH]]
            work.is_queued[source] = 0
            is_possible = _follow_edges(net, domains, work, source, given, strict)
            if has_diagrams:
                _stack_diagrams(net, work, source)
        else:
            work.lengths[STACK_LENGTH] -= 1
            diagram = work.stack[work.lengths[STACK_LENGTH]]
            work.is_stacked[diagram] = 0
            is_possible = _filter(net, domains, work, diagram, strict)
    if not is_possible:
        _forget(work)
    return is_possible


@inner_kernel
def _follow_edges(net: Arrays, domains: Int64Array, work: Work, source: int, given: int, strict: bool) -> bool:
    """Remove what has no support any more after a domain became smaller; tell whether that is possible."""
    mask = domains[source]
    length = work.lengths[QUEUE_LENGTH]
    for edge in range(net.edge_start[source], net.edge_start[source + 1]):
        target = net.edges[edge, TARGET]
        if target <= given:
            break
        before = domains[target]
        left = before & (join(net.supports, edge, mask) ^ net.edges[edge, FLIP])
        if left == before:
            continue
        if not strict and (net.is_universal[target] == 1 or net.edges[edge, FLIP] != 0):
            continue
        if left == 0 or net.is_universal[target] == 1:
            work.lengths[QUEUE_LENGTH] = length
            return False
        domains[target] = left
        if work.is_queued[target] == 0:
            work.is_queued[target] = 1
            work.queue[length] = target
            length += 1
    work.lengths[QUEUE_LENGTH] = length
    return True


@inner_kernel
def _stack_diagrams(net: Arrays, work: Work, turn: int) -> None:
    for place in range(net.diagram_start[turn], net.diagram_start[turn + 1]):
        diagram = net.diagrams[place]
        if work.is_stacked[diagram] == 0:
            work.is_stacked[diagram] = 1
            work.stack[work.lengths[STACK_LENGTH]] = diagram
            work.lengths[STACK_LENGTH] += 1


@inner_kernel
def _forget(work: Work) -> None:
    """Empty the queue and the stack."""
    for place in range(work.lengths[QUEUE_LENGTH]):
        work.is_queued[work.queue[place]] = 0
    for place in range(work.lengths[STACK_LENGTH]):
        work.is_stacked[work.stack[place]] = 0
    work.lengths[QUEUE_LENGTH] = 0
    work.lengths[STACK_LENGTH] = 0


# Marks of nodes.
LOST: Final = 0
WON: Final = 1
USED: Final = 2


@inner_kernel
def _filter(net: Arrays, domains: Int64Array, work: Work, diagram: int, strict: bool) -> bool:
    """Make the domains of a diagram's variables SQGAC; tell whether the constraint can be won."""
    first, end = net.layer_start[diagram], net.layer_start[diagram + 1]
    for layer in range(end - 1, first - 1, -1):
        _mark_won(net, domains, work, layer, strict)
    root = net.layers[first, 1]
    if work.marks[root] == LOST:
        return False
    work.marks[root] = USED
    for layer in range(first, end):
        turn = net.layers[layer, 0]
        used = _mark_used(net, domains, work, layer)
        if used != domains[turn]:
            # A universal turn of a used node uses all its values if this is strict; else nothing is asked of it.
            if net.is_universal[turn] == 1:
                continue
            domains[turn] = used
            if work.is_queued[turn] == 0:
                work.is_queued[turn] = 1
                work.queue[work.lengths[QUEUE_LENGTH]] = turn
                work.lengths[QUEUE_LENGTH] += 1
    return True


@inner_kernel
def _mark_won(net: Arrays, domains: Int64Array, work: Work, layer: int, strict: bool) -> None:
    """Mark the nodes of a layer from which the constraint can be won; the layers behind it are done."""
    turn = net.layers[layer, 0]
    needs_all = net.is_universal[turn] == 1 and strict
    for node in range(net.layers[layer, 1], net.layers[layer + 1, 1]):
        is_won = needs_all
        mask, place = domains[turn], 0
        while mask != 0 and is_won == needs_all:
            if mask & 1:
                child = net.children[node, place]
                is_won = child == ACCEPT or (child != REJECT and work.marks[child] != LOST)
            mask >>= 1
            place += 1
        work.marks[node] = WON if is_won else LOST


@inner_kernel
def _mark_used(net: Arrays, domains: Int64Array, work: Work, layer: int) -> int:
    """Mark the nodes that used nodes of a layer lead to; return the values that do so."""
    mask = domains[net.layers[layer, 0]]
    used = 0
    for node in range(net.layers[layer, 1], net.layers[layer + 1, 1]):
        if work.marks[node] != USED:
            continue
        left, place = mask, 0
        while left != 0:
            child = net.children[node, place]
            if left & 1 and (child == ACCEPT or (child != REJECT and work.marks[child] != LOST)):
                used |= 1 << place
                if child != ACCEPT:
                    work.marks[child] = USED
            left >>= 1
            place += 1
    return used


@inner_kernel
def pure_values(net: Arrays, masks: Int64Array, work: Work, turn: int) -> int:
    """Return the values of a turn that are compatible with everything in the masks of all other turns."""
    pure = masks[turn]
    for edge in range(net.edge_start[turn], net.edge_start[turn + 1]):
        if pure == 0:
            return int(pure)
        pure &= ~join(net.conflicts, net.edges[edge, BACK], masks[net.edges[edge, TARGET]])
    for place in range(net.diagram_start[turn], net.diagram_start[turn + 1]):
        if pure == 0:
            return int(pure)
        pure &= _free_values(net, masks, work, net.diagrams[place], turn)
    return int(pure)


@inner_kernel
def _free_values(net: Arrays, masks: Int64Array, work: Work, diagram: int, turn: int) -> int:
    """Return the values of a turn with which a constraint holds whatever the others are."""
    first, layer = net.layer_start[diagram], net.layer_start[diagram + 1] - 1
    while net.layers[layer, 0] != turn:
        mask = masks[net.layers[layer, 0]]
        for node in range(net.layers[layer, 1], net.layers[layer + 1, 1]):
            work.marks[node] = WON if _good_children(net, mask, work, node) == mask else LOST
        layer -= 1
    if not _reach(net, masks, work, first, layer):
        return 0
    free = masks[turn]
    for node in range(net.layers[layer, 1], net.layers[layer + 1, 1]):
        if work.marks[node] == USED:
            free &= _good_children(net, masks[turn], work, node)
    return int(free)


@inner_kernel
def _reach(net: Arrays, masks: Int64Array, work: Work, first: int, last: int) -> bool:
    """Mark the nodes that are reached up to a layer as used; tell whether all values lead there."""
    for node in range(net.layers[first, 1], net.layers[last + 1, 1]):
        work.marks[node] = LOST
    work.marks[net.layers[first, 1]] = USED
    for layer in range(first, last):
        mask = masks[net.layers[layer, 0]]
        for node in range(net.layers[layer, 1], net.layers[layer + 1, 1]):
            if work.marks[node] != USED:
                continue
            left, place = mask, 0
            while left != 0:
                if left & 1:
                    if net.children[node, place] == REJECT:
                        return False
                    work.marks[net.children[node, place]] = USED
                left >>= 1
                place += 1
    return True


@inner_kernel
def _good_children(net: Arrays, mask: int, work: Work, node: int) -> int:
    """Return the values that lead from a node to one with a mark, or through the last layer."""
    good, place = 0, 0
    left = mask
    while left != 0:
        if left & 1:
            child = net.children[node, place]
            if child == ACCEPT or (child != REJECT and work.marks[child] != LOST):
                good |= 1 << place
        left >>= 1
        place += 1
    return good

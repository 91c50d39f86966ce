"""Slots: which place of the values array each gate writes to.

A slot is given to another gate as soon as its last reader is evaluated, the slot that became free last first. So the
values that are worked on are few and stay in the cache.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import BoolArray, Int32Array, Int64Array
from woodstock.circuit.order import Order
from woodstock.circuit.products import Gates
from woodstock.common.jit import jit

NO_SLOT: Final = -1
NO_GATE: Final = -1


class Slots(NamedTuple):
    """Where values are kept.

    Attributes:
        of_node: Slot of each node, shape (num_inputs + num_gates,), int32.
        feedback: Slot, slot of a copy and gate of each loop gate that is read before it is evaluated, shape
            (num_feedback, 3), int32.
        feedback_start: Where those of each segment begin, and their number, shape (num_segments + 1,), int64.
    """

    of_node: Int32Array
    feedback: Int32Array
    feedback_start: Int64Array


def assign_slots(gates: Gates, order: Order, last: Int32Array) -> tuple[Slots, int]:
    """Give slots to gates.

    Args:
        gates: The gates.
        order: Their order.
        last: For each gate the place in the order at which its slot may become free, if nobody reads it later, shape
            (num_gates,), int32. It is changed to the places where slots do become free.

    Returns:
        The slots, and how many there are.
    """
    num_gates = len(last)
    is_feedback = np.zeros(num_gates, np.bool_)
    _find_last_readers(gates, order, last, is_feedback)
    num_feedback = int(np.count_nonzero(is_feedback))
    of_node = np.full(gates.num_inputs + num_gates, NO_SLOT, np.int32)
    of_node[: gates.num_inputs] = np.arange(gates.num_inputs, dtype=np.int32)
    slots = Slots(of_node, np.empty((num_feedback, 3), np.int32), np.zeros(len(order.is_loop) + 1, np.int64))
    # What becomes free at each place of the order, as lists: the first gate, and the one after each gate.
    dying = np.full((2, num_gates + 1), NO_GATE, np.int32)
    # The slots that are free, the one to take next at the end; those that were never used come first.
    free = np.arange(gates.num_inputs, gates.num_inputs + num_gates + 2 * num_feedback, dtype=np.int32)[::-1].copy()
    never_used = _assign(gates, order, _Lives(last, is_feedback, dying, free), slots)
    return slots, gates.num_inputs + len(free) - never_used


class _Lives(NamedTuple):
    """How long values are needed, and the slots that are free; see `assign_slots`."""

    last: Int32Array
    is_feedback: BoolArray
    dying: Int32Array
    free: Int32Array


@jit
def _find_last_readers(gates: Gates, order: Order, last: Int32Array, is_feedback: BoolArray) -> None:
    """Find the last reader of each gate, and which gates are read before they are evaluated.

    A loop reads in every round what it reads from outside or from the round before; so that is needed until its end.
    """
    for segment in range(len(order.is_loop)):
        begin = order.segment_start[segment]
        end = order.segment_start[segment + 1]
        is_loop = order.is_loop[segment]
        for at in range(begin, end):
            gate = order.gates[at]
            last[gate] = max(last[gate], at)
            for edge in range(gates.start[gate], gates.start[gate + 1]):
                source = (gates.data[edge] >> 1) - gates.num_inputs
                if source >= 0:
                    until = at
                    place = order.place[source]
                    if is_loop and (place < begin or place >= at):
                        until = end
                        is_feedback[source] |= place >= at
                    last[source] = max(last[source], until)


@jit
def _assign(gates: Gates, order: Order, lives: _Lives, slots: Slots) -> int:
    """Give slots to gates; return how many of the free ones were never used."""
    of_gate = slots.of_node[gates.num_inputs :]
    free = lives.free
    for gate in range(len(order.gates)):
        lives.dying[1, gate] = lives.dying[0, lives.last[gate]]
        lives.dying[0, lives.last[gate]] = gate
    top = len(free)
    lowest = top
    num_feedback = 0
    for segment in range(len(order.is_loop)):
        begin = order.segment_start[segment]
        end = order.segment_start[segment + 1]
        if order.is_loop[segment]:
            for at in range(begin, end):
                gate = order.gates[at]
                if lives.is_feedback[gate]:
                    top -= 2
                    of_gate[gate] = free[top + 1]
                    slots.feedback[num_feedback, 0] = free[top + 1]
                    slots.feedback[num_feedback, 1] = free[top]
                    slots.feedback[num_feedback, 2] = gate
                    num_feedback += 1
            lowest = min(lowest, top)
        slots.feedback_start[segment + 1] = num_feedback
        for at in range(begin, end):
            gate = order.gates[at]
            # A gate reads before it writes, so it can have the slot of what it is the last to read.
            other = lives.dying[0, at]
            while other != NO_GATE:
                if other != gate:
                    free[top] = of_gate[other]
                    top += 1
                other = lives.dying[1, other]
            if of_gate[gate] == NO_SLOT:
                top -= 1
                of_gate[gate] = free[top]
                lowest = min(lowest, top)
        for number in range(slots.feedback_start[segment], num_feedback):
            free[top] = slots.feedback[number, 1]
            top += 1
    return lowest

"""The agenda: the constraints that wait to be revised, and the variables whose constraints are to be woken."""

from __future__ import annotations

from typing import NamedTuple

from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import FloatArray, Int32Array, Int64Array
from woodstock.cp.domains import UInt8Array
from woodstock.cp.registers import NUM_CHANGED, QUEUE_FIRST, QUEUE_SIZE


class Agenda(NamedTuple):
    """What is to be done next, and what has gone wrong so far.

    Attributes:
        queue: A ring of constraints that wait to be revised, shape (num_constraints + 1,), int32.
        is_queued: 1 for those in it, uint8.
        changed: Variables whose listeners are to be queued, shape (num_vars,), int32.
        is_changed: 1 for those in it, uint8.
        hints: Numbers of propagators that are not restored, int32.
        weights: For each variable the weights of its constraints: 1 and how often it failed; float64.
    """

    queue: Int32Array
    is_queued: UInt8Array
    changed: Int32Array
    is_changed: UInt8Array
    hints: Int32Array
    weights: FloatArray


@inner_kernel
def queue_constraint(agenda: Agenda, registers: Int64Array, constraint: int) -> None:
    """Put a constraint at the end of the queue if it is not there."""
    if agenda.is_queued[constraint] == 0:
        agenda.is_queued[constraint] = 1
        place = registers[QUEUE_FIRST] + registers[QUEUE_SIZE]
        if place >= len(agenda.queue):
            place -= len(agenda.queue)
        agenda.queue[place] = constraint
        registers[QUEUE_SIZE] += 1


@inner_kernel
def next_constraint(agenda: Agenda, registers: Int64Array) -> int:
    """Take the first constraint out of the queue, which is not empty."""
    first = registers[QUEUE_FIRST]
    constraint = agenda.queue[first]
    agenda.is_queued[constraint] = 0
    registers[QUEUE_FIRST] = 0 if first + 1 == len(agenda.queue) else first + 1
    registers[QUEUE_SIZE] -= 1
    return int(constraint)


@inner_kernel
def note_change(agenda: Agenda, registers: Int64Array, var: int) -> None:
    """Note that the listeners of a variable are to be queued."""
    if agenda.is_changed[var] == 0:
        agenda.is_changed[var] = 1
        agenda.changed[registers[NUM_CHANGED]] = var
        registers[NUM_CHANGED] += 1


@inner_kernel
def queue_listeners(agenda: Agenda, registers: Int64Array, listener_start: Int32Array, listeners: Int32Array) -> None:
    """Queue the listeners of all variables that have changed; see `Wiring`."""
    for place in range(registers[NUM_CHANGED]):
        var = agenda.changed[place]
        agenda.is_changed[var] = 0
        for listener in range(listener_start[var], listener_start[var + 1]):
            queue_constraint(agenda, registers, listeners[listener])
    registers[NUM_CHANGED] = 0


@inner_kernel
def clear_agenda(agenda: Agenda, registers: Int64Array) -> None:
    """Forget what was to be done."""
    while registers[QUEUE_SIZE] > 0:
        next_constraint(agenda, registers)
    for place in range(registers[NUM_CHANGED]):
        agenda.is_changed[agenda.changed[place]] = 0
    registers[NUM_CHANGED] = 0

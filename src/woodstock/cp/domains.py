"""What is still possible: domains, the literals that hold, and the trail that takes everything back.

The domain of a variable is a *sparse set* (Briggs and Torczon, "An efficient representation for sparse sets", 1993):
its choices stand in `choices`, those that are still there first, and `size` tells how many they are. To remove a choice
is to swap it behind the others, and what was removed last stands just behind them: whoever remembers an earlier size
finds there what has been removed since.

Beside it, `truth` tells which literals hold. A literal is *true*, or its complement is, or both are open. Every literal
that becomes true goes to the *trail*. The trail is also the queue of events of the propagation, for two things may
happen to a choice: it is removed (its complement becomes true), or it is the last one that is left (it becomes true).

Other numbers that must be restored stand in `memory`; `remember` keeps an old value before it is changed.

A *level* is a moment to which one may return. What is not restored are hints, whose value does not matter for what is
found: the order of the choices inside a domain, watches, residues; and what a search learns, such as weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Int32Array, Int64Array
from woodstock.cp.registers import ASSIGNS_FIXED, LEVEL, NUM_OPEN, NUM_SAVED, TRAIL_SIZE, UNDO_SIZE

UInt8Array = npt.NDArray[np.uint8]


class Domains(NamedTuple):
    """Domains, trail and reversible memory.

    Attributes:
        first: First choice of each variable, and the number of choices, shape (num_vars + 1,), int32.
        var_of: Variable of each choice, int32.
        truth: 1 for literals that are true, shape (2 * num_choices,), uint8.
        size: How many choices are left, shape (num_vars,), int32.
        choices: Choices, by variable, those that are left first, shape (num_choices,), int32.
        place_of: Where each choice stands in `choices`, int32.
        trail: Literals in the order in which they became true, shape (num_choices + num_vars,), int32.
        open_vars: A sparse set of variables, those that are not assigned first, shape (num_vars,), int32.
        open_place: Where each variable stands in it, int32.
        registers: See `woodstock.cp.registers`, shape (NUM_REGISTERS,), int64.
        memory: Numbers that are restored, int64.
        undo: Places in `memory` and what was there, shape (n, 2), int64.
        levels: The registers that each level keeps, shape (n, NUM_SAVED), int64.
    """

    first: Int32Array
    var_of: Int32Array
    truth: UInt8Array
    size: Int32Array
    choices: Int32Array
    place_of: Int32Array
    trail: Int32Array
    open_vars: Int32Array
    open_place: Int32Array
    registers: Int64Array
    memory: Int64Array
    undo: Int64Array
    levels: Int64Array


@inner_kernel
def make_true(domains: Domains, literal: int) -> bool:
    """Let a literal hold, and all that follows for its variable; return whether that was possible."""
    truth = domains.truth
    if truth[literal] == 1:
        return True
    if truth[literal ^ 1] == 1:
        return False
    if literal & 1 == 1:
        _remove(domains, literal >> 1)
    else:
        _select(domains, literal >> 1)
    return True


@inner_kernel
def _remove(domains: Domains, choice: int) -> None:
    """Remove a choice; there is another one."""
    registers, choices = domains.registers, domains.choices
    var = domains.var_of[choice]
    first = domains.first[var]
    last = first + domains.size[var] - 1
    _swap(domains, domains.place_of[choice], last)
    domains.size[var] -= 1
    top = registers[TRAIL_SIZE]
    domains.truth[2 * choice + 1] = 1
    domains.trail[top] = 2 * choice + 1
    if last == first + 1:
        top += 1
        literal = 2 * choices[first]
        domains.truth[literal] = 1
        domains.trail[top] = literal
        if registers[ASSIGNS_FIXED] == 1:
            mark_assigned(domains, var)
    registers[TRAIL_SIZE] = top + 1


@inner_kernel
def _select(domains: Domains, choice: int) -> None:
    """Remove all choices but one; there are others."""
    registers, choices, truth, trail = domains.registers, domains.choices, domains.truth, domains.trail
    var = domains.var_of[choice]
    first = domains.first[var]
    _swap(domains, domains.place_of[choice], first)
    top = registers[TRAIL_SIZE]
    for place in range(first + 1, first + domains.size[var]):
        literal = 2 * choices[place] + 1
        truth[literal] = 1
        trail[top] = literal
        top += 1
    domains.size[var] = 1
    truth[2 * choice] = 1
    trail[top] = 2 * choice
    registers[TRAIL_SIZE] = top + 1
    if registers[ASSIGNS_FIXED] == 1:
        mark_assigned(domains, var)


@inner_kernel
def _swap(domains: Domains, place: int, other_place: int) -> None:
    """Let two choices change their places."""
    choices, place_of = domains.choices, domains.place_of
    choice, other = choices[place], choices[other_place]
    choices[place] = other
    place_of[other] = place
    choices[other_place] = choice
    place_of[choice] = other_place


@inner_kernel
def mark_assigned(domains: Domains, var: int) -> None:
    """Take a variable out of the set of those that are not assigned, if it is there."""
    registers, open_vars, open_place = domains.registers, domains.open_vars, domains.open_place
    last = registers[NUM_OPEN] - 1
    place = open_place[var]
    if place > last:
        return
    other = open_vars[last]
    open_vars[place] = other
    open_place[other] = place
    open_vars[last] = var
    open_place[var] = last
    registers[NUM_OPEN] = last


@inner_kernel
def remember(domains: Domains, address: int) -> None:
    """Keep a number of the memory that is about to change; there must be room for it."""
    top = domains.registers[UNDO_SIZE]
    domains.undo[top, 0] = address
    domains.undo[top, 1] = domains.memory[address]
    domains.registers[UNDO_SIZE] = top + 1


@inner_kernel
def has_room(domains: Domains, count: int) -> bool:
    """Tell whether so many numbers can be remembered."""
    return bool(domains.registers[UNDO_SIZE] + count <= len(domains.undo))


@inner_kernel
def push_level(domains: Domains) -> None:
    """Open a level; there must be room for it."""
    registers, levels = domains.registers, domains.levels
    level = registers[LEVEL]
    for register in range(NUM_SAVED):
        levels[level, register] = registers[register]
    registers[LEVEL] = level + 1


@inner_kernel
def pop_level(domains: Domains) -> None:
    """Close the last level: everything is as it was when it was opened."""
    registers, levels, truth, trail = domains.registers, domains.levels, domains.truth, domains.trail
    var_of, size = domains.var_of, domains.size
    level = registers[LEVEL] - 1
    for place in range(registers[TRAIL_SIZE] - 1, levels[level, TRAIL_SIZE] - 1, -1):
        literal = trail[place]
        truth[literal] = 0
        if literal & 1 == 1:
            size[var_of[literal >> 1]] += 1
    memory, undo = domains.memory, domains.undo
    for place in range(registers[UNDO_SIZE] - 1, levels[level, UNDO_SIZE] - 1, -1):
        memory[undo[place, 0]] = undo[place, 1]
    for register in range(NUM_SAVED):
        registers[register] = levels[level, register]
    registers[LEVEL] = level

"""Incremental evaluation of one position: only what changes is evaluated again.

For every gate the number of its literals that are false is kept. A node that flips changes the numbers of its readers;
a reader whose number becomes 0, or is 0 no more, flips in its turn. The nodes of a network are given new numbers,
*places*, such that readers come later and that 64 neighbouring ones, a *group*, do not read each other. A bitmap tells
which places are *pending*: so each is visited once, in order, and what is not asked for waits.

A node with many readers, such as the fluent that says whose turn it is, would mostly change the numbers of gates that
are false for other reasons. So a literal that flips often can be the *hub* of a gate: it is not counted, and the gate
*waits* in the hub's list only while all its other literals are true.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.packing import BITS, LAST_BIT
from woodstock.circuit.words import U0, U1, U2, U3, U4, WordArray, lowest_bit
from woodstock.common.jit import jit

UInt32Array = npt.NDArray[np.uint32]

FLIPS: Final = np.uint32(0)
"""Kind of groups: what is pending flips."""
HUBS: Final = np.uint32(1)
"""Kind of groups: what is pending is compared with its hub."""
LOOPS: Final = np.uint32(2)
"""Kind of groups, and all above: gates of a loop; literals of what is pending have changed."""

VALUE: Final = np.int32(1)
"""The bit of a place's state that is its value."""
ONE_FALSE: Final = np.int32(2)
"""What a false literal adds to the state of a gate."""
TWO_FALSE: Final = np.int32(4)
NEGATED: Final = np.uint32(1)
TWO: Final = np.uint32(2)
FOUR: Final = np.uint32(4)
NONE: Final = np.uint32(0)
NOT_WAITING: Final = np.uint32(0xFFFFFFFF)
LAST_WAITING: Final = np.uint32(0xFFFFFFFE)


class Wiring(NamedTuple):
    """A network for incremental evaluation, and its state.

    Attributes:
        wires: Four numbers for each place: where its readers begin in this array, the first gate that waits for it, its
            hub as a literal, the next gate that waits for the same hub. After those of all places, and one more, come
            the readers: `4 * place + 2 * repeats + negated`; what repeats stays pending if it is told twice. uint32.
        state: Value and, from the second bit on, number of false literals of each place, int32.
        pending: One bit for each place, shape (num_groups,), uint64.
        held: For inputs the values that were set, for outputs those that were read last; bits as in `pending`.
        kinds: Kind of each group, shape (num_groups,), uint32.
        cones: For each cone first and end of its ranges, first and end of the groups of its outputs; then, as numbered
            there, the ranges: first group and end. uint32.
        loops: For each loop its first place, their end, how far behind them its results are, and where its records are;
            a record for each gate, and one more, of where its literals and its readers in the loop begin, and of its
            first value; then these literals and readers, as places. uint32.
        stack: Working space for loops, uint32.
        num_fluent_groups: The fluents fill the first groups.
        num_input_groups: The moves fill the groups after them.
    """

    wires: UInt32Array
    state: Int32Array
    pending: WordArray
    held: WordArray
    kinds: UInt32Array
    cones: UInt32Array
    loops: UInt32Array
    stack: UInt32Array
    num_fluent_groups: np.uint64
    num_input_groups: np.uint64


@jit
def set_position(wiring: Wiring, position: WordArray) -> None:
    """Make a packed position, shape (num_words,), the current one, without moves."""
    pending, held = wiring.pending, wiring.held
    for group in range(wiring.num_fluent_groups):
        pending[group] ^= held[group] ^ position[group]
        held[group] = position[group]
    for group in range(wiring.num_fluent_groups, wiring.num_input_groups):
        pending[group] ^= held[group]
        held[group] = U0


@jit
def set_moves(wiring: Wiring, moves: Int64Array) -> None:
    """Make moves in the current position, and no others; they are counted over all roles, shape (n,)."""
    pending, held = wiring.pending, wiring.held
    for group in range(wiring.num_fluent_groups, wiring.num_input_groups):
        pending[group] ^= held[group]
        held[group] = U0
    for number in range(np.uint64(len(moves))):
        move = np.uint64(moves[number])
        at = wiring.num_fluent_groups + move // BITS
        added = (U1 << (move & LAST_BIT)) & ~held[at]
        pending[at] ^= added
        held[at] ^= added


@jit
def answer(wiring: Wiring, position: WordArray, moves: Int64Array, cone: int) -> None:
    """Find the outputs of a cone for a position and moves; see `set_position` and `set_moves`."""
    set_position(wiring, position)
    set_moves(wiring, moves)
    settle(wiring, cone)


@jit
def settle(wiring: Wiring, cone: int) -> None:  # noqa: C901 (parts of it as functions of their own take twice as long)
    """Bring the outputs of a cone up to date."""
    # The arrays are taken out of the tuple once: in the loops each use would count references.
    wires, state, pending, kinds, cones = wiring.wires, wiring.state, wiring.pending, wiring.kinds, wiring.cones
    entry = np.uint64(cone) * U4
    for number in range(np.uint64(cones[entry]), np.uint64(cones[entry + U1])):
        group = np.uint64(cones[U2 * number])
        end = np.uint64(cones[U2 * number + U1])
        while True:
            while group < end and pending[group] == U0:
                group += U1
            if group >= end:
                break
            kind = kinds[group]
            if kind >= LOOPS:
                settle_loop(wiring, np.uint64(kind - LOOPS))
                continue
            word = pending[group]
            pending[group] = U0
            first = group * BITS
            group += U1
            while word != U0:
                place = first + lowest_bit(word)
                word &= word - U1
                record = place * U4
                old = state[place]
                value = old & VALUE
                if kind == HUBS:
                    wanted = np.int32(0)
                    if old < ONE_FALSE:
                        hub = wires[record + U2]
                        hub_place = np.uint64(hub // TWO)
                        wanted = (state[hub_place] ^ np.int32(hub)) & VALUE
                        if wires[record + U3] == NOT_WAITING:
                            wires[record + U3] = wires[hub_place * U4 + U1]
                            wires[hub_place * U4 + U1] = np.uint32(place)
                    if wanted == value:
                        continue
                state[place] = old ^ VALUE
                for at in range(np.uint64(wires[record]), np.uint64(wires[record + U4])):
                    code = wires[at]
                    reader = np.uint64(code // FOUR)
                    before = state[reader]
                    after = np.int32(before + (value ^ np.int32(code & NEGATED)) * TWO_FALSE - ONE_FALSE)
                    state[reader] = after
                    if min(before, after) < ONE_FALSE:
                        bit = reader & LAST_BIT
                        repeats = np.uint64((code // TWO) & NEGATED)
                        pending[reader // BITS] = (pending[reader // BITS] ^ (U1 << bit)) | (repeats << bit)
                waiting = wires[record + U1]
                if waiting != NOT_WAITING:
                    kept = LAST_WAITING
                    while waiting != LAST_WAITING:
                        reader = np.uint64(waiting)
                        waiting = wires[reader * U4 + U3]
                        if state[reader] < ONE_FALSE:
                            wires[reader * U4 + U3] = kept
                            kept = np.uint32(reader)
                            pending[reader // BITS] |= U1 << (reader & LAST_BIT)
                        else:
                            wires[reader * U4 + U3] = NOT_WAITING
                    wires[record + U1] = kept
    for output in range(np.uint64(cones[entry + U2]), np.uint64(cones[entry + U3])):
        wiring.held[output] ^= pending[output]
        pending[output] = U0


@jit
def settle_loop(wiring: Wiring, loop: np.uint64) -> None:
    """Evaluate a loop after literals of some gates, which are pending, have changed; results that flip become pending.

    A gate is *derived* if it has left its first value. All is withdrawn that may have been derived from what has
    changed, then all that can be is derived again (Gupta, Mumick and Subrahmanian 1993, section 7).
    """
    state, pending, loops, stack = wiring.state, wiring.pending, wiring.loops, wiring.stack
    first = np.uint64(loops[loop * U4])
    end = np.uint64(loops[loop * U4 + U1])
    distance = np.uint64(loops[loop * U4 + U2])
    records = np.uint64(loops[loop * U4 + U3])
    top = U0
    for group in range(first // BITS, (end + LAST_BIT) // BITS):
        word = pending[group]
        while word != U0:
            bit = lowest_bit(word)
            word &= word - U1
            place = group * BITS + bit
            state[place] &= VALUE
            record = records + (place - first) * U3
            if np.uint32(state[place]) != loops[record + U2]:
                # What stays pending is tried below.
                pending[group] ^= U1 << bit
                if not is_supported(loops, state, first, end, record):
                    top = change_in_loop(wiring, place, distance, top)
    done = U0
    while done < top:
        record = records + (np.uint64(stack[done]) - first) * U3
        done += U1
        for at in range(np.uint64(loops[record + U1]), np.uint64(loops[record + U3])):
            place = np.uint64(loops[at])
            reader = records + (place - first) * U3
            is_derived = np.uint32(state[place] & VALUE) != loops[reader + U2]
            if is_derived and not is_supported(loops, state, first, end, reader):
                top = change_in_loop(wiring, place, distance, top)
    for group in range(first // BITS, (end + LAST_BIT) // BITS):
        while pending[group] != U0:
            stack[top] = np.uint32(group * BITS + lowest_bit(pending[group]))
            pending[group] &= pending[group] - U1
            top += U1
    derive_in_loop(wiring, loop, top)


@jit
def derive_in_loop(wiring: Wiring, loop: np.uint64, top: np.uint64) -> None:
    """Derive what can be derived, beginning with the gates on the stack."""
    state, loops, stack = wiring.state, wiring.loops, wiring.stack
    first = np.uint64(loops[loop * U4])
    distance = np.uint64(loops[loop * U4 + U2])
    records = np.uint64(loops[loop * U4 + U3])
    while top > U0:
        top -= U1
        place = np.uint64(stack[top])
        record = records + (place - first) * U3
        if np.uint32(state[place] & VALUE) == loops[record + U2] and is_derivable(loops, state, record):
            change_in_loop(wiring, place, distance, top)
            for at in range(np.uint64(loops[record + U1]), np.uint64(loops[record + U3])):
                stack[top] = loops[at]
                top += U1


@jit
def change_in_loop(wiring: Wiring, place: np.uint64, distance: np.uint64, top: np.uint64) -> np.uint64:
    """Change the value of a loop gate and put it on the stack; return the new top."""
    result = place + distance
    wiring.state[place] ^= VALUE
    wiring.pending[result // BITS] ^= U1 << (result & LAST_BIT)
    wiring.stack[top] = np.uint32(place)
    return top + U1


@jit
def is_supported(loops: UInt32Array, state: Int32Array, first: np.uint64, end: np.uint64, record: np.uint64) -> bool:
    """Tell whether a derived gate follows from what is derived, surely without itself.

    A gate that starts as false needs all its literals. One that starts as true needs one that is false; it counts only
    if it is of no gate of the loop, which might follow from this one.
    """
    starts_true = bool(loops[record + U2] != NONE)
    for at in range(np.uint64(loops[record]), np.uint64(loops[record + U1])):
        literal = loops[at]
        place = np.uint64(literal // TWO)
        if (np.uint32(state[place] & VALUE) ^ literal) & NEGATED == NONE:
            if not starts_true:
                return False
            if place < first or place >= end:
                return True
    return not starts_true


@jit
def is_derivable(loops: UInt32Array, state: Int32Array, record: np.uint64) -> bool:
    """Tell whether the literals of a gate give it another value than its first one."""
    starts_true = bool(loops[record + U2] != NONE)
    for at in range(np.uint64(loops[record]), np.uint64(loops[record + U1])):
        literal = loops[at]
        if (np.uint32(state[np.uint64(literal // TWO)] & VALUE) ^ literal) & NEGATED == NONE:
            return starts_true
    return not starts_true

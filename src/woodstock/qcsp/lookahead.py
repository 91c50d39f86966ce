"""Alpha-beta search with iterative deepening, as a kernel (Stynes & Brown, CP 2009).

Every value is propagated when it is given. A situation at the end of the search is worth *Dynamic Geelen's Promise*:
the product of the sizes of the domains of the existential variables to come, here its logarithm. One in which
propagation fails is lost, one without a turn left is won. *Intelligent* alpha-beta looks at the best children first, by
the same measure; the other one takes values in their order. Turns with one value left do not count as depth.

The state of the search is in arrays, so that the kernel can return and be called again.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import inner_kernel, jit
from woodstock.cp.constraints import Int64Array
from woodstock.qcsp.compiled import Arrays
from woodstock.qcsp.propagation import Work, count_values, propagate_turn

Float64Array = npt.NDArray[np.float64]

WIN: Final = 1e9
LOSS: Final = -1e9

# Entries of `Search.registers`.
LEVEL: Final = 0
PHASE: Final = 1
DEPTH: Final = 2
"""How many choices the search looks ahead."""
NODES: Final = 3
IS_CUT: Final = 4
"""Whether the depth kept the search from the end somewhere."""
STRICT: Final = 5
ORDERED: Final = 6
NUM_REGISTERS: Final = 7

# Phases.
ENTER: Final = 0
NEXT: Final = 1
LEAVE: Final = 2
OVER: Final = 3

# Columns of `Search.bounds`.
ALPHA: Final = 0
BETA: Final = 1
BEST: Final = 2
RESULT: Final = 3
NUM_BOUNDS: Final = 4

# Columns of `Search.frames`.
TURN: Final = 0
COUNT: Final = 1
INDEX: Final = 2
BEST_PLACE: Final = 3
NUM_FRAMES: Final = 4


class Search(NamedTuple):
    """The state of a search over n turns with at most w values; a level is a choice.

    Attributes:
        domains: The domains at each level, shape (n + 1, n), int64.
        scratch: Shape (n,), int64.
        frames: See TURN and those after it, shape (n + 1, NUM_FRAMES), int64.
        bounds: See ALPHA and those after it, shape (n + 1, NUM_BOUNDS), float64.
        places: The values of each level in the order in which they are tried, shape (n + 1, w), int64.
        promises: What each is worth at first sight, same shape, float64.
        registers: See LEVEL and those after it, int64.
    """

    domains: Int64Array
    scratch: Int64Array
    frames: Int64Array
    bounds: Float64Array
    places: Int64Array
    promises: Float64Array
    registers: Int64Array


def make_search(num_turns: int, width: int) -> Search:
    """Return the arrays of a search."""
    return Search(
        np.zeros((num_turns + 1, num_turns), np.int64),
        np.zeros(num_turns, np.int64),
        np.zeros((num_turns + 1, NUM_FRAMES), np.int64),
        np.zeros((num_turns + 1, NUM_BOUNDS), np.float64),
        np.zeros((num_turns + 1, width), np.int64),
        np.zeros((num_turns + 1, width), np.float64),
        np.zeros(NUM_REGISTERS, np.int64),
    )


@jit
def look_ahead(net: Arrays, work: Work, state: Search, budget: int) -> bool:
    """Go on with a search until it is over or so many situations were looked at; tell whether it is over.

    It starts with the domains of level 0, whose turn is in its frame.
    """
    registers = state.registers
    last = registers[NODES] + budget
    while registers[PHASE] != OVER and registers[NODES] < last:
        if registers[PHASE] == ENTER:
            _enter(net, work, state)
        elif registers[PHASE] == NEXT:
            _try_next(net, work, state)
        else:
            _leave(net, state)
    return bool(registers[PHASE] == OVER)


@inner_kernel
def promise(net: Arrays, domains: Int64Array, turn: int) -> float:
    """Return the logarithm of the product of the sizes of the existential domains from a turn on."""
    total = 0.0
    for other in range(turn, len(domains)):
        if net.is_universal[other] == 0:
            total += math.log(count_values(domains[other]))
    return total


@inner_kernel
def next_choice(domains: Int64Array, turn: int) -> int:
    """Return the next turn with more than one value left."""
    while turn < len(domains) and domains[turn] & (domains[turn] - 1) == 0:
        turn += 1
    return turn


@inner_kernel
def _enter(net: Arrays, work: Work, state: Search) -> None:
    """Look at all values of a choice; at the last level that is all there is to do."""
    registers = state.registers
    level = registers[LEVEL]
    frame, bounds = state.frames[level], state.bounds[level]
    turn = frame[TURN]
    if turn == len(net.domains):
        _return(state, WIN)
        return
    is_universal = net.is_universal[turn] == 1
    _list_children(net, work, state, level, is_universal)
    if level == registers[DEPTH] - 1:
        best, place = WIN if is_universal else LOSS, -1
        for index in range(frame[COUNT]):
            value = state.promises[level, index]
            if place < 0 or (value < best if is_universal else value > best):
                best, place = value, state.places[level, index]
        frame[BEST_PLACE] = place
        _return(state, best)
        return
    frame[INDEX] = 0
    frame[BEST_PLACE] = -1
    bounds[BEST] = 2 * WIN if is_universal else 2 * LOSS
    registers[PHASE] = NEXT


@inner_kernel
def _list_children(net: Arrays, work: Work, state: Search, level: int, is_universal: bool) -> None:
    """List the values of a level's turn with their promises; the most promising first if that is wanted."""
    registers = state.registers
    turn = state.frames[level, TURN]
    mask, place, count = state.domains[level, turn], 0, 0
    while mask != 0:
        if mask & 1:
            value = _look_at(net, work, state, level, place)
            at = count
            if registers[ORDERED] == 1:
                while at > 0 and (
                    state.promises[level, at - 1] > value if is_universal else state.promises[level, at - 1] < value
                ):
                    state.promises[level, at] = state.promises[level, at - 1]
                    state.places[level, at] = state.places[level, at - 1]
                    at -= 1
            state.promises[level, at] = value
            state.places[level, at] = place
            count += 1
        mask >>= 1
        place += 1
    state.frames[level, COUNT] = count


@inner_kernel
def _look_at(net: Arrays, work: Work, state: Search, level: int, place: int) -> float:
    """Return what a value promises."""
    registers = state.registers
    registers[NODES] += 1
    turn = state.frames[level, TURN]
    for other in range(len(net.domains)):
        state.scratch[other] = state.domains[level, other]
    state.scratch[turn] = 1 << place
    if not propagate_turn(net, state.scratch, work, turn, registers[STRICT] == 1):
        return LOSS
    if next_choice(state.scratch, turn + 1) == len(net.domains):
        return WIN
    if level == registers[DEPTH] - 1:
        registers[IS_CUT] = 1
    return promise(net, state.scratch, turn + 1)


@inner_kernel
def _return(state: Search, value: float) -> None:
    """Hand the value of the current level to the one above."""
    registers = state.registers
    state.bounds[registers[LEVEL], RESULT] = value
    registers[PHASE] = LEAVE
    registers[LEVEL] -= 1
    if registers[LEVEL] < 0:
        registers[PHASE] = OVER


@inner_kernel
def _try_next(net: Arrays, work: Work, state: Search) -> None:
    """Go on with the next value of a level."""
    registers = state.registers
    level = registers[LEVEL]
    frame, bounds = state.frames[level], state.bounds[level]
    if frame[INDEX] == frame[COUNT] or bounds[ALPHA] >= bounds[BETA]:
        _return(state, bounds[BEST])
        return
    place, value = state.places[level, frame[INDEX]], state.promises[level, frame[INDEX]]
    frame[INDEX] += 1
    turn = frame[TURN]
    if value in (LOSS, WIN):
        _update(net, state, level, place, value)
        return
    below = state.domains[level + 1]
    for other in range(len(net.domains)):
        below[other] = state.domains[level, other]
    below[turn] = 1 << place
    propagate_turn(net, below, work, turn, registers[STRICT] == 1)
    state.frames[level + 1, TURN] = next_choice(below, turn + 1)
    state.bounds[level + 1, ALPHA] = bounds[ALPHA]
    state.bounds[level + 1, BETA] = bounds[BETA]
    registers[LEVEL] = level + 1
    registers[PHASE] = ENTER


@inner_kernel
def _leave(net: Arrays, state: Search) -> None:
    """Take the value of the level below into account."""
    registers = state.registers
    level = registers[LEVEL]
    place = state.places[level, state.frames[level, INDEX] - 1]
    _update(net, state, level, place, state.bounds[level + 1, RESULT])
    registers[PHASE] = NEXT


@inner_kernel
def _update(net: Arrays, state: Search, level: int, place: int, value: float) -> None:
    frame, bounds = state.frames[level], state.bounds[level]
    if net.is_universal[frame[TURN]] == 1:
        if value < bounds[BEST]:
            bounds[BEST] = value
            frame[BEST_PLACE] = place
        bounds[BETA] = min(bounds[BETA], value)
    else:
        if value > bounds[BEST]:
            bounds[BEST] = value
            frame[BEST_PLACE] = place
        bounds[ALPHA] = max(bounds[ALPHA], value)

"""The search of the exact solver, as a kernel: depth first, with propagation, pure values and memory.

At a turn of the existential side one value that wins is enough, at a turn of the universal side all values have to be
won. The search looks only at what it must:

- *Propagation* (`woodstock.qcsp.propagation`) after every value; a domain of one value needs no search.
- *Pure values*: an existential variable takes one at once, a universal one never does (Gent et al. 2005).
- *Memory*: what a situation is worth depends on the domains of the variables to come alone (and on the nodes that the
  diagrams have come to): after propagation, all that the others said is in there. A key of 128 bits stands for it.
- *Solution-directed pruning* (Gent et al. 2005), in a general form: after a value of a universal variable is won, the
  values that existential variables took anywhere in that strategy are known. Another value of the universal variable
  that is compatible with all of these is won by the same strategy.

The state of the search is in arrays, so that the kernel can return and be called again.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.common.jit import inner_kernel, jit
from woodstock.cp.constraints import Int64Array
from woodstock.qcsp.compiled import NIBBLE, Arrays
from woodstock.qcsp.propagation import NIBBLE_MASK, Work, propagate_turn, pure_values

# Entries of `Frames.registers`.
TURN: Final = 0
PHASE: Final = 1
RESULT: Final = 2
BASE: Final = 3
NODES: Final = 4
MOVE: Final = 5
"""The value with which the side that has the first turn wins, as a set; 0 if there is none."""
STAMP: Final = 6
"""Number of the search: entries of the memory with another one mean nothing."""
HITS: Final = 7
COPIES: Final = 8
NUM_REGISTERS: Final = 9

# Phases.
ENTER: Final = 0
NEXT: Final = 1
LEAVE: Final = 2
OVER: Final = 3

# Results.
UNKNOWN: Final = 0
TRUE: Final = 1
FALSE: Final = 2

PROBES: Final = 4
NO_KEY: Final = 0


class Frames(NamedTuple):
    """The state of a search over n turns.

    Attributes:
        domains: The domains at each turn on the way, shape (n + 1, n), int64.
        used: The values that the strategy found below uses, same shape.
        todo: Values still to be tried at each turn, shape (n,), int64.
        value: The one being tried, as a set, shape (n,), int64.
        keys: The key of the situation at each turn, shape (n, 2), int64; NO_KEY if it is not remembered.
        masks: For pure values, shape (n,), int64.
        registers: See TURN and those after it, int64.
    """

    domains: Int64Array
    used: Int64Array
    todo: Int64Array
    value: Int64Array
    keys: Int64Array
    masks: Int64Array
    registers: Int64Array


class Memory(NamedTuple):
    """What is remembered of situations.

    Attributes:
        keys: Shape (capacity, 2), int64; the capacity is a power of two.
        results: 4 * stamp + result, shape (capacity,), int64.
        words: Random words for each turn, nibble and set, shape (2, n, nibbles, 16), int64.
        node_words: Random words for each node of the diagrams, shape (2, nodes), int64.
    """

    keys: Int64Array
    results: Int64Array
    words: Int64Array
    node_words: Int64Array


@jit
def search(net: Arrays, work: Work, frames: Frames, memory: Memory, budget: int) -> bool:
    """Go on with a search until it is over or so many situations were looked at; tell whether it is over."""
    registers = frames.registers
    last = registers[NODES] + budget
    while registers[PHASE] != OVER and registers[NODES] < last:
        if registers[PHASE] == ENTER:
            _enter(net, work, frames, memory)
        elif registers[PHASE] == NEXT:
            _try_next(net, work, frames, memory)
        else:
            _leave(net, work, frames, memory)
    return bool(registers[PHASE] == OVER)


@inner_kernel
def _enter(net: Arrays, work: Work, frames: Frames, memory: Memory) -> None:
    """Look at a situation for the first time."""
    registers = frames.registers
    turn = registers[TURN]
    num_turns = len(net.domains)
    if turn == num_turns:
        _return(frames, TRUE)
        return
    domain = frames.domains[turn, turn]
    if domain & (domain - 1) == 0:
        # Nothing to choose, and nothing to propagate.
        frames.keys[turn, 0] = NO_KEY
        frames.todo[turn] = 0
        frames.value[turn] = domain
        for other in range(num_turns):
            frames.domains[turn + 1, other] = frames.domains[turn, other]
        registers[TURN] = turn + 1
        return
    registers[NODES] += 1
    _make_key(net, frames, memory, turn)
    result = _recall(frames, memory, turn)
    if result != UNKNOWN and turn != registers[BASE]:
        registers[HITS] += 1
        for other in range(turn, num_turns):
            frames.used[turn, other] = frames.domains[turn, other]
        _return(frames, result)
        return
    pure = pure_values(net, frames.domains[turn], work, turn)
    if net.is_universal[turn] == 1:
        domain = domain & ~pure if domain != pure else domain & -domain
    elif pure != 0:
        domain = pure & -pure
    frames.todo[turn] = domain
    for other in range(turn, num_turns):
        frames.used[turn, other] = 0
    registers[PHASE] = NEXT


@inner_kernel
def _return(frames: Frames, result: int) -> None:
    """Hand the result of the current turn to the one before it."""
    registers = frames.registers
    registers[RESULT] = result
    registers[PHASE] = LEAVE
    registers[TURN] -= 1
    if registers[TURN] < registers[BASE]:
        registers[PHASE] = OVER


@inner_kernel
def _try_next(net: Arrays, work: Work, frames: Frames, memory: Memory) -> None:
    """Give the current turn the next value, or find that there is none."""
    registers = frames.registers
    turn = registers[TURN]
    todo = frames.todo[turn]
    if todo == 0:
        _conclude(net, frames, memory, TRUE if net.is_universal[turn] == 1 else FALSE)
        return
    value = todo & -todo
    frames.todo[turn] = todo ^ value
    frames.value[turn] = value
    for other in range(len(net.domains)):
        frames.domains[turn + 1, other] = frames.domains[turn, other]
    frames.domains[turn + 1, turn] = value
    if propagate_turn(net, frames.domains[turn + 1], work, turn, True):
        registers[TURN] = turn + 1
        registers[PHASE] = ENTER
    else:
        registers[RESULT] = FALSE
        registers[PHASE] = LEAVE


@inner_kernel
def _conclude(net: Arrays, frames: Frames, memory: Memory, result: int) -> None:
    """Remember the result of the current turn, and hand it on."""
    registers = frames.registers
    turn = registers[TURN]
    if turn == registers[BASE]:
        is_own_win = (result == FALSE) == (net.is_universal[turn] == 1)
        registers[MOVE] = frames.value[turn] if is_own_win else 0
    if frames.keys[turn, 0] != NO_KEY:
        _remember(frames, memory, turn, result)
    _return(frames, result)


@inner_kernel
def _leave(net: Arrays, work: Work, frames: Frames, memory: Memory) -> None:
    """See what the result of a value means for the current turn."""
    registers = frames.registers
    turn = registers[TURN]
    num_turns = len(net.domains)
    result = registers[RESULT]
    if net.is_universal[turn] == 0:
        if result == TRUE:
            frames.used[turn, turn] = frames.value[turn]
            for other in range(turn + 1, num_turns):
                frames.used[turn, other] = frames.used[turn + 1, other]
            _conclude(net, frames, memory, TRUE)
        else:
            registers[PHASE] = NEXT
        return
    if result == FALSE:
        _conclude(net, frames, memory, FALSE)
        return
    frames.used[turn, turn] = frames.domains[turn, turn]
    for other in range(turn + 1, num_turns):
        frames.used[turn, other] |= frames.used[turn + 1, other]
    if frames.todo[turn] != 0:
        _copy_strategy(net, work, frames, turn)
    registers[PHASE] = NEXT


@inner_kernel
def _copy_strategy(net: Arrays, work: Work, frames: Frames, turn: int) -> None:
    """Take those values of a universal turn as won for which the strategy just found is good as well."""
    for other in range(len(net.domains)):
        frames.masks[other] = frames.domains[turn, other] if other < turn else frames.used[turn + 1, other]
    frames.masks[turn] = frames.todo[turn]
    copied = pure_values(net, frames.masks, work, turn)
    if copied != 0:
        frames.registers[COPIES] += 1
        frames.todo[turn] &= ~copied


@inner_kernel
def _make_key(net: Arrays, frames: Frames, memory: Memory, turn: int) -> None:
    """Compute what stands for the situation at a turn."""
    for half in range(2):
        key = np.int64(turn + 1)
        for other in range(turn, len(net.domains)):
            mask, nibble = frames.domains[turn, other], 0
            while mask != 0:
                key ^= memory.words[half, other, nibble, mask & NIBBLE_MASK]
                mask >>= NIBBLE
                nibble += 1
        for diagram in range(len(net.layer_start) - 1):
            node = _node_reached(net, frames.domains[turn], diagram, turn)
            if node >= 0:
                key ^= memory.node_words[half, node]
        frames.keys[turn, half] = key if key != NO_KEY else 1


@inner_kernel
def _node_reached(net: Arrays, domains: Int64Array, diagram: int, turn: int) -> int:
    """Return the node that the values given so far lead to in a diagram."""
    layer, end = net.layer_start[diagram], net.layer_start[diagram + 1]
    node = net.layers[layer, 1]
    while layer < end and net.layers[layer, 0] < turn and node >= 0:
        place, mask = 0, domains[net.layers[layer, 0]]
        while mask > 1:
            mask >>= 1
            place += 1
        node = net.children[node, place]
        layer += 1
    return int(node)


@inner_kernel
def _recall(frames: Frames, memory: Memory, turn: int) -> int:
    """Return what is known of a situation."""
    stamp = frames.registers[STAMP]
    place = frames.keys[turn, 0] & (len(memory.results) - 1)
    for _ in range(PROBES):
        if memory.results[place] >> 2 != stamp:
            return UNKNOWN
        if memory.keys[place, 0] == frames.keys[turn, 0] and memory.keys[place, 1] == frames.keys[turn, 1]:
            return int(memory.results[place] & 3)
        place = (place + 1) & (len(memory.results) - 1)
    return UNKNOWN


@inner_kernel
def _remember(frames: Frames, memory: Memory, turn: int, result: int) -> None:
    """Enter a result; if all its places are taken it replaces the first one."""
    stamp = frames.registers[STAMP]
    first = frames.keys[turn, 0] & (len(memory.results) - 1)
    place = first
    for _ in range(PROBES):
        if memory.results[place] >> 2 != stamp:
            break
        place = (place + 1) & (len(memory.results) - 1)
    else:
        place = first
    memory.keys[place, 0] = frames.keys[turn, 0]
    memory.keys[place, 1] = frames.keys[turn, 1]
    memory.results[place] = 4 * stamp + result

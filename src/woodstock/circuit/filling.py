"""Lanes take positions from the queue.

While all lanes play from the same position, results are counted for all of them at once, by counting bits; else each
lane has an *owner*, the position that it plays from, and is counted for itself.
"""

from __future__ import annotations

import numpy as np

from woodstock.circuit.lanes import MIXED, OWNER, PHASE, STEP, Lanes, Queue
from woodstock.circuit.words import (
    ALL,
    U0,
    U1,
    WordArray,
    Words,
    both,
    count_lanes,
    either,
    inverse,
    is_empty,
    load,
    lowest_bit,
    spread,
    store,
    without,
)
from woodstock.common.jit import jit


@jit
def fill_lanes(num_fluents: int, lanes: Lanes, queue: Queue, busy: Words, like: Words) -> None:
    """Give lanes that are free the next positions of the phase from the queue."""
    phase = lanes.counters[PHASE]
    while queue.cursor[phase] < queue.end[phase] and not is_empty(inverse(busy)):
        position = queue.order[queue.cursor[phase]]
        taken = _first_lanes(lanes.scratch, inverse(busy), queue.left[position], like)
        _change_owner(lanes, queue, position, busy, taken, like)
        load_position(queue.rows[position], num_fluents, lanes.values, taken, like)
        set_age(lanes.age, lanes.expired, queue.horizon, taken, like)
        store(lanes.alive, U0, either(load(lanes.alive, U0, like), taken))
        busy = either(busy, taken)
        queue.left[position] -= count_lanes(taken)
        if queue.left[position] == 0:
            queue.cursor[phase] += 1


@jit
def _first_lanes(scratch: WordArray, free: Words, most: int, like: Words) -> Words:
    """Return the first lanes of some, at most so many."""
    if count_lanes(free) <= most:
        return free
    store(scratch, U0, free)
    for number in range(len(like)):
        word = scratch[number]
        scratch[number] = U0
        while word != U0 and most > 0:
            scratch[number] |= word & (~word + U1)
            word &= word - U1
            most -= 1
    return load(scratch, U0, like)


@jit
def _change_owner(lanes: Lanes, queue: Queue, position: int, busy: Words, taken: Words, like: Words) -> None:
    """Note that lanes play from a position."""
    counters = lanes.counters
    if is_empty(busy):
        counters[OWNER] = position
    elif counters[OWNER] >= 0 and counters[OWNER] != position:
        _assign(lanes, busy, counters[OWNER], like)
        counters[OWNER] = MIXED
    if counters[OWNER] != MIXED:
        return
    _assign(lanes, taken, position, like)
    if queue.left[position] < 64 * len(like):
        return
    # A position with many playouts: as soon as all lanes are its own they are counted together again.
    all_own = True
    store(lanes.scratch, U0, either(busy, taken))
    for lane in range(64 * len(like)):
        is_busy = (lanes.scratch[lane >> 6] >> np.uint64(lane & 63)) & U1
        all_own = all_own and (is_busy == U0 or lanes.owner[lane] == position)
    if all_own:
        for lane in range(64 * len(like)):
            if (lanes.alive[lane >> 6] >> np.uint64(lane & 63)) & U1 != U0:
                queue.results[position, 2] += counters[STEP] - lanes.born[lane]
        counters[OWNER] = position


@jit
def _assign(lanes: Lanes, chosen: Words, position: int, like: Words) -> None:
    """Make a position the owner of lanes; their moves count from now on."""
    store(lanes.scratch, U0, chosen)
    for number in range(len(like)):
        word = lanes.scratch[number]
        while word != U0:
            lane = np.uint64(64 * number) + lowest_bit(word)
            word &= word - U1
            lanes.owner[lane] = position
            lanes.born[lane] = lanes.counters[STEP]


@jit
def load_position(row: WordArray, num_fluents: int, values: WordArray, taken: Words, like: Words) -> None:
    """Put a position into lanes."""
    width = np.uint64(len(like))
    place = width
    for fluent in range(num_fluents):
        old = without(load(values, place, like), taken)
        holds = (row[fluent >> 6] >> np.uint64(fluent & 63)) & U1
        store(values, place, either(old, both(taken, spread(ALL * holds, like))))
        place += width


@jit
def set_age(age: WordArray, expired: WordArray, horizon: int, taken: Words, like: Words) -> None:
    """Set the age of lanes so that it overflows after as many moves as the horizon allows."""
    width = np.uint64(len(like))
    num_bits = np.uint64(len(age)) // width
    preset = (U1 << num_bits) - np.uint64(horizon)
    place = U0
    while place < np.uint64(len(age)):
        old = without(load(age, place, like), taken)
        store(age, place, either(old, both(taken, spread(ALL * (preset & U1), like))))
        preset >>= U1
        place += width
    store(expired, U0, without(load(expired, U0, like), taken))

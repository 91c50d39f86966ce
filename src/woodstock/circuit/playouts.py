"""Random playouts in lanes.

Positions wait in a queue, each with the number of playouts that are asked for. A lane takes one from the queue, makes
random moves until the match is over, and takes the next. All lanes are in the same phase of the game's clock; a lane
that has come to its end waits until it pays to evaluate the goals, and then for the phase of the next position.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.circuit.choice import choose
from woodstock.circuit.circuit import GOALS, NEXT, NUM_CONES, POSITION
from woodstock.circuit.evaluate import evaluate
from woodstock.circuit.filling import fill_lanes, load_position, set_age
from woodstock.circuit.lanes import MOVES, OWNER, PHASE, PLAYED, STEP, Extras, Lanes, Queue
from woodstock.circuit.network import Int64Array
from woodstock.circuit.tally import count_ended, count_goals, credit_moves, note_moves
from woodstock.circuit.tape import Tape, read_lanes
from woodstock.circuit.weighted import choose_weighted
from woodstock.circuit.words import (
    ALL,
    U0,
    WordArray,
    Words,
    both,
    count_lanes,
    differing,
    either,
    inverse,
    is_empty,
    load,
    spread,
    store,
    without,
)
from woodstock.common.jit import jit

DONE: Final = 0
UNFINISHED: Final = 1
"""What `run_playouts` returns: all playouts are done, or the budget was used up before."""

LENGTH_GUESS: Final = 20.0
"""Length of a playout before the first is over."""


@jit
def run_playouts(  # noqa: C901 (one step of all lanes, from top to bottom)
    tape: Tape, lanes: Lanes, queue: Queue, extras: Extras | None, max_steps: int, like: Words
) -> int:
    """Play until all playouts are done or so many steps are made; it can be called again and goes on."""
    width = np.uint64(len(like))
    values, counters = lanes.values, lanes.counters
    alive, waiting = load(lanes.alive, U0, like), _all_held(lanes.held, like)
    status = UNFINISHED
    for _ in range(max_steps):
        phase = counters[PHASE]
        busy = either(alive, waiting)
        if queue.cursor[phase] < queue.end[phase]:
            free = inverse(busy)
            position = queue.order[queue.cursor[phase]]
            if counters[OWNER] == position and count_lanes(free) < queue.left[position]:
                load_position(queue.rows[position], tape.num_fluents, values, free, like)
                set_age(lanes.age, lanes.expired, queue.horizon, free, like)
                queue.left[position] -= count_lanes(free)
                alive = either(alive, free)
            elif not is_empty(free):
                store(lanes.alive, U0, alive)
                fill_lanes(tape.num_fluents, lanes, queue, busy, like)
                alive = load(lanes.alive, U0, like)
        elif is_empty(busy) and _is_exhausted(queue.cursor, queue.end):
            status = DONE
            break
        at = phase * (NUM_CONES + 1)
        evaluate(tape.tables, tape.cones[at + POSITION], tape.cones[at + POSITION + 1], values, like)
        going_on = without(alive, read_lanes(tape.terminal, values, phase, like))
        able = spread(ALL, like)
        if extras is None:
            for number in range(tape.choices[phase], tape.choices[phase + 1]):
                found = choose(values, tape.candidates, np.uint64(number), lanes.random, lanes.scratch, like)
                able = both(able, found)
        else:
            able = _choose_by_policy(tape, lanes, extras, like)
        for number in range(tape.forced.start[phase], tape.forced.start[phase + 1]):
            able = both(able, read_lanes(tape.forced, values, number, like))
        moving = without(both(going_on, able), load(lanes.expired, U0, like))
        if extras is not None:
            note_moves(tape, values, extras.played, phase, moving)
        evaluate(tape.tables, tape.cones[at + NEXT], tape.cones[at + NEXT + 1], values, like)
        made = count_lanes(moving)
        counters[MOVES] += made
        ended = without(alive, moving)
        if counters[OWNER] >= 0:
            queue.results[counters[OWNER], 1] += count_lanes(without(going_on, moving))
            queue.results[counters[OWNER], 2] += made
        elif not is_empty(ended):
            count_ended(lanes, queue.results, ended, without(going_on, moving), like)
        alive = moving
        place = np.uint64(phase) * width
        held = either(load(lanes.held, place, like), ended)
        if not is_empty(held):
            is_last = made == 0 or _is_exhausted(queue.cursor, queue.end)
            if made == 0 if is_last else _pays(counters, tape.patience[phase], held):
                evaluate(tape.tables, tape.cones[at + GOALS], tape.cones[at + GOALS + 1], values, like)
                count_goals(tape, lanes, queue.results, held, like)
                if extras is not None:
                    credit_moves(tape, lanes, extras, held, like)
                held = like
            store(lanes.held, place, held)
            waiting = _all_held(lanes.held, like)
        _grow_older(lanes.age, lanes.expired, moving, like)
        _step(tape, lanes, waiting, like)
        counters[PHASE] = tape.next_phase[phase]
        counters[STEP] += 1
    store(lanes.alive, U0, alive)
    return status


@jit
def _all_held(held: WordArray, like: Words) -> Words:
    """Return the lanes that ended in any phase and wait to be counted."""
    found = like
    place = U0
    while place < np.uint64(len(held)):
        found = either(found, load(held, place, like))
        place += np.uint64(len(like))
    return found


@jit
def _is_exhausted(cursor: Int64Array, end: Int64Array) -> bool:
    """Tell whether no position waits any more."""
    exhausted = True
    for phase in range(len(cursor)):
        exhausted = exhausted and cursor[phase] == end[phase]
    return exhausted


@jit
def _pays(counters: Int64Array, cost: float, held: Words) -> bool:
    """Tell whether so many lanes wait for their goals that these are to be evaluated.

    Let the goals cost c passes, and a playout take n. If the goals are evaluated whenever a share s of the lanes waits,
    that costs c / (n s) of a pass for each move, and on average s / 2 of the lanes are idle: the least for
    s * s = 2 c / n.
    """
    length = (counters[MOVES] + LENGTH_GUESS) / (counters[PLAYED] + 1)
    share = count_lanes(held) / (64 * len(held))
    return bool(share * share * length >= 2 * cost)


@jit
def _choose_by_policy(tape: Tape, lanes: Lanes, extras: Extras, like: Words) -> Words:
    """Choose the moves of all roles, by weight or not; return the lanes in which each has one."""
    phase = lanes.counters[PHASE]
    able = spread(ALL, like)
    for number in range(tape.choices[phase], tape.choices[phase + 1]):
        role = np.uint64(number)
        if extras.is_weighted:
            found = choose_weighted(lanes.values, extras.weighted, role, lanes.random, lanes.scratch, like)
        else:
            found = choose(lanes.values, tape.candidates, role, lanes.random, lanes.scratch, like)
        able = both(able, found)
    return able


@jit
def _grow_older(age: WordArray, expired: WordArray, moving: Words, like: Words) -> None:
    """Add one to the age of lanes; those whose age overflows have reached the horizon."""
    width = np.uint64(len(like))
    carry = moving
    place = U0
    while place < np.uint64(len(age)) and not is_empty(carry):
        bit = load(age, place, like)
        store(age, place, differing(bit, carry))
        carry = both(bit, carry)
        place += width
    if not is_empty(carry):
        store(expired, U0, either(load(expired, U0, like), carry))


@jit
def _step(tape: Tape, lanes: Lanes, waiting: Words, like: Words) -> None:
    """Put the next position in the place of the present one; in lanes that wait for their goals nothing changes."""
    width = np.uint64(len(like))
    values, phase = lanes.values, lanes.counters[PHASE]
    place = U0
    for number in range(tape.moved.start[phase], tape.moved.start[phase + 1]):
        store(lanes.buffer, place, read_lanes(tape.moved, values, number, like))
        place += width
    for number in range(tape.copied.start[phase], tape.copied.start[phase + 1]):
        to = tape.copied_to[number]
        new = without(read_lanes(tape.copied, values, number, like), waiting)
        store(values, to, either(new, both(load(values, to, like), waiting)))
    place = U0
    for number in range(tape.moved.start[phase], tape.moved.start[phase + 1]):
        to = tape.moved_to[number]
        new = without(load(lanes.buffer, place, like), waiting)
        store(values, to, either(new, both(load(values, to, like), waiting)))
        place += width

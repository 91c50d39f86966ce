"""Counting what came of playouts: their ends, goals and moves, for the positions that they were played from."""

from __future__ import annotations

import numpy as np

from woodstock.circuit.choice import HALF, UROLE
from woodstock.circuit.lanes import NOBODY, OWNER, PHASE, PLAYED, STEP, Extras, Lanes
from woodstock.circuit.network import Int64Array
from woodstock.circuit.tape import Tape, read_lanes
from woodstock.circuit.words import (
    U0,
    U1,
    U2,
    WordArray,
    Words,
    both,
    count_lanes,
    either,
    is_empty,
    load,
    lowest_bit,
    store,
    without,
)
from woodstock.common.jit import jit


@jit
def count_ended(lanes: Lanes, results: Int64Array, ended: Words, cut: Words, like: Words) -> None:
    """Count the moves of lanes that end, each for its owner."""
    words, cuts = lanes.scratch, lanes.scratch[len(like) :]
    store(words, U0, ended)
    store(cuts, U0, cut)
    for number in range(len(like)):
        word = words[number]
        while word != U0:
            bit = lowest_bit(word)
            word &= word - U1
            lane = np.uint64(64 * number) + bit
            owner = lanes.owner[lane]
            results[owner, 1] += np.int64((cuts[number] >> bit) & U1)
            results[owner, 2] += lanes.counters[STEP] - lanes.born[lane]


@jit
def count_goals(tape: Tape, lanes: Lanes, results: Int64Array, held: Words, like: Words) -> None:
    """Count the goals of lanes that ended; these are free then."""
    counters = lanes.counters
    counters[PLAYED] += count_lanes(held)
    first = tape.goals.start[counters[PHASE]]
    owner = counters[OWNER]
    if owner >= 0:
        results[owner, 0] += count_lanes(held)
    else:
        _add_to_owners(lanes, results, held, (0, 1, 0), like)
    for goal in range(len(tape.goal_role)):
        value = tape.goal_value[goal]
        column = 3 + 2 * tape.goal_role[goal]
        having = both(held, read_lanes(tape.goals, lanes.values, first + goal, like))
        if owner >= 0:
            times = count_lanes(having)
            results[owner, column] += value * times
            results[owner, column + 1] += value * value * times
        else:
            _add_to_owners(lanes, results, having, (column, value, value * value), like)


@jit
def _add_to_owners(lanes: Lanes, results: Int64Array, chosen: Words, change: tuple[int, int, int], like: Words) -> None:
    """Add to a column of the results, and to the one after it, for the owner of each of some lanes."""
    column, value, square = change
    store(lanes.scratch, U0, chosen)
    for number in range(len(like)):
        word = lanes.scratch[number]
        while word != U0:
            owner = lanes.owner[np.uint64(64 * number) + lowest_bit(word)]
            word &= word - U1
            results[owner, column] += value
            if square != 0:
                results[owner, column + 1] += square


@jit
def note_moves(tape: Tape, values: WordArray, played: WordArray, phase: int, moving: Words) -> None:
    """Note which moves are made in which lanes; those of roles without a choice are not noted."""
    if len(played) == 0:
        return
    for number in range(tape.choices[phase], tape.choices[phase + 1]):
        first = tape.candidates.roles[np.uint64(number) * UROLE]
        count = tape.candidates.roles[np.uint64(number) * UROLE + U1]
        for candidate in range(first, first + count):
            place = tape.candidates.moves[U2 * np.uint64(candidate)] >> HALF
            at = place - np.uint64(tape.first_move)
            made = both(load(values, place, moving), moving)
            store(played, at, either(load(played, at, moving), made))


@jit
def credit_moves(tape: Tape, lanes: Lanes, extras: Extras, held: Words, like: Words) -> None:
    """Count the moves of lanes that ended, and the goals that they led to; the lanes have made no moves then."""
    if len(extras.played) == 0:
        return
    if lanes.counters[OWNER] >= 0:
        _credit_owner(tape, lanes, extras, lanes.counters[OWNER], held)
    else:
        left = held
        while not is_empty(left):
            owner = _next_owner(lanes, left, like)
            chosen = load(lanes.scratch, U0, like)
            _credit_owner(tape, lanes, extras, owner, chosen)
            left = without(left, chosen)
    width = np.uint64(len(like))
    for move in range(len(tape.role_of_move)):
        at = np.uint64(move) * width
        store(extras.played, at, without(load(extras.played, at, like), held))


@jit
def _next_owner(lanes: Lanes, left: Words, like: Words) -> int:
    """Return the owner of the first of some lanes, and put all of these that it owns into the scratch."""
    store(lanes.scratch, U0, left)
    owner = NOBODY
    for number in range(len(like)):
        word = lanes.scratch[number]
        lanes.scratch[number] = U0
        while word != U0:
            bit = lowest_bit(word)
            word &= word - U1
            its_owner = lanes.owner[np.uint64(64 * number) + bit]
            owner = its_owner if owner == NOBODY else owner
            if its_owner == owner:
                lanes.scratch[number] |= U1 << bit
    return owner


@jit
def _credit_owner(tape: Tape, lanes: Lanes, extras: Extras, owner: int, chosen: Words) -> None:
    """Count the moves of lanes that ended for their owner."""
    first = tape.goals.start[lanes.counters[PHASE]]
    width = np.uint64(len(chosen))
    for move in range(len(tape.role_of_move)):
        made = both(load(extras.played, np.uint64(move) * width, chosen), chosen)
        if is_empty(made):
            continue
        extras.visits[owner, move] += count_lanes(made)
        for goal in range(len(tape.goal_role)):
            if tape.goal_role[goal] == tape.role_of_move[move]:
                having = both(made, read_lanes(tape.goals, lanes.values, first + goal, chosen))
                extras.rewards[owner, move] += tape.goal_value[goal] * count_lanes(having)

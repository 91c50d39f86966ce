"""Random playouts in lanes.

Positions wait in a queue, each with the number of playouts that are asked for. A lane takes one from the queue, makes
random moves until the match is over, and takes the next. All lanes are in the same phase of the game's clock; a lane
that has come to its end waits until it pays to evaluate the goals, and then for the phase of the next position.

While all lanes play from the same position, results are counted for all of them at once, by counting bits; else each
lane has an *owner*, the position that it plays from, and is counted for itself.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.choice import HALF, UROLE, choose
from woodstock.circuit.circuit import GOALS, NEXT, NUM_CONES, POSITION
from woodstock.circuit.evaluate import evaluate
from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.tape import Places, Tape
from woodstock.circuit.weighted import WeightedCandidates, choose_weighted
from woodstock.circuit.words import (
    ALL,
    U0,
    U1,
    U2,
    WordArray,
    Words,
    both,
    count_lanes,
    differing,
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

DONE: Final = 0
UNFINISHED: Final = 1
"""What `run_playouts` returns: all playouts are done, or the budget was used up before."""

PHASE: Final = 0
STEP: Final = 1
OWNER: Final = 2
MOVES: Final = 3
PLAYED: Final = 4
NUM_COUNTERS: Final = 5
"""Places in `Lanes.counters`: the phase of all lanes; steps so far; the owner of all lanes or MIXED or NOBODY; moves
and playouts so far."""

NOBODY: Final = -1
MIXED: Final = -2

LENGTH_GUESS: Final = 20.0
"""Length of a playout before the first is over."""


class Lanes(NamedTuple):
    """What the lanes are doing.

    Attributes:
        values: The words of all slots.
        random: State of the random words.
        scratch: Working space of the choice of moves.
        alive: The lanes that are playing, shape (width,), uint64.
        held: For each phase the lanes that ended in it and wait to be counted, shape (num_phases * width,), uint64.
        expired: The lanes that have made as many moves as the horizon allows, shape (width,), uint64.
        age: Bits of a number for each lane that overflows at the horizon, shape (num_bits * width,), uint64.
        owner: The position that each lane plays from, if they differ, shape (64 * width,), int32.
        born: The step at which the moves of a lane begin that are not counted yet, shape (64 * width,), int64.
        counters: See PHASE and those after it, int64.
        buffer: For fluents that become other fluents, shape (most of them * width,), uint64.
    """

    values: WordArray
    random: WordArray
    scratch: WordArray
    alive: WordArray
    held: WordArray
    expired: WordArray
    age: WordArray
    owner: Int32Array
    born: Int64Array
    counters: Int64Array
    buffer: WordArray


class Queue(NamedTuple):
    """Positions to play from, and what came of it.

    Attributes:
        rows: Packed positions, shape (num_positions, num_words), uint64.
        order: The positions by phase, shape (num_positions,), int64.
        cursor: For each phase the place in `order` of the next position, shape (num_phases,), int64.
        end: For each phase the end of its places in `order`, shape (num_phases,), int64.
        left: How many playouts each position still waits for, shape (num_positions,), int64.
        results: For each position playouts, cut playouts and moves, then for each role the sum and the sum of squares
            of its goals, shape (num_positions, 3 + 2 * num_roles), int64.
        horizon: Most moves of a playout.
    """

    rows: WordArray
    order: Int64Array
    cursor: Int64Array
    end: Int64Array
    left: Int64Array
    results: Int64Array
    horizon: int


class Extras(NamedTuple):
    """What playouts can do besides; without it they are uniform and tell nothing of single moves.

    Attributes:
        is_weighted: Whether moves are chosen by weight.
        weighted: The moves to choose from with their weights.
        played: The lanes in which each move was made, shape (num_moves * width,), uint64; empty if nobody asks.
        visits: For each position in how many playouts each move was made, shape (num_positions, num_moves), int64.
        rewards: For each position the sum of the goals, of the role whose move it is, of these playouts, shape
            (num_positions, num_moves), int64.
    """

    is_weighted: bool
    weighted: WeightedCandidates
    played: WordArray
    visits: Int64Array
    rewards: Int64Array


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
                _load_position(queue.rows[position], tape.num_fluents, values, free, like)
                _set_age(lanes.age, lanes.expired, queue.horizon, free, like)
                queue.left[position] -= count_lanes(free)
                alive = either(alive, free)
            elif not is_empty(free):
                store(lanes.alive, U0, alive)
                _fill(tape.num_fluents, lanes, queue, busy, like)
                alive = load(lanes.alive, U0, like)
        elif is_empty(busy) and _is_exhausted(queue.cursor, queue.end):
            status = DONE
            break
        at = phase * (NUM_CONES + 1)
        evaluate(tape.tables, tape.cones[at + POSITION], tape.cones[at + POSITION + 1], values, like)
        going_on = without(alive, _read(tape.terminal, values, phase, like))
        able = spread(ALL, like)
        if extras is None:
            for number in range(tape.choices[phase], tape.choices[phase + 1]):
                found = choose(values, tape.candidates, np.uint64(number), lanes.random, lanes.scratch, like)
                able = both(able, found)
        else:
            able = _choose_by_policy(tape, lanes, extras, like)
        for number in range(tape.forced.start[phase], tape.forced.start[phase + 1]):
            able = both(able, _read(tape.forced, values, number, like))
        moving = without(both(going_on, able), load(lanes.expired, U0, like))
        if extras is not None:
            _note_moves(tape, values, extras.played, phase, moving)
        evaluate(tape.tables, tape.cones[at + NEXT], tape.cones[at + NEXT + 1], values, like)
        made = count_lanes(moving)
        counters[MOVES] += made
        ended = without(alive, moving)
        if counters[OWNER] >= 0:
            queue.results[counters[OWNER], 1] += count_lanes(without(going_on, moving))
            queue.results[counters[OWNER], 2] += made
        elif not is_empty(ended):
            _count_ended(lanes, queue.results, ended, without(going_on, moving), like)
        alive = moving
        place = np.uint64(phase) * width
        held = either(load(lanes.held, place, like), ended)
        if not is_empty(held):
            is_last = made == 0 or _is_exhausted(queue.cursor, queue.end)
            if made == 0 if is_last else _pays(counters, tape.patience[phase], held):
                evaluate(tape.tables, tape.cones[at + GOALS], tape.cones[at + GOALS + 1], values, like)
                _count_goals(tape, lanes, queue.results, held, like)
                if extras is not None:
                    _credit_moves(tape, lanes, extras, held, like)
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
def _read(places: Places, values: WordArray, number: int, like: Words) -> Words:
    """Return the lanes in which a literal holds."""
    return differing(load(values, places.at[number], like), spread(places.flip[number], like))


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
def _count_ended(lanes: Lanes, results: Int64Array, ended: Words, cut: Words, like: Words) -> None:
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
def _count_goals(tape: Tape, lanes: Lanes, results: Int64Array, held: Words, like: Words) -> None:
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
        having = both(held, _read(tape.goals, lanes.values, first + goal, like))
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
def _note_moves(tape: Tape, values: WordArray, played: WordArray, phase: int, moving: Words) -> None:
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
def _credit_moves(tape: Tape, lanes: Lanes, extras: Extras, held: Words, like: Words) -> None:
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
                having = both(made, _read(tape.goals, lanes.values, first + goal, chosen))
                extras.rewards[owner, move] += tape.goal_value[goal] * count_lanes(having)


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
        store(lanes.buffer, place, _read(tape.moved, values, number, like))
        place += width
    for number in range(tape.copied.start[phase], tape.copied.start[phase + 1]):
        to = tape.copied_to[number]
        new = without(_read(tape.copied, values, number, like), waiting)
        store(values, to, either(new, both(load(values, to, like), waiting)))
    place = U0
    for number in range(tape.moved.start[phase], tape.moved.start[phase + 1]):
        to = tape.moved_to[number]
        new = without(load(lanes.buffer, place, like), waiting)
        store(values, to, either(new, both(load(values, to, like), waiting)))
        place += width


@jit
def _fill(num_fluents: int, lanes: Lanes, queue: Queue, busy: Words, like: Words) -> None:
    """Give lanes that are free the next positions of the phase from the queue."""
    phase = lanes.counters[PHASE]
    while queue.cursor[phase] < queue.end[phase] and not is_empty(inverse(busy)):
        position = queue.order[queue.cursor[phase]]
        taken = _first_lanes(lanes.scratch, inverse(busy), queue.left[position], like)
        _change_owner(lanes, queue, position, busy, taken, like)
        _load_position(queue.rows[position], num_fluents, lanes.values, taken, like)
        _set_age(lanes.age, lanes.expired, queue.horizon, taken, like)
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
def _load_position(row: WordArray, num_fluents: int, values: WordArray, taken: Words, like: Words) -> None:
    """Put a position into lanes."""
    width = np.uint64(len(like))
    place = width
    for fluent in range(num_fluents):
        old = without(load(values, place, like), taken)
        holds = (row[fluent >> 6] >> np.uint64(fluent & 63)) & U1
        store(values, place, either(old, both(taken, spread(ALL * holds, like))))
        place += width


@jit
def _set_age(age: WordArray, expired: WordArray, horizon: int, taken: Words, like: Words) -> None:
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

"""Passes of an expansion: all joint moves of many positions, a lane for each joint move.

A pass has up to three cones: the step to the successors, what is legal there, and the goals. What is found goes to rows
of the results, one for each lane.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np

from woodstock.circuit.evaluate import Tables, UInt32Array, evaluate
from woodstock.circuit.expansion_lanes import (
    Children,
    Engine,
    Int16Array,
    Parents,
    clear_moves,
    fill_lanes,
    load_rows,
    skip_leaves,
    write_moves,
)
from woodstock.circuit.expansion_ledger import (
    DONE,
    ELSEWHERE,
    NO_PHASE,
    NUM_OPEN,
    PLACE,
    STATE,
    UNFINISHED,
)
from woodstock.circuit.expansion_wiring import (
    BLOCK,
    CONES,
    CONSTANTS,
    GOAL_CODE,
    GOAL_START,
    GOALS,
    KEYS,
    LANE_FROM,
    LANE_TO,
    LANES,
    LEGAL,
    LOOK_VALUES,
    NEXT,
    NEXT_PLAN,
    NUM_FLUENTS,
    NUM_GOALS,
    NUM_MOVE_WORDS,
    NUM_MOVES,
    NUM_ROLES,
    NUM_WORDS,
    ONE_GOAL,
    STEP_VALUES,
    SUMS,
    TERMINAL,
    TWO_GOALS,
    VARIES,
)
from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.packing import BITS, transpose
from woodstock.circuit.words import (
    ALL,
    U0,
    U1,
    U2,
    U3,
    U4,
    U5,
    WordArray,
    Words,
    differing,
    either,
    is_empty,
    load,
    spread,
    store,
)
from woodstock.circuit.zobrist import change_key
from woodstock.common.jit import jit

NO_GOAL: Final = -1
GOAL_VALUE: Final = ONE_GOAL - U1
"""The bits of the value in what a goal entry counts."""

STEP_CONE: Final = 0
LOOK_CONE: Final = 1
GOALS_CONE: Final = 2
NUM_CONES: Final = 3
"""The cones of a pass."""


SPARSE: Final = np.uint64(8)
"""Of so many words of moves or more most are empty: they are cleared, and only the others are written."""


EngineArrays: TypeAlias = tuple[UInt32Array, WordArray, WordArray]
ParentArrays: TypeAlias = tuple[WordArray, WordArray, WordArray, WordArray]
ChildArrays: TypeAlias = tuple[Int32Array, Int32Array, WordArray, WordArray, BoolArray, Int16Array, WordArray]


@jit
def run_passes(
    arrays: EngineArrays,
    positions: ParentArrays,
    results: ChildArrays,
    cones: tuple[int, int],
    max_passes: int,
    like: Words,
) -> int:
    """Make passes until all is done, or as many as there may be; it can be called again and goes on.

    There is one call of `evaluate` for all cones: each costs some seconds when this is compiled.

    Args:
        arrays: Programs, wiring and space.
        positions: Rows, keys, legal moves and ledger of positions; see `Parents`.
        results: See `Children`. If there is no step they are about the positions themselves.
        cones: The first cone of a pass, and the one after the last.
        max_passes: How many passes may be made.
        like: Words of the width.
    """
    programs, wiring, space = arrays
    engine = Engine(
        wiring,
        space,
        space[space[STEP_VALUES] : space[LOOK_VALUES]],
        space[space[LOOK_VALUES] : space[BLOCK]],
        space[space[BLOCK] : space[LANE_FROM]],
    )
    rows, keys, legal, ledger = positions
    parents = Parents(rows.ravel(), keys, legal.ravel(), ledger)
    parent, moves, made_rows, made_keys, terminal, goals, made_legal = results
    made = Children(parent, moves.ravel(), made_rows.ravel(), made_keys, terminal, goals.ravel(), made_legal.ravel())
    state = ledger[STATE]
    for _ in range(max_passes):
        plan = skip_leaves(wiring, parents)
        if plan == NO_PHASE:
            return DONE if state[PLACE] == state[NUM_OPEN] else ELSEWHERE
        has_step = cones[0] == STEP_CONE
        count = fill_lanes(engine, parents, made, has_step, like)
        load_rows(engine, parents.rows, engine.step if has_step else engine.look, count, like)
        for cone in range(cones[0], cones[1]):
            numbers = wiring[CONES] + U5 * plan
            program, first, end = wiring[numbers + U2], U0, wiring[numbers + U3]
            if cone == STEP_CONE:
                write_moves(engine, made.moves, plan, count, like)
                program, end = wiring[numbers], wiring[numbers + U1]
            elif cone == GOALS_CONE:
                first, end = wiring[numbers + U3], wiring[numbers + U4]
            values = engine.step if cone == STEP_CONE else engine.look
            evaluate(Tables(programs[program:]), np.int64(first), np.int64(end), values, like)  # type: ignore[arg-type]
            if cone == STEP_CONE:
                _take_step(engine, parents.rows, made, plan, count, like)
                clear_moves(engine, made.moves, plan, count, like)
                plan = wiring[wiring[NEXT_PLAN] + plan]
            elif cone == LOOK_CONE:
                _read_end(engine, made.terminal, plan, count, like)
                _read_legal(engine, made.legal, plan, count, like)
            else:
                _read_goals(engine, made.goals, plan, count, like)
    return DONE if state[PLACE] == state[NUM_OPEN] else UNFINISHED


@jit
def _read(values: WordArray, literal: np.uint64, like: Words) -> Words:
    """Return the lanes in which a literal holds."""
    return differing(load(values, literal >> U1, like), spread(ALL * (literal & U1), like))


@jit
def _take_step(engine: Engine, rows: WordArray, made: Children, plan: np.uint64, count: np.uint64, like: Words) -> None:
    """Put the next positions into the slots for the look, and into rows, and find their keys."""
    wiring, space, block, width = engine.wiring, engine.space, engine.block, np.uint64(len(like))
    num_fluents, num_words = wiring[NUM_FLUENTS], wiring[NUM_WORDS]
    lane_from, lane_to = space[LANE_FROM], space[LANE_TO]
    keys = wiring[wiring[KEYS] :]
    for number in range(num_words):
        first = number * BITS
        size = min(BITS, num_fluents - first)
        literals = wiring[NEXT] + plan * num_fluents + first
        for bit in range(size):
            words = _read(engine.step, wiring[literals + bit], like)
            store(block, bit * width, words)
            store(engine.look, (U1 + first + bit) * width, words)
        for bit in range(size, BITS):
            store(block, bit * width, spread(U0, like))
        transpose(block, like)
        for lane in range(count):
            to = space[lane_to + lane]
            made.rows[to * num_words + number] = block[lane]
            changed = block[lane] ^ rows[space[lane_from + lane] + number]
            if changed != U0:
                made.keys[to] = change_key(keys, made.keys[to], number, changed)


@jit
def _read_end(engine: Engine, terminal: BoolArray, plan: np.uint64, count: np.uint64, like: Words) -> None:
    """Find the lanes where the match is over."""
    space, width = engine.space, np.uint64(len(like))
    lanes, lane_to = space[LANES], space[LANE_TO]
    store(space, lanes, _read(engine.look, engine.wiring[engine.wiring[TERMINAL] + plan], like))
    for lane in range(count):
        terminal[space[lane_to + lane]] = (space[lanes + lane % width] >> (lane // width)) & U1 != U0


@jit
def _read_legal(engine: Engine, legal: WordArray, plan: np.uint64, count: np.uint64, like: Words) -> None:
    """Pack the legal moves of all lanes."""
    wiring, space, block, width = engine.wiring, engine.space, engine.block, np.uint64(len(like))
    num_moves, num_words, lane_to = wiring[NUM_MOVES], wiring[NUM_MOVE_WORDS], space[LANE_TO]
    is_sparse = num_words >= SPARSE
    if is_sparse:
        for lane in range(count):
            for to in range(space[lane_to + lane] * num_words, (space[lane_to + lane] + U1) * num_words):
                legal[to] = U0
    for number in range(num_words):
        constant = wiring[wiring[CONSTANTS] + plan * num_words + number]
        varies = wiring[wiring[VARIES] + plan * num_words + number] == U1
        if varies:
            first = number * BITS
            size = min(BITS, num_moves - first)
            literals = wiring[LEGAL] + plan * num_moves + first
            found = spread(U0, like)
            for bit in range(size):
                words = _read(engine.look, wiring[literals + bit], like)
                store(block, bit * width, words)
                found = either(found, words)
            constant = U0
            varies = not is_empty(found)
            if varies:
                for bit in range(size, BITS):
                    store(block, bit * width, spread(U0, like))
                transpose(block, like)
                for lane in range(count):
                    legal[space[lane_to + lane] * num_words + number] = block[lane]
        if not varies and not (is_sparse and constant == U0):
            for lane in range(count):
                legal[space[lane_to + lane] * num_words + number] = constant


@jit
def _read_goals(engine: Engine, goals: Int16Array, plan: np.uint64, count: np.uint64, like: Words) -> None:
    """Find the goals of all lanes."""
    wiring, space, width = engine.wiring, engine.space, np.uint64(len(like))
    num_roles, literals = wiring[NUM_ROLES], wiring[GOALS] + plan * wiring[NUM_GOALS]
    sums, lanes, lane_to = space[SUMS], space[LANES], space[LANE_TO]
    for role in range(num_roles):
        for lane in range(BITS * width):
            space[sums + lane] = U0
        for entry in range(wiring[wiring[GOAL_START] + role], wiring[wiring[GOAL_START] + role + U1]):
            words = _read(engine.look, wiring[literals + entry], like)
            code = wiring[wiring[GOAL_CODE] + entry]
            if not is_empty(words):
                store(space, lanes, words)
                for lane in range(BITS * width):
                    space[sums + lane] += ((space[lanes + lane % width] >> (lane // width)) & U1) * code
        for lane in range(count):
            code = space[sums + lane]
            is_one = code >= ONE_GOAL and code < TWO_GOALS
            goals[space[lane_to + lane] * num_roles + role] = np.int16(code & GOAL_VALUE) if is_one else NO_GOAL

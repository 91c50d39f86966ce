"""Kernels of expansion: all joint moves of many positions, a lane for each joint move.

Lane l is bit `l // width` of word `l % width` of a slot, so that after a transposition the lanes lie side by side, in
order. A pass has up to three cones: the step to the successors, what is legal there, and the goals.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from woodstock.circuit.evaluate import Tables, UInt32Array, evaluate
from woodstock.circuit.expansion_ledger import (
    CHILD,
    COUNT,
    DONE,
    ELSEWHERE,
    MANY,
    NO_PHASE,
    NUM_OPEN,
    ORDER,
    PHASE,
    PLACE,
    START,
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
    IS_GENERAL,
    IS_READ,
    KEYS,
    LANE_FROM,
    LANE_TO,
    LANES,
    LEGAL,
    LEGAL_MOVES,
    LOOK_VALUES,
    MOVE_START,
    NEXT,
    NEXT_PLAN,
    NUM_FLUENTS,
    NUM_GOALS,
    NUM_MOVE_WORDS,
    NUM_MOVES,
    NUM_ROLES,
    NUM_WORDS,
    ONE_GOAL,
    ROLE_START,
    STEP_VALUES,
    SUMS,
    TERMINAL,
    TWO_GOALS,
    VARIES,
)
from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.packing import BITS, lowest_bit, transpose
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

Int16Array = npt.NDArray[np.int16]

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


class Engine(NamedTuple):
    """What a pass works with.

    Attributes:
        wiring: See `expansion_wiring`.
        space: See `expansion_wiring`.
        step: The words of all slots for the step, a part of the space.
        look: The words of all slots for the look, a part of the space.
        block: What is transposed, a part of the space, shape (64 * width,), uint64.
    """

    wiring: WordArray
    space: WordArray
    step: WordArray
    look: WordArray
    block: WordArray


class Parents(NamedTuple):
    """Positions, and what is to be done with them; all uint64.

    Attributes:
        rows: Packed positions, shape (n * num_words,).
        keys: Their Zobrist keys, shape (n,).
        legal: Their legal moves, packed, shape (n * num_move_words,).
        ledger: See `expansion_ledger`.
    """

    rows: WordArray
    keys: WordArray
    legal: WordArray
    ledger: WordArray


class Children(NamedTuple):
    """What is found; see `woodstock.circuit.expansion.Expansion`, but that arrays are flat."""

    parent: Int32Array
    moves: Int32Array
    rows: WordArray
    keys: WordArray
    terminal: BoolArray
    goals: Int16Array
    legal: WordArray


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
        plan = _skip_leaves(wiring, parents)
        if plan == NO_PHASE:
            return DONE if state[PLACE] == state[NUM_OPEN] else ELSEWHERE
        has_step = cones[0] == STEP_CONE
        count = _fill_lanes(engine, parents, made, has_step, like)
        _load_rows(engine, parents.rows, engine.step if has_step else engine.look, count, like)
        for cone in range(cones[0], cones[1]):
            numbers = wiring[CONES] + U5 * plan
            program, first, end = wiring[numbers + U2], U0, wiring[numbers + U3]
            if cone == STEP_CONE:
                _write_moves(engine, made.moves, plan, count, like)
                program, end = wiring[numbers], wiring[numbers + U1]
            elif cone == GOALS_CONE:
                first, end = wiring[numbers + U3], wiring[numbers + U4]
            values = engine.step if cone == STEP_CONE else engine.look
            evaluate(Tables(programs[program:]), np.int64(first), np.int64(end), values, like)  # type: ignore[arg-type]
            if cone == STEP_CONE:
                _take_step(engine, parents.rows, made, plan, count, like)
                _clear_moves(engine, made.moves, plan, count, like)
                plan = wiring[wiring[NEXT_PLAN] + plan]
            elif cone == LOOK_CONE:
                _read_end(engine, made.terminal, plan, count, like)
                _read_legal(engine, made.legal, plan, count, like)
            else:
                _read_goals(engine, made.goals, plan, count, like)
    return DONE if state[PLACE] == state[NUM_OPEN] else UNFINISHED


@jit
def _skip_leaves(wiring: WordArray, parents: Parents) -> np.uint64:
    """Go on to the next position with children; return its plan, NO_PHASE if the plan or the position is missing."""
    ledger = parents.ledger
    state = ledger[STATE]
    while state[PLACE] < state[NUM_OPEN] and ledger[COUNT, ledger[ORDER, state[PLACE]]] == U0:
        state[PLACE] += U1
    if state[PLACE] == state[NUM_OPEN]:
        return NO_PHASE
    phase = ledger[PHASE, ledger[ORDER, state[PLACE]]]
    if wiring[IS_GENERAL] == U0:
        return np.uint64(phase)
    return U0 if phase == NO_PHASE else NO_PHASE


@jit
def _fill_lanes(engine: Engine, parents: Parents, made: Children, has_step: bool, like: Words) -> np.uint64:
    """Give each lane a joint move of positions of one phase, or a position if there is no step; return their number."""
    wiring, space, ledger = engine.wiring, engine.space, parents.ledger
    state = ledger[STATE]
    lane_from, lane_to = space[LANE_FROM], space[LANE_TO]
    phase = ledger[PHASE, ledger[ORDER, state[PLACE]]]
    num_lanes = BITS * np.uint64(len(like))
    count = U0
    while count < num_lanes and state[PLACE] < state[NUM_OPEN]:
        position = ledger[ORDER, state[PLACE]]
        if ledger[PHASE, position] != phase:
            break
        taken = min(ledger[COUNT, position] - state[CHILD], num_lanes - count)
        to = ledger[START, position] + state[CHILD]
        row = position * wiring[NUM_WORDS]
        for number in range(taken):
            space[lane_from + count + number] = row
            space[lane_to + count + number] = to + number
        if has_step and taken > U0:
            key = parents.keys[position]
            for number in range(to, to + taken):
                made.parent[number] = np.int32(position)
                made.keys[number] = key
            _list_moves(engine, parents.legal, position)
            _list_joint_moves(engine, made.moves[to * wiring[NUM_ROLES] :], state[CHILD], taken)
        count += taken
        state[CHILD] += taken
        if state[CHILD] == ledger[COUNT, position]:
            state[CHILD] = U0
            state[PLACE] += U1
    return count


@jit
def _list_moves(engine: Engine, legal: WordArray, position: np.uint64) -> None:
    """List the legal moves of a position, role by role."""
    wiring, space = engine.wiring, engine.space
    first, found, move_start = space[ROLE_START], space[LEGAL_MOVES], wiring[MOVE_START]
    at = position * wiring[NUM_MOVE_WORDS]
    count, role = U0, U0
    space[first] = U0
    for number in range(wiring[NUM_MOVE_WORDS]):
        word = legal[at + number]
        while word != U0:
            move = number * BITS + lowest_bit(word)
            word &= word - U1
            while move >= wiring[move_start + role + U1]:
                role += U1
                space[first + role] = count
            space[found + count] = move
            count += U1
    while role < wiring[NUM_ROLES]:
        role += U1
        space[first + role] = count


@jit
def _list_joint_moves(engine: Engine, moves: Int32Array, child: np.uint64, count: np.uint64) -> None:
    """List joint moves of a position, beginning with some child; the move of the last role changes quickest."""
    space, num_roles = engine.space, engine.wiring[NUM_ROLES]
    stride = U1
    for number in range(num_roles):
        role = num_roles - U1 - number
        first = space[space[ROLE_START] + role]
        size = space[space[ROLE_START] + role + U1] - first
        first += space[LEGAL_MOVES]
        digit, left = U0, stride
        if child > U0:
            digit, left = (child // stride) % size, stride - child % stride
        at = role
        for _ in range(count):
            moves[at] = np.int32(space[first + digit])
            at += num_roles
            left -= U1
            if left == U0:
                left = stride
                digit += U1
                if digit == size:
                    digit = U0
        stride = min(stride * size, MANY)


@jit
def _write_moves(engine: Engine, moves: Int32Array, plan: np.uint64, count: np.uint64, like: Words) -> None:
    """Write what is done in each lane."""
    wiring, space, width = engine.wiring, engine.space, np.uint64(len(like))
    num_roles, first_move, lane_to = wiring[NUM_ROLES], U1 + wiring[NUM_FLUENTS], space[LANE_TO]
    for role in range(num_roles):
        if wiring[wiring[IS_READ] + plan * num_roles + role] == U1:
            for lane in range(count):
                move = np.uint64(moves[space[lane_to + lane] * num_roles + role])
                engine.step[(first_move + move) * width + lane % width] |= U1 << (lane // width)


@jit
def _clear_moves(engine: Engine, moves: Int32Array, plan: np.uint64, count: np.uint64, like: Words) -> None:
    """Let nothing be done any more."""
    wiring, space, width = engine.wiring, engine.space, np.uint64(len(like))
    num_roles, first_move, lane_to = wiring[NUM_ROLES], U1 + wiring[NUM_FLUENTS], space[LANE_TO]
    for role in range(num_roles):
        if wiring[wiring[IS_READ] + plan * num_roles + role] == U1:
            for lane in range(count):
                move = np.uint64(moves[space[lane_to + lane] * num_roles + role])
                engine.step[(first_move + move) * width + lane % width] = U0


@jit
def _load_rows(engine: Engine, rows: WordArray, values: WordArray, count: np.uint64, like: Words) -> None:
    """Load the position of each lane into the slots of the fluents."""
    space, width = engine.space, np.uint64(len(like))
    lane_from = space[LANE_FROM]
    num_lanes = BITS * width
    for number in range(engine.wiring[NUM_WORDS]):
        at = (U1 + number * BITS) * width
        block = values[at : at + num_lanes]
        for lane in range(count):
            block[lane] = rows[space[lane_from + lane] + number]
        for lane in range(count, num_lanes):
            block[lane] = U0
        transpose(block, like)


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

"""Lanes of an expansion: each has a position, or a position and the moves that are made there.

Lane l is bit `l // width` of word `l % width` of a slot, so that after a transposition the lanes lie side by side, in
order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.expansion_ledger import (
    CHILD,
    COUNT,
    MANY,
    NO_PHASE,
    NUM_OPEN,
    ORDER,
    PHASE,
    PLACE,
    START,
    STATE,
)
from woodstock.circuit.expansion_wiring import (
    IS_GENERAL,
    IS_READ,
    LANE_FROM,
    LANE_TO,
    LEGAL_MOVES,
    MOVE_START,
    NUM_FLUENTS,
    NUM_MOVE_WORDS,
    NUM_ROLES,
    NUM_WORDS,
    ROLE_START,
)
from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.packing import BITS, transpose
from woodstock.circuit.words import U0, U1, WordArray, Words, lowest_bit
from woodstock.common.jit import jit

Int16Array = npt.NDArray[np.int16]


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


@jit
def skip_leaves(wiring: WordArray, parents: Parents) -> np.uint64:
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
def fill_lanes(engine: Engine, parents: Parents, made: Children, has_step: bool, like: Words) -> np.uint64:
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
def write_moves(engine: Engine, moves: Int32Array, plan: np.uint64, count: np.uint64, like: Words) -> None:
    """Write what is done in each lane."""
    wiring, space, width = engine.wiring, engine.space, np.uint64(len(like))
    num_roles, first_move, lane_to = wiring[NUM_ROLES], U1 + wiring[NUM_FLUENTS], space[LANE_TO]
    for role in range(num_roles):
        if wiring[wiring[IS_READ] + plan * num_roles + role] == U1:
            for lane in range(count):
                move = np.uint64(moves[space[lane_to + lane] * num_roles + role])
                engine.step[(first_move + move) * width + lane % width] |= U1 << (lane // width)


@jit
def clear_moves(engine: Engine, moves: Int32Array, plan: np.uint64, count: np.uint64, like: Words) -> None:
    """Let nothing be done any more."""
    wiring, space, width = engine.wiring, engine.space, np.uint64(len(like))
    num_roles, first_move, lane_to = wiring[NUM_ROLES], U1 + wiring[NUM_FLUENTS], space[LANE_TO]
    for role in range(num_roles):
        if wiring[wiring[IS_READ] + plan * num_roles + role] == U1:
            for lane in range(count):
                move = np.uint64(moves[space[lane_to + lane] * num_roles + role])
                engine.step[(first_move + move) * width + lane % width] = U0


@jit
def load_rows(engine: Engine, rows: WordArray, values: WordArray, count: np.uint64, like: Words) -> None:
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

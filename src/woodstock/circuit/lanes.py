"""What the lanes of playouts are doing, the positions that wait for them, and what can be asked for besides."""

from __future__ import annotations

from typing import Final, NamedTuple

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.weighted import WeightedCandidates
from woodstock.circuit.words import WordArray

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

"""Dense evaluation of one position: all gates in turn, one byte for each literal.

Gates are sorted as `scalar_layers` tells, and within a level by their number of literals: gates with equally many make
a *run*. What the position and the moves leave as it is is not evaluated again.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.network import FALSE, NO_LOOP, BoolArray, Int64Array, Network
from woodstock.circuit.packing import BITS, LAST_BIT, num_words
from woodstock.circuit.scalar_kernels import UInt32Array
from woodstock.circuit.scalar_layers import NEEDS, NUM_CONES, Layers, edge_readers, find_layers
from woodstock.circuit.words import U0, U1, U2, U3, U4, WordArray, lowest_bit
from woodstock.common.jit import jit

UInt8Array = npt.NDArray[np.uint8]

ONE: Final = np.uint8(1)
STALE: Final = np.uint32(0)
FRESH: Final = np.uint32(1)
NUM_RANKS: Final = np.uint64(len(NEEDS))
LOOP: Final = np.uint32(0xFFFFFFFF)
"""Stands for the number of literals of a run that is a loop."""


class DenseGates(NamedTuple):
    """A network for dense evaluation, and its state.

    Attributes:
        truth: Whether each literal holds, shape (2 * num_nodes,), uint8.
        operands: The positive literal of each gate, then its literals; in loops the first value and the number of
            literals come between. uint32.
        runs: Number of literals of each gate, number of gates and place in `operands`; three numbers a run. uint32.
        blocks: For each rank first run, end of its runs, whether moves matter, whether it is up to date. uint32.
        cones: For each cone the ranks that it needs, as bits, first and end of its outputs, as words of `held`. uint32.
        outputs: Literals, those of each kind filled up to whole words with FALSE, uint32.
        held: The position, the moves and the outputs that were read last, packed, uint64.
        num_fluents: Number of fluents.
        num_fluent_words: Words of the position.
        num_input_words: Words of the position and of the moves.
    """

    truth: UInt8Array
    operands: UInt32Array
    runs: UInt32Array
    blocks: UInt32Array
    cones: UInt32Array
    outputs: UInt32Array
    held: WordArray
    num_fluents: np.uint64
    num_fluent_words: np.uint64
    num_input_words: np.uint64


def arrange(network: Network) -> DenseGates:
    """Return a network made ready for dense evaluation, all fluents and moves false, nothing evaluated."""
    layers = find_layers(network)
    operands, runs, run_rank = _make_runs(network, layers)
    truth = np.zeros((network.num_inputs + network.num_gates, 2), np.uint8)
    truth[:, 1] = 1
    truth[0] = 1, 0
    run_start = np.searchsorted(run_rank, np.arange(len(NEEDS) + 1))
    blocks = np.stack([run_start[:-1], run_start[1:], _ranks_after_moves(network, layers), 0 * run_start[1:]], axis=1)
    fluent_words, move_words = num_words(network.num_fluents), num_words(network.num_moves)
    terminal = np.array([network.terminal], np.int32)
    parts = [network.legal, terminal, network.next, network.goals, network.percepts]
    outputs = [np.append(part, np.full(-len(part) % 64, FALSE)) for part in parts]
    part_start = fluent_words + move_words + np.cumsum([0] + [len(part) // 64 for part in outputs])
    ranks = [
        sum(1 << rank for rank, need in enumerate(NEEDS) if rank == 0 or need >> cone & 1) for cone in range(NUM_CONES)
    ]
    return DenseGates(
        truth=truth.ravel(),
        operands=operands,
        runs=runs.ravel(),
        blocks=blocks.astype(np.uint32).ravel(),
        cones=np.stack([ranks, part_start[[0, 2, 3, 4]], part_start[[2, 3, 4, 5]]], axis=1).astype(np.uint32).ravel(),
        outputs=np.concatenate(outputs).astype(np.uint32),
        held=np.zeros(part_start[-1], np.uint64),
        num_fluents=np.uint64(network.num_fluents),
        num_fluent_words=np.uint64(fluent_words),
        num_input_words=np.uint64(fluent_words + move_words),
    )


def _make_runs(network: Network, layers: Layers) -> tuple[UInt32Array, UInt32Array, Int64Array]:
    """Return the operands and the runs, see `DenseGates`, and the rank of each run."""
    gates = np.flatnonzero(layers.rank < len(NEEDS))
    size = np.diff(network.gate_start)
    loop = network.gate_loop.astype(np.int64)
    keys = np.stack([layers.rank, layers.level, loop, np.where(loop == NO_LOOP, size, 0)])[:, gates]
    order = np.lexsort(keys[::-1])
    gates, keys = gates[order], keys[:, order]
    begins = np.flatnonzero(np.append(True, np.any(np.diff(keys, axis=1) != 0, axis=0))[: len(gates)])
    in_loop = loop[gates] != NO_LOOP
    lead = np.where(in_loop, 3, 1)
    start = np.append(0, np.cumsum(lead + size[gates])).astype(np.int64)
    index = np.zeros(start[-1], np.uint32)
    index[start[:-1]] = 2 * (network.num_inputs + gates)
    index[start[:-1][in_loop] + 1] = network.starts_true[gates[in_loop]]
    index[start[:-1][in_loop] + 2] = size[gates[in_loop]]
    place = np.zeros(network.num_gates, np.int64)
    place[gates] = start[:-1] + lead
    reader = edge_readers(network)
    used = layers.rank[reader] < len(NEEDS)
    offset = np.arange(network.num_edges) - network.gate_start[reader]
    index[(place[reader] + offset)[used]] = network.gate_data[used]
    num_literals = np.where(in_loop[begins], LOOP, size[gates[begins]])
    runs = np.stack([num_literals, np.diff(np.append(begins, len(gates))), start[begins]], axis=1)
    return index, runs.astype(np.uint32), layers.rank[gates[begins]]


def _ranks_after_moves(network: Network, layers: Layers) -> BoolArray:
    """Tell which ranks depend on moves, shape (num_ranks,), bool."""
    node = network.gate_data >> 1
    is_move = (node > network.num_fluents) & (node < network.num_inputs)
    depends = np.zeros(len(NEEDS) + 1, np.bool_)
    depends[layers.rank[edge_readers(network)[is_move]]] = True
    for rank, need in enumerate(NEEDS):
        earlier = [before for before in range(rank) if before == 0 or NEEDS[before] & need == need]
        depends[rank] |= depends[earlier].any()
    return depends[:-1]


@jit
def set_dense_position(dense: DenseGates, position: WordArray) -> None:
    """Make a packed position, shape (num_words,), the current one, without moves."""
    changes = U0
    for number in range(dense.num_fluent_words):
        changed = dense.held[number] ^ position[number]
        flip_inputs(dense.truth, U1 + number * BITS, changed)
        dense.held[number] = position[number]
        changes |= changed
    if changes != U0:
        for rank in range(NUM_RANKS):
            dense.blocks[rank * U4 + U3] = STALE
    clear_dense_moves(dense)


@jit
def set_dense_moves(dense: DenseGates, moves: Int64Array) -> None:
    """Make moves in the current position, and no others; they are counted over all roles, shape (n,)."""
    clear_dense_moves(dense)
    for number in range(np.uint64(len(moves))):
        move = np.uint64(moves[number])
        at = dense.num_fluent_words + move // BITS
        added = (U1 << (move & LAST_BIT)) & ~dense.held[at]
        flip_inputs(dense.truth, U1 + dense.num_fluents + (move // BITS) * BITS, added)
        dense.held[at] ^= added
    for rank in range(NUM_RANKS):
        dense.blocks[rank * U4 + U3] &= ~dense.blocks[rank * U4 + U2]


@jit
def clear_dense_moves(dense: DenseGates) -> None:
    """Take all moves back."""
    changes = U0
    for at in range(dense.num_fluent_words, dense.num_input_words):
        changed = dense.held[at]
        flip_inputs(dense.truth, U1 + dense.num_fluents + (at - dense.num_fluent_words) * BITS, changed)
        dense.held[at] = U0
        changes |= changed
    if changes != U0:
        for rank in range(NUM_RANKS):
            dense.blocks[rank * U4 + U3] &= ~dense.blocks[rank * U4 + U2]


@jit
def flip_inputs(truth: UInt8Array, first: np.uint64, changed: np.uint64) -> None:
    """Flip the nodes that the set bits of a word stand for, counted from the first."""
    while changed != U0:
        literal = U2 * (first + lowest_bit(changed))
        changed &= changed - U1
        truth[literal] ^= ONE
        truth[literal + U1] ^= ONE


@jit
def answer_dense(dense: DenseGates, position: WordArray, moves: Int64Array, cone: int) -> None:
    """Find the outputs of a cone for a position and moves; see `set_dense_position` and `set_dense_moves`."""
    set_dense_position(dense, position)
    set_dense_moves(dense, moves)
    evaluate_dense(dense, cone)


@jit
def evaluate_dense(dense: DenseGates, cone: int) -> None:
    """Bring the outputs of a cone up to date."""
    truth, runs, blocks = dense.truth, dense.runs, dense.blocks
    entry = np.uint64(cone) * U3
    ranks = np.uint64(dense.cones[entry])
    for rank in range(NUM_RANKS):
        if (ranks >> rank) & U1 == U0 or blocks[rank * U4 + U3] != STALE:
            continue
        blocks[rank * U4 + U3] = FRESH
        for run in range(np.uint64(blocks[rank * U4]), np.uint64(blocks[rank * U4 + U1])):
            at = np.uint64(runs[run * U3 + U2])
            count = np.uint64(runs[run * U3 + U1])
            if runs[run * U3] == LOOP:
                evaluate_loop(truth, dense.operands, at, count)
            else:
                evaluate_run(truth, dense.operands, at, count, np.uint64(runs[run * U3]))
    outputs, held = dense.outputs, dense.held
    for number in range(np.uint64(dense.cones[entry + U1]), np.uint64(dense.cones[entry + U2])):
        word = U0
        first = (number - dense.num_input_words) * BITS
        for bit in range(BITS):
            word |= np.uint64(truth[np.uint64(outputs[first + bit])]) << bit
        held[number] = word


@jit
def evaluate_run(truth: UInt8Array, index: UInt32Array, at: np.uint64, count: np.uint64, size: np.uint64) -> None:
    """Evaluate gates that have equally many literals; most have two or three."""
    if size == U2:
        for _ in range(count):
            value = truth[np.uint64(index[at + U1])] & truth[np.uint64(index[at + U2])]
            truth[np.uint64(index[at])] = value
            truth[np.uint64(index[at]) + U1] = value ^ ONE
            at += U3
    elif size == U3:
        for _ in range(count):
            value = truth[np.uint64(index[at + U1])] & truth[np.uint64(index[at + U2])]
            value &= truth[np.uint64(index[at + U3])]
            truth[np.uint64(index[at])] = value
            truth[np.uint64(index[at]) + U1] = value ^ ONE
            at += U4
    else:
        for _ in range(count):
            value = ONE
            for place in range(at + U1, at + U1 + size):
                value &= truth[np.uint64(index[place])]
            truth[np.uint64(index[at])] = value
            truth[np.uint64(index[at]) + U1] = value ^ ONE
            at += U1 + size


@jit
def evaluate_loop(truth: UInt8Array, index: UInt32Array, first: np.uint64, count: np.uint64) -> None:
    """Evaluate the gates of a loop in turn, beginning with their first values, until nothing changes."""
    at = first
    for _ in range(count):
        truth[np.uint64(index[at])] = np.uint8(index[at + U1])
        truth[np.uint64(index[at]) + U1] = np.uint8(index[at + U1]) ^ ONE
        at += U3 + np.uint64(index[at + U2])
    is_changing = True
    while is_changing:
        is_changing = False
        at = first
        for _ in range(count):
            value = ONE
            end = at + U3 + np.uint64(index[at + U2])
            for place in range(at + U3, end):
                value &= truth[np.uint64(index[place])]
            if value != truth[np.uint64(index[at])]:
                truth[np.uint64(index[at])] = value
                truth[np.uint64(index[at]) + U1] = value ^ ONE
                is_changing = True
            at = end

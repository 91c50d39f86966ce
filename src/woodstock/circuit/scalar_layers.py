"""Layers of gates: which outputs need a gate, and how far above the inputs it is.

Gates are sorted by what they are needed for, so that what nobody asks for need not be evaluated, and then by level.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import NO_LOOP, Int32Array, Int64Array, Network
from woodstock.common.jit import jit

POSITION: Final = 0
NEXT: Final = 1
GOALS: Final = 2
PERCEPTS: Final = 3
"""The cones: legal moves and the end of the match, the next position, the goals, the percepts."""
NUM_CONES: Final = 4

NEEDS: Final = (1, *sorted(range(2, 16, 2), key=lambda need: (-need.bit_count(), need)))
"""For each *rank* the cones that need its gates, as bits. What a position needs comes first, then what most cones need:
so the gates of a rank read none of a later one."""


class Layers(NamedTuple):
    """Where gates stand.

    Attributes:
        rank: Index into NEEDS of each gate, or its length if no output needs it, shape (num_gates,), int64.
        level: 1 + the highest level, 0 for inputs, that the gate or its loop reads, shape (num_gates,), int64.
    """

    rank: Int64Array
    level: Int64Array


def cone_literals(network: Network) -> tuple[Int32Array, ...]:
    """Return the output literals of each cone."""
    position = np.append(network.legal, np.int32(network.terminal)).astype(np.int32)
    return position, network.next, network.goals, network.percepts


def find_layers(network: Network) -> Layers:
    """Find the rank and the level of each gate."""
    need = np.zeros(network.num_inputs + network.num_gates, np.int64)
    for cone, literals in enumerate(cone_literals(network)):
        need[literals >> 1] |= 1 << cone
    level = np.zeros(len(need), np.int64)
    spread_layers(network.gate_start, network.gate_data, network.gate_loop, need, level)
    ranks = np.array([NEEDS.index(min(bits, 1) if bits & 1 else bits) if bits else len(NEEDS) for bits in range(16)])
    return Layers(ranks[need[network.num_inputs :]], level[network.num_inputs :])


@jit
def spread_layers(start: Int64Array, data: Int32Array, loop: Int32Array, need: Int64Array, level: Int64Array) -> None:
    """Let gates need what their readers need, and put them above what they read; a loop is treated as one gate."""
    num_gates = len(loop)
    num_inputs = len(need) - num_gates
    end = num_gates
    while end > 0:
        first = end - 1
        while first > 0 and loop[first] != NO_LOOP and loop[first - 1] == loop[first]:
            first -= 1
        union = 0
        for node in range(num_inputs + first, num_inputs + end):
            union |= need[node]
        for node in range(num_inputs + first, num_inputs + end):
            need[node] = union
        for at in range(start[first], start[end]):
            need[data[at] >> 1] |= union
        end = first
    first = 0
    while first < num_gates:
        end = first + 1
        while end < num_gates and loop[first] != NO_LOOP and loop[end] == loop[first]:
            end += 1
        highest = 0
        for at in range(start[first], start[end]):
            if data[at] >> 1 < num_inputs + first:
                highest = max(highest, level[data[at] >> 1])
        for node in range(num_inputs + first, num_inputs + end):
            level[node] = highest + 1
        first = end


def edge_readers(network: Network) -> Int64Array:
    """Return the gate of each literal, shape (num_edges,), int64."""
    return np.repeat(np.arange(network.num_gates), np.diff(network.gate_start))

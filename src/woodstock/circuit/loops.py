"""Loops under construction, and the end of all building: the network with its gates in order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from woodstock.circuit.builder import EDGES, GATES, Builder
from woodstock.circuit.network import FALSE, NO_LOOP, BoolArray, Int32Array, Int64Array, Network, Outputs
from woodstock.common.jit import jit


class Loops(NamedTuple):
    """Loops under construction.

    While a loop is built its members are *stand-ins*, nodes beyond all gates, until it is known what they are.

    Attributes:
        first: The node of the first stand-in.
        alias: The literal that each stand-in turned out to be, shape (most stand-ins in a loop,), int32.
        rises: Whether each stand-in goes from false to true in the rounds of the loop, else from true to false; bool.
        gate_loop: The loop of each gate or NO_LOOP, int32.
        starts_true: Value of each gate of a loop before the first round, bool.
        end: The gate after those that were built for each loop, int64.
        total: Number of loops so far, shape (1,), int64.
    """

    first: int
    alias: Int32Array
    rises: BoolArray
    gate_loop: Int32Array
    starts_true: BoolArray
    end: Int64Array
    total: Int64Array


def make_loops(builder: Builder, max_stand_ins: int) -> Loops:
    """Return room for the loops of a network, with so many stand-ins in one."""
    max_gates = len(builder.start)
    return Loops(
        first=builder.num_inputs + max_gates,
        alias=np.zeros(max_stand_ins, dtype=np.int32),
        rises=np.zeros(max_stand_ins, dtype=np.bool_),
        gate_loop=np.full(max_gates, NO_LOOP, dtype=np.int32),
        starts_true=np.zeros(max_gates, dtype=np.bool_),
        end=np.zeros(max_gates, dtype=np.int64),
        total=np.zeros(1, dtype=np.int64),
    )


@jit
def open_stand_in(loops: Loops, number: int, rises: bool) -> int:
    """Begin with a member of a loop; return the literal that stands for it."""
    loops.rises[number] = rises
    return 2 * (loops.first + number)


@jit
def resolve(loops: Loops, literal: int) -> int:
    """Return what a literal of a stand-in is; a member that only leads back to itself keeps its first value."""
    for _ in range(len(loops.alias) + 1):
        if literal >> 1 < loops.first:
            return literal
        previous = literal
        literal = loops.alias[(literal >> 1) - loops.first] ^ (literal & 1)
    rises = loops.rises[(previous >> 1) - loops.first]
    return (FALSE if rises else FALSE ^ 1) ^ (previous & 1)


@jit
def close_loop(builder: Builder, loops: Loops, begin: int) -> None:
    """End a loop whose members are built, from gate `begin` on: mark its gates, and replace the stand-ins."""
    loop = loops.total[0]
    is_empty = True
    for gate in range(begin, builder.counts[GATES]):
        rising = falling = False
        for place in range(builder.start[gate], builder.start[gate + 1]):
            literal = builder.data[place]
            node = literal >> 1
            if node >= loops.first:
                up = loops.rises[node - loops.first]
            elif node >= builder.num_inputs and loops.gate_loop[node - builder.num_inputs] == loop:
                up = not loops.starts_true[node - builder.num_inputs]
            else:
                continue
            rising = rising or up == (literal & 1 == 0)
            falling = falling or up != (literal & 1 == 0)
        if rising or falling:
            loops.gate_loop[gate] = loop
            loops.starts_true[gate] = falling
            is_empty = False
    for place in range(builder.start[begin], builder.counts[EDGES]):
        builder.data[place] = resolve(loops, builder.data[place])
    if not is_empty:
        loops.end[loop] = builder.counts[GATES]
        loops.total[0] = loop + 1


def finish_network(builder: Builder, loops: Loops, outputs: Outputs) -> Network:
    """Number the gates anew, so that each stands behind what it depends on and the gates of a loop together."""
    num_gates = int(builder.counts[GATES])
    gate_loop = loops.gate_loop[:num_gates]
    order = np.arange(num_gates)
    for loop in range(int(loops.total[0])):
        # A member may turn out to be a gate that needs no other member, and was built after its users.
        span = slice(np.flatnonzero(gate_loop == loop)[0], loops.end[loop])
        order[span] = order[span][np.argsort(gate_loop[span] == loop, kind="stable")]
    new_node = np.arange(builder.num_inputs + num_gates, dtype=np.int32)
    new_node[builder.num_inputs + order] = builder.num_inputs + np.arange(num_gates)
    sizes = np.diff(builder.start[: num_gates + 1])[order]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.arange(start[-1]) - np.repeat(start[:-1] - builder.start[:-1][order], sizes)
    data = builder.data[places]
    _, kept = np.unique(gate_loop[order], return_inverse=True)
    numbered = kept - (1 if num_gates and gate_loop.min() == NO_LOOP else 0)
    found = outputs.mapped(2 * np.repeat(new_node, 2) + np.tile(np.array([0, 1], np.int32), len(new_node)))
    return Network(
        num_fluents=builder.first_move - 1,
        num_moves=builder.num_inputs - builder.first_move,
        gate_start=start,
        gate_data=2 * new_node[data >> 1] + (data & 1),
        gate_loop=numbered.astype(np.int32),
        starts_true=loops.starts_true[:num_gates][order],
        next=found.next,
        legal=found.legal,
        terminal=int(found.terminal[0]),
        goals=found.goals,
        percepts=found.percepts,
    )

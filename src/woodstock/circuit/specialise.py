"""Networks made again: with some inputs fixed, without what nothing needs any more."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.builder import FULL, GATES, NO_GROUP, STATUS, Builder, Facts, Groups, make_builder
from woodstock.circuit.conjunctions import make_and
from woodstock.circuit.loops import Loops, close_loop, finish_network, make_loops, open_stand_in, resolve
from woodstock.circuit.network import FALSE, NO_LOOP, TRUE, BoolArray, Int32Array, Int64Array, Network
from woodstock.common.jit import jit

MANY: Final = 1 << 20
"""As many uses as more than one."""


def specialise(network: Network, groups: Groups, fixed: Int32Array) -> Network:
    """Return a network in which some inputs have a fixed value.

    Args:
        network: The network.
        groups: Inputs that exclude each other.
        fixed: For each input its positive literal, or TRUE or FALSE if it is fixed, shape (num_inputs,), int32.
    """
    remaining = without_fixed(groups, fixed)
    sizes = np.bincount(network.gate_loop[network.gate_loop != NO_LOOP])
    room = 2 * network.num_edges + network.num_gates + 1024
    while True:
        builder = make_builder(remaining, no_facts(network.num_moves), room)
        loops = make_loops(builder, int(sizes.max(initial=0)))
        literal_of = np.zeros(network.num_inputs + network.num_gates, dtype=np.int32)
        literal_of[: network.num_inputs] = fixed
        _rebuild(gates_of(network), count_uses(network), builder, loops, literal_of)
        if builder.counts[STATUS] != FULL:
            signed = np.stack([literal_of, literal_of ^ 1], axis=1).ravel()
            return finish_network(builder, loops, network.outputs.mapped(signed))
        room *= 2


def no_facts(num_moves: int) -> Facts:
    """Return facts about moves that say nothing."""
    return Facts(np.zeros(num_moves + 1, np.int64), np.zeros(0, np.int32))


def without_fixed(groups: Groups, fixed: Int32Array) -> Groups:
    """Return the groups of the inputs that are not fixed."""
    free = fixed > FALSE
    of_node = np.where(free, groups.of_node, NO_GROUP).astype(np.int32)
    kept = free[groups.data]
    group_of_place = np.repeat(np.arange(len(groups.is_exact)), np.diff(groups.start))
    sizes = np.bincount(group_of_place[kept], minlength=len(groups.is_exact))
    # A member that is fixed to true settles its group: nothing is known of the others that is not known already.
    holds = np.bincount(group_of_place[fixed[groups.data] == TRUE], minlength=len(groups.is_exact)) > 0
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Groups(of_node, start, groups.data[kept], groups.is_exact & ~holds)


class Gates(NamedTuple):
    """The gates of a network, for kernels; see `Network`."""

    num_inputs: int
    start: Int64Array
    data: Int32Array
    loop: Int32Array
    starts_true: BoolArray


def gates_of(network: Network) -> Gates:
    """Return the gates of a network, for kernels."""
    return Gates(network.num_inputs, network.gate_start, network.gate_data, network.gate_loop, network.starts_true)


def count_uses(network: Network) -> Int32Array:
    """Return how often each node is used by gates that are used themselves, shape (num_nodes,), int32.

    Complements, outputs and loops count as many uses: a node that is used once is part of one conjunction and of
    nothing else.
    """
    uses = np.zeros(network.num_inputs + network.num_gates, dtype=np.int32)
    for output in network.outputs:
        uses[output >> 1] = MANY
    _count_uses(gates_of(network), uses)
    return uses


def find_cone(network: Network, literals: Int32Array) -> BoolArray:
    """Return which nodes some literals depend on, their own among them, shape (num_nodes,), bool."""
    uses = np.zeros(network.num_inputs + network.num_gates, dtype=np.int32)
    uses[literals >> 1] = MANY
    _count_uses(gates_of(network), uses)
    return uses > 0


@jit
def _count_uses(gates: Gates, uses: Int32Array) -> None:
    """Add the uses by gates, last gate first; the gates of a loop are all used if one of them is."""
    gate = len(gates.start) - 2
    while gate >= 0:
        first = gate
        in_loop = gates.loop[gate] != NO_LOOP
        if in_loop:
            while first > 0 and gates.loop[first - 1] == gates.loop[gate]:
                first -= 1
        used = False
        for member in range(first, gate + 1):
            used = used or uses[gates.num_inputs + member] > 0
        if used:
            for place in range(gates.start[first], gates.start[gate + 1]):
                literal = gates.data[place]
                # Not more than MANY: thousands of times as many would overflow.
                more = MANY if in_loop or literal & 1 == 1 else 1
                uses[literal >> 1] = min(uses[literal >> 1] + more, MANY)
        gate = first - 1


@jit
def _rebuild(gates: Gates, uses: Int32Array, builder: Builder, loops: Loops, literal_of: Int32Array) -> None:
    """Build all gates that are used anew, and set their literals; one that is used once becomes part of its user."""
    scratch = np.zeros(len(gates.data) + 64, dtype=np.int32)
    stack = np.zeros(len(gates.data) + 64, dtype=np.int32)
    gate = 0
    while gate < len(gates.start) - 1 and builder.counts[STATUS] == 0:
        node = gates.num_inputs + gate
        if gates.loop[gate] != NO_LOOP:
            gate = rebuild_loop(gates, builder, loops, gate, literal_of)
            continue
        if uses[node] > 1:
            count = _leaves(gates, uses, gate, stack, scratch)
            for number in range(count):
                scratch[number] = literal_of[scratch[number] >> 1] ^ (scratch[number] & 1)
            literal_of[node] = make_and(builder, scratch, count)
        gate += 1


@jit
def _leaves(gates: Gates, uses: Int32Array, gate: int, stack: Int32Array, found: Int32Array) -> int:
    """Collect the literals of a gate, and in place of a gate that is used here alone the literals of that."""
    count = 0
    top = 1
    stack[0] = 2 * (gates.num_inputs + gate)
    while top > 0:
        top -= 1
        inner = (stack[top] >> 1) - gates.num_inputs
        for place in range(gates.start[inner], gates.start[inner + 1]):
            literal = gates.data[place]
            node = literal >> 1
            if node >= gates.num_inputs and uses[node] == 1 and gates.loop[node - gates.num_inputs] == NO_LOOP:
                stack[top] = literal
                top += 1
            else:
                found[count] = literal
                count += 1
    return count


@jit
def rebuild_loop(gates: Gates, builder: Builder, loops: Loops, first: int, literal_of: Int32Array) -> int:
    """Build the gates of a loop anew; return the gate after it."""
    begin = builder.counts[GATES]
    last = first
    while last < len(gates.start) - 1 and gates.loop[last] == gates.loop[first]:
        literal_of[gates.num_inputs + last] = open_stand_in(loops, last - first, not gates.starts_true[last])
        last += 1
    scratch = np.zeros(gates.start[last] - gates.start[first] + 64, dtype=np.int32)
    for gate in range(first, last):
        count = 0
        for place in range(gates.start[gate], gates.start[gate + 1]):
            literal = gates.data[place]
            scratch[count] = literal_of[literal >> 1] ^ (literal & 1)
            count += 1
        loops.alias[gate - first] = make_and(builder, scratch, count)
        literal_of[gates.num_inputs + gate] = loops.alias[gate - first]
    close_loop(builder, loops, begin)
    for gate in range(first, last):
        literal_of[gates.num_inputs + gate] = resolve(loops, literal_of[gates.num_inputs + gate])
    return last

"""Gates under construction: each is kept once, and found again by its literals.

A *group* is a set of inputs of which at most one holds: the moves of a role (exactly one is made), or fluents that were
proved to exclude each other. A *fact* of a move is a literal that holds whenever the move is made, because the move is
legal only then. What both make of conjunctions is in `woodstock.circuit.conjunctions`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.network import TRUE, BoolArray, Int32Array, Int64Array
from woodstock.common.jit import jit

NO_GROUP: Final = -1

GATES: Final = 0
EDGES: Final = 1
STATUS: Final = 2
"""Places in `Builder.counts`."""

MEMBER: Final = 0
TALLY: Final = 1
"""Places in `Builder.of_group`: a member of the group that a conjunction asks for, or a mark; how many literals exclude
members, or ask for one of some."""
MARK: Final = 0
NOTED: Final = 1
OTHERS: Final = 2
VOTES: Final = 3
"""Places in `Builder.of_input`: whether the input is excluded; a list of inputs or groups; a list of literals; how many
literals of a conjunction ask for the input or another one."""

SCATTER: Final = 2654435761
"""A prime near 2^32 divided by the golden ratio: products with it look random, and stay below 2^63."""
LOW_BITS: Final = 0x7FFFFFFF

ANY_KIND: Final = 0
ONE_GROUP: Final = 1
SEVERAL_GROUPS: Final = 2
"""Kinds of gates: those that say "none of these members of exact groups" are of one group or of several."""

FULL: Final = 1
"""Status of a builder that ran out of room: what was built is worth nothing."""


class Groups(NamedTuple):
    """Inputs that exclude each other.

    Attributes:
        of_node: The group of each input node, or NO_GROUP, shape (num_inputs,), int32.
        start: Where the members of each group begin in `data`, shape (num_groups + 1,), int64.
        data: Members, as nodes, int32.
        is_exact: Whether one member of a group always holds, shape (num_groups,), bool.
    """

    of_node: Int32Array
    start: Int64Array
    data: Int32Array
    is_exact: BoolArray


class Facts(NamedTuple):
    """What holds when a move is made.

    Attributes:
        start: Where the facts of each move begin in `data`, shape (num_moves + 1,), int64.
        data: Literals, sorted for each move, int32.
    """

    start: Int64Array
    data: Int32Array


class Builder(NamedTuple):
    """Gates that are being made.

    Attributes:
        num_inputs: Number of input nodes; gate g is node `num_inputs + g`.
        first_move: The node of move 0; the moves are the last inputs.
        start: Where the literals of each gate begin in `data`, int64.
        data: Literals of the gates, sorted for each gate, int32.
        kind: What kind of gate each is; see ONE_GROUP; uint8.
        table: Hash table of gates, -1 where empty; its size is a power of two; int32.
        counts: Gates and edges so far, and the status, shape (3,), int64.
        groups: Inputs that exclude each other.
        facts: What holds when a move is made.
        of_group: Scratch for each group: see MEMBER and TALLY, shape (2, num_groups), int32.
        of_input: Scratch for each input: see MARK and those after it, shape (4, num_inputs), int32.
    """

    num_inputs: int
    first_move: int
    start: Int64Array
    data: Int32Array
    kind: npt.NDArray[np.uint8]
    table: Int32Array
    counts: Int64Array
    groups: Groups
    facts: Facts
    of_group: Int32Array
    of_input: Int32Array


def make_builder(groups: Groups, facts: Facts, room: int) -> Builder:
    """Return an empty builder with room for so many edges, and half as many gates."""
    num_inputs = len(groups.of_node)
    num_moves = len(facts.start) - 1
    num_groups = len(groups.is_exact)
    max_gates = room // 2 + 1
    return Builder(
        num_inputs=num_inputs,
        first_move=num_inputs - num_moves,
        start=np.zeros(max_gates + 1, dtype=np.int64),
        data=np.zeros(room, dtype=np.int32),
        kind=np.zeros(max_gates, dtype=np.uint8),
        table=np.full(1 << (2 * max_gates).bit_length(), -1, dtype=np.int32),
        counts=np.zeros(3, dtype=np.int64),
        groups=groups,
        facts=facts,
        of_group=np.zeros((2, num_groups), dtype=np.int32),
        of_input=np.zeros((4, num_inputs), dtype=np.int32),
    )


@jit
def add_gate(builder: Builder, literals: Int32Array, count: int) -> int:
    """Append a gate without looking for an equal one; return its node, or 0 if there is no room."""
    gate = builder.counts[GATES]
    edge = builder.counts[EDGES]
    if gate + 1 >= len(builder.start) or edge + count > len(builder.data):
        builder.counts[STATUS] = FULL
        return 0
    for number in range(count):
        builder.data[edge + number] = literals[number]
    builder.start[gate + 1] = edge + count
    builder.counts[GATES] = gate + 1
    builder.counts[EDGES] = edge + count
    return int(builder.num_inputs + gate)


@jit
def _hash(literals: Int32Array, count: int) -> int:
    code = np.int64(count)
    for number in range(count):
        code = ((code ^ np.int64(literals[number])) * SCATTER) & LOW_BITS
        code ^= code >> 15
    return int(code)


@jit
def find_or_add(builder: Builder, literals: Int32Array, count: int) -> int:
    """Return the positive literal of the gate with these sorted literals."""
    mask = len(builder.table) - 1
    place = _hash(literals, count) & mask
    while builder.table[place] != -1:
        gate = builder.table[place] - builder.num_inputs
        first = builder.start[gate]
        if builder.start[gate + 1] - first == count:
            same = True
            for number in range(count):
                if builder.data[first + number] != literals[number]:
                    same = False
                    break
            if same:
                return int(2 * builder.table[place])
        place = (place + 1) & mask
    node = add_gate(builder, literals, count)
    if node == 0:
        return TRUE
    builder.table[place] = node
    builder.kind[node - builder.num_inputs] = _kind(builder, literals, count)
    return 2 * node


@jit
def _kind(builder: Builder, literals: Int32Array, count: int) -> int:
    """Tell whether a conjunction excludes members of exact groups and does nothing else, and of how many groups."""
    groups = builder.groups
    first = NO_GROUP
    kind = ONE_GROUP
    for number in range(count):
        node = literals[number] >> 1
        if literals[number] & 1 == 0 or node >= builder.num_inputs:
            return ANY_KIND
        group = groups.of_node[node]
        if group == NO_GROUP or not groups.is_exact[group]:
            return ANY_KIND
        if number > 0 and group != first:
            kind = SEVERAL_GROUPS
        first = group
    return kind

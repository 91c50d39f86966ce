"""Products: what compound gates are written as.

A *product* is a conjunction of one to three literals. A gate holds if none of its products does. The *kind* of a
product is its number of literals and of complements among them. The *shape* of a gate is how many products of each kind
it has.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.common.jit import jit

MAX_PRODUCT: Final = 3
"""A gate that is taken in as a product has at most so many literals."""

NUM_KINDS: Final = 9
FIRST_KINDS: Final = (0, 0, 2, 5)
"""Kind of a product without complements, by its number of literals; each complement makes it one more."""
PRODUCT_SIZES: Final = (1, 1, 2, 2, 2, 3, 3, 3, 3)
"""Number of literals of a product, by its kind."""
NUM_COMPLEMENTS: Final = (0, 1, 0, 1, 2, 0, 1, 2, 3)
"""Number of complements among them, by its kind."""

PRODUCT_WORDS: Final = 1 + MAX_PRODUCT
"""Room for a product: its kind and its literals."""

NO_SHAPE: Final = -1
NO_READER: Final = -1
SEVERAL: Final = -2
"""The readers of an output, and of a gate that is read more than once."""

STORED: Final = 0
MERGED: Final = 1
"""Taken in by a reader of the gate itself: its products become the reader's."""
INNER: Final = 2
"""Taken in by a reader of its complement: its literals become a product."""


class Gates(NamedTuple):
    """The gates that are stored, renumbered, in the order of the network.

    Attributes:
        num_inputs: Number of nodes that are no gates.
        start: Where the literals of each gate begin in `data`, shape (num_gates + 1,), int64.
        data: Literals of the products, in the order of their kinds, complements last; gate g is node `num_inputs + g`;
            shape (num_edges,), int32.
        shape: Shape of each gate, shape (num_gates,), int32.
        shapes: How many products of each kind the gates of a shape have, shape (num_shapes, NUM_KINDS), int32.
        number: The gate of the network that each gate is, shape (num_gates,), int32.
        cone: The first cone that needs each gate, shape (num_gates,), int32.
        loop: The loop that each gate is in, or NO_LOOP, shape (num_gates,), int32. The gates of a loop stand together.
    """

    num_inputs: int
    start: Int64Array
    data: Int32Array
    shape: Int32Array
    shapes: Int32Array
    number: Int32Array
    cone: Int32Array
    loop: Int32Array


class Wiring(NamedTuple):
    """The gates of a network, and what is found out about them; all arrays have the shape (num_gates,).

    Attributes:
        num_inputs: Number of nodes that are no gates.
        start: As in the network.
        data: As in the network.
        loop: As in the network.
        cone: The first cone that needs a gate, int32.
        reader: The gate that reads a gate, `2 * gate + negated`, SEVERAL or NO_READER, int32.
        state: STORED, MERGED or INNER, int32.
        length: Number of literals of a gate if all its products have one, else more than MAX_PRODUCT; int32.
    """

    num_inputs: int
    start: Int64Array
    data: Int32Array
    loop: Int32Array
    cone: Int32Array
    reader: Int32Array
    state: Int32Array
    length: Int32Array


@jit
def write_gates(wiring: Wiring, gates: Gates, node: Int32Array, table: Int32Array, room: Int32Array) -> int:
    """Write the literals and the shapes of all gates that are stored; return the number of shapes.

    Args:
        wiring: The gates of the network.
        gates: The arrays to write to.
        node: Node of each gate of the network that is stored.
        table: Room for a hash table of shapes, all NO_SHAPE; its length is a power of two.
        room: Room for the products of one gate.
    """
    stack = np.empty(len(node) + 1, np.int32)
    place = np.empty(NUM_KINDS, np.int64)
    num_shapes = 0
    end = 0
    for gate in range(len(gates.number)):
        num_products = _expand(wiring, node, gates.number[gate], stack, room)
        shape = gates.shapes[num_shapes]
        for kind in range(NUM_KINDS):
            shape[kind] = 0
        for product in range(num_products):
            shape[room[PRODUCT_WORDS * product]] += 1
        for kind in range(NUM_KINDS):
            place[kind] = end
            end += shape[kind] * PRODUCT_SIZES[kind]
        gates.start[gate + 1] = end
        for product in range(num_products):
            kind = room[PRODUCT_WORDS * product]
            for number in range(PRODUCT_SIZES[kind]):
                gates.data[place[kind]] = room[PRODUCT_WORDS * product + 1 + number]
                place[kind] += 1
        number = _find_shape(gates.shapes, num_shapes, table)
        gates.shape[gate] = number
        num_shapes = max(num_shapes, number + 1)
    return num_shapes


@jit
def _expand(wiring: Wiring, node: Int32Array, gate: int, stack: Int32Array, room: Int32Array) -> int:
    """Write the products of a gate, of each its kind and three places for literals; return their number."""
    stack[0] = gate
    top = 1
    count = 0
    while top > 0:
        top -= 1
        current = stack[top]
        for at in range(wiring.start[current], wiring.start[current + 1]):
            literal = wiring.data[at]
            source = (literal >> 1) - wiring.num_inputs
            state = wiring.state[source] if source >= 0 else STORED
            if state == MERGED:
                stack[top] = source
                top += 1
            else:
                if state == INNER:
                    room[PRODUCT_WORDS * count] = _expand_product(
                        wiring, node, (source, top), stack, room[PRODUCT_WORDS * count + 1 :]
                    )
                else:
                    room[PRODUCT_WORDS * count] = 1 - (literal & 1)
                    room[PRODUCT_WORDS * count + 1] = 1 ^ (literal if source < 0 else 2 * node[source] + (literal & 1))
                count += 1
    return count


@jit
def _expand_product(
    wiring: Wiring, node: Int32Array, gate: tuple[int, int], stack: Int32Array, room: Int32Array
) -> int:
    """Write the literals of a product, complements last, and return its kind.

    Args:
        wiring: The gates of the network.
        node: Node of each gate that is stored.
        gate: The gate that is the product, and where it may use the stack.
        stack: Room for gates.
        room: Where the literals go.
    """
    stack[gate[1]] = gate[0]
    top = gate[1] + 1
    size = 0
    complements = 0
    while top > gate[1]:
        top -= 1
        current = stack[top]
        for at in range(wiring.start[current], wiring.start[current + 1]):
            literal = wiring.data[at]
            source = (literal >> 1) - wiring.num_inputs
            if source >= 0 and wiring.state[source] == MERGED:
                stack[top] = source
                top += 1
            else:
                if source >= 0:
                    literal = 2 * node[source] + (literal & 1)
                if literal & 1:
                    complements += 1
                    room[size] = literal
                else:
                    room[size] = room[size - complements]
                    room[size - complements] = literal
                size += 1
    return FIRST_KINDS[size] + complements


@jit
def _find_shape(shapes: Int32Array, new: int, table: Int32Array) -> int:
    """Return the number of the shape that is equal to the new one: an earlier one, or the new one itself."""
    key = 0
    for kind in range(NUM_KINDS):
        key = key * 31 + int(shapes[new, kind])
    mask = len(table) - 1
    at = (key ^ (key >> 7)) & mask
    while table[at] != NO_SHAPE:
        shape = table[at]
        is_equal = True
        for kind in range(NUM_KINDS):
            is_equal &= shapes[shape, kind] == shapes[new, kind]
        if is_equal:
            return int(shape)
        at = (at + 1) & mask
    table[at] = new
    return new

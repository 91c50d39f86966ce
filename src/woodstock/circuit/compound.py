"""Compound gates: gates that take in those that nobody else reads.

Reading and writing values is what evaluation waits for. A gate with one reader need not be stored: the reader works it
out by itself. So every gate that is stored says of a few products (see `woodstock.circuit.products`) that none of them
holds. The frame axiom `set or (old and not clear)`, say, is the complement of one gate with the products `set` and `old
and not clear`. A plain conjunction has the complements of its literals as products.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from woodstock.circuit.network import NO_LOOP, Int32Array, Network
from woodstock.circuit.products import (
    INNER,
    MAX_PRODUCT,
    MERGED,
    NO_READER,
    NO_SHAPE,
    NUM_KINDS,
    PRODUCT_WORDS,
    SEVERAL,
    STORED,
    Gates,
    Wiring,
    write_gates,
)
from woodstock.common.jit import jit


def compound(network: Network, cones: Sequence[Int32Array]) -> Gates:
    """Return the gates that the output literals of cones need, with few of them stored."""
    num_gates = network.num_gates
    cone = np.full(num_gates, len(cones), np.int32)
    reader = np.full(num_gates, NO_READER, np.int32)
    for number in reversed(range(len(cones))):
        outputs = (cones[number] >> 1) - network.num_inputs
        outputs = outputs[outputs >= 0]
        cone[outputs] = number
        reader[outputs] = SEVERAL
    state, length = np.zeros((2, num_gates), np.int32)
    wiring = Wiring(
        network.num_inputs, network.gate_start, network.gate_data, network.gate_loop, cone, reader, state, length
    )
    _find_cones_and_readers(wiring, len(cones))
    _choose_states(wiring)
    return _collect(wiring)


def _collect(wiring: Wiring) -> Gates:
    """Return the gates that are stored."""
    is_used = wiring.reader != NO_READER
    stored = np.flatnonzero(is_used & (wiring.state == STORED)).astype(np.int32)
    cone, loop = wiring.cone[stored], wiring.loop[stored]
    if loop.max(initial=NO_LOOP) != NO_LOOP:
        # A loop that several cones need is several loops.
        is_loop = loop != NO_LOOP
        unit = np.cumsum(np.append(True, ~is_loop[1:] | (loop[1:] != loop[:-1])))
        order = np.lexsort((np.where(is_loop, cone, 0), unit))
        loop = np.where(is_loop, loop * (int(cone.max()) + 1) + cone, NO_LOOP).astype(np.int32)
        stored, cone, loop = stored[order], cone[order], loop[order]
    # A gate that is taken in is one literal less.
    num_literals = int(np.diff(wiring.start)[is_used].sum()) - (np.count_nonzero(is_used) - len(stored))
    gates = Gates(
        num_inputs=wiring.num_inputs,
        start=np.zeros(len(stored) + 1, np.int64),
        data=np.empty(num_literals, np.int32),
        shape=np.empty(len(stored), np.int32),
        shapes=np.empty((len(stored) + 1, NUM_KINDS), np.int32),
        number=stored,
        cone=cone,
        loop=loop,
    )
    node = np.zeros(len(is_used), np.int32)
    node[stored] = wiring.num_inputs + np.arange(len(stored), dtype=np.int32)
    table = np.full(1 << (2 * len(stored)).bit_length(), NO_SHAPE, np.int32)
    room = np.empty(PRODUCT_WORDS * (num_literals + 1), np.int32)
    num_shapes = write_gates(wiring, gates, node, table, room)
    return gates._replace(shapes=gates.shapes[:num_shapes].copy())


@jit
def _find_cones_and_readers(wiring: Wiring, num_cones: int) -> None:
    """Find the first cone that needs each gate, `num_cones` if none does, and its reader."""
    cone = wiring.cone
    gate = len(cone) - 1
    while gate >= 0:
        first = gate
        while wiring.loop[gate] != NO_LOOP and first > 0 and wiring.loop[first - 1] == wiring.loop[gate]:
            first -= 1
        changing = True
        while changing:
            changing = False
            for member in range(gate, first - 1, -1):
                for at in range(wiring.start[member], wiring.start[member + 1]):
                    source = (wiring.data[at] >> 1) - wiring.num_inputs
                    if source >= 0 and cone[member] < cone[source]:
                        cone[source] = cone[member]
                        changing |= source > member
        gate = first - 1
    for gate in range(len(cone)):
        if cone[gate] < num_cones:
            for at in range(wiring.start[gate], wiring.start[gate + 1]):
                source = (wiring.data[at] >> 1) - wiring.num_inputs
                if source >= 0:
                    is_first = wiring.reader[source] == NO_READER
                    wiring.reader[source] = 2 * gate + (wiring.data[at] & 1) if is_first else SEVERAL


@jit
def _choose_states(wiring: Wiring) -> None:
    """Choose which gates are taken in by their reader."""
    for gate in range(len(wiring.reader)):
        reader = wiring.reader[gate]
        if reader == NO_READER:
            continue
        length = 0
        for at in range(wiring.start[gate], wiring.start[gate + 1]):
            source = (wiring.data[at] >> 1) - wiring.num_inputs
            state = wiring.state[source] if source >= 0 else STORED
            length += wiring.length[source] if state == MERGED else 1 if state == STORED else MAX_PRODUCT + 1
        wiring.length[gate] = length
        # In a loop the reader may come first; then it needs the value of the last round.
        if reader >= 0 and reader >> 1 > gate and wiring.loop[reader >> 1] == wiring.loop[gate]:
            if reader & 1 == 0:
                wiring.state[gate] = MERGED
            elif 1 <= length <= MAX_PRODUCT:
                wiring.state[gate] = INNER

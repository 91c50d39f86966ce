"""Wirings: a network made ready for incremental evaluation.

Gates are sorted by rank and level, see `scalar_layers`. A gate in a loop has two places: one where changes of its
literals are told, one for the result.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.network import NO_LOOP, BoolArray, Int32Array, Int64Array, Network
from woodstock.circuit.packing import num_words, pack
from woodstock.circuit.scalar_kernels import (
    FLIPS,
    HUBS,
    LAST_WAITING,
    LOOPS,
    NOT_WAITING,
    UInt32Array,
    Wiring,
)
from woodstock.circuit.scalar_layers import NEEDS, NUM_CONES, Layers, cone_literals, edge_readers, find_layers
from woodstock.circuit.words import WordArray

FloatArray = npt.NDArray[np.float64]

HUB_RATIO: Final = 2.0
"""A hub flips at least that many times as often as all other literals of its gate together."""
HUB_FLIPS: Final = 0.1
"""A hub flips at least that often in a step."""
NO_PLACE: Final = -1


class Places(NamedTuple):
    """The places of nodes.

    Attributes:
        of_node: Where the value of each node is, shape (num_inputs + num_gates,), int64.
        of_gate: Where the literals of each gate are told, shape (num_gates,), int64. Both are NO_PLACE if not needed.
        kinds: Kind of each group, shape (num_groups,), uint32.
        rank_start: First group of each rank, and their end, shape (num_ranks + 1,), int64.
        output_start: First group of the legal moves, the end, the next position, goals, percepts; and their end.
    """

    of_node: Int64Array
    of_gate: Int64Array
    kinds: UInt32Array
    rank_start: Int64Array
    output_start: Int64Array


def find_hubs(network: Network, flips: FloatArray) -> BoolArray:
    """Find the literals that are the hub of their gate, shape (num_edges,), bool; gates in loops have none.

    Args:
        network: The network.
        flips: How often each node flips in a step, shape (num_inputs + num_gates,), float64.
    """
    reader = edge_readers(network)
    rate = flips[network.gate_data >> 1]
    order = np.lexsort((-rate, reader))
    gates, first = np.unique(reader[order], return_index=True)
    fastest = order[first]
    others = np.bincount(reader, rate, minlength=network.num_gates)[gates] - rate[fastest]
    chosen = (rate[fastest] >= HUB_FLIPS) & (rate[fastest] >= HUB_RATIO * others)
    is_hub = np.zeros(network.num_edges, np.bool_)
    is_hub[fastest[chosen & (network.gate_loop[gates] == NO_LOOP)]] = True
    return is_hub


def assign_places(network: Network, layers: Layers, has_hub: BoolArray) -> Places:
    """Give places to all nodes; those of gates of one rank, level and kind begin a new group."""
    fluents, moves = num_words(network.num_fluents), num_words(network.num_moves)
    constant = 64 * (fluents + moves)
    needed = np.flatnonzero(layers.rank < len(NEEDS))
    loop = network.gate_loop[needed].astype(np.int64)
    gate = np.concatenate([needed, needed[loop != NO_LOOP]])
    is_result = np.arange(len(gate)) >= len(needed)
    loop = network.gate_loop[gate].astype(np.int64)
    kind = np.where(loop == NO_LOOP, np.where(has_hub[gate], HUBS, FLIPS), np.where(is_result, FLIPS, LOOPS + loop))
    # The results of a loop follow its gates.
    sort = np.where(loop == NO_LOOP, kind, 2 + 2 * loop + is_result).astype(np.int64)
    keys = np.stack([layers.rank[gate], layers.level[gate], sort])
    order = np.lexsort(keys[::-1])
    begins = np.append(True, np.any(np.diff(keys[:, order], axis=1) != 0, axis=0))[: len(order)]
    bounds = np.append(np.flatnonzero(begins), len(order))
    num_groups = (np.diff(bounds) + 63) // 64
    first_group = fluents + moves + 1 + np.append(0, np.cumsum(num_groups)).astype(np.int64)
    run = np.cumsum(begins) - 1
    place = np.empty(len(order), np.int64)
    place[order] = 64 * first_group[run] + np.arange(len(order)) - bounds[run]
    of_gate = np.full(network.num_gates, NO_PLACE, np.int64)
    of_gate[needed] = place[: len(needed)]
    of_result = of_gate.copy()
    of_result[gate[is_result]] = place[len(needed) :]
    sizes = [network.num_moves, 1, network.num_fluents, len(network.goals), len(network.percepts)]
    output_start = first_group[-1] + np.cumsum([0] + [num_words(size) for size in sizes])
    rank_of_run = layers.rank[gate[order[bounds[:-1]]]]
    kinds = np.zeros(output_start[-1], np.uint32)
    kinds[fluents + moves + 1 : first_group[-1]] = np.repeat(kind[order[bounds[:-1]]], num_groups)
    return Places(
        of_node=np.concatenate(
            [[constant], np.arange(network.num_fluents), 64 * fluents + np.arange(network.num_moves), of_result]
        ),
        of_gate=of_gate,
        kinds=kinds,
        rank_start=first_group[np.searchsorted(rank_of_run, np.arange(len(NEEDS) + 1))],
        output_start=output_start,
    )


def wire(network: Network, flips: FloatArray | None = None) -> tuple[Wiring, Places]:
    """Return a network made ready for incremental evaluation, all fluents and moves false, nothing settled.

    Args:
        network: The network.
        flips: How often each node flips in a step, to find hubs; None for no hubs.
    """
    layers = find_layers(network)
    is_hub = np.zeros(network.num_edges, np.bool_) if flips is None else find_hubs(network, flips)
    reader = edge_readers(network)
    has_hub = np.zeros(network.num_gates, np.bool_)
    has_hub[reader[is_hub]] = True
    places = assign_places(network, layers, has_hub)
    num_places = 64 * len(places.kinds)
    source, target, repeats = _told_edges(network, places, is_hub, has_hub)
    order = np.argsort(source >> 1, kind="stable")
    wires = np.full(4 * (num_places + 1) + len(source), NOT_WAITING, np.uint32)
    records = wires[: 4 * (num_places + 1)].reshape(-1, 4)
    counts = np.bincount(source >> 1, minlength=num_places)
    records[:, 0] = 4 * (num_places + 1) + np.append(0, np.cumsum(counts))
    wires[4 * (num_places + 1) :] = (4 * target + 2 * repeats + (source & 1))[order]
    hub = 2 * places.of_node[network.gate_data[is_hub] >> 1] + (network.gate_data[is_hub] & 1)
    used = places.of_gate[reader[is_hub]] != NO_PLACE
    records[hub[used] >> 1, 1] = LAST_WAITING
    records[places.of_gate[reader[is_hub]][used], 2] = hub[used]
    state, pending = _first_state(network, places, source, target)
    loops, stack_size = _loop_tables(network, places)
    fluent_groups = num_words(network.num_fluents)
    wiring = Wiring(
        wires=wires,
        state=state,
        pending=pending,
        held=np.zeros_like(pending),
        kinds=places.kinds,
        cones=_cone_table(network, layers, places),
        loops=loops,
        stack=np.zeros(stack_size, np.uint32),
        num_fluent_groups=np.uint64(fluent_groups),
        num_input_groups=np.uint64(fluent_groups + num_words(network.num_moves)),
    )
    return wiring, places


def output_places(network: Network, places: Places) -> tuple[Int64Array, Int32Array]:
    """Return the places of all outputs, and their literals."""
    terminal = np.array([network.terminal], np.int32)
    literals = (network.legal, terminal, network.next, network.goals, network.percepts)
    starts = 64 * places.output_start[:-1]
    place = np.concatenate([start + np.arange(len(part)) for start, part in zip(starts, literals, strict=True)])
    return place, np.concatenate(literals).astype(np.int32)


def _told_edges(
    network: Network, places: Places, is_hub: BoolArray, has_hub: BoolArray
) -> tuple[Int64Array, Int64Array, BoolArray]:
    """Return the edges along which flips are told: literal, as a place, place of the reader, whether it repeats."""
    reader, literal = edge_readers(network), network.gate_data
    in_loop = network.gate_loop[reader] != NO_LOOP
    source_gate = (literal >> 1) - network.num_inputs
    is_inner = in_loop & (source_gate >= 0)
    is_inner &= network.gate_loop[np.maximum(source_gate, 0)] == network.gate_loop[reader]
    told = (places.of_gate[reader] != NO_PLACE) & ~is_hub & ~is_inner
    output_place, output_literal = output_places(network, places)
    literal = np.concatenate([literal[told], output_literal])
    source = 2 * places.of_node[literal >> 1] + (literal & 1)
    target = np.concatenate([places.of_gate[reader[told]], output_place])
    repeats = (in_loop | has_hub[reader])[told]
    return source, target, np.append(repeats, np.zeros(len(output_place), np.bool_))


def _first_state(
    network: Network, places: Places, source: Int64Array, target: Int64Array
) -> tuple[Int32Array, WordArray]:
    """Return the state in which all is false but the constant and what starts as true, and what is pending then."""
    num_places = 64 * len(places.kinds)
    value = np.zeros(num_places, np.int32)
    value[places.of_node[0]] = 1
    in_loop = (network.gate_loop != NO_LOOP) & (places.of_gate != NO_PLACE)
    for place in (places.of_gate, places.of_node[network.num_inputs :]):
        value[place[in_loop]] = network.starts_true[in_loop]
    is_false = value[source >> 1] == (source & 1)
    num_false = np.bincount(target[is_false], minlength=num_places)
    is_told = np.zeros(num_places, np.bool_)
    is_told[places.of_gate[places.of_gate != NO_PLACE]] = True
    is_told[output_places(network, places)[0]] = True
    is_pending = is_told & (num_false == 0)
    is_pending[places.of_gate[in_loop]] = True
    num_false[places.of_gate[in_loop]] = 0
    return (value + 2 * num_false).astype(np.int32), pack(is_pending)


def _cone_table(network: Network, layers: Layers, places: Places) -> UInt32Array:
    """Return the ranges and outputs of the cones; see `Wiring`."""
    fluents = num_words(network.num_fluents)
    inputs = fluents + num_words(network.num_moves)
    is_move = np.zeros(network.num_inputs + network.num_gates, np.bool_)
    is_move[1 + network.num_fluents : network.num_inputs] = True
    rank_reads = np.zeros(len(NEEDS) + 1, np.bool_)
    rank_reads[layers.rank[edge_readers(network)[is_move[network.gate_data >> 1]]]] = True
    outputs = places.output_start[[0, 2, 3, 4, 5]]
    header: list[list[int]] = []
    ranges: list[list[int]] = []
    for cone, literals in enumerate(cone_literals(network)):
        ranks = [rank for rank, need in enumerate(NEEDS) if rank == 0 or need >> cone & 1]
        reads_moves = bool(np.any(rank_reads[ranks])) or bool(np.any(is_move[literals >> 1]))
        begin = 2 * NUM_CONES + len(ranges)
        ranges.append([0, inputs if reads_moves else fluents])
        for rank in ranks:
            first, end = places.rank_start[rank : rank + 2].tolist()
            if first == ranges[-1][1]:
                ranges[-1][1] = end
            elif first < end:
                ranges.append([first, end])
        header.append([begin, 2 * NUM_CONES + len(ranges), outputs[cone], outputs[cone + 1]])
    return np.concatenate([np.ravel(header), np.ravel(ranges)]).astype(np.uint32)


def _loop_tables(network: Network, places: Places) -> tuple[UInt32Array, int]:
    """Return the tables of the loops, see `Wiring`, and how much working space they need."""
    num_loops = int(network.gate_loop.max(initial=NO_LOOP)) + 1
    parts: list[Int64Array] = [np.zeros(4 * num_loops, np.int64)]
    size = 4 * num_loops
    stack_size = 1
    for loop in range(num_loops):
        gates = np.flatnonzero(network.gate_loop == loop)
        if len(gates) == 0 or places.of_gate[gates[0]] == NO_PLACE:
            continue
        begin, end = int(gates[0]), int(gates[-1]) + 1
        edges = network.gate_start[begin : end + 1] - network.gate_start[begin]
        literal = network.gate_data[network.gate_start[begin] : network.gate_start[end]].astype(np.int64)
        reader = np.repeat(np.arange(len(gates)), np.diff(edges))
        source = (literal >> 1) - network.num_inputs - begin
        is_inner = (source >= 0) & (source < len(gates))
        first = int(places.of_gate[begin])
        place = np.where(is_inner, first + source, places.of_node[literal >> 1])
        records = np.zeros((len(gates) + 1, 3), np.int64)
        at = size + records.size
        # Of each gate first the literals, then the readers.
        is_reader = np.append(np.zeros(len(literal), np.bool_), np.ones(int(is_inner.sum()), np.bool_))
        owner = np.append(reader, source[is_inner])
        data = np.append(2 * place + (literal & 1), first + reader[is_inner])[np.lexsort((is_reader, owner))]
        num_literals = np.bincount(owner[~is_reader], minlength=len(gates))
        num_owned = np.bincount(owner, minlength=len(gates))
        records[:, 0] = at + np.append(0, np.cumsum(num_owned))
        records[:-1, 1] = records[:-1, 0] + num_literals
        records[:-1, 2] = network.starts_true[begin:end]
        distance = int(places.of_node[network.num_inputs + begin]) - first
        parts[0][4 * loop : 4 * loop + 4] = first, first + len(gates), distance, size
        parts += [records.ravel(), data]
        size = at + len(data)
        stack_size = max(stack_size, 2 * len(gates) + int(is_inner.sum()))
    return np.concatenate(parts).astype(np.uint32), stack_size

"""A plain interpreter of networks, for one position at a time, and a source of random networks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from woodstock.circuit.network import NO_LOOP, Network


def network_values(network: Network, inputs: Sequence[bool]) -> list[bool]:
    """Return the value of each node, given those of the fluents and moves."""
    values = [True, *inputs, *network.starts_true.tolist()]
    loops = network.gate_loop.tolist()
    gate = 0
    while gate < network.num_gates:
        end = gate + 1
        while loops[gate] != NO_LOOP and end < network.num_gates and loops[end] == loops[gate]:
            end += 1
        changing = True
        while changing:
            changing = False
            for member in range(gate, end):
                value = all(literal_value(values, literal) for literal in gate_literals(network, member))
                if value != values[network.num_inputs + member]:
                    values[network.num_inputs + member] = value
                    changing = True
        gate = end
    return values


def gate_literals(network: Network, gate: int) -> list[int]:
    """Return the literals of a gate."""
    return network.gate_data[network.gate_start[gate] : network.gate_start[gate + 1]].tolist()


def literal_value(values: Sequence[bool], literal: int) -> bool:
    """Return the value of a literal, given those of the nodes."""
    return values[literal >> 1] != bool(literal & 1)


def make_network(num_fluents: int, num_moves: int, gates: Sequence[Sequence[int]], outputs: Sequence[int]) -> Network:
    """Return a network without loops; its outputs are called goals."""
    fluents = 2 * np.arange(1, 1 + num_fluents, dtype=np.int32)
    return Network(
        num_fluents=num_fluents,
        num_moves=num_moves,
        gate_start=np.cumsum([0, *map(len, gates)]).astype(np.int64),
        gate_data=np.array([literal for gate in gates for literal in gate], np.int32),
        gate_loop=np.full(len(gates), NO_LOOP, np.int32),
        starts_true=np.zeros(len(gates), np.bool_),
        next=fluents,
        legal=np.zeros(num_moves, np.int32),
        terminal=1,
        goals=np.array(outputs, np.int32),
        percepts=np.zeros(0, np.int32),
    )


def random_network(random: np.random.Generator, num_gates: int, loop_chance: float = 0.1) -> Network:
    """Return a network of gates of many shapes, some of them in loops.

    Outputs may be constants, inputs, complements or equal; what is legal and terminal does not depend on the moves.
    """
    num_fluents, num_moves = (int(number) for number in random.integers(1, (12, 8)))
    num_inputs = 1 + num_fluents + num_moves
    gates: list[list[int]] = []
    loops: list[int] = []
    starts_true: list[bool] = []
    while len(gates) < num_gates:
        first = len(gates)
        size = int(random.integers(1, 12)) if random.random() < loop_chance else 0
        starts = (random.random(size) < 0.5).tolist()
        for number in range(max(size, 1)):
            literals = _random_literals(random, num_inputs + first)
            if size:
                for source in random.integers(0, size, int(random.integers(1, 4))).tolist():
                    # A gate follows the gates of its loop in one direction only, so that there is a least fixpoint.
                    literals.append(2 * (num_inputs + first + source) + (starts[source] != starts[number]))
                random.shuffle(literals)
            gates.append(literals)
        loops += [max(loops, default=NO_LOOP) + 1] * size or [NO_LOOP]
        starts_true += starts or [False]
    network = make_network(num_fluents, num_moves, gates, [])
    num_literals = 2 * (num_inputs + len(gates))
    still = np.flatnonzero(~_depends_on_moves(network))
    return Network(
        num_fluents=num_fluents,
        num_moves=num_moves,
        gate_start=network.gate_start,
        gate_data=network.gate_data,
        gate_loop=np.array(loops, np.int32),
        starts_true=np.array(starts_true, np.bool_),
        next=random.integers(0, num_literals, num_fluents).astype(np.int32),
        legal=(2 * random.choice(still, num_moves) + random.integers(0, 2, num_moves)).astype(np.int32),
        terminal=int(2 * random.choice(still) + random.integers(0, 2)),
        goals=random.integers(0, num_literals, 5).astype(np.int32),
        percepts=random.integers(0, num_literals, 2).astype(np.int32),
    )


def _random_literals(random: np.random.Generator, num_nodes: int) -> list[int]:
    """Return some literals of the nodes, mostly few, often of late nodes, often of one sign."""
    size = int(random.integers(0, 5)) if random.random() < 0.9 else int(random.integers(5, 20))
    near = np.maximum(num_nodes - 1 - random.geometric(0.1, size), 0)
    nodes = np.where(random.random(size) < 0.7, near, random.integers(0, num_nodes, size))
    return (2 * nodes + (random.random(size) < random.choice([0.0, 0.5, 1.0]))).tolist()


def _depends_on_moves(network: Network) -> np.ndarray:
    """Return which nodes depend on the moves."""
    depends = np.zeros(network.num_inputs + network.num_gates, np.bool_)
    depends[1 + network.num_fluents : network.num_inputs] = True
    gate_of_edge = np.repeat(np.arange(network.num_gates), np.diff(network.gate_start))
    count = -1
    while count != depends.sum():
        count = depends.sum()
        depends[network.num_inputs + gate_of_edge[depends[network.gate_data >> 1]]] = True
    return depends

"""A path of single positions that evaluates the whole network, one gate after the other, whenever it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from naive.network import literal_value, network_values
from woodstock.circuit.network import Network


class NaivePath:
    """What `ScalarPath` does, with lists of bits."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._fluents = [False] * network.num_fluents
        self._moves = [False] * network.num_moves

    def set_position(self, fluents: Sequence[bool]) -> None:
        self._fluents = list(fluents)
        self._moves = [False] * self.network.num_moves

    def make_moves(self, moves: Sequence[int]) -> None:
        self._moves = [move in moves for move in range(self.network.num_moves)]

    def node_values(self) -> list[bool]:
        return network_values(self.network, [*self._fluents, *self._moves])

    def legal(self) -> list[bool]:
        return self._outputs(self.network.legal)

    def is_terminal(self) -> bool:
        return self._outputs([self.network.terminal])[0]

    def next_position(self) -> list[bool]:
        return self._outputs(self.network.next)

    def goals(self) -> list[bool]:
        return self._outputs(self.network.goals)

    def percepts(self) -> list[bool]:
        return self._outputs(self.network.percepts)

    def _outputs(self, literals: Iterable[int]) -> list[bool]:
        values = self.node_values()
        return [literal_value(values, int(literal)) for literal in literals]


def naive_layers(network: Network) -> tuple[list[int], list[int]]:
    """Return for each node the cones that need it, as bits, and its level, by going round until nothing changes."""
    num_nodes = network.num_inputs + network.num_gates
    needs = [0] * num_nodes
    levels = [0] * num_nodes
    cones = ([*network.legal, network.terminal], network.next, network.goals, network.percepts)
    for cone, literals in enumerate(cones):
        for literal in literals:
            needs[int(literal) >> 1] |= 1 << cone
    changing = True
    while changing:
        before = needs.copy(), levels.copy()
        for gate in range(network.num_gates):
            node = network.num_inputs + gate
            loop = int(network.gate_loop[gate])
            unit = [gate] if loop < 0 else np.flatnonzero(network.gate_loop == loop).tolist()
            for member in unit:
                needs[node] |= needs[network.num_inputs + member]
                for literal in network.gate_data[network.gate_start[member] : network.gate_start[member + 1]].tolist():
                    needs[literal >> 1] |= needs[node]
                    if (literal >> 1) - network.num_inputs not in unit:
                        levels[node] = max(levels[node], levels[literal >> 1] + 1)
            levels[node] = max(levels[node], 1)
        changing = (needs, levels) != before
    return needs, levels

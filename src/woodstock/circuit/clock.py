"""Clocks: fluents that take their course whatever is played, such as whose turn it is.

If the next values of some fluents depend on nothing but these fluents, and they run through few values, then the game
has *phases*, and the network can be specialised to each: where white is in control, black's moves are none. Lanes that
are kept in the same phase evaluate half of the gates or less. A counter of moves is a clock as well, but has too many
phases to be worth it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from woodstock.circuit.network import NO_LOOP, TRUE, BoolArray, Int64Array, Network
from woodstock.circuit.specialise import Gates, gates_of
from woodstock.common.jit import jit

MAX_PHASES: Final = 12
MAX_FLUENTS: Final = 1000
"""How many fluents of their own course are looked at."""
MAX_CLOSED: Final = 24
"""How many fluents may belong together; a larger set is a counter."""


@dataclass(frozen=True, eq=False)
class Clock:
    """Fluents that follow one another whatever is played.

    Attributes:
        fluents: Their numbers, shape (n,), int64.
        phases: What holds in each phase, those from the first position on in order, shape (num_phases, n), bool.
        next_phase: The phase after each, shape (num_phases,), int64.
    """

    fluents: Int64Array
    phases: BoolArray
    next_phase: Int64Array

    @property
    def num_phases(self) -> int:
        return len(self.phases)


def find_clock(network: Network, initial: BoolArray) -> Clock | None:
    """Return the largest clock with few phases that come round again, or None if there is none with two or more."""
    best: Clock | None = None
    for closed in _closed_sets(network, _fluents_of_own_course(network)):
        chosen = closed if best is None else closed | set(best.fluents.tolist())
        if best is None or len(chosen) > len(best.fluents):
            clock = _run(network, np.array(sorted(chosen), dtype=np.int64), initial)
            best = clock or best
    return best if best is not None and best.num_phases > 1 else None


def _fluents_of_own_course(network: Network) -> BoolArray:
    """Return which fluents depend, over any number of steps, on fluents of this kind alone."""
    own = np.ones(network.num_fluents, dtype=np.bool_)
    gates = gates_of(network)
    while True:
        foreign = np.zeros(network.num_inputs + network.num_gates, dtype=np.bool_)
        foreign[1 + network.num_fluents : network.num_inputs] = True
        foreign[1 : 1 + network.num_fluents] = ~own
        _spread(gates, foreign)
        found: BoolArray = own & ~foreign[network.next >> 1]
        if found.sum() == own.sum():
            return found
        own = found


@jit
def _spread(gates: Gates, marked: BoolArray) -> None:
    """Mark the gates that depend on marked nodes; for those of a loop it is enough that one does."""
    for gate in range(len(gates.start) - 1):
        found = gates.loop[gate] != NO_LOOP
        for place in range(gates.start[gate], gates.start[gate + 1]):
            found = found or marked[gates.data[place] >> 1]
        marked[gates.num_inputs + gate] = found


def _closed_sets(network: Network, own: BoolArray) -> list[set[int]]:
    """Return small sets of fluents that depend on nothing but themselves, the smallest first."""
    depends = {
        fluent: {node - 1 for node in _cone(network, int(network.next[fluent])) if 0 < node <= network.num_fluents}
        for fluent in np.flatnonzero(own).tolist()[:MAX_FLUENTS]
    }
    found: set[frozenset[int]] = set()
    for fluent in depends:
        closed = {fluent}
        frontier = [fluent]
        while frontier and len(closed) <= MAX_CLOSED:
            new = depends.get(frontier.pop(), set()) - closed
            closed |= new
            frontier += new
        if len(closed) <= MAX_CLOSED and closed <= depends.keys():
            found.add(frozenset(closed))
    return [set(closed) for closed in sorted(found, key=lambda closed: (len(closed), sorted(closed)))]


def _cone(network: Network, literal: int) -> list[int]:
    """Return the nodes that a literal depends on, in order."""
    found: set[int] = set()
    stack = [literal >> 1]
    while stack:
        node = stack.pop()
        if node in found:
            continue
        found.add(node)
        gate = node - network.num_inputs
        if gate >= 0:
            inputs = network.gate_data[network.gate_start[gate] : network.gate_start[gate + 1]] >> 1
            stack.extend(inputs.tolist())
    return sorted(found)


def _run(network: Network, fluents: Int64Array, initial: BoolArray) -> Clock | None:
    """Let some fluents take their course; return it as a clock if they are soon as they were at first."""
    cone = sorted({node for fluent in fluents for node in _cone(network, int(network.next[fluent]))})
    phases = [initial[fluents]]
    while len(phases) <= MAX_PHASES:
        following = _step(network, fluents, cone, phases[-1])
        if np.array_equal(following, phases[0]):
            return Clock(fluents, np.array(phases), (np.arange(len(phases)) + 1) % len(phases))
        phases.append(following)
    return None


def _step(network: Network, fluents: Int64Array, cone: list[int], phase: BoolArray) -> BoolArray:
    """Return the values of some fluents in the next position."""
    values = {TRUE: True} | {1 + fluent: bool(value) for fluent, value in zip(fluents.tolist(), phase, strict=True)}
    for node in cone:
        gate = node - network.num_inputs
        if gate >= 0:
            literals = network.gate_data[network.gate_start[gate] : network.gate_start[gate + 1]].tolist()
            values[node] = all(values[literal >> 1] != bool(literal & 1) for literal in literals)
    return np.array([values[literal >> 1] != bool(literal & 1) for literal in network.next[fluents].tolist()])

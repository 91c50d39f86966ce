"""What can be true when: a simulation of all matches at once, in which most things are uncertain.

Every node can be true, can be false, or both. At the start all fluents are certain; a move can be made if it can be
legal. Step by step this tells for each point of time what can hold then, such as a counter of moves and everything
that depends on it alone. Taken together over all points of time of one phase of the clock, the fluents that cannot be
true, and those that cannot be false, are constants there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from woodstock.circuit.network import NO_LOOP, BoolArray, Int32Array, Network
from woodstock.circuit.specialise import Gates, gates_of
from woodstock.common.jit import jit

MAX_WORK: Final = 100_000_000
"""Literals that may be looked at in all."""
MAX_EXACT: Final = 400
"""Points of time that are looked at one by one; later ones are taken together."""


@dataclass(frozen=True, eq=False)
class Reach:
    """What can hold in the positions of each phase that can be reached.

    Attributes:
        can_hold: Whether each fluent can be true, shape (num_phases, num_fluents), bool.
        can_fail: Whether each fluent can be false, shape (num_phases, num_fluents), bool.
    """

    can_hold: BoolArray
    can_fail: BoolArray


def find_reach(network: Network, initial: BoolArray, num_phases: int) -> Reach:
    """Return what can hold in each phase; phases follow one another in order, the first position is of phase 0."""
    everything = Reach(*(np.ones((num_phases, network.num_fluents), np.bool_) for _ in range(2)))
    gates = gates_of(network)
    holds, fails = initial.copy(), ~initial
    total = np.zeros((2, num_phases, network.num_fluents), np.bool_)
    work = 0
    quiet = 0
    time = 0
    while quiet <= num_phases:
        phase = time % num_phases
        if time >= MAX_EXACT:
            holds, fails = holds | total[0, phase], fails | total[1, phase]
        if (total[0, phase] >= holds).all() and (total[1, phase] >= fails).all():
            # Nothing new in this phase; if that is so in all of them one after the other, nothing new will ever come,
            # provided that what was seen is taken together.
            quiet += 1
            holds, fails = total[0, phase].copy(), total[1, phase].copy()
        else:
            quiet = 0
        total[0, phase] |= holds
        total[1, phase] |= fails
        work += network.num_edges + network.num_gates
        if work > MAX_WORK:
            return everything
        step = _simulate(gates, network.legal, network.next, network.terminal, (holds, fails))
        if step is None:
            break
        holds, fails = step
        time += 1
    return Reach(total[0], total[1])


def _simulate(
    gates: Gates, legal: Int32Array, following: Int32Array, terminal: int, now: tuple[BoolArray, BoolArray]
) -> tuple[BoolArray, BoolArray] | None:
    """Return which fluents can be true and which can be false next; None if the match is certainly over."""
    num_nodes = gates.num_inputs + len(gates.start) - 1
    can = np.zeros(2 * num_nodes, np.bool_)
    can[0] = True
    first_move = 1 + len(now[0])
    can[2 : 2 * first_move : 2], can[3 : 2 * first_move : 2] = now
    can[2 * first_move : 2 * gates.num_inputs] = True
    _evaluate(gates, can)
    if not can[terminal ^ 1]:
        return None
    can[2 * first_move : 2 * gates.num_inputs : 2] = can[legal]
    _evaluate(gates, can)
    return can[following], can[following ^ 1]


@jit
def _evaluate(gates: Gates, can: BoolArray) -> None:
    """Set for each gate whether it can be true and whether it can be false."""
    for gate in range(len(gates.start) - 1):
        holds = True
        fails = gates.loop[gate] != NO_LOOP
        for place in range(gates.start[gate], gates.start[gate + 1]):
            literal = gates.data[place]
            holds = holds and can[literal]
            fails = fails or can[literal ^ 1]
        node = gates.num_inputs + gate
        can[2 * node] = holds or gates.loop[gate] != NO_LOOP
        can[2 * node + 1] = fails

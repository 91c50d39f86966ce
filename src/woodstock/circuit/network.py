"""Networks of gates: what a ground program becomes.

A *network* has nodes: the constant true, the fluents, the moves of all roles, and the *gates*. A *literal* is a node or
its complement, coded `2 * node + negated`. A gate is the conjunction of literals; a disjunction is the complement of a
conjunction of complements. Gates come after what they depend on, but for *loops*, which recursive relations give rise
to: the gates of a loop stand together, and their values are the least fixpoint. They start as `starts_true` says and
are evaluated in turn until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

TRUE: Final = 0
"""The literal that always holds: the positive one of node 0."""
FALSE: Final = 1
NO_LOOP: Final = -1


class Outputs(NamedTuple):
    """The literals that say what the rules ask for; see `Network`. `terminal` has shape (1,)."""

    next: Int32Array
    legal: Int32Array
    terminal: Int32Array
    goals: Int32Array
    percepts: Int32Array

    def mapped(self, literal_of: Int32Array) -> Outputs:
        """Return the outputs after a change of literals, shape (2 * num_nodes,)."""
        return Outputs(*(literal_of[output].astype(np.int32) for output in self))


@dataclass(frozen=True, eq=False)
class Network:
    """Gates over the fluents and moves of a game, and the literals that say what the rules ask for.

    Node 0 is the constant true, fluent f is node `1 + f`, move m, counted over all roles, is node
    `1 + num_fluents + m`, gate g is node `num_inputs + g`.

    Attributes:
        num_fluents: Number of fluents.
        num_moves: Number of moves of all roles.
        gate_start: Where the literals of each gate begin in `gate_data`, shape (num_gates + 1,), int64.
        gate_data: Literals, shape (num_edges,), int32.
        gate_loop: The loop that each gate is in, or NO_LOOP; numbered from 0 upwards, shape (num_gates,), int32.
        starts_true: Value of each gate of a loop before the first round, shape (num_gates,), bool.
        next: For each fluent the literal that says whether it holds next, shape (num_fluents,), int32.
        legal: For each move the literal that says whether it is legal, shape (num_moves,), int32.
        terminal: The literal that says whether the match is over.
        goals: For each goal entry of the ground program its literal, shape (num_goals,), int32.
        percepts: For each percept entry of the ground program its literal, shape (num_percepts,), int32.
    """

    num_fluents: int
    num_moves: int
    gate_start: Int64Array
    gate_data: Int32Array
    gate_loop: Int32Array
    starts_true: BoolArray
    next: Int32Array
    legal: Int32Array
    terminal: int
    goals: Int32Array
    percepts: Int32Array

    @property
    def outputs(self) -> Outputs:
        """All outputs together."""
        return Outputs(self.next, self.legal, np.array([self.terminal], np.int32), self.goals, self.percepts)

    @property
    def num_inputs(self) -> int:
        """Number of nodes that are no gates: the constant, the fluents and the moves."""
        return 1 + self.num_fluents + self.num_moves

    @property
    def num_gates(self) -> int:
        return len(self.gate_start) - 1

    @property
    def num_edges(self) -> int:
        """Number of literals of all gates."""
        return len(self.gate_data)

"""One-stage networks solved by the circuit: with the position fixed, everything but the moves is a function of them.

All joint moves are evaluated at once, in the lanes of a batch; see `woodstock.scsp.resolver` for what a resolver is.
"""

from __future__ import annotations

import numpy as np

from woodstock.circuit.circuit import Circuit
from woodstock.circuit.expansion import Expander
from woodstock.circuit.packing import pack, unpack
from woodstock.common.limits import Deadline, Limits
from woodstock.game.ground_game import GroundPosition
from woodstock.ground.program import GroundProgram
from woodstock.scsp.resolver import Resolution


class CircuitResolver:
    """Solves one-stage networks by expanding positions on a circuit.

    Attributes:
        program: The game.
        expander: What expands positions.
    """

    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        self.expander = Expander(Circuit(program))
        self._chance = program.roles.index("random") if "random" in program.roles else None

    def resolve(self, position: GroundPosition, limits: Limits | None = None) -> Resolution:
        """Return all joint moves of a position and where they lead; none if the match is over.

        Args:
            position: Numbers of the fluents that hold.
            limits: How many seconds it may take, and how many joint moves there may be (`nodes`).
        """
        held = np.zeros((1, self.program.num_fluents), np.bool_)
        held[0, list(position)] = True
        limits = limits or Limits()
        found = self.expander.expand(
            pack(held), deadline=Deadline(limits.seconds), max_children=limits.nodes, with_goals=False
        )
        count = len(found.parent)
        probability = 1.0
        if self._chance is not None and count:
            probability = 1.0 / len(np.unique(found.moves[:, self._chance]))
        return Resolution(
            found.moves, unpack(found.rows, self.program.num_fluents), np.full(count, probability), found.finished
        )

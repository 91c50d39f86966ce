"""Resolvers: they solve the one-stage network (µSCSP) of a position.

Its solutions are the joint moves of the position, and where they lead. `NetworkResolver` finds them as the papers do:
without chance MAC, or FC, enumerates the network; with chance forward checking on the part that chance has a share in
gives the feasibility constraint, and MAC, or FC, enumerates the rest (`OneStage`). Any other way to the same solutions,
such as a circuit, is a `Resolver` too.

>>> from woodstock.game.ground_game import GroundGame
>>> from woodstock.game.load import load_rules
>>> from woodstock.ground import ground
>>> program = ground(load_rules("rock_paper_scissors"))
>>> found = NetworkResolver(program).resolve(GroundGame(program).initial_position())
>>> found.moves.shape, found.is_complete
((9, 2), True)
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from woodstock.common.limits import Limits
from woodstock.cp.constraints import Int32Array
from woodstock.cp.solver import Solver, Status, Strength, VariableOrder
from woodstock.game.ground_game import GroundPosition
from woodstock.ground.program import GroundProgram
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_vars import NO_VAR
from woodstock.scsp.one_stage import OneStage


class Resolution(NamedTuple):
    """The solutions of a position's one-stage network, in the order of their joint moves.

    Attributes:
        moves: The move of each role, counted over all roles, shape (n, num_roles), int32.
        successors: Which fluents hold after each joint move, shape (n, num_fluents), bool.
        probabilities: How likely chance makes its move of each, given the moves of the others, shape (n,), float64.
        is_complete: Whether all were found.
    """

    moves: Int32Array
    successors: npt.NDArray[np.bool_]
    probabilities: npt.NDArray[np.float64]
    is_complete: bool


class Resolver(Protocol):
    """Solves the one-stage networks of a game."""

    program: GroundProgram

    def resolve(self, position: GroundPosition, limits: Limits | None = None) -> Resolution:
        """Return all joint moves of a position and where they lead; none if the match is over.

        Args:
            position: Numbers of the fluents that hold, sorted.
            limits: When to give up.
        """


class NetworkResolver:
    """Solves one-stage networks by constraint propagation and search.

    Attributes:
        program: The game.
        game: The network of one stage.
        strength: How much is propagated: MAC or FC.
    """

    def __init__(
        self,
        program: GroundProgram,
        *,
        strength: Strength = Strength.MAC,
        encoding: Encoding = Encoding.MULTIVALUED,
    ) -> None:
        self.program = program
        self.strength = strength
        self.game = GameNetwork(program, encoding=encoding)
        here, following = self.game.stages[:2]
        self._position = np.array(here.fluents, np.int64)
        self._actions = list(here.actions)
        self._columns = (*here.actions, *following.fluents)
        self._num_moves = np.diff(program.move_start)
        self._stage: OneStage | None = None
        self._solver: Solver | None = None
        if here.chance != NO_VAR:
            self._stage = OneStage(self.game.stochastic(), strength=strength)
        else:
            # By forward checking what follows from the moves is open when they are chosen: after them comes what has
            # one value left.
            order = VariableOrder.STATIC if strength is Strength.MAC else VariableOrder.SMALLEST_DOMAIN
            self._solver = Solver(self.game.network, strength=strength, variable_order=order, decisions=self._actions)

    def resolve(self, position: GroundPosition, limits: Limits | None = None) -> Resolution:
        """Return all joint moves of a position and where they lead; none if the match is over.

        Raises:
            UsageError: No position that can be reached is like this.
        """
        places = self.game.places(position)
        if self._solver is not None:
            return self._enumerate(self._solver, places, limits)
        assert self._stage is not None
        found = self._stage.solve(self._position, places, limits)
        paths = [path for row in range(len(found)) for path in found.paths(row)]
        rows = np.array([path.places for path in paths], np.int32).reshape(len(paths), self.game.network.num_vars)
        probabilities = np.array([float(path.probability) for path in paths])
        return self._to_resolution(rows[:, self._columns], probabilities, found.status)

    def _enumerate(self, solver: Solver, places: Int32Array, limits: Limits | None) -> Resolution:
        """Enumerate the solutions of a network without chance."""
        solver.push()
        try:
            # What the position decides alone is settled before the search, by forward checking too.
            if not solver.fix(self._position, places) or not solver.propagate():
                return self._to_resolution(np.zeros((0, len(self._columns)), np.int32), np.zeros(0), Status.COMPLETE)
            found = solver.enumerate(limits, columns=self._columns)
        finally:
            solver.pop()
        return self._to_resolution(found.places, np.ones(len(found)), found.status)

    def _to_resolution(self, rows: Int32Array, probabilities: npt.NDArray[np.float64], status: Status) -> Resolution:
        """Return solutions that are given as the places of the actions and of the next position."""
        num_roles = len(self._actions)
        moves = rows[:, :num_roles]
        if len(rows) and (moves == self._num_moves).any():  # the last value of an action: the match is over
            rows, moves, probabilities = rows[:0], moves[:0], probabilities[:0]
        order = np.lexsort(moves.T[::-1])
        return Resolution(
            (moves[order] + np.asarray(self.program.move_start)[:-1]).astype(np.int32),
            self.game.template.stage.fluents.fluents_of_rows(rows[order, num_roles:]),
            probabilities[order],
            status is Status.COMPLETE,
        )

"""Several stages of a game in which goals have to be reached: plans, and moves that propagation finds to be hopeless.

As positions repeat after the end, a goal that is reached at some stage is still there at the last one; so "within n
moves" is a constraint on the last position alone. Such networks are about what all roles can do together. A move that
is left over may need the help of others; one that is not left over cannot lead to the goal, whatever others do.

>>> from woodstock.game.load import load_rules
>>> from woodstock.ground import ground
>>> stages = GameStages(GameNetwork(ground(load_rules("nim")), 1, with_outcome=True), [Threshold(role=0, least=100)])
>>> stages.moves_left(stages.game.initial_position(), role=0)
()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.limits import Limits
from woodstock.cp.constraints import Clauses
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver, Status
from woodstock.game.ground_game import GroundPosition
from woodstock.game.protocol import Move
from woodstock.scsp.game_assembly import GameStage
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_vars import NO_VAR
from woodstock.scsp.scopes import same_variables


@dataclass(frozen=True, slots=True)
class Threshold:
    """The match is over, and the goal of a role lies between two bounds.

    Attributes:
        role: Whose goal.
        least: The least that it may be.
        most: The most that it may be.
        stage: Number of the stage at which it has to be so; None for some stage, which is the same as for the last.
        is_first: Whether the match must not be over before that stage.
    """

    role: int
    least: int = 0
    most: int = 100
    stage: int | None = None
    is_first: bool = False


@dataclass(frozen=True, eq=False)
class Plan:
    """A way to reach what is asked for.

    Attributes:
        moves: Joint moves until the match is over; None if none was found.
        status: Whether the search was complete: without a plan, that there is none.
    """

    moves: tuple[tuple[Move, ...], ...] | None
    status: Status


class GameStages:
    """Stages of a game, and what has to be reached in them.

    Attributes:
        game: The stages.
        thresholds: What has to be reached, all of it.
        network: The network of the game with these constraints.
    """

    def __init__(self, game: GameNetwork, thresholds: Sequence[Threshold] = ()) -> None:
        self.game = game
        self.thresholds = tuple(thresholds)
        clauses = [threshold_clauses(game, threshold) for threshold in self.thresholds]
        self.network: Network = same_variables(
            game.network, [*game.network.constraints, *game.network.utilities, *clauses]
        )

    @cached_property
    def solver(self) -> Solver:
        """A solver of the network, which branches on the moves."""
        actions = [var for stage in self.game.stages for var in stage.actions]
        return Solver(self.network, decisions=actions)

    def moves_left(self, position: GroundPosition, role: int) -> tuple[Move, ...]:
        """Return the moves of a role that propagation leaves over at the first stage.

        Raises:
            UsageError: No position that can be reached is like this.
        """
        game = self.game
        first = game.stages[0]
        self.solver.push()
        try:
            if not self.solver.fix(first.fluents, game.places(position)):
                return ()
            moves = game.program.moves[role]
            return tuple(moves[place] for place in self.solver.domain(first.actions[role]) if place < len(moves))
        finally:
            self.solver.pop()

    def find_plan(self, position: GroundPosition, limits: Limits | None = None) -> Plan:
        """Look for joint moves that lead from a position to what is asked for.

        Raises:
            UsageError: No position that can be reached is like this.
        """
        self.solver.push()
        try:
            if not self.solver.fix(self.game.stages[0].fluents, self.game.places(position)):
                return Plan(None, Status.COMPLETE)
            found = self.solver.enumerate(limits, max_solutions=1)
        finally:
            self.solver.pop()
        if not len(found):
            return Plan(None, found.status)
        steps = [self.game.step(found.places[0], stage) for stage in range(1, self.game.horizon + 1)]
        return Plan(tuple(step.moves for step in steps if step.moves is not None), Status.COMPLETE)


def threshold_clauses(game: GameNetwork, threshold: Threshold) -> Clauses:
    """Return the constraints that say that a threshold is reached.

    Raises:
        UsageError: There is no such stage, or the role has no goals.
    """
    stage = _stage(game, threshold.stage)
    if not 0 <= threshold.role < len(stage.utilities) or stage.utilities[threshold.role] == NO_VAR:
        players = ", ".join(f"{role} ({game.program.roles[role]})" for role in game.players)
        raise UsageError(f"expected a role with goals, one of {players}, found {threshold.role}")
    utility = stage.utilities[threshold.role]
    values = game.network.domains[utility]
    first = game.network.first_choices[utility]
    reached = [
        2 * (first + place)
        for place, value in enumerate(values)
        if isinstance(value, int) and threshold.least <= value <= threshold.most
    ]
    clauses = [[game.network.literal(stage.terminal)], reached]
    if threshold.is_first and stage.number > 1:
        clauses.append([game.network.literal(game.stages[stage.number - 2].terminal, holds=False)])
    lengths = [len(clause) for clause in clauses]
    data = np.array([literal for clause in clauses for literal in clause], dtype=np.int32)
    return Clauses(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), data)


def _stage(game: GameNetwork, number: int | None) -> GameStage:
    """Return the stage of a threshold."""
    if number is None:
        return game.last_outcome
    last = game.last_outcome.number
    if not 1 <= number <= last:
        raise UsageError(f"expected a stage from 1 to {last}, found {number}")
    return game.stages[number - 1]

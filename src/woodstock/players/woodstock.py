"""Woodstock: the player for tournaments, with everything that was found to pay.

It is UCT on the circuit with more: one node for all positions that are symmetric to each other; moves that did well
elsewhere are looked at first; and where playouts turn out to say little, an evaluation that was learnt from matches
against itself during the start clock is heard beside them. Games of one mind are planned as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.players.protocol import Seat
from woodstock.players.searchers import Searcher, TreeSearcher
from woodstock.players.searching import UctPlayer
from woodstock.search.evaluation import OF_PLAYOUTS, Model
from woodstock.search.explanation import Candidate, Explanation
from woodstock.search.planning import Planner, PlanningOptions, is_puzzle
from woodstock.search.self_play import SelfPlay
from woodstock.search.symmetric_keys import find_symmetric_keys

LONGEST_LEARNING: Final = 30.0
"""Seconds: more than that brings little."""
WEIGHING: Final = 0.1
"""Share of the learning time that it takes to find out what the evaluation is worth."""
POOR_PLAYOUTS: Final = 0.35
"""If playouts count less than that beside the evaluation, it is heard; where they count more it did harm."""
PLANNING: Final = 0.7
"""Share of the time, of a game of one mind, that is spent on planning while no plan is proven to be best."""


@dataclass
class WoodstockPlayer(UctPlayer):
    """The player for tournaments.

    Attributes:
        trust: How many visits what is known of a move elsewhere is worth.
        symmetry: Share of the start clock for finding symmetries.
        learning: Share of the start clock for matches against itself.
    """

    trust: float = 8.0
    symmetry: float = 0.15
    learning: float = 0.5

    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        if not isinstance(seat.game, CircuitGame):
            return TreeSearcher(seat, self.options)
        # Without clocks a match can be repeated: nothing may depend on the time then.
        is_timed = seat.clocks.iterations is None
        available = seat.deadline.seconds_left if is_timed else 0.0
        keys_of = None
        if self.symmetry > 0:
            keys_of = find_symmetric_keys(seat.game, Deadline(self.symmetry * available if is_timed else None))
        if is_puzzle(seat.game.program) and not seat.hidden and is_timed:
            # Players of one team should find the same plans, so the seed is not the seat's.
            planner = Planner(seat.game, 0, keys_of, PlanningOptions(memory=self.memory))
            return PlanSearcher(seat, TreeSearcher(seat, self.options, keys_of), planner)
        seconds = min(self.learning * available, LONGEST_LEARNING)
        model = self._learn(seat.game, seat.random.getrandbits(40), seconds) if seconds > 0 else None
        return TreeSearcher(seat, self.options, keys_of, model)

    def _learn(self, game: CircuitGame, seed: int, seconds: float) -> Model | None:
        """Return an evaluation if it is worth hearing."""
        play = SelfPlay(game, seed)
        play.run(Deadline((1 - WEIGHING) * seconds))
        play.weigh(self.samples, Deadline(WEIGHING * seconds))
        return play.model if float(play.model.mixture[:, OF_PLAYOUTS].max()) < POOR_PLAYOUTS else None


class PlanSearcher:
    """A planner, and a tree search for what it does not find.

    Args:
        seat: Where the player sits.
        tree: The tree search.
        planner: The planner.
    """

    def __init__(self, seat: Seat[Any], tree: TreeSearcher, planner: Planner) -> None:
        self._tree = tree
        self._planner = planner
        self._role = seat.role
        self._roles = seat.game.roles

    def look_at(self, position: Any) -> None:
        self._planner.look_at(position)
        self._tree.look_at(position)

    def run(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None = None) -> None:
        if iterations is None:
            self._planner.run(Deadline(PLANNING * deadline.seconds_left), report)
        if self._planner.plan is None or not self._planner.plan.is_proven:
            self._tree.run(deadline, iterations, report)

    def explain(self) -> Explanation | None:
        plan, said = self._planner.plan, self._tree.explain()
        if plan is None or not plan.moves:
            return said
        best = None if said is None else said.candidates[0].value
        if not plan.is_proven and best is not None and best > 100 * plan.value:
            return said
        chosen = Candidate(plan.moves[0][self._role], 100 * plan.value, 0.0, 0, plan.is_proven)
        return Explanation(
            role=self._roles[self._role],
            candidates=(chosen,),
            line=plan.moves,
            roles=self._roles,
            statistics={**self._planner.statistics.seconds, "plan of": self._planner.statistics.finder},
        )

    @property
    def is_of_this_thread(self) -> bool:
        return self._tree.is_of_this_thread

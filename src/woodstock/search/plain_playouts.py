"""Playouts of any game, one at a time, which look at the clock at every step."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final, Generic, NamedTuple, TypeVar

from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game, Move, goal
from woodstock.gdl.keywords import goal_number
from woodstock.gdl.rules import Rules
from woodstock.gdl.terms import is_ground
from woodstock.search.mast import HEAVIEST
from woodstock.search.plain_tree import PlainPolicy, RoleMove

P = TypeVar("P")

UNKNOWN: Final = (0, 1.0)
"""How often a move was made that never was, and how well it is thought to do."""
UNDECIDED: Final = 50
"""The goal of a role that the rules give none where a playout is cut."""


class Outcome(NamedTuple):
    """What came of a playout.

    Attributes:
        utilities: What each role got; who has no goal got nothing.
        made: The moves of roles that had a choice, nature's left out.
    """

    utilities: list[float]
    made: set[RoleMove]


def utilities(game: Game[P], position: P, unknown: int = 0) -> list[float]:
    """Return what a position is worth to each role if the match goes no further; who has no goal gets `unknown`."""
    goals = [goal(game, position, role) for role in range(len(game.roles))]
    return [(unknown if value is None else value) / 100 for value in goals]


def greatest_utilities(game: Game[P]) -> tuple[float, ...]:
    """Return the greatest utility that each role can get, as far as the rules of the game say at a glance."""
    rules = getattr(game, "rules", None)
    if not isinstance(rules, Rules):
        return (1.0,) * len(game.roles)
    best = dict.fromkeys(game.roles, 0.0)
    for clause in rules.clauses:
        match clause.head:
            case ("goal", role, value):
                most = (goal_number(value) or 0) / 100 if is_ground(value) else 1.0
                for name in (role,) if isinstance(role, str) else game.roles:
                    best[name] = max(best.get(name, 0.0), most)
    return tuple(best[name] for name in game.roles)


class Playouts(Generic[P]):
    """Makes playouts: at random, or with a liking for moves that did well before (`woodstock.search.mast`)."""

    def __init__(self, game: Game[P], policy: PlainPolicy) -> None:
        self._game = game
        self._policy = policy
        self._averages: dict[RoleMove, tuple[int, float]] = {}

    def play(self, position: P, deadline: Deadline, seconds: float | None = None) -> Outcome | None:
        """Play on from a position that is not terminal; None if the time was over before the end.

        Args:
            position: Where to begin.
            deadline: When the time is over.
            seconds: How long a playout may take: one that takes longer is cut, and worth what the position is then.
        """
        game = self._game
        made: set[RoleMove] = set()
        patience = Deadline(seconds)
        unknown = 0
        for _ in range(self._policy.options.horizon):
            if deadline.expired:
                return None
            if patience.expired:
                unknown = UNDECIDED
                break
            moves = self._draw_moves(position, made)
            if moves is None:
                break
            position = game.next_position(position, moves)
            if game.is_terminal(position):
                break
        outcome = Outcome(utilities(game, position, unknown), made)
        if self._policy.options.mast:
            self._remember(outcome)
        return outcome

    def _draw_moves(self, position: P, made: set[RoleMove]) -> list[Move] | None:
        """Return a joint move, and note who chose what; None if a role has no move."""
        moves = []
        for role in range(len(self._game.roles)):
            legal = self._game.legal_moves(position, role)
            if not legal:
                return None
            move = legal[0]
            if len(legal) > 1 and role == self._policy.nature:
                move = self._policy.random.choice(legal)
            elif len(legal) > 1:
                move = self._draw_move(role, legal)
                made.add((role, move))
            moves.append(move)
        return moves

    def _draw_move(self, role: int, legal: Sequence[Move]) -> Move:
        random = self._policy.random
        if not self._policy.options.mast:
            return random.choice(legal)
        means = [self._averages.get((role, move), UNKNOWN)[1] for move in legal]
        best, temperature = max(means), self._policy.options.temperature
        return random.choices(legal, [max(1 / HEAVIEST, exp((mean - best) / temperature)) for mean in means])[0]

    def _remember(self, outcome: Outcome) -> None:
        for role_move in outcome.made:
            count, mean = self._averages.get(role_move, (0, 0.0))
            count += 1
            self._averages[role_move] = (count, mean + (outcome.utilities[role_move[0]] - mean) / count)

"""A survey of a game: what its positions show, all of them or a sample, counted up to tell the game's traits."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

from woodstock.game.protocol import Game, Move, Percept, goal
from woodstock.game.walk import Budget, Exploration, joint_moves, legal_moves, num_joint_moves, random_playout
from woodstock.gdl.keywords import RANDOM

P = TypeVar("P")

MAX_PERCEPT_MOVES = 256
"""In so many joint moves of a position is compared who sees what."""


@dataclass(frozen=True, slots=True)
class SurveyLimits:
    """How much a survey may look at.

    Attributes:
        seconds: Time in all.
        positions: Successors made before the attempt to see all positions is given up.
        playouts: Random playouts.
        steps: Where a playout is cut.
    """

    seconds: float | None = 10.0
    positions: int = 200_000
    playouts: int = 200
    steps: int = 1_000


@dataclass(slots=True)
class Survey:
    """What was seen.

    Attributes:
        exhaustive: Every position of the game was seen.
        positions: Positions looked at; in a sample some of them more than once.
        terminals: How many of them were terminal with a goal for every player.
        undecided: How many were terminal without.
        most_choosing: Greatest number of roles, `random` included, that had a choice in one position.
        most_players_choosing: The same without `random`.
        goal_sums: What the players' goals added up to at the end.
        goals_differ: Two players had different goals at the end.
        hidden: A player could not tell from its own move and percepts which position came next.
        unshared: Two players were shown different things.
        percepts_complete: All joint moves were looked at when percepts were compared.
        lengths: Number of joint moves of each playout that ended.
        unfinished: Playouts that were cut.
        branching_total: Joint moves of all non-terminal positions on the playouts, added up.
        branching_positions: How many positions these were.
        branching_max: The most joint moves in one of them.
    """

    exhaustive: bool = False
    positions: int = 0
    terminals: int = 0
    undecided: int = 0
    most_choosing: int = 0
    most_players_choosing: int = 0
    goal_sums: set[int] = field(default_factory=set)
    goals_differ: bool = False
    hidden: bool = False
    unshared: bool = False
    percepts_complete: bool = True
    lengths: list[int] = field(default_factory=list)
    unfinished: int = 0
    branching_total: int = 0
    branching_positions: int = 0
    branching_max: int = 0


def survey(game: Game[P], limits: SurveyLimits, percepts: bool = False, seed: int = 0) -> Survey:
    """Look at all positions of a game, or as many as the limits allow, and play it at random.

    Args:
        game: What to look at.
        limits: How much to look at.
        percepts: Also compare what the roles are shown; needless where everyone sees all moves.
        seed: Seed of the playouts.
    """
    found = Survey()
    observer = _Observer(game, found, percepts)
    half = None if limits.seconds is None else limits.seconds / 2
    exploration = Exploration(game)
    for position in exploration.explore(Budget(half, limits.positions)):
        observer.look(position)
    found.exhaustive = exploration.complete
    budget = Budget(half)
    rng = random.Random(seed)
    for _ in range(limits.playouts):
        playout = random_playout(game, rng, limits.steps, budget)
        observer.count_playout(playout.positions, len(playout.line) if playout.ended else None)
        if budget.exhausted:
            break
    return found


class _Observer(Generic[P]):
    """Looks at positions and adds what it sees to a survey."""

    def __init__(self, game: Game[P], found: Survey, percepts: bool) -> None:
        self._game = game
        self._found = found
        self._percepts = percepts
        self._players = [number for number, role in enumerate(game.roles) if role != RANDOM]

    def look(self, position: P) -> None:
        """Take note of a position."""
        self._found.positions += 1
        if self._game.is_terminal(position):
            self._look_at_goals(position)
            return
        legal = legal_moves(self._game, position)
        choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
        players_choosing = sum(role in self._players for role in choosing)
        self._found.most_choosing = max(self._found.most_choosing, len(choosing))
        self._found.most_players_choosing = max(self._found.most_players_choosing, players_choosing)
        if self._percepts:
            self._look_at_percepts(position, legal)

    def count_playout(self, positions: Sequence[P], length: int | None) -> None:
        """Take note of a playout; its length is None if it was cut."""
        found = self._found
        for position in positions:
            if not found.exhaustive:
                self.look(position)
            if not self._game.is_terminal(position):
                branching = num_joint_moves(legal_moves(self._game, position))
                found.branching_total += branching
                found.branching_positions += 1
                found.branching_max = max(found.branching_max, branching)
        if length is None:
            found.unfinished += 1
        else:
            found.lengths.append(length)

    def _look_at_goals(self, position: P) -> None:
        goals = [goal(self._game, position, role) for role in self._players]
        known = [value for value in goals if value is not None]
        if len(known) < len(goals):
            self._found.undecided += 1
            return
        self._found.terminals += 1
        self._found.goal_sums.add(sum(known))
        self._found.goals_differ |= len(set(known)) > 1

    def _look_at_percepts(self, position: P, legal: Sequence[Sequence[Move]]) -> None:
        """Look for two successors that a player cannot tell apart, and for players that are shown different things.

        As long as there are no such successors anywhere, every player knows the position throughout, by induction.
        """
        found = self._found
        found.percepts_complete &= num_joint_moves(legal) <= MAX_PERCEPT_MOVES
        if found.hidden and found.unshared:
            return
        outcome: dict[tuple[int, Move, frozenset[Percept]], P] = {}
        for moves in islice(joint_moves(legal), MAX_PERCEPT_MOVES):
            successor = self._game.next_position(position, moves)
            shown = [self._game.percepts(position, moves, role) for role in self._players]
            found.unshared |= len(set(shown)) > 1
            for role, percepts in zip(self._players, shown, strict=True):
                known = outcome.setdefault((role, moves[role], percepts), successor)
                found.hidden |= known != successor

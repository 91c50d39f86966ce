"""Where a match stands, as far as one role can tell from what it is told.

In a game that hides nothing that is one position. Else it is any position that agrees with the role's own moves and
with what it was shown: `Tracker` keeps some of them. A sheet that is in order gives the role the same legal moves in
all.

>>> from woodstock.game.load import load_rules
>>> from woodstock.game.reference import ReferenceGame
>>> from woodstock.players.tracking import News, Tracker
>>> tracker = Tracker(ReferenceGame(load_rules("monty_hall")), role=0)
>>> tracker.legal_moves()
('wait',)
>>> event = tracker.advance(News(percepts=frozenset(), move="wait"))
>>> tracker.legal_moves()
(('pick', '1'), ('pick', '2'), ('pick', '3'))
>>> len(tracker.positions)
3
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, Final

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game, JointMove, Move, Percept
from woodstock.players.protocol import Event

MAX_POSITIONS: Final = 50
"""So many possible positions are kept."""

MAX_TRIES: Final = 5000
"""So many joint moves are tried to find out what may have happened in one step."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class News:
    """What a role is told of one step.

    Attributes:
        moves: The joint move; None if it was not told.
        percepts: What the role was shown; None if it was not told.
        move: Its own move as it was executed; None if it was not told.
    """

    moves: tuple[Move, ...] | None = None
    percepts: frozenset[Percept] | None = None
    move: Move | None = None


class Tracker:
    """The positions that a role takes for possible.

    Args:
        game: The rules.
        role: Who looks.
        random: Chooses where there are too many possibilities to keep or try all.
        seconds: How long to look for possibilities in one step, about.

    Attributes:
        number: How many joint moves have been made.
        positions: What may be the position: at least one, and just that one if all joint moves were told.
    """

    def __init__(self, game: Game[Any], role: int, random: Random | None = None, seconds: float = 0.2) -> None:
        self._game = game
        self._role = role
        self._random = random or Random(0)
        self._seconds = seconds
        self._history: list[News] = []
        self.number = 0
        self.positions: list[Any] = [game.initial_position()]

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the moves that the role may make, as far as it can know: those that are legal in all positions.

        There are none if the match is over. Where the positions disagree, and no move is legal in all, these are the
        moves that are legal in most.
        """
        going = [position for position in self.positions if not self._game.is_terminal(position)]
        found = [self._game.legal_moves(position, self._role) for position in going]
        if len(found) < 2:
            return found[0] if found else ()
        times = Counter(move for moves in found for move in moves)
        most = max(times.values(), default=0)
        return tuple(move for move in dict.fromkeys(m for moves in found for m in moves) if times[move] == most)

    def allows(self, moves: JointMove) -> bool:
        """Tell whether a joint move is legal in one of the positions."""
        return len(moves) == len(self._game.roles) and any(
            not self._game.is_terminal(position) and self._is_legal(position, moves) for position in self.positions
        )

    def explain(self, percepts: frozenset[Percept]) -> tuple[Move, ...] | None:
        """Return a legal joint move of the first position that shows the role just these percepts, if there is one."""
        position = self.positions[0]
        for moves in self._joint_moves(position, None, MAX_TRIES):
            if self._game.percepts(position, moves, self._role) == percepts:
                return tuple(moves)
        return None

    def advance(self, news: News) -> Event[Any]:
        """Go one step on and return what the role saw.

        Raises:
            UsageError: The joint move has not one move for each role.
        """
        if news.moves is not None and len(news.moves) != len(self._game.roles):
            expected = len(self._game.roles)
            raise UsageError(f"expected {expected} moves, one for each role, found {len(news.moves)}")
        before = self.positions
        self._history.append(news)
        self.positions = self._follow(before, news) or self._search() or self._doubt(before, news) or before
        self.number += 1
        return self._event(news, before)

    def _event(self, news: News, before: Sequence[Any]) -> Event[Any]:
        """Return what a player of the role is told about a step."""
        position = self.positions[0] if news.moves is not None else None
        percepts = news.percepts
        if percepts is None and news.moves is not None:
            percepts = self._game.percepts(before[0], news.moves, self._role)
        move = news.moves[self._role] if news.moves is not None else news.move
        return Event(self.number, move or "", percepts or frozenset(), news.moves, position)

    def _follow(self, before: Sequence[Any], news: News) -> list[Any]:
        """Return positions that may follow the given ones; none if they all contradict what was told."""
        return self._keep(self._steps(before, news, Deadline(self._seconds)))

    def _doubt(self, before: Sequence[Any], news: News) -> list[Any]:
        """Return positions that follow if not all is true that was told: the host may have made another move for us."""
        _log.warning("what was seen in step %d contradicts what was seen before", self.number + 1)
        for less in (News(percepts=news.percepts), News(move=news.move), News()):
            if found := self._follow(before, less):
                self._history[-1] = less
                return found
        return []

    def _keep(self, reached: Iterator[Any]) -> list[Any]:
        """Return different positions, not too many; a match that goes on is not over, unless all say so."""
        found = list(dict.fromkeys(reached))
        going = [position for position in found if not self._game.is_terminal(position)] or found
        return going if len(going) <= MAX_POSITIONS else self._random.sample(going, MAX_POSITIONS)

    def _steps(self, before: Sequence[Any], news: News, deadline: Deadline) -> Iterator[Any]:
        """Yield the positions that a step may lead to."""
        if news.moves is not None:
            for position in before:
                if len(before) == 1 or self._is_legal(position, news.moves):
                    yield self._game.next_position(position, news.moves)
            return
        each = max(1, MAX_TRIES // len(before))
        found = False
        for position in self._random.sample(before, len(before)):
            for moves in self._joint_moves(position, news.move, each):
                if found and deadline.expired:
                    return
                if news.percepts is None or self._game.percepts(position, moves, self._role) == news.percepts:
                    found = True
                    yield self._game.next_position(position, moves)

    def _joint_moves(self, position: Any, own: Move | None, most: int) -> Iterator[JointMove]:
        """Yield joint moves with a given move of the role: all of them, or some at random if there are many."""
        choices = [self._game.legal_moves(position, role) for role in range(len(self._game.roles))]
        if own is not None:
            choices[self._role] = (own,) if own in choices[self._role] else ()
        if math.prod(map(len, choices)) <= most:
            yield from product(*choices)
            return
        for _ in range(most):  # the product is not 0, so there is a choice for each
            yield tuple(self._random.choice(moves) for moves in choices)

    def _is_legal(self, position: Any, moves: JointMove) -> bool:
        return all(move in self._game.legal_moves(position, role) for role, move in enumerate(moves))

    def _search(self) -> list[Any]:
        """Return a position that agrees with the whole history, by depth-first search, or none if none is found."""
        deadline = Deadline(self._seconds)
        stack = [self._branch(self._game.initial_position(), 0)]
        while stack and not deadline.expired:
            position = next(stack[-1], None)
            if position is None:
                stack.pop()
            elif len(stack) == len(self._history):
                return [position]
            else:
                stack.append(self._branch(position, len(stack)))
        return []

    def _branch(self, position: Any, step: int) -> Iterator[Any]:
        """Return the positions that may follow a position in a step of the history, in any order."""
        found = list(dict.fromkeys(self._steps([position], self._history[step], Deadline(self._seconds))))
        self._random.shuffle(found)
        return iter(found)

"""What a player is, and what it is told.

A player is started, is asked for a move at every turn, sees what happened after it, and is stopped. Only `choose` has
to be written; this one wins no tournament, but plays any game:

>>> from woodstock.players import Player, Turn
>>> class LongestName(Player):
...     def choose(self, turn):
...         return max(turn.legal_moves, key=lambda move: len(str(move)))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game, JointMove, Move, Percept
from woodstock.gdl.rules import Rules
from woodstock.search.explanation import Explanation

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Clocks:
    """How long players may think; None stands for as long as they like.

    Attributes:
        start: Seconds before the first move.
        play: Seconds for each move.
        iterations: What a search may do for each move, counted in its own iterations and not by the clock, which makes
            matches repeatable.
    """

    start: float | None = None
    play: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        for name in ("start", "play", "iterations"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"a clock must be greater than zero, found {name} = {value}")


@dataclass(frozen=True, slots=True)
class Seat(Generic[P]):
    """What a player is told before the first move.

    Attributes:
        rules: The rules as written.
        game: The same rules, ready to be played: a `woodstock.circuit.CircuitGame`, or a
            `woodstock.game.reference.ReferenceGame` if they do not ground. Several players may share it.
        role: The role to play.
        clocks: How long there is to think.
        hidden: Whether the rules hide something, so that positions and joint moves are not shown.
        random: The only source of random numbers to use, so that a match can be repeated.
        deadline: When `start` has to be done.
    """

    rules: Rules
    game: Game[P]
    role: int
    clocks: Clocks
    hidden: bool
    random: Random
    deadline: Deadline = field(default_factory=lambda: Deadline(None))


@dataclass(frozen=True, slots=True)
class Turn(Generic[P]):
    """What a player is told when it has to move.

    Attributes:
        number: How many joint moves have been made.
        legal_moves: The moves to choose from, at least one.
        position: Where the match stands; None in a game that hides something from its players.
        deadline: When the move has to be there.
        iterations: What a search may do, in its own iterations; None if only the deadline counts.
        propose: May be called with the best move so far, as often as one likes: it is made if the player is late.
    """

    number: int
    legal_moves: tuple[Move, ...]
    position: P | None
    deadline: Deadline = field(default_factory=lambda: Deadline(None))
    iterations: int | None = None
    propose: Callable[[Move], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Event(Generic[P]):
    """What a player sees of a joint move.

    Attributes:
        number: How many joint moves have been made now.
        move: The player's own move as it was executed, which is another one if its own was late or illegal.
        percepts: What the role was shown.
        moves: All moves, in role order; None in a game that hides something.
        position: Where they lead; None in a game that hides something.
    """

    number: int
    move: Move
    percepts: frozenset[Percept]
    moves: JointMove | None
    position: P | None


class Player(Protocol):
    """A program that plays one role of a match; a player derived from this class need only choose."""

    def start(self, seat: Seat[Any]) -> None:
        """Prepare for a match, before `seat.deadline`."""
        return

    def choose(self, turn: Turn[Any]) -> Move:
        """Return one of the turn's legal moves, before `turn.deadline`."""
        ...

    def observe(self, event: Event[Any]) -> None:
        """See what happened; called after every joint move."""
        return

    def ponder(self, deadline: Deadline) -> None:
        """Think while the others do, until the deadline at the latest; hosts that have the time call this in slices."""
        return

    def stop(self, goals: tuple[int | None, ...] | None) -> None:
        """Learn how the match ended: the goal of every role, None where there is no single value or for an abort."""
        return

    def explain(self) -> Explanation | None:
        """Tell why the last move was chosen, if there is anything to tell."""
        return None

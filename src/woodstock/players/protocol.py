"""What a player is, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from woodstock.game.protocol import Game, Move, Percept

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Turn(Generic[P]):
    """What a player is told when it has to move.

    Attributes:
        number: How many joint moves have been made.
        legal_moves: The moves to choose from, at least one.
        last_move: The player's own last move as the referee executed it, None at the first turn.
        percepts: What the player was shown after the last joint move.
        position: Where the match stands; None in a game that hides something from its players.
    """

    number: int
    legal_moves: tuple[Move, ...]
    last_move: Move | None
    percepts: frozenset[Percept]
    position: P | None


class Player(Protocol):
    """A program that plays one role of a match."""

    def start(self, game: Game[Any], role: int, random: Random) -> None:
        """Prepare for a match.

        Args:
            game: The rules.
            role: The role to play.
            random: The only source of random numbers to use, so that a match can be repeated.
        """

    def choose(self, turn: Turn[Any]) -> Move:
        """Return one of the turn's legal moves."""

    def finish(self, goals: tuple[int | None, ...]) -> None:
        """Learn how the match ended: the goal of every role, None where the rules give no single value."""

"""Players that do not think."""

from __future__ import annotations

from random import Random
from typing import Any

from woodstock.game.protocol import Game, Move
from woodstock.gdl.printer import to_kif
from woodstock.players.protocol import Turn


class LegalPlayer:
    """Makes the first of its legal moves, in alphabetical order."""

    def __repr__(self) -> str:
        return "LegalPlayer()"

    def start(self, game: Game[Any], role: int, random: Random) -> None:
        """Need nothing."""

    def choose(self, turn: Turn[Any]) -> Move:
        return min(turn.legal_moves, key=to_kif)

    def finish(self, goals: tuple[int | None, ...]) -> None:
        """Learn nothing."""


class RandomPlayer:
    """Makes any legal move, each as likely as the others."""

    def __init__(self) -> None:
        self._random = Random(0)

    def __repr__(self) -> str:
        return "RandomPlayer()"

    def start(self, game: Game[Any], role: int, random: Random) -> None:
        self._random = random

    def choose(self, turn: Turn[Any]) -> Move:
        return self._random.choice(turn.legal_moves)

    def finish(self, goals: tuple[int | None, ...]) -> None:
        """Learn nothing."""

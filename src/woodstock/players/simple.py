"""Players that do not think."""

from __future__ import annotations

from random import Random
from typing import Any

from woodstock.game.protocol import Move
from woodstock.gdl.printer import to_kif
from woodstock.players.protocol import Player, Seat, Turn


class LegalPlayer(Player):
    """Makes the first of its legal moves, in alphabetical order."""

    def __repr__(self) -> str:
        return "LegalPlayer()"

    def choose(self, turn: Turn[Any]) -> Move:
        return min(turn.legal_moves, key=to_kif)


class RandomPlayer(Player):
    """Makes any legal move, each as likely as the others."""

    def __init__(self) -> None:
        self._random = Random(0)

    def __repr__(self) -> str:
        return "RandomPlayer()"

    def start(self, seat: Seat[Any]) -> None:
        self._random = seat.random

    def choose(self, turn: Turn[Any]) -> Move:
        return self._random.choice(turn.legal_moves)

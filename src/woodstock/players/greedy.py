"""A player that looks one move ahead."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from random import Random
from typing import Any

from woodstock.game.protocol import Game, JointMove, Move, goal
from woodstock.players.protocol import Player, Seat, Turn

MAX_REPLIES = 32
"""How many combinations of the others' moves are tried for each move of its own."""

UNDECIDED = 50.0
"""What a position is worth in which the match goes on."""


class GreedyPlayer(Player):
    """Takes a move that ends the match well, avoids one that ends it badly, and else moves at random.

    A move is worth its mean goal over the moves of the other roles, which it takes to be equally likely. Where the
    rules hide the position it moves at random.
    """

    def __init__(self) -> None:
        self._game: Game[Any] | None = None
        self._role = 0
        self._random = Random(0)

    def __repr__(self) -> str:
        return "GreedyPlayer()"

    def start(self, seat: Seat[Any]) -> None:
        self._game, self._role, self._random = seat.game, seat.role, seat.random

    def choose(self, turn: Turn[Any]) -> Move:
        moves = list(turn.legal_moves)
        if self._game is None or turn.position is None or len(moves) == 1:
            return self._random.choice(moves)
        values = [self._value(self._game, turn.position, move) for move in moves]
        best = max(values)
        return self._random.choice([move for move, value in zip(moves, values, strict=True) if value == best])

    def stop(self, goals: tuple[int | None, ...] | None) -> None:
        self._game = None

    def _value(self, game: Game[Any], position: Any, move: Move) -> float:
        """Return the mean goal after a move."""
        values = []
        for moves in islice(self._joint_moves(game, position, move), MAX_REPLIES):
            after = game.next_position(position, moves)
            value = goal(game, after, self._role) if game.is_terminal(after) else None
            values.append(UNDECIDED if value is None else value)
        return sum(values) / len(values) if values else UNDECIDED

    def _joint_moves(self, game: Game[Any], position: Any, move: Move) -> Iterator[JointMove]:
        """Yield the joint moves that contain a move of this role."""
        choices = [
            (move,) if role == self._role else game.legal_moves(position, role) for role in range(len(game.roles))
        ]
        return product(*choices)

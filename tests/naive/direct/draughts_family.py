"""Draughts on eight by eight squares: the English game, and the one in which nobody has to jump."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

SIZE = 8

Square = tuple[int, int]
"""File and rank, from 1."""


class Board(NamedTuple):
    """A position.

    Attributes:
        squares: What stands on each square that is not empty: the side's first letter, a capital for a king.
        turn: Who is to move.
        jumper: Square of the piece that has jumped and can jump on, if any.
        clock: Moves without progress, or all moves, as the game counts.
    """

    squares: dict[Square, str]
    turn: str
    jumper: Square | None
    clock: int


def _text(square: Square) -> str:
    return f"{square[0]} {square[1]}"


class Draughts(ABC):
    """What both games have in common; the first role starts at the bottom.

    Args:
        roles: Who plays, in order.
    """

    def __init__(self, *roles: str) -> None:
        self.roles: tuple[str, ...] = roles
        self.rival = {roles[0]: roles[1], roles[1]: roles[0]}

    def start(self) -> Board:
        squares = {}
        for rank in range(1, SIZE + 1):
            for file in range(1 + (rank + 1) % 2, SIZE + 1, 2):
                if rank <= 3:
                    squares[file, rank] = self.roles[0][0]
                elif rank >= 6:
                    squares[file, rank] = self.roles[1][0]
        return Board(squares, self.roles[0], None, 0)

    def _ways(self, side: str, piece: str) -> list[Square]:
        ahead = 1 if side == self.roles[0] else -1
        return [(aside, up) for up in ((ahead, -ahead) if piece.isupper() else (ahead,)) for aside in (-1, 1)]

    def _pieces(self, position: Board) -> Iterator[tuple[Square, str]]:
        return ((at, piece) for at, piece in position.squares.items() if piece.lower() == position.turn[0])

    def jumps_from(self, squares: dict[Square, str], side: str, at: Square, piece: str) -> list[Square]:
        """Return where a piece on a square can jump to."""
        found = []
        for aside, up in self._ways(side, piece):
            over, to = (at[0] + aside, at[1] + up), (at[0] + 2 * aside, at[1] + 2 * up)
            on_board = 1 <= to[0] <= SIZE and 1 <= to[1] <= SIZE
            if on_board and to not in squares and squares.get(over, "").lower() == self.rival[side][0]:
                found.append(to)
        return found

    def jumps(self, position: Board) -> set[str]:
        """Return the jumps of the side to move: of one piece if it is in the middle of its jumps."""
        found = set()
        for at, piece in self._pieces(position):
            if position.jumper in (None, at):
                for to in self.jumps_from(position.squares, position.turn, at, piece):
                    found.add(f"(jump {_text(at)} {_text(to)})")
        return found

    def steps(self, position: Board) -> set[str]:
        """Return the steps of the side to move, as if it need not jump."""
        found = set()
        for at, piece in self._pieces(position):
            for aside, up in self._ways(position.turn, piece):
                to = at[0] + aside, at[1] + up
                if 1 <= to[0] <= SIZE and 1 <= to[1] <= SIZE and to not in position.squares:
                    found.add(f"(step {_text(at)} {_text(to)})")
        return found

    def after(self, position: Board, moves: dict[str, str]) -> Board:
        side = position.turn
        words = moves[side].strip("()").split()
        if words == ["stop"]:
            return Board(position.squares, self.rival[side], None, self.tick(position, progress=False))
        start, end = (int(words[1]), int(words[2])), (int(words[3]), int(words[4]))
        squares = dict(position.squares)
        piece = squares.pop(start)
        jumped = words[0] == "jump"
        if jumped:
            del squares[(start[0] + end[0]) // 2, (start[1] + end[1]) // 2]
        crowned = piece.islower() and end[1] == (SIZE if side == self.roles[0] else 1)
        squares[end] = piece.upper() if crowned else piece
        clock = self.tick(position, progress=jumped or piece.islower())
        if jumped and not crowned and self.jumps_from(squares, side, end, piece):
            return Board(squares, side, end, clock)
        return Board(squares, self.rival[side], None, clock)

    @abstractmethod
    def tick(self, position: Board, *, progress: bool) -> int:
        """Return the clock after a move."""


class EnglishDraughts(Draughts):
    """Jumps are forced, and who cannot move loses."""

    def legal(self, position: Board, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        return self.jumps(position) or self.steps(position)

    def tick(self, position: Board, *, progress: bool) -> int:
        return 0 if progress else position.clock + 1

    def is_over(self, position: Board) -> bool:
        return position.clock == 40 or not self.legal(position, position.turn)

    def goal(self, position: Board, role: str) -> int:
        if self.legal(position, position.turn):
            return 50
        return 0 if role == position.turn else 100


class FreeCheckers(Draughts):
    """Jumps are free, and pieces are counted in the end."""

    def legal(self, position: Board, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        if position.jumper:
            return self.jumps(position) | {"stop"}
        return self.jumps(position) | self.steps(position)

    def tick(self, position: Board, *, progress: bool) -> int:
        return position.clock + 1

    def is_over(self, position: Board) -> bool:
        return position.clock == 100 or not self.legal(position, position.turn)

    def goal(self, position: Board, role: str) -> int:
        own, foe = (
            sum(piece.lower() == side[0] for piece in position.squares.values()) for side in (role, self.rival[role])
        )
        return 50 + 50 * (own > foe) - 50 * (own < foe)

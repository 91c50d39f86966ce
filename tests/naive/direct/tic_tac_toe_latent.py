"""Latent tic-tac-toe on ten by ten squares: five in a line, among marks that chance has hidden."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

Square = tuple[int, int]

SIZE, LENGTH = 10, 5
SQUARES = {(column, row) for column in range(1, SIZE + 1) for row in range(1, SIZE + 1)}
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


class Board(NamedTuple):
    """Squares by mark, squares that were tried, and the number of steps made."""

    x: frozenset[Square] = frozenset()
    o: frozenset[Square] = frozenset()
    tried: frozenset[Square] = frozenset()
    steps: int = 0

    def with_mark(self, mark: str, square: Square) -> Board:
        return self._replace(x=self.x | {square}) if mark == "x" else self._replace(o=self.o | {square})


def has_line(marks: frozenset[Square]) -> bool:
    """Tell whether five squares of a set are in line."""
    return any(
        all((column + dx * distance, row + dy * distance) in marks for distance in range(LENGTH))
        for column, row in marks
        for dx, dy in DIRECTIONS
    )


class LatentTicTacToe:
    """x, o and chance in turn; a mark on a square that is taken is lost."""

    roles: tuple[str, ...] = ("x", "o", "random")

    def start(self) -> Board:
        return Board()

    def _turn(self, position: Board) -> str:
        return self.roles[position.steps % 3]

    def legal(self, position: Board, role: str) -> set[str]:
        if role != self._turn(position):
            return {"wait"}
        if role == "random":
            empty = SQUARES - position.x - position.o
            return {f"(hide {mark} {column} {row})" for column, row in empty for mark in "xo"}
        return {f"(mark {column} {row})" for column, row in SQUARES - position.tried}

    def after(self, position: Board, moves: dict[str, str]) -> Board:
        turn = self._turn(position)
        later = position._replace(steps=position.steps + 1)
        _, *mark, column, row = moves[turn].strip("()").split()
        square = (int(column), int(row))
        if turn == "random":
            return later.with_mark(mark[0], square)
        later = later._replace(tried=position.tried | {square})
        return later if square in position.x | position.o else later.with_mark(turn, square)

    def is_over(self, position: Board) -> bool:
        full = len(position.x) + len(position.o) == len(SQUARES)
        return full or has_line(position.x) or has_line(position.o)

    def goal(self, position: Board, role: str) -> int:
        won = {"x": has_line(position.x), "o": has_line(position.o)}
        if not any(won.values()):
            return 50
        return 100 if won[role] else 0

    def sees(self, position: Board, moves: dict[str, str], role: str) -> set[str]:
        turn = self._turn(position)
        if turn == "random":
            return set()
        where = moves[turn][6:-1]
        column, row = where.split()
        square = (int(column), int(row))
        if square in position.x | position.o:
            return {f"(found {'x' if square in position.x else 'o'} {where})"}
        return {f"(marked {turn} {where})"}


GAME: DirectGame = LatentTicTacToe()

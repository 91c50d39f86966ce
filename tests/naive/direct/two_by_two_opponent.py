"""Tic-tac-toe on two by two squares, without diagonals, a cross set, against random crosses."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

SQUARES = ("1 1", "1 2", "2 1", "2 2")
LINES = ((0, 1), (2, 3), (0, 2), (1, 3))


class Board(NamedTuple):
    """Four letters in the order of `SQUARES`, `.` for empty, and who is to move."""

    marks: str
    turn: str


class TwoByTwo:
    """Noughts moves first; the opponent is chance."""

    roles: tuple[str, ...] = ("noughts", "random")

    def start(self) -> Board:
        return Board("x...", "noughts")

    def legal(self, position: Board, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        return {f"(mark {square})" for square, mark in zip(SQUARES, position.marks, strict=True) if mark == "."}

    def after(self, position: Board, moves: dict[str, str]) -> Board:
        place = SQUARES.index(moves[position.turn][6:9])
        letter, other = ("o", "random") if position.turn == "noughts" else ("x", "noughts")
        return Board(position.marks[:place] + letter + position.marks[place + 1 :], other)

    def _has_line(self, position: Board, letter: str) -> bool:
        return any(position.marks[first] == position.marks[second] == letter for first, second in LINES)

    def is_over(self, position: Board) -> bool:
        return "." not in position.marks or self._has_line(position, "x") or self._has_line(position, "o")

    def goal(self, position: Board, role: str) -> int:
        if self._has_line(position, "o"):
            return 100
        return 0 if self._has_line(position, "x") else 50


GAME: DirectGame = TwoByTwo()

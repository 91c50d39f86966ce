"""Gomoku with free rules on fifteen by fifteen points."""

from __future__ import annotations

from typing import NamedTuple

SIZE = 15
Point = tuple[int, int]


class Board(NamedTuple):
    """The stones of both sides, who is to move, and whether the last stone made five."""

    black: frozenset[Point] = frozenset()
    white: frozenset[Point] = frozenset()
    turn: str = "black"
    five: bool = False


def makes_five(stones: frozenset[Point], last: Point) -> bool:
    """Tell whether the last stone stands in a line of five or more."""

    def reach(dx: int, dy: int) -> int:
        length = 0
        while (last[0] + dx * (length + 1), last[1] + dy * (length + 1)) in stones:
            length += 1
        return length

    return any(reach(dx, dy) + reach(-dx, -dy) + 1 >= 5 for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)))


class Gomoku:
    """The game."""

    roles = ("black", "white")

    def start(self) -> Board:
        return Board()

    def legal(self, position: Board, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        points = ((x, y) for x in range(1, SIZE + 1) for y in range(1, SIZE + 1))
        return {f"(put {x} {y})" for x, y in points if (x, y) not in position.black | position.white}

    def after(self, position: Board, moves: dict[str, str]) -> Board:
        _, x, y = moves[position.turn].strip("()").split()
        point = (int(x), int(y))
        if position.turn == "black":
            black = position.black | {point}
            return Board(black, position.white, "white", makes_five(black, point))
        white = position.white | {point}
        return Board(position.black, white, "black", makes_five(white, point))

    def is_over(self, position: Board) -> bool:
        return position.five or len(position.black) + len(position.white) == SIZE * SIZE

    def goal(self, position: Board, role: str) -> int:
        if not position.five:
            return 50
        return 0 if role == position.turn else 100


GAME = Gomoku()

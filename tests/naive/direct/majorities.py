"""Majorities on the board of size five."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

PICTURE = """
    . . . . .
   . - . . . .
  . . . . . . .
 . . . - . . . .
. . . . . - . - .
 . . . - . . . .
  . . . . . . .
   . - . . . .
    . . . . .
"""

Cell = tuple[int, int]


def read_picture() -> tuple[set[Cell], list[list[set[Cell]]]]:
    """Return the cells as column and row, and the lines of the three directions."""
    cells = set()
    directions: list[dict[int, set[Cell]]] = [defaultdict(set) for _ in range(3)]
    for row, text in enumerate(PICTURE.strip("\n").splitlines(), 1):
        for place, mark in enumerate(text):
            if mark == ".":
                column = (place + 7 - row) // 2
                cells.add((column, row))
                for lines, number in zip(directions, (row, place + row, place - row), strict=True):
                    lines[number].add((column, row))
    return cells, [list(lines.values()) for lines in directions]


CELLS, DIRECTIONS = read_picture()


class Board(NamedTuple):
    """The stones of both sides in the order in which they were put."""

    stones: tuple[Cell, ...] = ()


def side_of(number: int) -> str:
    """Return who puts a stone: one by red, two by blue, two by red and so on."""
    return "blue" if (number + 1) // 2 % 2 else "red"


def wins(board: Board, side: str) -> bool:
    """Tell whether a side has two of the directions."""
    own = {cell for number, cell in enumerate(board.stones) if side_of(number) == side}
    won = 0
    for lines in DIRECTIONS:
        won += 2 * sum(2 * len(line & own) > len(line) for line in lines) > len(lines)
    return won >= 2


class Majorities:
    """The game."""

    roles = ("red", "blue")

    def start(self) -> Board:
        return Board()

    def legal(self, position: Board, role: str) -> set[str]:
        if role != side_of(len(position.stones)):
            return {"wait"}
        return {f"(put {column} {row})" for column, row in CELLS - set(position.stones)}

    def after(self, position: Board, moves: dict[str, str]) -> Board:
        _, column, row = moves[side_of(len(position.stones))].strip("()").split()
        return Board((*position.stones, (int(column), int(row))))

    def is_over(self, position: Board) -> bool:
        return wins(position, "red") or wins(position, "blue")

    def goal(self, position: Board, role: str) -> int:
        return 100 if wins(position, role) else 0


GAME = Majorities()

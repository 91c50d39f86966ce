"""Hex on nine by nine cells."""

from __future__ import annotations

from typing import NamedTuple

SIZE = 9
Cell = tuple[int, int]


class Board(NamedTuple):
    """The stones of both sides and who is to move."""

    red: frozenset[Cell] = frozenset()
    blue: frozenset[Cell] = frozenset()
    turn: str = "red"


def joined(stones: frozenset[Cell], axis: int) -> bool:
    """Tell whether the stones join the edges where the coordinate of this axis is 1 and `SIZE`."""
    reached: set[Cell] = set()
    frontier = [cell for cell in stones if cell[axis] == 1]
    while frontier:
        x, y = cell = frontier.pop()
        if cell not in reached:
            reached.add(cell)
            around = ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y - 1), (x - 1, y + 1))
            frontier += [neighbour for neighbour in around if neighbour in stones]
    return any(cell[axis] == SIZE for cell in reached)


class Hex:
    """The game: red from the first row to the last, blue from the first column to the last."""

    roles = ("red", "blue")

    def start(self) -> Board:
        return Board()

    def legal(self, position: Board, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        cells = {(x, y) for x in range(1, SIZE + 1) for y in range(1, SIZE + 1)}
        return {f"(put {x} {y})" for x, y in cells - position.red - position.blue}

    def after(self, position: Board, moves: dict[str, str]) -> Board:
        _, x, y = moves[position.turn].strip("()").split()
        stone = {(int(x), int(y))}
        if position.turn == "red":
            return Board(position.red | stone, position.blue, "blue")
        return Board(position.red, position.blue | stone, "red")

    def is_over(self, position: Board) -> bool:
        return joined(position.red, 1) or joined(position.blue, 0)

    def goal(self, position: Board, role: str) -> int:
        for_red = 100 if joined(position.red, 1) else 0
        return for_red if role == "red" else 100 - for_red


GAME = Hex()

"""Pentago: a marble, a quarter turn of a block, five in a line."""

from __future__ import annotations

from typing import NamedTuple

Grid = tuple[str, ...]
"""Six strings, the rows from the bottom to the top; `.` is an empty hole."""

BLOCKS = {"lower_left": (0, 0), "lower_right": (0, 3), "upper_left": (3, 0), "upper_right": (3, 3)}
"""The first row and the first column of each block, from 0."""


class Position(NamedTuple):
    """The board, who is to move, and whether that is to twist a block."""

    grid: Grid = ("......",) * 6
    turn: str = "white"
    twisting: bool = False


def twist(grid: Grid, block: str, sense: str) -> Grid:
    """Turn a block by a quarter."""
    bottom, left = BLOCKS[block]
    from_top = [grid[row][left : left + 3] for row in (bottom + 2, bottom + 1, bottom)]
    if sense == "clockwise":
        turned = ["".join(column) for column in zip(*from_top[::-1], strict=True)]
    else:
        turned = ["".join(column) for column in zip(*from_top, strict=True)][::-1]
    rows = list(grid)
    for row, text in zip((bottom + 2, bottom + 1, bottom), turned, strict=True):
        rows[row] = rows[row][:left] + text + rows[row][left + 3 :]
    return tuple(rows)


def has_five(grid: Grid, marble: str) -> bool:
    """Tell whether five marbles of a kind are in a line."""
    cells = {(x, y) for y, row in enumerate(grid) for x, text in enumerate(row) if text == marble}
    return any(
        all((x + dx * i, y + dy * i) in cells for i in range(5))
        for x, y in cells
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


class Pentago:
    """The game; putting and twisting are moves of their own."""

    roles = ("white", "black")

    def start(self) -> Position:
        return Position()

    def legal(self, position: Position, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        if position.twisting:
            return {f"(twist {block} {sense})" for block in BLOCKS for sense in ("clockwise", "anticlockwise")}
        return {
            f"(put {x + 1} {y + 1})"
            for y, row in enumerate(position.grid)
            for x, marble in enumerate(row)
            if marble == "."
        }

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        grid, turn, twisting = position
        _, first, second = moves[turn].strip("()").split()
        if twisting:
            return Position(twist(grid, first, second), "black" if turn == "white" else "white")
        x, y = int(first) - 1, int(second) - 1
        row = grid[y][:x] + turn[0] + grid[y][x + 1 :]
        return Position((*grid[:y], row, *grid[y + 1 :]), turn, twisting=True)

    def is_over(self, position: Position) -> bool:
        full = not position.twisting and "." not in "".join(position.grid)
        return full or has_five(position.grid, "w") or has_five(position.grid, "b")

    def goal(self, position: Position, role: str) -> int:
        white, black = has_five(position.grid, "w"), has_five(position.grid, "b")
        for_white = 50 + 50 * white - 50 * black
        return for_white if role == "white" else 100 - for_white


GAME = Pentago()

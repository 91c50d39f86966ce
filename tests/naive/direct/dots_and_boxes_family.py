"""Dots and Boxes on six by six dots; more boxes win, or fewer."""

from __future__ import annotations

from typing import NamedTuple

DOTS = 6
Line = tuple[str, int, int]

LINES = frozenset(
    {("right", x, y) for x in range(1, DOTS) for y in range(1, DOTS + 1)}
    | {("up", x, y) for x in range(1, DOTS + 1) for y in range(1, DOTS)}
)


def full_boxes(lines: frozenset[Line]) -> int:
    """Count the boxes with all four sides."""
    return sum(
        {("right", x, y), ("right", x, y + 1), ("up", x, y), ("up", x + 1, y)} <= lines
        for x in range(1, DOTS)
        for y in range(1, DOTS)
    )


class Position(NamedTuple):
    """The lines drawn, who is to move, and the boxes of both."""

    lines: frozenset[Line] = frozenset()
    turn: str = "red"
    red: int = 0
    blue: int = 0


class DotsAndBoxes:
    """The game."""

    roles = ("red", "blue")

    def __init__(self, *, fewer_win: bool = False) -> None:
        self.fewer_win = fewer_win

    def start(self) -> Position:
        return Position()

    def legal(self, position: Position, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        return {f"(draw {way} {x} {y})" for way, x, y in LINES - position.lines}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        _, way, x, y = moves[position.turn].strip("()").split()
        lines = position.lines | {(way, int(x), int(y))}
        new = full_boxes(lines) - position.red - position.blue
        if position.turn == "red":
            return Position(lines, "red" if new else "blue", position.red + new, position.blue)
        return Position(lines, "blue" if new else "red", position.red, position.blue + new)

    def is_over(self, position: Position) -> bool:
        return position.lines == LINES

    def goal(self, position: Position, role: str) -> int:
        red_has_more = position.red > position.blue
        return 100 if (role == "red") == (red_has_more != self.fewer_win) else 0

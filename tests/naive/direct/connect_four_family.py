"""Connect Four in racks of any size, one rack in turn or two racks at once."""

from __future__ import annotations

from typing import NamedTuple

Rack = tuple[str, ...]
"""The columns from left to right, each the first letters of its discs from the bottom up."""


def drop(rack: Rack, column: int, disc: str) -> Rack:
    """Return the rack with one disc more."""
    return (*rack[:column], rack[column] + disc, *rack[column + 1 :])


def four(rack: Rack, height: int, disc: str) -> bool:
    """Tell whether four discs of a kind stand in a line."""
    full = [column.ljust(height, ".") for column in rack]
    lines = [*full, *("".join(column[row] for column in full) for row in range(height))]
    for shift in range(-height, len(full)):
        squares = [(shift + row, row) for row in range(height) if 0 <= shift + row < len(full)]
        lines.append("".join(full[column][row] for column, row in squares))
        lines.append("".join(full[column][height - 1 - row] for column, row in squares))
    return any(disc * 4 in line for line in lines)


class InTurn(NamedTuple):
    """One rack and who is to move."""

    rack: Rack
    turn: str


class ConnectFour:
    """The game with one rack."""

    roles = ("red", "yellow")

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows

    def start(self) -> InTurn:
        return InTurn(("",) * self.columns, "red")

    def legal(self, position: InTurn, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        return {f"(drop {i})" for i, column in enumerate(position.rack, 1) if len(column) < self.rows}

    def after(self, position: InTurn, moves: dict[str, str]) -> InTurn:
        column = int(moves[position.turn].strip("(drop )")) - 1
        other = "yellow" if position.turn == "red" else "red"
        return InTurn(drop(position.rack, column, position.turn[0]), other)

    def is_over(self, position: InTurn) -> bool:
        return (
            four(position.rack, self.rows, "r")
            or four(position.rack, self.rows, "y")
            or all(len(column) == self.rows for column in position.rack)
        )

    def goal(self, position: InTurn, role: str) -> int:
        own = four(position.rack, self.rows, role[0])
        foe = four(position.rack, self.rows, "y" if role == "red" else "r")
        return 50 + 50 * own - 50 * foe


class AtOnce(NamedTuple):
    """Two racks: red's at the next move and yellow's."""

    red: Rack
    yellow: Rack


class SimultaneousConnectFour:
    """The game with two racks: each player drops into one, and then they change racks."""

    roles = ("red", "yellow")
    columns = 8
    rows = 6

    def start(self) -> AtOnce:
        return AtOnce(("",) * self.columns, ("",) * self.columns)

    def legal(self, position: AtOnce, role: str) -> set[str]:
        rack = position.red if role == "red" else position.yellow
        return {f"(drop {i})" for i, column in enumerate(rack, 1) if len(column) < self.rows}

    def after(self, position: AtOnce, moves: dict[str, str]) -> AtOnce:
        columns = {role: int(move.strip("(drop )")) - 1 for role, move in moves.items()}
        left = drop(position.red, columns["red"], "r")
        right = drop(position.yellow, columns["yellow"], "y")
        return AtOnce(right, left)

    def _has_line(self, position: AtOnce, disc: str) -> bool:
        return any(four(rack, self.rows, disc) for rack in position)

    def is_over(self, position: AtOnce) -> bool:
        full = all(len(column) == self.rows for rack in position for column in rack)
        return full or self._has_line(position, "r") or self._has_line(position, "y")

    def goal(self, position: AtOnce, role: str) -> int:
        red, yellow = self._has_line(position, "r"), self._has_line(position, "y")
        for_red = 50 + 50 * red - 50 * yellow
        return for_red if role == "red" else 100 - for_red

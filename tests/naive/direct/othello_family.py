"""Othello, old Reversi and their suicide form as a program on an array of 64 squares."""

from __future__ import annotations

from dataclasses import dataclass

SIZE = 8
EMPTY = "."
RIVAL = {"black": "white", "white": "black"}
MIDDLE = {(3, 3), (4, 3), (3, 4), (4, 4)}
AROUND = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


@dataclass(frozen=True)
class Position:
    """The owner of each square, column by column within a row, and the side to move."""

    squares: tuple[str, ...]
    turn: str

    def owner(self, x: int, y: int) -> str:
        """Return who owns a square; beyond the board nobody does."""
        return self.squares[y * SIZE + x] if 0 <= x < SIZE and 0 <= y < SIZE else EMPTY

    def flips(self, side: str, x: int, y: int) -> list[tuple[int, int]]:
        """Return the discs that a disc of this side at (x, y) would turn."""
        turned: list[tuple[int, int]] = []
        for dx, dy in AROUND:
            ray: list[tuple[int, int]] = []
            i, j = x + dx, y + dy
            while self.owner(i, j) == RIVAL[side]:
                ray.append((i, j))
                i, j = i + dx, j + dy
            if self.owner(i, j) == side:
                turned += ray
        return turned


def name(x: int, y: int) -> str:
    """Return a move as the sheet writes it."""
    return f"(put {'abcdefgh'[x]} {y + 1})"


@dataclass(frozen=True)
class Othello:
    """The family; `free_opening` is the old way to begin, `most_wins` is false in the suicide form."""

    free_opening: bool = False
    most_wins: bool = True
    roles: tuple[str, ...] = ("black", "white")

    def start(self) -> Position:
        squares = [EMPTY] * SIZE * SIZE
        if not self.free_opening:
            for x, y, side in ((3, 3, "white"), (4, 4, "white"), (3, 4, "black"), (4, 3, "black")):
                squares[y * SIZE + x] = side
        return Position(tuple(squares), "black")

    def opening(self, position: Position) -> bool:
        """Tell whether the middle is still being filled."""
        return self.free_opening and any(position.owner(x, y) == EMPTY for x, y in MIDDLE)

    def puts(self, position: Position, side: str) -> set[str]:
        """Return where a side could put a disc if it were its turn."""
        free = [(x, y) for x in range(SIZE) for y in range(SIZE) if position.owner(x, y) == EMPTY]
        if self.opening(position):
            return {name(x, y) for x, y in free if (x, y) in MIDDLE}
        return {name(x, y) for x, y in free if position.flips(side, x, y)}

    def legal(self, position: Position, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        return self.puts(position, role) or {"pass"}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        side = position.turn
        if moves[side] == "pass":
            return Position(position.squares, RIVAL[side])
        _, column, row = moves[side].strip("()").split()
        x, y = "abcdefgh".index(column), int(row) - 1
        squares = list(position.squares)
        for i, j in [] if self.opening(position) else position.flips(side, x, y):
            squares[j * SIZE + i] = side
        squares[y * SIZE + x] = side
        return Position(tuple(squares), RIVAL[side])

    def is_over(self, position: Position) -> bool:
        return not any(self.puts(position, side) for side in self.roles)

    def goal(self, position: Position, role: str) -> int:
        mine, other = position.squares.count(role), position.squares.count(RIVAL[role])
        if mine == other:
            return 50
        return 100 if (mine > other) == self.most_wins else 0

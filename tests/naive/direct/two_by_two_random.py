"""Randomised tic-tac-toe on two by two squares: a player chooses a line, chance the square."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

CELLS = [(1, 1), (1, 2), (2, 1), (2, 2)]


class Board(NamedTuple):
    """The cells of each player, the player on turn, and the line it has chosen, as the move says it."""

    owned: tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]] = (frozenset(), frozenset())
    turn: int = 0
    choice: str = ""

    def free(self, line: str) -> list[tuple[int, int]]:
        """Return the empty cells of a line such as `(choose_row 2)`."""
        axis, number = (0 if "row" in line else 1), int(line[-2])
        return [cell for cell in CELLS if cell[axis] == number and cell not in self.owned[0] | self.owned[1]]


class RandomTwoByTwo:
    """Two marks of one player are always in line here, since diagonals count."""

    roles: tuple[str, ...] = ("one", "two", "random")

    def start(self) -> Board:
        return Board()

    def legal(self, position: Board, role: str) -> set[str]:
        if position.choice:
            if role != "random":
                return {"wait"}
            owner = self.roles[position.turn]
            return {f"(mark {row} {column} {owner})" for row, column in position.free(position.choice)}
        if role != self.roles[position.turn]:
            return {"wait"}
        lines = {f"(choose_{kind} {number})" for kind in ("row", "column") for number in (1, 2)}
        return {line for line in lines if position.free(line)}

    def after(self, position: Board, moves: dict[str, str]) -> Board:
        if not position.choice:
            return position._replace(choice=moves[self.roles[position.turn]])
        _, row, column, _ = moves["random"].strip("()").split()
        first, second = position.owned
        cell = frozenset({(int(row), int(column))})
        owned = (first | cell, second) if position.turn == 0 else (first, second | cell)
        return Board(owned, 1 - position.turn)

    def is_over(self, position: Board) -> bool:
        return max(map(len, position.owned)) == 2

    def goal(self, position: Board, role: str) -> int:
        return 100 if len(position.owned[self.roles.index(role)]) == 2 else 0


GAME: DirectGame = RandomTwoByTwo()

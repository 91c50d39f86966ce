"""The board of Free For All and Tic-Tac-Chess: pieces go like knights and capture like kings."""

from __future__ import annotations

from dataclasses import dataclass

RIVAL = {"red": "blue", "blue": "red"}
HOME = {"red": (1, 4), "blue": (7, 4)}
LIMIT = 30

Square = tuple[int, int]
Pieces = frozenset[tuple[Square, str]]


@dataclass(frozen=True)
class Position:
    """Pieces with their squares, captures of red and blue, moves made."""

    pieces: Pieces
    captures: tuple[int, int] = (0, 0)
    made: int = 0

    @property
    def turn(self) -> str:
        """Return whose turn it is; red begins."""
        return ("red", "blue")[self.made % 2]


class LeapAndStrike:
    """What both games share."""

    roles: tuple[str, ...] = ("red", "blue")

    def start(self) -> Position:
        return Position(frozenset((square, side) for side, square in HOME.items()))

    def legal(self, position: Position, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        owners = dict(position.pieces)
        moves = set()
        for (x, y), owner in position.pieces:
            if owner != role:
                continue
            for i in range(2, 7):
                for j in range(2, 7):
                    distances = sorted((abs(i - x), abs(j - y)))
                    leaps = distances == [1, 2] and (i, j) not in owners
                    strikes = max(distances) == 1 and owners.get((i, j)) == RIVAL[role]
                    if leaps or strikes:
                        moves.add(f"(go {x} {y} {i} {j})")
        return moves or {"pass"}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        side, move = position.turn, moves[position.turn]
        owners = dict(position.pieces)
        captures = dict(zip(self.roles, position.captures, strict=True))
        if move != "pass":
            x, y, i, j = map(int, move.strip("()").split()[1:])
            captures[side] += (i, j) in owners
            owners[i, j] = owners.pop((x, y))
            owners[HOME[side]] = side
        return Position(frozenset(owners.items()), (captures["red"], captures["blue"]), position.made + 1)

"""Quarto with pieces as numbers of four bits."""

from __future__ import annotations

from typing import NamedTuple

PROPERTIES = (("tall", "short"), ("light", "dark"), ("round", "square"), ("solid", "hollow"))
NAMES = ["_".join(pair[piece >> bit & 1] for bit, pair in enumerate(PROPERTIES)) for piece in range(16)]

LINES = [
    *([4 * row + i for i in range(4)] for row in range(4)),
    *([4 * i + column for i in range(4)] for column in range(4)),
    [0, 5, 10, 15],
    [3, 6, 9, 12],
]


class Position(NamedTuple):
    """The squares row by row, who is to move, and the piece to put or None if one is to be given."""

    squares: tuple[int | None, ...] = (None,) * 16
    turn: str = "ann"
    in_hand: int | None = None


def complete(squares: tuple[int | None, ...]) -> bool:
    """Tell whether four pieces in a line share a property."""
    for line in LINES:
        pieces = [piece for square in line if (piece := squares[square]) is not None]
        if len(pieces) == 4:
            all_set, any_set = 15, 0
            for piece in pieces:
                all_set, any_set = all_set & piece, any_set | piece
            if all_set or any_set != 15:
                return True
    return False


class Quarto:
    """The game."""

    roles = ("ann", "ben")

    def start(self) -> Position:
        return Position()

    def legal(self, position: Position, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        if position.in_hand is None:
            return {f"(give {NAMES[piece]})" for piece in range(16) if piece not in position.squares}
        return {f"(put {i % 4 + 1} {i // 4 + 1})" for i, piece in enumerate(position.squares) if piece is None}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        squares, turn, in_hand = position
        words = moves[turn].strip("()").split()
        if in_hand is None:
            return Position(squares, "ben" if turn == "ann" else "ann", NAMES.index(words[1]))
        square = int(words[1]) - 1 + 4 * (int(words[2]) - 1)
        return Position((*squares[:square], in_hand, *squares[square + 1 :]), turn)

    def is_over(self, position: Position) -> bool:
        return complete(position.squares) or None not in position.squares

    def goal(self, position: Position, role: str) -> int:
        if not complete(position.squares):
            return 50
        return 100 if role == position.turn else 0


GAME = Quarto()

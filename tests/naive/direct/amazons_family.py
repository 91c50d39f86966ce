"""The Game of the Amazons on ten by ten squares, with edges or without."""

from __future__ import annotations

from typing import NamedTuple

SIZE = 10
DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
START = {
    **dict.fromkeys([(0, 3), (3, 0), (6, 0), (9, 3)], "white"),
    **dict.fromkeys([(0, 6), (3, 9), (6, 9), (9, 6)], "black"),
}

Square = tuple[int, int]
"""File and rank, from 0."""


class Battle(NamedTuple):
    """A position.

    Attributes:
        things: What is on each square that is not empty: `white`, `black` or `arrow`.
        turn: Who is to move.
        archer: Square of the amazon that must shoot, if one has just gone.
    """

    things: dict[Square, str]
    turn: str
    archer: Square | None


def _text(square: Square) -> str:
    return f"{square[0] + 1} {square[1] + 1}"


class Amazons:
    """The game.

    Args:
        torus: Whether opposite edges are joined.
    """

    roles: tuple[str, ...] = ("white", "black")

    def __init__(self, *, torus: bool = False) -> None:
        self.torus = torus

    def start(self) -> Battle:
        return Battle(START, "white", None)

    def _reach(self, things: dict[Square, str], start: Square) -> set[Square]:
        """Return the empty squares that a queen on a square could go to."""
        found = set()
        for across, up in DIRECTIONS:
            file, rank = start[0] + across, start[1] + up
            while True:
                if self.torus:
                    file, rank = file % SIZE, rank % SIZE
                if not (0 <= file < SIZE and 0 <= rank < SIZE) or (file, rank) in things:
                    break
                found.add((file, rank))
                file, rank = file + across, rank + up
        return found

    def legal(self, position: Battle, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        if position.archer:
            return {f"(shoot {_text(target)})" for target in self._reach(position.things, position.archer)}
        return {
            f"(go {_text(amazon)} {_text(target)})"
            for amazon, thing in position.things.items()
            if thing == role
            for target in self._reach(position.things, amazon)
        }

    def after(self, position: Battle, moves: dict[str, str]) -> Battle:
        numbers = [int(word) - 1 for word in moves[position.turn].strip("()").split()[1:]]
        things = dict(position.things)
        if position.archer:
            things[numbers[0], numbers[1]] = "arrow"
            return Battle(things, "black" if position.turn == "white" else "white", None)
        target = numbers[2], numbers[3]
        things[target] = things.pop((numbers[0], numbers[1]))
        return Battle(things, position.turn, target)

    def is_over(self, position: Battle) -> bool:
        return not self.legal(position, position.turn)

    def goal(self, position: Battle, role: str) -> int:
        return 0 if role == position.turn else 100

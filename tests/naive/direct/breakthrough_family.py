"""Breakthrough and its kin: two armies run at each other, and something happens when one gets through."""

from __future__ import annotations

from typing import NamedTuple

SIZE = 8
OTHER = {"white": "black", "black": "white"}


class Field(NamedTuple):
    """The board and who is to move.

    Attributes:
        ranks: From rank 1 up, each a text of eight letters: `w`, `b` or `.` for empty.
        turn: Role to move.
    """

    ranks: tuple[str, ...]
    turn: str


class Race:
    """A race of pawns, or of knights, with the usual prize or with the opposite one."""

    roles: tuple[str, ...] = ("white", "black")

    def __init__(self, *, knights: bool = False, suicide: bool = False) -> None:
        self.knights, self.suicide = knights, suicide

    def start(self) -> Field:
        return Field(("w" * SIZE,) * 2 + ("." * SIZE,) * (SIZE - 4) + ("b" * SIZE,) * 2, "white")

    def legal(self, position: Field, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        own = role[0]
        found = set()
        for rank, row in enumerate(position.ranks):
            for file, letter in enumerate(row):
                if letter == own:
                    for to_file, to_rank in self._targets(position, file, rank):
                        found.add(f"(go {file + 1} {rank + 1} {to_file + 1} {to_rank + 1})")
        return found

    def _targets(self, position: Field, file: int, rank: int) -> list[tuple[int, int]]:
        up = 1 if position.turn == "white" else -1
        steps = [(-1, 2), (1, 2), (-2, 1), (2, 1)] if self.knights else [(-1, 1), (0, 1), (1, 1)]
        found = []
        for aside, ahead in steps:
            x, y = file + aside, rank + up * ahead
            if 0 <= x < SIZE and 0 <= y < SIZE:
                there = position.ranks[y][x]
                if there == "." or (there != position.turn[0] and aside != 0):
                    found.append((x, y))
        return found

    def after(self, position: Field, moves: dict[str, str]) -> Field:
        file, rank, to_file, to_rank = (int(word) - 1 for word in moves[position.turn].strip("()").split()[1:])
        rows = [list(row) for row in position.ranks]
        rows[rank][file] = "."
        rows[to_rank][to_file] = position.turn[0]
        return Field(tuple("".join(row) for row in rows), OTHER[position.turn])

    def _through(self, position: Field) -> str | None:
        """Return who got through, by arriving or by leaving no enemy alive."""
        everything = "".join(position.ranks)
        if "w" in position.ranks[-1] or "b" not in everything:
            return "white"
        if "b" in position.ranks[0] or "w" not in everything:
            return "black"
        return None

    def is_over(self, position: Field) -> bool:
        return self._through(position) is not None

    def goal(self, position: Field, role: str) -> int:
        return 100 if (self._through(position) == role) != self.suicide else 0

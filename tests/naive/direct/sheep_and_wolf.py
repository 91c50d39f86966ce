"""Sheep and Wolf, also known as Fox and Hounds: four sheep hem in a wolf that wants to get behind them."""

from __future__ import annotations

from typing import NamedTuple

Square = tuple[int, int]
"""File and rank, from 1."""


class Pasture(NamedTuple):
    """Where the animals are and who is to move."""

    wolf: Square
    sheep: frozenset[Square]
    turn: str


def _moves(position: Pasture, role: str) -> list[tuple[Square, Square]]:
    """Return the moves that the animals of a role have, whoever is on turn."""
    animals, ranks = ([position.wolf], (-1, 1)) if role == "wolf" else (position.sheep, (1,))
    found = []
    for file, rank in animals:
        for up in ranks:
            for aside in (-1, 1):
                target = file + aside, rank + up
                on_board = 1 <= target[0] <= 8 and 1 <= target[1] <= 8
                if on_board and target != position.wolf and target not in position.sheep:
                    found.append(((file, rank), target))
    return found


class SheepAndWolf:
    """The game on eight by eight squares; the wolf moves first."""

    roles: tuple[str, ...] = ("wolf", "sheep")

    def start(self) -> Pasture:
        return Pasture((4, 8), frozenset({(1, 1), (3, 1), (5, 1), (7, 1)}), "wolf")

    def legal(self, position: Pasture, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        return {f"(go {start[0]} {start[1]} {end[0]} {end[1]})" for start, end in _moves(position, role)}

    def after(self, position: Pasture, moves: dict[str, str]) -> Pasture:
        file, rank, to_file, to_rank = (int(word) for word in moves[position.turn].strip("()").split()[1:])
        if position.turn == "wolf":
            return position._replace(wolf=(to_file, to_rank), turn="sheep")
        flock = position.sheep - {(file, rank)} | {(to_file, to_rank)}
        return position._replace(sheep=flock, turn="wolf")

    def _winner(self, position: Pasture) -> str | None:
        if position.wolf[1] <= min(rank for _, rank in position.sheep):
            return "wolf"
        if not _moves(position, position.turn):
            return "sheep" if position.turn == "wolf" else "wolf"
        return None

    def is_over(self, position: Pasture) -> bool:
        return self._winner(position) is not None

    def goal(self, position: Pasture, role: str) -> int:
        return 100 if self._winner(position) == role else 0


GAME = SheepAndWolf()

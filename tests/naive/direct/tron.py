"""Tron: two light cycles on eight by eight squares, moving at the same time."""

from __future__ import annotations

from typing import NamedTuple

Square = tuple[int, int]
"""Column and row, from 1."""

STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


class Arena(NamedTuple):
    """The walls of both riders, where the cycles are, and who has crashed."""

    walls: frozenset[Square]
    cycles: tuple[Square, Square]
    crashed: tuple[bool, bool]


def _target(square: Square, direction: str) -> Square:
    return square[0] + STEPS[direction][0], square[1] + STEPS[direction][1]


class Tron:
    """The game: a rider chooses a free neighbouring square, or crashes if there is none."""

    roles: tuple[str, ...] = ("red", "blue")

    def start(self) -> Arena:
        return Arena(frozenset({(2, 4), (7, 5)}), ((2, 4), (7, 5)), (False, False))

    def legal(self, position: Arena, role: str) -> set[str]:
        cycle = position.cycles[self.roles.index(role)]
        targets = {direction: _target(cycle, direction) for direction in STEPS}
        free = {
            direction
            for direction, (column, row) in targets.items()
            if 1 <= column <= 8 and 1 <= row <= 8 and (column, row) not in position.walls
        }
        return free or {"crash"}

    def after(self, position: Arena, moves: dict[str, str]) -> Arena:
        red, blue = (
            cycle if moves[role] == "crash" else _target(cycle, moves[role])
            for role, cycle in zip(self.roles, position.cycles, strict=True)
        )
        if red == blue:
            return position._replace(crashed=(True, True))
        crashed = moves["red"] == "crash", moves["blue"] == "crash"
        return Arena(position.walls | {red, blue}, (red, blue), crashed)

    def is_over(self, position: Arena) -> bool:
        return any(position.crashed)

    def goal(self, position: Arena, role: str) -> int:
        red, blue = position.crashed
        for_red = 50 + 50 * blue - 50 * red
        return for_red if role == "red" else 100 - for_red


GAME = Tron()

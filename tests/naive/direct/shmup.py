"""Shmup: two ships fire and fly at once on a board without edges."""

from __future__ import annotations

from dataclasses import dataclass

SIZE = 8
STEPS = 20
WAYS = {
    "north": (0, -1),
    "north_east": (1, -1),
    "east": (1, 0),
    "south_east": (1, 1),
    "south": (0, 1),
    "south_west": (-1, 1),
    "west": (-1, 0),
    "north_west": (-1, -1),
}

Square = tuple[int, int]


@dataclass(frozen=True)
class Position:
    """Ships of light and dark, bullets with their ways, steps made: firing and moving alternate."""

    ships: tuple[Square, Square]
    bullets: frozenset[tuple[Square, Square]]
    made: int = 0


def shift(square: Square, way: Square) -> Square:
    """Return the square one step on, counted from 0 and round the board."""
    return (square[0] + way[0]) % SIZE, (square[1] + way[1]) % SIZE


def touch(first: Square, second: Square) -> bool:
    """Tell whether two squares touch or are the same."""
    return all((a - b) % SIZE in (0, 1, SIZE - 1) for a, b in zip(first, second, strict=True))


class Shmup:
    """The game for two."""

    roles: tuple[str, ...] = ("light", "dark")

    def start(self) -> Position:
        return Position(((2, 2), (5, 5)), frozenset())

    def legal(self, position: Position, role: str) -> set[str]:
        if position.made % 2 == 0:
            return {f"(fire {name})" for name in WAYS}
        ship = position.ships[self.roles.index(role)]
        oncoming = {(square, (-x, -y)) for square, (x, y) in position.bullets}
        flights = {f"(fly {name})" for name, way in WAYS.items() if (shift(ship, way), way) not in oncoming}
        return flights | {"stay"}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        bullets = {(shift(square, way), way) for square, way in position.bullets}
        goals = list(position.ships)
        flying = 0
        for i, role in enumerate(self.roles):
            word, *direction = moves[role].strip("()").split()
            if word == "fire":
                way = WAYS[direction[0]]
                bullets.add((shift(position.ships[i], way), way))
            elif word == "fly":
                goals[i] = shift(goals[i], WAYS[direction[0]])
                flying += 1
        stopped = flying == 2 and touch(goals[0], goals[1])
        ships = position.ships if stopped else (goals[0], goals[1])
        return Position(ships, frozenset(bullets), position.made + 1)

    def lost(self, position: Position) -> tuple[bool, bool]:
        """Tell which ships are lost."""
        shot = {square for square, _ in position.bullets}
        light, dark = position.ships
        return light in shot or light == dark, dark in shot or light == dark

    def is_over(self, position: Position) -> bool:
        return position.made == STEPS or any(self.lost(position))

    def goal(self, position: Position, role: str) -> int:
        lost = self.lost(position)
        mine, other = lost if role == "light" else lost[::-1]
        return 50 + 50 * other - 50 * mine


GAME = Shmup()

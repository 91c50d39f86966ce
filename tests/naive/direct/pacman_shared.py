"""Pac-Man in a small maze with one ghost in the light, moved by a player, and two in the dark, moved by chance."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

Square = tuple[int, int]

SIZE, DOTS, ROUNDS = 5, 10, 30
STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
PILLARS = {(2, 2), (2, 4), (4, 2), (4, 4)}
MAZE = {(column, row) for column in range(1, SIZE + 1) for row in range(1, SIZE + 1)} - PILLARS


def ways(square: Square) -> dict[str, Square]:
    """Return where the open directions lead."""
    found = {name: (square[0] + x, square[1] + y) for name, (x, y) in STEPS.items()}
    return {name: target for name, target in found.items() if target in MAZE}


class Chase(NamedTuple):
    """Where everybody is, the squares that have lost their dot, and the number of steps made."""

    pacman: Square = (3, 1)
    blinky: Square = (3, 5)
    inky: Square = (3, 3)
    clyde: Square = (3, 3)
    eaten: frozenset[Square] = frozenset({(3, 1)})
    steps: int = 0


class Pacman:
    """Pac-Man, Blinky and chance in turn; there is no dot where Pac-Man starts."""

    roles: tuple[str, ...] = ("pacman", "blinky", "random")

    def start(self) -> Chase:
        return Chase()

    def _turn(self, position: Chase) -> str:
        return self.roles[position.steps % 3]

    def legal(self, position: Chase, role: str) -> set[str]:
        if role != self._turn(position):
            return {"wait"}
        if role == "random":
            return {f"(roam {one} {other})" for one in ways(position.inky) for other in ways(position.clyde)}
        return {f"(go {way})" for way in ways(position.pacman if role == "pacman" else position.blinky)}

    def after(self, position: Chase, moves: dict[str, str]) -> Chase:
        turn = self._turn(position)
        later = position._replace(steps=position.steps + 1)
        _, way, *other = moves[turn].strip("()").split()
        if turn == "pacman":
            square = ways(position.pacman)[way]
            return later._replace(pacman=square, eaten=position.eaten | {square})
        if turn == "blinky":
            return later._replace(blinky=ways(position.blinky)[way])
        return later._replace(inky=ways(position.inky)[way], clyde=ways(position.clyde)[other[0]])

    def _dots(self, position: Chase) -> int:
        return len(position.eaten) - 1

    def _touched(self, position: Chase) -> bool:
        return position.pacman in (position.blinky, position.inky, position.clyde)

    def is_over(self, position: Chase) -> bool:
        return self._touched(position) or self._dots(position) == DOTS or position.steps == 3 * ROUNDS

    def goal(self, position: Chase, role: str) -> int:
        fed = self._dots(position) == DOTS and not self._touched(position)
        return 100 if fed == (role == "pacman") else 0

    def sees(self, position: Chase, moves: dict[str, str], role: str) -> set[str]:
        turn = self._turn(position)
        later = self.after(position, moves)
        found = set() if turn == "random" else {f"(went {turn} {moves[turn][4:-1]})"}
        for ghost, square in (("inky", later.inky), ("clyde", later.clyde)):
            if square in ways(later.pacman).values():
                found.add(f"(glimpse {ghost} {square[0]} {square[1]})")
        return found


GAME: DirectGame = Pacman()

"""Pacman: one eater, four ghosts and twenty dots in a maze of five by five squares."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

MAZE = (
    ".....",
    ".#.#.",
    ".....",
    ".#.#.",
    ".....",
)
STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
GHOSTS = ("blinky", "pinky", "inky", "clyde")

Square = tuple[int, int]
"""Column and row, from 0."""


def ways(square: Square) -> dict[str, Square]:
    """Return where one can go from a square, by direction."""
    column, row = square
    targets = {name: (column + across, row + up) for name, (across, up) in STEPS.items()}
    return {name: (x, y) for name, (x, y) in targets.items() if 0 <= x < 5 and 0 <= y < 5 and MAZE[y][x] == "."}


class Maze(NamedTuple):
    """Where everything is, the steps made, three a round, and the ghost that is awake."""

    pacman: Square
    ghosts: tuple[Square, ...]
    dots: frozenset[Square]
    steps: int = 0
    awake: int = -1


class Pacman:
    """The turns go round: Pacman, chance, ghosts."""

    roles: tuple[str, ...] = ("pacman", "ghosts", "random")
    order = ("pacman", "random", "ghosts")

    def start(self) -> Maze:
        squares = {(column, row) for column in range(5) for row in range(5) if MAZE[row][column] == "."}
        return Maze((2, 0), ((2, 4),) * 4, frozenset(squares - {(2, 0)}))

    def legal(self, position: Maze, role: str) -> set[str]:
        if role != self.order[position.steps % 3]:
            return {"wait"}
        if role == "random":
            return {f"(wake {name})" for name in GHOSTS}
        return set(ways(position.pacman if role == "pacman" else position.ghosts[position.awake]))

    def after(self, position: Maze, moves: dict[str, str]) -> Maze:
        turn = self.order[position.steps % 3]
        move = moves[turn]
        position = position._replace(steps=position.steps + 1)
        if turn == "random":
            return position._replace(awake=GHOSTS.index(move.strip("()").split()[1]))
        if turn == "pacman":
            square = ways(position.pacman)[move]
            return position._replace(pacman=square, dots=position.dots - {square})
        ghosts = list(position.ghosts)
        ghosts[position.awake] = ways(ghosts[position.awake])[move]
        return position._replace(ghosts=tuple(ghosts))

    def is_over(self, position: Maze) -> bool:
        return position.pacman in position.ghosts or len(position.dots) == 10 or position.steps == 90

    def goal(self, position: Maze, role: str) -> int:
        won = len(position.dots) == 10 and position.pacman not in position.ghosts
        return 100 if won == (role == "pacman") else 0


GAME: DirectGame = Pacman()

"""Bomberman: two players, crates and bombs on seven by five squares, everything at once."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

BOARD = (  # from the top row down: pillars, crates and floor
    "...x...",
    "x#.#.#.",
    "..x.x..",
    ".#.#.#x",
    "...x...",
)
STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}

Square = tuple[int, int]
"""Column and row, from 0 at the bottom left."""

CELLS = {(column, 4 - line): cell for line, text in enumerate(BOARD) for column, cell in enumerate(text)}


class Bomb(NamedTuple):
    """A bomb, who dropped it, where, and how many steps it still lies there."""

    owner: int
    square: Square
    fuse: int


class Maze(NamedTuple):
    """The players, the crates, the bombs, the squares on fire, and the steps made."""

    players: tuple[Square, Square]
    crates: frozenset[Square]
    bombs: frozenset[Bomb] = frozenset()
    flames: frozenset[Square] = frozenset()
    steps: int = 0


def _blast(square: Square, crates: frozenset[Square]) -> set[Square]:
    """Return the squares that a bomb sets on fire."""
    burning = {square}
    for across, up in STEPS.values():
        for distance in (1, 2):
            target = square[0] + distance * across, square[1] + distance * up
            if CELLS.get(target, "#") == "#":
                break
            burning.add(target)
            if target in crates:
                break
    return burning


class Bomberman:
    """The game: moves, then fuses and flames."""

    roles: tuple[str, ...] = ("red", "blue")

    def start(self) -> Maze:
        return Maze(((0, 0), (6, 4)), frozenset(square for square, cell in CELLS.items() if cell == "x"))

    def _target(self, position: Maze, player: int, direction: str) -> Square:
        (column, row), (across, up) = position.players[player], STEPS[direction]
        return column + across, row + up

    def legal(self, position: Maze, role: str) -> set[str]:
        player = self.roles.index(role)
        bombs = {bomb.square for bomb in position.bombs}
        moves = {"stay"}
        for direction in STEPS:
            target = self._target(position, player, direction)
            if CELLS.get(target, "#") != "#" and target not in position.crates | bombs:
                moves.add(direction)
        if position.players[player] not in bombs and all(bomb.owner != player for bomb in position.bombs):
            moves.add("drop")
        return moves

    def after(self, position: Maze, moves: dict[str, str]) -> Maze:
        flames: set[Square] = set()
        for bomb in position.bombs:
            if bomb.fuse == 1:
                flames |= _blast(bomb.square, position.crates)
        bombs = {
            bomb._replace(fuse=1 if bomb.square in flames else bomb.fuse - 1)
            for bomb in position.bombs
            if bomb.fuse > 1
        }
        players = list(position.players)
        for player, role in enumerate(self.roles):
            if moves[role] == "drop":
                bombs.add(Bomb(player, players[player], 3))
            elif moves[role] != "stay":
                players[player] = self._target(position, player, moves[role])
        return Maze(
            (players[0], players[1]),
            position.crates - flames,
            frozenset(bombs),
            frozenset(flames),
            position.steps + 1,
        )

    def is_over(self, position: Maze) -> bool:
        return position.steps == 40 or any(player in position.flames for player in position.players)

    def goal(self, position: Maze, role: str) -> int:
        red, blue = (player in position.flames for player in position.players)
        for_red = 50 + 50 * blue - 50 * red
        return for_red if role == "red" else 100 - for_red


GAME: DirectGame = Bomberman()

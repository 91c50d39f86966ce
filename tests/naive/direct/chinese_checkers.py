"""Chinese Checkers for three on a star of 37 holes.

Holes are thought of as cubes of three coordinates that sum to nothing: the star is made of two triangles, and each
player goes down along one coordinate.
"""

from __future__ import annotations

from typing import NamedTuple

Cube = tuple[int, int, int]

PLAYERS = ("red", "green", "blue")
AXIS = {"red": 1, "green": 0, "blue": 2}
"""The coordinate that a player's pegs never raise."""

STEPS = [(1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1)]
HOLES = {
    (x, y, -x - y) for x in range(-4, 5) for y in range(-4, 5) if min(x, y, -x - y) >= -2 or max(x, y, -x - y) <= 2
}
LAST_MOVE = 120


class Star(NamedTuple):
    """A position.

    Attributes:
        pegs: Owner of each peg by its hole.
        turn: Who is to move.
        hopper: Hole of the peg that has hopped and can hop on, and the hole it came from.
        clock: Moves made.
    """

    pegs: dict[Cube, str]
    turn: str
    hopper: tuple[Cube, Cube] | None
    clock: int


def _text(hole: Cube) -> str:
    return f"{hole[0] + 5} {hole[1] + 5}"


def _cube(column: str, row: str) -> Cube:
    x, y = int(column) - 5, int(row) - 5
    return x, y, -x - y


def _far(hole: Cube, step: Cube, number: int) -> Cube:
    return hole[0] + number * step[0], hole[1] + number * step[1], hole[2] + number * step[2]


def _ways(player: str) -> list[Cube]:
    return [step for step in STEPS if step[AXIS[player]] <= 0]


def _hops(pegs: dict[Cube, str], player: str, hole: Cube) -> list[Cube]:
    """Return where a peg in a hole can hop to."""
    landings = [(_far(hole, step, 1), _far(hole, step, 2)) for step in _ways(player)]
    return [to for over, to in landings if over in pegs and to in HOLES and to not in pegs]


class ChineseCheckers:
    """The game; turns go round clockwise."""

    roles: tuple[str, ...] = PLAYERS

    def start(self) -> Star:
        pegs = {hole: player for player in PLAYERS for hole in HOLES if hole[AXIS[player]] >= 3}
        return Star(pegs, "red", None, 0)

    def legal(self, position: Star, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        if position.hopper:
            hole, origin = position.hopper
            landings = _hops(position.pegs, role, hole)
            return {f"(hop {_text(hole)} {_text(to)})" for to in landings if to != origin} | {"stop"}
        found = set()
        for hole, owner in position.pegs.items():
            if owner == role:
                found |= {f"(hop {_text(hole)} {_text(to)})" for to in _hops(position.pegs, role, hole)}
                for to in (_far(hole, step, 1) for step in _ways(role)):
                    if to in HOLES and to not in position.pegs:
                        found.add(f"(step {_text(hole)} {_text(to)})")
        return found or {"wait"}

    def after(self, position: Star, moves: dict[str, str]) -> Star:
        player, pegs = position.turn, dict(position.pegs)
        words = moves[player].strip("()").split()
        follower = PLAYERS[(PLAYERS.index(player) + 1) % 3]
        clock = position.clock + 1
        if len(words) == 1:
            return Star(pegs, follower, None, clock)
        start, end = _cube(words[1], words[2]), _cube(words[3], words[4])
        pegs[end] = pegs.pop(start)
        if words[0] == "hop" and set(_hops(pegs, player, end)) - {start}:
            return Star(pegs, player, (end, start), clock)
        return Star(pegs, follower, None, clock)

    def _home(self, position: Star, player: str) -> int:
        return sum(owner == player and hole[AXIS[player]] <= -3 for hole, owner in position.pegs.items())

    def is_over(self, position: Star) -> bool:
        return position.clock == LAST_MOVE or any(self._home(position, player) == 3 for player in PLAYERS)

    def goal(self, position: Star, role: str) -> int:
        return (0, 25, 50, 100)[self._home(position, role)]


GAME = ChineseCheckers()

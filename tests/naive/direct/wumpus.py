"""The wumpus world on four by four squares."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

Square = tuple[int, int]

SIZE, MOVES = 4, 30
ENTRANCE = (1, 1)
STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
CAVE = {(column, row) for column in range(1, SIZE + 1) for row in range(1, SIZE + 1)}


def around(square: Square) -> set[Square]:
    """Return the squares beside a square."""
    return {(square[0] + x, square[1] + y) for x, y in STEPS.values()} & CAVE


def flight(square: Square, direction: str) -> list[Square]:
    """Return the squares that an arrow passes."""
    x, y = STEPS[direction]
    path = [(square[0] + x * distance, square[1] + y * distance) for distance in range(1, SIZE)]
    return [passed for passed in path if passed in CAVE]


class Cave(NamedTuple):
    """What is where.

    Attributes:
        placed: Squares of the wumpus, the gold and two pits, as far as they are placed; they stay on the list for ever.
        hunter: Where the hunter is, None before it enters.
        alive: The wumpus lives.
        arrow: The hunter has its arrow.
        gold: The hunter has the gold.
        outside: The hunter has climbed out.
        moves: Moves made in the cave.
    """

    placed: tuple[Square, ...] = ()
    hunter: Square | None = None
    alive: bool = True
    arrow: bool = True
    gold: bool = False
    outside: bool = False
    moves: int = 0

    @property
    def dead(self) -> bool:
        return self.hunter in self.placed[2:] or (self.alive and self.hunter in self.placed[:1])


class Wumpus:
    """Chance furnishes the cave in four steps; then the hunter enters."""

    roles: tuple[str, ...] = ("hunter", "random")

    def start(self) -> Cave:
        return Cave()

    def legal(self, position: Cave, role: str) -> set[str]:
        if len(position.placed) < 4:
            free = CAVE - set(position.placed) - {ENTRANCE}
            return {f"(put {column} {row})" for column, row in free} if role == "random" else {"wait"}
        if role == "random":
            return {"wait"}
        here = position.hunter
        if here is None:
            return {"enter"}
        open_ways = {direction for direction in STEPS if flight(here, direction)}
        found = {f"(go {direction})" for direction in open_ways}
        if position.arrow:
            found |= {f"(shoot {direction})" for direction in open_ways}
        if here == position.placed[1] and not position.gold:
            found.add("grab")
        if here == ENTRANCE:
            found.add("climb")
        return found

    def after(self, position: Cave, moves: dict[str, str]) -> Cave:
        if len(position.placed) < 4:
            _, column, row = moves["random"].strip("()").split()
            return position._replace(placed=(*position.placed, (int(column), int(row))))
        if position.hunter is None:
            return position._replace(hunter=ENTRANCE)
        later = position._replace(moves=position.moves + 1)
        verb, *way = moves["hunter"].strip("()").split()
        if verb == "go":
            return later._replace(hunter=flight(position.hunter, way[0])[0])
        if verb == "shoot":
            missed = position.placed[0] not in flight(position.hunter, way[0])
            return later._replace(arrow=False, alive=position.alive and missed)
        return later._replace(gold=True) if verb == "grab" else later._replace(outside=True)

    def is_over(self, position: Cave) -> bool:
        return position.dead or position.outside or position.moves == MOVES

    def goal(self, position: Cave, role: str) -> int:
        if not position.outside:
            return 0
        return 100 if position.gold else 25

    def sees(self, position: Cave, moves: dict[str, str], role: str) -> set[str]:
        later = self.after(position, moves)
        if later.hunter is None:
            return set()
        near = around(later.hunter)
        noticed = {
            "stench": later.alive and later.placed[0] in near,
            "breeze": not near.isdisjoint(later.placed[2:]),
            "glitter": later.hunter == later.placed[1] and not later.gold,
            "scream": position.alive and not later.alive,
        }
        return {percept for percept, noted in noticed.items() if noted}


GAME: DirectGame = Wumpus()

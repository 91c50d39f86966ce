"""Nine Men's Morris on the points of three nested squares, numbered around each square."""

from __future__ import annotations

from dataclasses import dataclass, replace

RIVAL = {"white": "black", "black": "white"}
AROUND = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]
POINTS = [f"{'abcdefg'[3 + ring * dx]} {4 + ring * dy}" for ring in (1, 2, 3) for dx, dy in AROUND]
"""Point 8r + i is the i-th of ring r; odd ones are the middles of the sides."""

MILLS = [{8 * r + i, 8 * r + i + 1, 8 * r + (i + 2) % 8} for r in range(3) for i in (0, 2, 4, 6)]
MILLS += [{i, 8 + i, 16 + i} for i in (1, 3, 5, 7)]
LIMIT = 200


def neighbours(point: int) -> set[int]:
    """Return the points joined to a point."""
    ring, i = divmod(point, 8)
    found = {8 * ring + (i + 1) % 8, 8 * ring + (i - 1) % 8}
    if i % 2:
        found |= {8 * other + i for other in range(3) if abs(other - ring) == 1}
    return found


@dataclass(frozen=True)
class Position:
    """Points of each side, men in hand, whose turn it is, whether a man is to be removed, steps made."""

    men: dict[str, frozenset[int]]
    hand: dict[str, int]
    turn: str = "white"
    removing: bool = False
    made: int = 0

    def moves(self) -> set[str]:
        """Return the moves of the side to move."""
        mine, enemy = self.men[self.turn], self.men[RIVAL[self.turn]]
        free = set(range(24)) - mine - enemy
        if self.removing:
            safe = set().union(*(mill for mill in MILLS if mill <= enemy))
            return {f"(remove {POINTS[point]})" for point in (enemy - safe or enemy)}
        if self.hand[self.turn]:
            return {f"(place {POINTS[point]})" for point in free}
        return {
            f"(go {POINTS[start]} {POINTS[end]})"
            for start in mine
            for end in (free if len(mine) == 3 else free & neighbours(start))
        }

    def loser(self) -> str | None:
        """Return who has lost."""
        for side in RIVAL:
            if len(self.men[side]) + self.hand[side] == 2:
                return side
        return None if self.moves() else self.turn


class NineMensMorris:
    """The game."""

    roles: tuple[str, ...] = ("white", "black")

    def start(self) -> Position:
        return Position({side: frozenset() for side in RIVAL}, dict.fromkeys(RIVAL, 9))

    def legal(self, position: Position, role: str) -> set[str]:
        return position.moves() if role == position.turn else {"wait"}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        side, enemy = position.turn, RIVAL[position.turn]
        word, *names = moves[side].strip("()").split()
        points = [POINTS.index(" ".join(names[i : i + 2])) for i in range(0, len(names), 2)]
        men, hand = dict(position.men), dict(position.hand)
        closed = False
        if word == "remove":
            men[enemy] -= {points[0]}
        else:
            if word == "place":
                hand[side] -= 1
            else:
                men[side] -= {points[0]}
            men[side] |= {points[-1]}
            closed = any(points[-1] in mill and mill <= men[side] for mill in MILLS)
        turn = side if closed else enemy
        return replace(position, men=men, hand=hand, turn=turn, removing=closed, made=position.made + 1)

    def is_over(self, position: Position) -> bool:
        return position.made == LIMIT or position.loser() is not None

    def goal(self, position: Position, role: str) -> int:
        loser = position.loser()
        return 50 if loser is None else 0 if loser == role else 100


GAME = NineMensMorris()

"""Battlebrushes: four painters on one board."""

from __future__ import annotations

from dataclasses import dataclass

CORNERS = {"blue": (2, 2), "red": (2, 7), "green": (7, 2), "yellow": (7, 7)}
STEPS = 19
WORTH = {
    (0, 0): 100,
    (0, 1): 75,
    (0, 2): 66,
    (0, 3): 50,
    (1, 0): 50,
    (1, 1): 33,
    (1, 2): 25,
    (2, 0): 25,
    (2, 1): 12,
    (3, 0): 0,
}
"""Value by the numbers of rivals with more squares and with as many."""

Square = tuple[int, int]


@dataclass(frozen=True)
class Position:
    """Colours of squares, places of brushes, steps that each brush is still dizzy, steps made."""

    paint: dict[Square, str]
    brushes: dict[str, Square]
    dizzy: dict[str, int]
    made: int = 0


class Battlebrushes:
    """The game."""

    roles: tuple[str, ...] = tuple(CORNERS)

    def start(self) -> Position:
        return Position({square: role for role, square in CORNERS.items()}, dict(CORNERS), dict.fromkeys(CORNERS, 0))

    def legal(self, position: Position, role: str) -> set[str]:
        x, y = position.brushes[role]
        around = {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} - set(position.brushes.values())
        if position.dizzy[role]:
            return {"stay"}
        return {f"(go {i} {j})" for i, j in around if 1 <= i <= 8 and 1 <= j <= 8} or {"stay"}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        paint, brushes, dizzy = dict(position.paint), dict(position.brushes), {}
        wishes = list(moves.values())
        for role, move in moves.items():
            dizzy[role] = max(0, position.dizzy[role] - 1)
            if move == "stay":
                continue
            if wishes.count(move) > 1:
                dizzy[role] = 2
                continue
            _, x, y = move.strip("()").split()
            brushes[role] = int(x), int(y)
            paint[brushes[role]] = role
        return Position(paint, brushes, dizzy, position.made + 1)

    def is_over(self, position: Position) -> bool:
        return position.made == STEPS

    def goal(self, position: Position, role: str) -> int:
        owned = list(position.paint.values())
        mine = owned.count(role)
        others = [owned.count(other) for other in self.roles if other != role]
        return WORTH[sum(number > mine for number in others), others.count(mine)]


GAME = Battlebrushes()

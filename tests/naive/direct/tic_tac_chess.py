"""Tic-Tac-Chess."""

from naive.direct.leap_and_strike import LIMIT, RIVAL, LeapAndStrike, Position

AXIS = (3, 4, 5)
LINES = [
    *({(x, y) for x in AXIS} for y in AXIS),
    *({(x, y) for y in AXIS} for x in AXIS),
    {(3, 3), (4, 4), (5, 5)},
    {(3, 5), (4, 4), (5, 3)},
]


class TicTacChess(LeapAndStrike):
    """Three in a line in the middle win."""

    def line(self, position: Position, side: str) -> bool:
        """Tell whether a side has a line."""
        squares = {square for square, owner in position.pieces if owner == side}
        return any(line <= squares for line in LINES)

    def is_over(self, position: Position) -> bool:
        return position.made == LIMIT or any(self.line(position, side) for side in self.roles)

    def goal(self, position: Position, role: str) -> int:
        if self.line(position, role):
            return 100
        return 0 if self.line(position, RIVAL[role]) else 50


GAME = TicTacChess()

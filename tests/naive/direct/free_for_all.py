"""Free For All."""

from naive.direct.leap_and_strike import LIMIT, LeapAndStrike, Position


class FreeForAll(LeapAndStrike):
    """Captures are points."""

    def is_over(self, position: Position) -> bool:
        return position.made == LIMIT

    def goal(self, position: Position, role: str) -> int:
        return min(100, 10 * position.captures[self.roles.index(role)])


GAME = FreeForAll()

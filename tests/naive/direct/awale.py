"""Awale (Oware) on a list of twelve houses: 0 to 5 are South's, 6 to 11 North's, in the order of sowing."""

from __future__ import annotations

from dataclasses import dataclass

LIMIT = 200


@dataclass(frozen=True)
class Position:
    """Seeds in each house, captures of South and North, moves made."""

    houses: tuple[int, ...] = (4,) * 12
    captured: tuple[int, int] = (0, 0)
    made: int = 0

    @property
    def mover(self) -> int:
        """Return 0 if South is to move, 1 if North is."""
        return self.made % 2

    def own(self, player: int) -> range:
        """Return the houses of a player."""
        return range(6 * player, 6 * player + 6)

    def seeds(self, player: int) -> int:
        """Return how many seeds lie in a player's houses."""
        return sum(self.houses[house] for house in self.own(player))

    def playable(self) -> list[int]:
        """Return the houses that may be sown: not empty, and with seeds for an enemy who has none."""
        starving = self.seeds(1 - self.mover) == 0
        return [
            house
            for house in self.own(self.mover)
            if self.houses[house] > 0 and not (starving and house % 6 + self.houses[house] < 6)
        ]

    def sow(self, house: int) -> Position:
        """Return the position after sowing a house."""
        houses = list(self.houses)
        hand, houses[house], place = houses[house], 0, house
        while hand:
            place = (place + 1) % 12
            if place != house:
                houses[place] += 1
                hand -= 1
        caught = []
        enemy = self.own(1 - self.mover)
        while place in enemy and houses[place] in (2, 3):
            caught.append(place)
            place -= 1
        booty = sum(houses[place] for place in caught)
        captured = list(self.captured)
        if booty < sum(houses[place] for place in enemy):
            captured[self.mover] += booty
            for place in caught:
                houses[place] = 0
        return Position(tuple(houses), (captured[0], captured[1]), self.made + 1)

    def shares(self) -> tuple[int, int]:
        """Return what each player owns if the match ends here; seeds on the board go to a player who cannot move."""
        shares = list(self.captured)
        if not self.playable():
            shares[self.mover] = 48 - shares[1 - self.mover]
        return shares[0], shares[1]


def column(house: int) -> int:
    """Return the column of a house: North's run backwards."""
    return house + 1 if house < 6 else 12 - house


class Awale:
    """The game."""

    roles: tuple[str, ...] = ("south", "north")

    def start(self) -> Position:
        return Position()

    def legal(self, position: Position, role: str) -> set[str]:
        if role != self.roles[position.mover]:
            return {"wait"}
        return {f"(sow {column(house)})" for house in position.playable()}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        number = int(moves[self.roles[position.mover]].strip("()").split()[1])
        return position.sow(number - 1 if position.mover == 0 else 12 - number)

    def is_over(self, position: Position) -> bool:
        return position.made == LIMIT or max(position.captured) > 24 or not position.playable()

    def goal(self, position: Position, role: str) -> int:
        south, north = position.shares()
        lead = south - north if role == "south" else north - south
        return 50 if lead == 0 else 100 if lead > 0 else 0


GAME = Awale()

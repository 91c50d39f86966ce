"""Four sheep of two shepherds against a wolf that roams at random, unseen unless it is beside a sheep."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

Square = tuple[int, int]

SIZE = 8
SIDES = {"left": -1, "right": 1}


def on_board(square: Square) -> bool:
    """Tell whether a square is on the board."""
    return 1 <= square[0] <= SIZE and 1 <= square[1] <= SIZE


def around(square: Square) -> set[Square]:
    """Return the diagonal neighbours of a square."""
    corners = {(square[0] + x, square[1] + y) for x in (-1, 1) for y in (-1, 1)}
    return {corner for corner in corners if on_board(corner)}


class Meadow(NamedTuple):
    """Where the sheep and the wolf are, and the number of steps made."""

    sheep: frozenset[Square] = frozenset({(1, 1), (3, 1), (5, 1), (7, 1)})
    wolf: Square | None = None
    steps: int = 0

    def wolf_ways(self) -> set[Square]:
        return around(self.wolf) - self.sheep if self.wolf else set()

    def sheep_ways(self) -> dict[str, tuple[Square, Square]]:
        """Return the moves of the sheep with the squares that they lead from and to."""
        ways = {}
        for column, row in self.sheep:
            for side, aside in SIDES.items():
                target = (column + aside, row + 1)
                if on_board(target) and target != self.wolf and target not in self.sheep:
                    ways[f"(lead {column} {row} {side})"] = ((column, row), target)
        return ways


class SheepAndWolf:
    """Wolf, Ann, wolf, Ben, and so on; the first move of the wolf is its appearance."""

    roles: tuple[str, ...] = ("ann", "ben", "random")

    def start(self) -> Meadow:
        return Meadow()

    def _turn(self, position: Meadow) -> str:
        return ("random", "ann", "random", "ben")[position.steps % 4]

    def legal(self, position: Meadow, role: str) -> set[str]:
        if role != self._turn(position):
            return {"wait"}
        if role != "random":
            return set(position.sheep_ways())
        if position.wolf is None:
            return {f"(put_wolf {column} {SIZE})" for column in range(2, SIZE + 1, 2)}
        return {f"(go_to {column} {row})" for column, row in position.wolf_ways()}

    def after(self, position: Meadow, moves: dict[str, str]) -> Meadow:
        turn = self._turn(position)
        later = position._replace(steps=position.steps + 1)
        if turn == "random":
            _, column, row = moves[turn].strip("()").split()
            return later._replace(wolf=(int(column), int(row)))
        source, target = position.sheep_ways()[moves[turn]]
        return later._replace(sheep=position.sheep - {source} | {target})

    def is_over(self, position: Meadow) -> bool:
        if not position.sheep_ways():
            return True
        if position.wolf is None:
            return False
        return not position.wolf_ways() or position.wolf[1] <= min(row for _, row in position.sheep)

    def goal(self, position: Meadow, role: str) -> int:
        return 0 if position.wolf_ways() else 100

    def sees(self, position: Meadow, moves: dict[str, str], role: str) -> set[str]:
        turn = self._turn(position)
        later = self.after(position, moves)
        found = set() if turn == "random" else {f"(led {moves[turn][6:-1]})"}
        if later.wolf and around(later.wolf) & later.sheep:
            found.add(f"(wolf_at {later.wolf[0]} {later.wolf[1]})")
        return found


GAME: DirectGame = SheepAndWolf()

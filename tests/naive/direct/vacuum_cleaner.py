"""A vacuum cleaner that neither knows where it stands nor where the dirt is."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

Square = tuple[int, int]

SQUARES = [(column, row) for column in range(1, 5) for row in range(1, 5)]
STEPS = {"(go north)": (0, 1), "(go east)": (1, 0), "(go south)": (0, -1), "(go west)": (-1, 0)}
PATCHES, MOVES = 2, 25


class Room(NamedTuple):
    """Squares with dirt, how much was dropped, where the robot is, and the moves it has made."""

    dirt: frozenset[Square] = frozenset()
    dropped: int = 0
    robot: Square | None = None
    moves: int = 0


def wanted(robot: Square, move: str) -> Square:
    """Return the square that a move aims at, in the room or not."""
    step = STEPS.get(move, (0, 0))
    return robot[0] + step[0], robot[1] + step[1]


class VacuumCleaner:
    """Chance scatters dirt and the robot; then the robot has 25 moves."""

    roles: tuple[str, ...] = ("cleaner", "random")

    def start(self) -> Room:
        return Room()

    def legal(self, position: Room, role: str) -> set[str]:
        if role == "cleaner":
            return {*STEPS, "suck"} if position.robot else {"wait"}
        if position.dropped < PATCHES:
            return {f"(drop_dirt {column} {row})" for column, row in SQUARES if (column, row) not in position.dirt}
        return {"wait"} if position.robot else {f"(put_robot {column} {row})" for column, row in SQUARES}

    def after(self, position: Room, moves: dict[str, str]) -> Room:
        if position.robot is None:
            verb, column, row = moves["random"].strip("()").split()
            square = (int(column), int(row))
            if verb == "drop_dirt":
                return position._replace(dirt=position.dirt | {square}, dropped=position.dropped + 1)
            return position._replace(robot=square)
        target = wanted(position.robot, moves["cleaner"])
        dirt = position.dirt - {position.robot} if moves["cleaner"] == "suck" else position.dirt
        robot = target if target in SQUARES else position.robot
        return position._replace(dirt=dirt, robot=robot, moves=position.moves + 1)

    def is_over(self, position: Room) -> bool:
        return position.moves == MOVES or (position.dropped == PATCHES and not position.dirt)

    def goal(self, position: Room, role: str) -> int:
        return 50 * (position.dropped - len(position.dirt))

    def sees(self, position: Room, moves: dict[str, str], role: str) -> set[str]:
        found = set()
        later = self.after(position, moves)
        if later.robot in later.dirt:
            found.add("dirt")
        if position.robot and wanted(position.robot, moves["cleaner"]) not in SQUARES:
            found.add("bump")
        return found


GAME: DirectGame = VacuumCleaner()

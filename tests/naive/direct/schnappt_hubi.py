"""Hunting a ghost in a house of unknown walls: a mouse and a rabbit against chance."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

Room = tuple[int, int]

SIZE, ROUNDS = 3, 15
STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
KINDS = {"o": "open", "m": "mouse_hole", "r": "rabbit_window", "d": "magic_door", "#": "wall"}
FITS = {"mouse": {"open", "mouse_hole"}, "rabbit": {"open", "rabbit_window"}}

# Rows from the south: passages between the rooms of a row, then those to the row north of it.
HOUSES = {
    "castle": ("rr", "ooo", "md", "omo", "#o"),
    "manor": ("#o", "oro", "om", "dmr", "oo"),
}


def beside(room: Room, way: str) -> Room | None:
    """Return the room in a direction, None beyond the outer wall."""
    column, row = room[0] + STEPS[way][0], room[1] + STEPS[way][1]
    return (column, row) if 1 <= column <= SIZE and 1 <= row <= SIZE else None


class House(NamedTuple):
    """The night so far.

    Attributes:
        plan: Which house, and whether its columns and its rows are flipped; empty before it is built.
        mouse: Room of the mouse.
        rabbit: Room of the rabbit.
        door_open: The magic door is open.
        ghost: Room of the ghost, None while it sleeps.
        turn: Role to move.
        rounds: Moves of the mouse.
    """

    plan: tuple[str, ...] = ()
    mouse: Room = (1, 1)
    rabbit: Room = (SIZE, SIZE)
    door_open: bool = False
    ghost: Room | None = None
    turn: str = "random"
    rounds: int = 0

    def kind(self, room: Room, way: str) -> str:
        """Return what is between a room and the one beside it."""
        other = beside(room, way)
        assert other is not None
        (column, row), (column2, row2) = sorted((self._unflip(room), self._unflip(other)))
        drawing = HOUSES[self.plan[0]]
        letter = drawing[2 * row - 2][column - 1] if row == row2 else drawing[2 * row - 1][column - 1]
        assert column2 - column + row2 - row == 1
        return KINDS[letter]

    def _unflip(self, room: Room) -> Room:
        column, row = (
            SIZE + 1 - place if flip == "flipped" else place for place, flip in zip(room, self.plan[1:], strict=True)
        )
        return column, row

    def place(self, who: str) -> Room:
        return self.mouse if who == "mouse" else self.rabbit


class SchnapptHubi:
    """Build, explore until the magic door opens, wake the ghost, corner it."""

    roles: tuple[str, ...] = ("mouse", "rabbit", "random")

    def start(self) -> House:
        return House()

    def legal(self, position: House, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        if role != "random":
            ways = {f"(go {way})" for way in STEPS if beside(position.place(role), way)}
            return ways | {"stay", "ask"} if position.ghost else ways | {"stay"}
        if not position.plan:
            flips = ("straight", "flipped")
            return {f"(build {house} {one} {other})" for house in HOUSES for one in flips for other in flips}
        if position.ghost is None:
            return {f"(wake {column} {row})" for column in range(1, SIZE + 1) for row in range(1, SIZE + 1)}
        lingering = {f"(linger {number})" for number in range(1, 4)}
        return lingering | {f"(drift {way})" for way in STEPS if beside(position.ghost, way)}

    def after(self, position: House, moves: dict[str, str]) -> House:
        verb, *words = moves[position.turn].strip("()").split()
        if position.turn == "random":
            return self._after_chance(position, verb, words)._replace(turn="mouse")
        later = position
        if verb == "go" and self._passes(position, words[0]):
            there = beside(position.place(position.turn), words[0])
            assert there is not None
            later = position._replace(mouse=there) if position.turn == "mouse" else position._replace(rabbit=there)
        turn = "rabbit" if position.turn == "mouse" else "random" if position.ghost else "mouse"
        if not later.door_open and self._door_between(later):
            later, turn = later._replace(door_open=True), "random"
        return later._replace(turn=turn, rounds=position.rounds + (position.turn == "mouse"))

    def _after_chance(self, position: House, verb: str, words: list[str]) -> House:
        if verb == "build":
            return position._replace(plan=tuple(words))
        if verb == "wake":
            return position._replace(ghost=(int(words[0]), int(words[1])))
        if verb == "drift":
            assert position.ghost is not None
            return position._replace(ghost=beside(position.ghost, words[0]))
        return position

    def _passes(self, position: House, way: str) -> bool:
        kind = position.kind(position.place(position.turn), way)
        return kind in FITS[position.turn] or (kind == "magic_door" and position.door_open)

    def _door_between(self, position: House) -> bool:
        return any(
            beside(position.mouse, way) == position.rabbit and position.kind(position.mouse, way) == "magic_door"
            for way in STEPS
        )

    def _caught(self, position: House) -> bool:
        return position.mouse == position.rabbit == position.ghost

    def is_over(self, position: House) -> bool:
        return self._caught(position) or (position.rounds == ROUNDS and position.turn == "mouse")

    def goal(self, position: House, role: str) -> int:
        if self._caught(position):
            return 100
        return 50 if position.door_open else 0

    def sees(self, position: House, moves: dict[str, str], role: str) -> set[str]:
        later = self.after(position, moves)
        verb, *words = moves[position.turn].strip("()").split()
        found = set()
        if verb == "go":
            kind = position.kind(position.place(position.turn), words[0])
            found.add(f"(tried {position.turn} {words[0]} {kind})")
        if verb == "ask" and position.ghost:
            row_asked = position.turn == "mouse"
            found.add(f"(ghost_on_row {position.ghost[1]})" if row_asked else f"(ghost_in_column {position.ghost[0]})")
        if later.door_open and not position.door_open:
            found.add("door_opens")
        if verb == "drift":
            found.add("ghost_moves")
        for who in ("mouse", "rabbit"):
            if later.place(who) == later.ghost:
                found.add(f"(ghost_with {who})")
        return found


GAME: DirectGame = SchnapptHubi()

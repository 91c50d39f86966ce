"""Skirmish: chess armies without check, in which captures count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

Square = tuple[int, int]
"""File and rank, from 1."""

NAMES = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
LETTERS = {name: letter for letter, name in NAMES.items()}
STRAIGHT = [(0, 1), (1, 0), (0, -1), (-1, 0)]
ASLANT = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
RIDES = {"r": STRAIGHT, "b": ASLANT, "q": STRAIGHT + ASLANT}
LEAPS = {
    "k": STRAIGHT + ASLANT,
    "n": [(x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y)],
}
CASTLES = {"kingside": ("h", (6, 7), 7, 6), "queenside": ("a", (2, 3, 4), 3, 4)}
"""File of the rook, files that must be empty, and where king and rook go."""


class Armies(NamedTuple):
    """A position.

    Attributes:
        men: The pieces by their squares, white ones in capitals.
        turn: Who is to move.
        captures: How much White and Black have captured.
        clock: Moves made.
        still: Squares of kings and rooks on which nothing has happened yet.
        passed: File of the pawn that has just taken two squares, if any.
    """

    men: dict[Square, str]
    turn: str
    captures: tuple[int, int]
    clock: int
    still: frozenset[Square]
    passed: int | None


def _home(side: str) -> int:
    return 1 if side == "white" else 8


def _ahead(side: str) -> int:
    return 1 if side == "white" else -1


class Skirmish:
    """The simple game: no castling, no capture in passing, promotion to a queen; points for captures."""

    roles: tuple[str, ...] = ("white", "black")

    def start(self) -> Armies:
        men = {}
        for file, letter in enumerate("rnbqkbnr", 1):
            men.update({(file, 1): letter.upper(), (file, 2): "P", (file, 7): "p", (file, 8): letter})
        still = frozenset((file, rank) for file in (1, 5, 8) for rank in (1, 8))
        return Armies(men, "white", (0, 0), 0, still, None)

    def legal(self, position: Armies, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        found = set()
        for start, man in position.men.items():
            if man.isupper() == (role == "white"):
                for end in self._ends(position, start, man):
                    found |= self._written(man, start, end)
        return found

    def _ends(self, position: Armies, start: Square, man: str) -> Iterator[Square]:
        """Return where a piece of the side on turn can go."""
        kind = man.lower()
        if kind == "p":
            yield from self._pawn_ends(position, start)
        for across, up in RIDES.get(kind, LEAPS.get(kind, [])):
            end = start[0] + across, start[1] + up
            while 1 <= end[0] <= 8 and 1 <= end[1] <= 8:
                there = position.men.get(end)
                if there is None or there.isupper() != man.isupper():
                    yield end
                if there is not None or kind in LEAPS:
                    break
                end = end[0] + across, end[1] + up

    def _pawn_ends(self, position: Armies, start: Square) -> Iterator[Square]:
        file, rank = start
        ahead = _ahead(position.turn)
        if (file, rank + ahead) not in position.men:
            yield file, rank + ahead
            if rank == _home(position.turn) + ahead and (file, rank + 2 * ahead) not in position.men:
                yield file, rank + 2 * ahead
        for end in ((file - 1, rank + ahead), (file + 1, rank + ahead)):
            there = position.men.get(end)
            if there is not None and there.isupper() != (position.turn == "white"):
                yield end

    def _written(self, man: str, start: Square, end: Square) -> set[str]:
        return {f"(go {start[0]} {start[1]} {end[0]} {end[1]})"}

    def after(self, position: Armies, moves: dict[str, str]) -> Armies:
        words = moves[position.turn].strip("()").split()
        start, end = (int(words[1]), int(words[2])), (int(words[3]), int(words[4]))
        return self._moved(position, start, end, "q")

    def _moved(self, position: Armies, start: Square, end: Square, promotion: str) -> Armies:
        """Return the position after a move other than castling."""
        side, men = position.turn, dict(position.men)
        man = men.pop(start)
        pawn = man in "Pp"
        victim = men.pop(end, None)
        if pawn and victim is None and start[0] != end[0]:
            victim = men.pop((end[0], start[1]))
        if pawn and end[1] in (1, 8):
            man = promotion.upper() if side == "white" else promotion
        men[end] = man
        passed = start[0] if pawn and abs(start[1] - end[1]) == 2 else None
        white, black = position.captures
        captures = (white + (victim is not None), black) if side == "white" else (white, black + (victim is not None))
        other = "black" if side == "white" else "white"
        return Armies(men, other, captures, position.clock + 1, position.still - {start, end}, passed)

    def is_over(self, position: Armies) -> bool:
        return position.clock == 100 or not self.legal(position, position.turn)

    def goal(self, position: Armies, role: str) -> int:
        number = position.captures[self.roles.index(role)]
        return 6 * number + max(0, number - 12)


class ZeroSumSkirmish(Skirmish):
    """The game with all moves of chess and a winner."""

    def legal(self, position: Armies, role: str) -> set[str]:
        found = super().legal(position, role)
        rank = _home(role)
        if role == position.turn:
            for wing, (rook, between, _, _) in CASTLES.items():
                squares = {(5, rank), (ord(rook) - ord("a") + 1, rank)}
                if squares <= position.still and not any((file, rank) in position.men for file in between):
                    found.add(f"(castle {wing})")
        return found

    def _pawn_ends(self, position: Armies, start: Square) -> Iterator[Square]:
        yield from super()._pawn_ends(position, start)
        ahead = _ahead(position.turn)
        abreast = start[1] == _home(position.turn) + 4 * ahead
        if abreast and position.passed is not None and abs(start[0] - position.passed) == 1:
            yield position.passed, start[1] + ahead

    def _written(self, man: str, start: Square, end: Square) -> set[str]:
        if man in "Pp" and end[1] in (1, 8):
            return {f"(promote {start[0]} {end[0]} {kind})" for kind in ("queen", "rook", "bishop", "knight")}
        return super()._written(man, start, end)

    def after(self, position: Armies, moves: dict[str, str]) -> Armies:
        words = moves[position.turn].strip("()").split()
        rank = _home(position.turn)
        if words[0] == "promote":
            far = 9 - rank
            return self._moved(
                position, (int(words[1]), far - _ahead(position.turn)), (int(words[2]), far), LETTERS[words[3]]
            )
        if words[0] == "castle":
            rook, _, king_to, rook_to = CASTLES[words[1]]
            moved = self._moved(position, (5, rank), (king_to, rank), "q")
            corner = ord(rook) - ord("a") + 1, rank
            moved.men[rook_to, rank] = moved.men.pop(corner)
            return moved._replace(still=moved.still - {corner})
        return super().after(position, moves)

    def goal(self, position: Armies, role: str) -> int:
        white, black = position.captures
        for_white = 50 + 50 * (white > black) - 50 * (white < black)
        return for_white if role == "white" else 100 - for_white

"""TTCC4: tic-tac-toe with the men of chess and checkers and the discs of connect four."""

from __future__ import annotations

from dataclasses import dataclass

RIVAL = {"light": "dark", "dark": "light"}
HOMES = {
    ("light", "pawn"): (1, 5),
    ("light", "checker"): (1, 4),
    ("light", "knight"): (1, 3),
    ("dark", "pawn"): (7, 3),
    ("dark", "checker"): (7, 4),
    ("dark", "knight"): (7, 5),
}
LIMIT = 100
DIAGONALS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
STRAIGHTS = [(-1, 0), (1, 0), (0, -1), (0, 1)]
LEAPS = [(dx, dy) for dx in (-2, -1, 1, 2) for dy in (-2, -1, 1, 2) if abs(dx) != abs(dy)]
THREE = (3, 4, 5)
LINES = [[(x, y) for x in THREE] for y in THREE] + [[(x, y) for y in THREE] for x in THREE]
LINES += [[(3, 3), (4, 4), (5, 5)], [(3, 5), (4, 4), (5, 3)]]

Square = tuple[int, int]
Man = tuple[str, str]


@dataclass(frozen=True)
class Position:
    """What stands where, as pairs of a square and a side with its kind, and the moves made."""

    men: frozenset[tuple[Square, Man]]
    made: int = 0

    @property
    def turn(self) -> str:
        """Return whose turn it is; light begins."""
        return ("light", "dark")[self.made % 2]


def targets(board: dict[Square, Man], square: Square) -> dict[Square, Square | None]:
    """Return where the man on a square can go, each with the square where it captures, if it does."""
    (x, y), (side, kind) = square, board[square]
    found: dict[Square, Square | None] = {}

    def enemy(place: Square) -> bool:
        return place in board and board[place][0] == RIVAL[side]

    def inside(place: Square) -> bool:
        return all(2 <= number <= 6 for number in place)

    for dx, dy in {"pawn": STRAIGHTS, "checker": DIAGONALS, "knight": LEAPS, "disc": []}[kind]:
        place = (x + dx, y + dy)
        if place not in board:
            found[place] = None
    for dx, dy in {"pawn": DIAGONALS, "checker": [], "knight": LEAPS, "disc": []}[kind]:
        place = (x + dx, y + dy)
        if enemy(place):
            found[place] = place
    if kind == "checker":
        for dx, dy in DIAGONALS:
            over, place = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if enemy(over) and place not in board:
                found[place] = over
    return {place: captured for place, captured in found.items() if inside(place)}


class Ttcc4:
    """The game for two."""

    roles: tuple[str, ...] = ("light", "dark")

    def start(self) -> Position:
        return Position(frozenset((square, man) for man, square in HOMES.items()))

    def legal(self, position: Position, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        board = dict(position.men)
        moves = {f"(drop {x})" for x in THREE if (x, 6) not in board}
        for (x, y), (side, _) in board.items():
            if side == role:
                moves |= {f"(go {x} {y} {i} {j})" for i, j in targets(board, (x, y))}
        return moves or {"pass"}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        side = position.turn
        word, *numbers = moves[side].strip("()").split()
        board = dict(position.men)
        if word == "drop":
            x, y = int(numbers[0]), 6
            while y > 2 and (x, y - 1) not in board:
                y -= 1
            board[x, y] = (side, "disc")
        elif word == "go":
            x, y, i, j = map(int, numbers)
            captured = targets(board, (x, y))[i, j]
            man = board.pop((x, y))
            if captured:
                prisoner = board.pop(captured)
                if prisoner in HOMES:
                    board[HOMES[prisoner]] = prisoner
            board[i, j] = man
        return Position(frozenset(board.items()), position.made + 1)

    def line(self, position: Position, side: str) -> bool:
        """Tell whether a side has a line."""
        mine = {square for square, (owner, _) in position.men if owner == side}
        return any(mine.issuperset(line) for line in LINES)

    def is_over(self, position: Position) -> bool:
        return position.made == LIMIT or any(self.line(position, side) for side in self.roles)

    def goal(self, position: Position, role: str) -> int:
        if self.line(position, role):
            return 100
        return 0 if self.line(position, RIVAL[role]) else 50


GAME = Ttcc4()

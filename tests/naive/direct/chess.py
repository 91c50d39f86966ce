"""Chess on a dictionary of men; a move is legal if, once it is made, the king stands on no attacked square."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

FILES = "abcdefgh"
RIVAL = {"white": "black", "black": "white"}
FORWARD = {"white": 1, "black": -1}
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
SLANTED = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
RUNS = {"rook": STRAIGHT, "bishop": SLANTED, "queen": STRAIGHT + SLANTED}
LEAPS = [(x, y) for x, y in product((-2, -1, 1, 2), repeat=2) if abs(x) != abs(y)]
HOPS = {"knight": LEAPS, "king": STRAIGHT + SLANTED}
BACK_RANK = ["rook", "knight", "bishop", "queen", "king", "bishop", "knight", "rook"]
ROOK_CORNERS = {(0, 0), (7, 0), (0, 7), (7, 7)}

Square = tuple[int, int]
Board = dict[Square, tuple[str, str]]
"""Side and kind of the man on each square that is not empty."""


@dataclass(frozen=True)
class Step:
    """A move: from where, to where, and into what a pawn is promoted."""

    start: Square
    end: Square
    promotion: str | None = None


@dataclass(frozen=True)
class Position:
    """The board, the side to move, untouched rooks that may castle, the square a pawn passed over, the quiet moves."""

    board: Board
    turn: str = "white"
    rooks: frozenset[Square] = frozenset(ROOK_CORNERS)
    passed: Square | None = None
    quiet: int = 0


def inside(square: Square) -> bool:
    """Tell whether a square is on the board."""
    return 0 <= square[0] < 8 and 0 <= square[1] < 8


def attackers(board: Board, square: Square, side: str) -> bool:
    """Tell whether a side attacks a square."""
    x, y = square
    for kind, hops in HOPS.items():
        if any(board.get((x + dx, y + dy)) == (side, kind) for dx, dy in hops):
            return True
    if any(board.get((x + dx, y - FORWARD[side])) == (side, "pawn") for dx in (-1, 1)):
        return True
    for kind, ways in RUNS.items():
        for dx, dy in ways:
            i, j = x + dx, y + dy
            while inside((i, j)) and (i, j) not in board:
                i, j = i + dx, j + dy
            if board.get((i, j)) == (side, kind):
                return True
    return False


def pawn_ends(position: Position, square: Square) -> list[Square]:
    """Return where a pawn could go, kings disregarded."""
    board, side = position.board, position.turn
    (x, y), up = square, FORWARD[side]
    ends = []
    if (x, y + up) not in board:
        ends.append((x, y + up))
        if y == (1 if side == "white" else 6) and (x, y + 2 * up) not in board:
            ends.append((x, y + 2 * up))
    strikes = [(x - 1, y + up), (x + 1, y + up)]
    return ends + [end for end in strikes if end == position.passed or board.get(end, ("", ""))[0] == RIVAL[side]]


def castlings(position: Position) -> list[Step]:
    """Return the castlings of the side to move."""
    board, enemy = position.board, RIVAL[position.turn]
    y = 0 if position.turn == "white" else 7
    found = []
    for x, between, way in ((7, (5, 6), (4, 5, 6)), (0, (1, 2, 3), (4, 3, 2))):
        free = all((i, y) not in board for i in between)
        if (x, y) in position.rooks and free and not any(attackers(board, (i, y), enemy) for i in way):
            found.append(Step((4, y), (way[-1], y)))
    return found


def pseudo(position: Position) -> list[Step]:
    """Return all moves but castlings, without regard for the own king's safety."""
    board, side = position.board, position.turn
    found = []
    for (x, y), (owner, kind) in board.items():
        if owner != side:
            continue
        ends: list[Square] = []
        if kind == "pawn":
            ends = pawn_ends(position, (x, y))
        for dx, dy in HOPS.get(kind, ()):
            ends.append((x + dx, y + dy))
        for dx, dy in RUNS.get(kind, ()):
            i, j = x + dx, y + dy
            while inside((i, j)):
                ends.append((i, j))
                if (i, j) in board:
                    break
                i, j = i + dx, j + dy
        for end in ends:
            if inside(end) and board.get(end, ("", ""))[0] != side:
                last = kind == "pawn" and end[1] in (0, 7)
                kinds = ("queen", "rook", "bishop", "knight") if last else (None,)
                found += [Step((x, y), end, promotion) for promotion in kinds]
    return found


def make(position: Position, step: Step) -> Position:
    """Return the position after a move."""
    board, side = dict(position.board), position.turn
    (x, y), (i, j) = step.start, step.end
    _, kind = board.pop(step.start)
    quiet = 0 if kind == "pawn" or step.end in board else position.quiet + 1
    passed = None
    if kind == "pawn" and step.end == position.passed:
        del board[i, y]
    if kind == "pawn" and abs(j - y) == 2:
        passed = (x, (y + j) // 2)
    if kind == "king" and abs(i - x) == 2:
        board[(x + i) // 2, y] = board.pop((7 if i > x else 0, y))
    board[step.end] = (side, step.promotion or kind)
    lost = {step.start, step.end}
    if kind == "king":
        lost |= {(0, y), (7, y)} if y == (0 if side == "white" else 7) else set()
    return Position(board, RIVAL[side], position.rooks - lost, passed, quiet)


def king_hangs(position: Position, side: str) -> bool:
    """Tell whether the king of a side is attacked."""
    king = next(square for square, man in position.board.items() if man == (side, "king"))
    return attackers(position.board, king, RIVAL[side])


def steps(position: Position) -> list[Step]:
    """Return the legal moves."""
    safe = [step for step in pseudo(position) if not king_hangs(make(position, step), position.turn)]
    return safe + castlings(position)


def text(step: Step) -> str:
    """Return a move as the sheet writes it."""
    (x, y), (i, j) = step.start, step.end
    if step.promotion:
        return f"(promote {FILES[x]} {FILES[i]} {step.promotion})"
    return f"(move {FILES[x]} {y + 1} {FILES[i]} {j + 1})"


class Chess:
    """The game."""

    roles: tuple[str, ...] = ("white", "black")

    def start(self) -> Position:
        board: Board = {}
        for x, kind in enumerate(BACK_RANK):
            board |= {(x, 0): ("white", kind), (x, 7): ("black", kind)}
            board |= {(x, 1): ("white", "pawn"), (x, 6): ("black", "pawn")}
        return Position(board)

    def legal(self, position: Position, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        return {text(step) for step in steps(position)}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        move = moves[position.turn]
        return make(position, next(step for step in steps(position) if text(step) == move))

    def is_over(self, position: Position) -> bool:
        kinds = sorted(kind for _, kind in position.board.values())
        if kinds in (["king", "king"], ["bishop", "king", "king"], ["king", "king", "knight"]):
            return True
        return position.quiet == 100 or not steps(position)

    def goal(self, position: Position, role: str) -> int:
        if steps(position) or not king_hangs(position, position.turn):
            return 50
        return 0 if role == position.turn else 100


GAME = Chess()

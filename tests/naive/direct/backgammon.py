"""Backgammon without the doubling cube: the board as 24 numbers, plays by trying out all dice."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from naive.direct.protocol import DirectGame

START = {5: 5, 7: 3, 12: 5, 23: 2}
"""White's checkers; White moves down from index 23. Black's stand across and move up."""
TURNS = 200

Move = tuple[int, int]
"""Where from, by the mover's own count of points (25 for the bar), and the die."""


class Board(NamedTuple):
    """The 24 points, positive for White and negative for Black, and how many are on the bar and borne off."""

    points: tuple[int, ...]
    bar: tuple[int, int] = (0, 0)
    off: tuple[int, int] = (0, 0)


class Table(NamedTuple):
    """The board, whose turn it is (-1 before the first throw), the dice left, None before they fall, and the turns."""

    board: Board
    turn: int = -1
    dice: tuple[int, ...] | None = None
    turns: int = 0


def _index(player: int, point: int) -> int:
    return point - 1 if player == 0 else 24 - point


def _own(board: Board, player: int, point: int) -> int:
    """Return how many checkers a player has on a point; less than zero if it is the other's."""
    if point == 25:
        return board.bar[player]
    number = board.points[_index(player, point)]
    return number if player == 0 else -number


def _can(board: Board, player: int, start: int, die: int) -> bool:
    """Tell whether a die can move the checker, whatever the other die."""
    if _own(board, player, start) <= 0 or (board.bar[player] and start != 25):
        return False
    if start > die:
        return _own(board, player, start - die) >= -1
    behind = range(7, 25) if start == die else range(start + 1, 25)
    return all(_own(board, player, point) <= 0 for point in behind)


def _changed(pair: tuple[int, int], player: int, by: int) -> tuple[int, int]:
    return (pair[0] + by, pair[1]) if player == 0 else (pair[0], pair[1] + by)


def _move(board: Board, player: int, start: int, die: int) -> Board:
    """Return the board after a move."""
    sign = 1 if player == 0 else -1
    points, bar, off = list(board.points), board.bar, board.off
    if start == 25:
        bar = _changed(bar, player, -1)
    else:
        points[_index(player, start)] -= sign
    if start <= die:
        return Board(tuple(points), bar, _changed(off, player, 1))
    target = _index(player, start - die)
    if points[target] == -sign:
        points[target] = 0
        bar = _changed(bar, 1 - player, 1)
    points[target] += sign
    return Board(tuple(points), bar, off)


def _possible(board: Board, player: int, dice: tuple[int, ...]) -> list[Move]:
    return [(start, die) for die in set(dice) for start in range(1, 26) if _can(board, player, start, die)]


def _without(dice: tuple[int, ...], die: int) -> tuple[int, ...]:
    place = dice.index(die)
    return dice[:place] + dice[place + 1 :]


@lru_cache(maxsize=100_000)
def _most(board: Board, player: int, dice: tuple[int, ...]) -> int:
    """Return how many of the dice can be played at most."""
    return max((_used(board, player, dice, move) for move in _possible(board, player, dice)), default=0)


def _used(board: Board, player: int, dice: tuple[int, ...], move: Move) -> int:
    """Return how many dice can be played at most, beginning with a move."""
    return 1 + _most(_move(board, player, *move), player, _without(dice, move[1]))


def plays(board: Board, player: int, dice: tuple[int, ...]) -> set[Move]:
    """Return the moves allowed: they lead to as many dice as can be played, and to the larger if to one of two."""
    most = _most(board, player, dice)
    best = {move for move in _possible(board, player, dice) if _used(board, player, dice, move) == most}
    if most == 1 and len(dice) > 1:
        larger = max((die for _, die in best), default=0)
        best = {(start, die) for start, die in best if die == larger}
    return best


class Backgammon:
    """The game; the players take turns of a throw and a move for each die."""

    roles: tuple[str, ...] = ("white", "black", "random")

    def start(self) -> Table:
        points = [0] * 24
        for index, number in START.items():
            points[index] += number
            points[23 - index] -= number
        return Table(Board(tuple(points)))

    def legal(self, position: Table, role: str) -> set[str]:
        if role == "random":
            if position.dice is not None:
                return {"wait"}
            faces = range(1, 7)
            return {f"(throw {a} {b})" for a in faces for b in faces if a != b or position.turn >= 0}
        if position.dice is None or role != self.roles[position.turn]:
            return {"wait"}
        moves = plays(position.board, position.turn, position.dice)
        return {f"(move {start} {die})" for start, die in moves} or {"pass"}

    def after(self, position: Table, moves: dict[str, str]) -> Table:
        if position.dice is None:
            first, second = (int(face) for face in moves["random"].strip("()").split()[1:])
            turn = position.turn if position.turn >= 0 else int(second > first)
            return position._replace(turn=turn, dice=(first,) * 4 if first == second else (first, second))
        move = moves[self.roles[position.turn]]
        if move == "pass":
            return Table(position.board, 1 - position.turn, None, position.turns + 1)
        start, die = (int(number) for number in move.strip("()").split()[1:])
        board, dice = _move(position.board, position.turn, start, die), _without(position.dice, die)
        if dice:
            return position._replace(board=board, dice=dice)
        return Table(board, 1 - position.turn, None, position.turns + 1)

    def is_over(self, position: Table) -> bool:
        return 15 in position.board.off or position.turns == TURNS

    def goal(self, position: Table, role: str) -> int:
        white, black = position.board.off
        if white == black:
            return 50
        return 100 if (white > black) == (role == "white") else 0


GAME: DirectGame = Backgammon()

"""Copolymer on a hexagon with four cells on each side, with the pie rule."""

from __future__ import annotations

from typing import NamedTuple

Cell = tuple[int, int]

CELLS = {(4 + x, 4 + y) for x in range(-3, 4) for y in range(-3, 4) if abs(x + y) <= 3}
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


class Position(NamedTuple):
    """The stones of both colours, who puts the next, who is red, and whether Ben is to choose."""

    red: frozenset[Cell] = frozenset()
    blue: frozenset[Cell] = frozenset()
    turn: str = "ann"
    red_player: str = "ann"
    choosing: bool = False


def rival(player: str) -> str:
    """Return the other player."""
    return "ben" if player == "ann" else "ann"


class Copolymer:
    """The game."""

    roles = ("ann", "ben")

    def start(self) -> Position:
        return Position()

    def legal(self, position: Position, role: str) -> set[str]:
        if role != position.turn:
            return {"wait"}
        if position.choosing:
            return {"keep", "swap"}
        return {f"(put {x} {y})" for x, y in CELLS - position.red - position.blue}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        red, blue, turn, red_player, choosing = position
        move = moves[turn]
        if choosing:
            if move == "swap":
                return Position(red, blue, "ann", "ben")
            return Position(red, blue, "ben", "ann")
        x, y = (int(word) for word in move.strip("()").split()[1:])
        enemies = blue if turn == red_player else red
        if sum((x + dx, y + dy) in enemies for dx, dy in AROUND) < 2:
            turn = rival(turn)
        if enemies is blue:
            red |= {(x, y)}
        else:
            blue |= {(x, y)}
        return Position(red, blue, turn, red_player, choosing=len(red) == 1 and not blue)

    def is_over(self, position: Position) -> bool:
        return 2 * max(len(position.red), len(position.blue)) > len(CELLS)

    def goal(self, position: Position, role: str) -> int:
        red_wins = len(position.red) > len(position.blue)
        return 100 if (role == position.red_player) == red_wins else 0


GAME = Copolymer()

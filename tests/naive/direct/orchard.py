"""Orchard for two players."""

from __future__ import annotations

from typing import NamedTuple

TREES = ("apples", "pears", "cherries", "plums")


class Position(NamedTuple):
    """The fruits of each tree, the pieces of the raven, who is in turn, and the picks left in the basket."""

    fruits: tuple[int, ...] = (10, 10, 10, 10)
    raven: int = 0
    turn: str = "ann"
    picks: int = 0


def less(fruits: tuple[int, ...], tree: str) -> tuple[int, ...]:
    """Take a fruit from a tree."""
    return tuple(number - (name == tree) for name, number in zip(TREES, fruits, strict=True))


class Orchard:
    """The game; a die that shows a bare tree is thrown again."""

    roles = ("ann", "ben", "random")

    def start(self) -> Position:
        return Position()

    def legal(self, position: Position, role: str) -> set[str]:
        trees = [name for name, number in zip(TREES, position.fruits, strict=True) if number]
        if role == "random" and not position.picks:
            return {f"(throw {face})" for face in (*trees, "basket", "raven")}
        if role == position.turn and position.picks:
            return {f"(pick {tree})" for tree in trees}
        return {"wait"}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        fruits, raven, turn, picks = position
        other = "ben" if turn == "ann" else "ann"
        if picks:
            fruits = less(fruits, moves[turn].strip("()").split()[1])
            return Position(fruits, raven, turn if picks == 2 else other, picks - 1)
        face = moves["random"].strip("()").split()[1]
        if face == "basket":
            return Position(fruits, raven, turn, 2)
        if face == "raven":
            return Position(fruits, raven + 1, other)
        return Position(less(fruits, face), raven, other)

    def is_over(self, position: Position) -> bool:
        return not any(position.fruits) or position.raven == 9

    def goal(self, position: Position, role: str) -> int:
        return 0 if any(position.fruits) else 100


GAME = Orchard()

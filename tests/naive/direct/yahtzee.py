"""Yahtzee for two players, without bonuses and jokers for further Yahtzees."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

UPPER = ("aces", "twos", "threes", "fours", "fives", "sixes")
LOWER = (
    "three_of_a_kind",
    "four_of_a_kind",
    "full_house",
    "small_straight",
    "large_straight",
    "yahtzee",
    "chance",
)
BOXES = (*UPPER, *LOWER)
MASKS = ["(rethrow " + " ".join(mask) + ")" for mask in product(("yes", "no"), repeat=5) if "yes" in mask]


def points(box: str, dice: list[int]) -> int:
    """Return what five dice are worth in a box."""
    if box in UPPER:
        face = UPPER.index(box) + 1
        return face * dice.count(face)
    sizes = sorted(dice.count(face) for face in set(dice))
    longest = max(next(n for n in range(7) if first + n not in dice or first + n > 6) for first in range(1, 7))
    worth = {
        "three_of_a_kind": sum(dice) if sizes[-1] >= 3 else 0,
        "four_of_a_kind": sum(dice) if sizes[-1] >= 4 else 0,
        "full_house": 25 if sizes == [2, 3] else 0,
        "small_straight": 30 if longest >= 4 else 0,
        "large_straight": 40 if longest >= 5 else 0,
        "yahtzee": 50 if sizes == [5] else 0,
        "chance": sum(dice),
    }
    return worth[box]


Card = dict[str, int]
"""The points in the boxes of a player that are used."""


class Position(NamedTuple):
    """The cards of both, the dice (0 for a loose one), who is in turn, and whether the bonus is paid."""

    cards: tuple[Card, Card] = ({}, {})
    dice: tuple[int, ...] = (0,) * 5
    turn: int = 0
    throws_left: int = 2
    settled: bool = False


class Yahtzee:
    """The game."""

    roles = ("ann", "ben", "random")

    def start(self) -> Position:
        return Position()

    def legal(self, position: Position, role: str) -> set[str]:
        if all(len(card) == len(BOXES) for card in position.cards):
            return {"wait"}
        if 0 in position.dice:
            return {f"(throw {face})" for face in range(1, 7)} if role == "random" else {"wait"}
        if role != self.roles[position.turn]:
            return {"wait"}
        boxes = {f"(enter {box})" for box in BOXES if box not in position.cards[position.turn]}
        return boxes | set(MASKS) if position.throws_left else boxes

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        cards, dice, turn, throws_left, _ = position
        if all(len(card) == len(BOXES) for card in cards):
            return position._replace(settled=True)
        if 0 in dice:
            die = dice.index(0)
            face = int(moves["random"].strip("()").split()[1])
            return position._replace(dice=(*dice[:die], face, *dice[die + 1 :]))
        name, *words = moves[self.roles[turn]].strip("()").split()
        if name == "rethrow":
            left = tuple(0 if word == "yes" else face for word, face in zip(words, dice, strict=True))
            return position._replace(dice=left, throws_left=throws_left - 1)
        card = cards[turn] | {words[0]: points(words[0], list(dice))}
        return Position((card, cards[1]) if turn == 0 else (cards[0], card), turn=1 - turn)

    def is_over(self, position: Position) -> bool:
        return position.settled

    def goal(self, position: Position, role: str) -> int:
        sums = [sum(card.values()) + (35 if sum(card[box] for box in UPPER) >= 63 else 0) for card in position.cards]
        own = self.roles.index(role)
        lead = sums[own] - sums[1 - own]
        return 50 if lead == 0 else 100 if lead > 0 else 0


GAME = Yahtzee()

"""Mastermind with four places, six colours and eight guesses."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from naive.direct.protocol import DirectGame

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple")
PLACES, GUESSES = 4, 8

Pegs = tuple[str, ...]


def answer(code: Pegs, guess: Pegs) -> tuple[int, int]:
    """Return the black pegs, right colour in the right place, and the white ones, right colour elsewhere."""
    black = sum(hidden == laid for hidden, laid in zip(code, guess, strict=True))
    return black, (Counter(code) & Counter(guess)).total() - black


class Row(NamedTuple):
    """The code as far as it is hidden, the guess as far as it is laid, the guesses made, and the code's fate."""

    code: Pegs = ()
    guess: Pegs = ()
    guesses: int = 0
    broken: bool = False


class Mastermind:
    """Pegs are set one by one, by chance for the code and by the breaker for a guess."""

    roles: tuple[str, ...] = ("breaker", "random")

    def start(self) -> Row:
        return Row()

    def legal(self, position: Row, role: str) -> set[str]:
        hiding = len(position.code) < PLACES
        if hiding != (role == "random"):
            return {"wait"}
        return {f"({'hide' if hiding else 'lay'} {colour})" for colour in COLOURS}

    def after(self, position: Row, moves: dict[str, str]) -> Row:
        if len(position.code) < PLACES:
            return position._replace(code=(*position.code, moves["random"][6:-1]))
        guess = (*position.guess, moves["breaker"][5:-1])
        if len(guess) < PLACES:
            return position._replace(guess=guess)
        return Row(position.code, (), position.guesses + 1, guess == position.code)

    def is_over(self, position: Row) -> bool:
        return position.broken or position.guesses == GUESSES

    def goal(self, position: Row, role: str) -> int:
        return 100 if position.broken else 0

    def sees(self, position: Row, moves: dict[str, str], role: str) -> set[str]:
        if len(position.guess) < PLACES - 1:
            return set()
        black, white = answer(position.code, (*position.guess, moves["breaker"][5:-1]))
        return {f"(answer {black} {white})"}


GAME: DirectGame = Mastermind()

"""Guess the Die: one throw under a cup, one guess."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame


class Cup(NamedTuple):
    """What lies under the cup and what was guessed, 0 for nothing yet."""

    die: int = 0
    guess: int = 0


class GuessDice:
    """The die falls, then the player names a face."""

    roles: tuple[str, ...] = ("player", "random")

    def start(self) -> Cup:
        return Cup()

    def legal(self, position: Cup, role: str) -> set[str]:
        if position.die == 0 and role == "random":
            return {f"(throw {face})" for face in range(1, 7)}
        if position.die > 0 and role == "player":
            return {f"(guess {face})" for face in range(1, 7)}
        return {"wait"}

    def after(self, position: Cup, moves: dict[str, str]) -> Cup:
        if position.die == 0:
            return Cup(die=int(moves["random"][-2]))
        return position._replace(guess=int(moves["player"][-2]))

    def is_over(self, position: Cup) -> bool:
        return position.guess > 0

    def goal(self, position: Cup, role: str) -> int:
        return 100 if position.guess == position.die else 0

    def sees(self, position: Cup, moves: dict[str, str], role: str) -> set[str]:
        return {f"(die_shows {position.die})"} if position.die else set()


GAME: DirectGame = GuessDice()

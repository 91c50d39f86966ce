"""What is kept of a match."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from woodstock.game.protocol import Fluent, Move
from woodstock.players.protocol import Clocks
from woodstock.search.explanation import Explanation

LATE: Final = "TO"
"""The error of a player whose answer did not come in time."""
LOST: Final = "CE"
"""The error of a player that cannot be reached any more, or that crashed."""
ILLEGAL: Final = "IL"
"""How the error of a player begins whose answer is no legal move; what it said comes behind it."""

HUMAN: Final = "human"
"""The name of the player that asks a person."""


class Ending(Enum):
    """Why a match stopped."""

    FINISHED = "finished"
    """The rules say that it is over."""
    STUCK = "stuck"
    """A role had no legal move although the match was not over."""
    CUT = "cut"
    """It took too many steps."""
    ABORTED = "aborted"
    """Somebody broke it off."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking a player for its move.

    Attributes:
        move: What it said; None if nothing came that can be read as a move.
        error: What is wrong with it, as in records of ggp.org: "" for nothing, "TO" if it was late, "CE" if the player
            was lost or crashed, "IL " and what it said if that was not a legal move. With an error, the move was not
            made.
        seconds: How long it took.
        explanation: Why the player chose the move, if it was asked.
    """

    move: Move | None
    error: str = ""
    seconds: float = 0.0
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One joint move as it was made.

    Attributes:
        moves: One move per role; a fallback in place of a move that was late, illegal or missing.
        answers: What each player said, None for nature.
    """

    moves: tuple[Move, ...]
    answers: tuple[Answer | None, ...]

    @property
    def errors(self) -> tuple[str, ...]:
        """The error of each role's answer, "" if there is none."""
        return tuple("" if answer is None else answer.error for answer in self.answers)


@dataclass(frozen=True, slots=True)
class Match:
    """The record of a match.

    Attributes:
        match_id: Its name, one word.
        game_name: What the game was called when it was asked for: a bundled name or a path.
        roles: Names of the roles; none in a record that does not tell them.
        player_names: The player of each role, "random" for nature; none in a record that does not tell them.
        seed: What the random numbers were made from: where players count iterations instead of seconds, the same seed
            gives the same match.
        clocks: How long the players had.
        steps: The joint moves, in order.
        states: What was true before the first step and after each.
        state_times: When that was, in milliseconds since 1970; never decreasing.
        ending: Why it stopped.
        goals: The goal of each role in the last position, None where the rules give no single value 0..100.
        random_token: At least 12 random characters that no other match has.
        start_time: When the players were told of the match, in milliseconds since 1970.
        start_errors: What was wrong when the players were told of the match, as for their answers; one per role.
        rules_sha256: The fingerprint of the rules; see `rules_fingerprint`. Empty if a record does not tell it.
        game_url: Where the rules stand, if the game has an address; it ends in `/v0/` or another version.
        scrambled: The players were told other names than those in the rules.
    """

    match_id: str
    game_name: str
    roles: tuple[str, ...]
    player_names: tuple[str, ...]
    seed: int
    clocks: Clocks
    steps: tuple[Step, ...]
    states: tuple[frozenset[Fluent], ...]
    state_times: tuple[int, ...]
    ending: Ending
    goals: tuple[int | None, ...]
    random_token: str
    start_time: int
    start_errors: tuple[str, ...]
    rules_sha256: str = ""
    game_url: str = ""
    scrambled: bool = False


def is_human(player_name: str) -> bool:
    """Tell whether a player is the one that asks a person.

    >>> is_human("human"), is_human("uct:threads=2")
    (True, False)
    """
    return player_name.partition(":")[0].strip() == HUMAN


def short_name(game_name: str) -> str:
    """Return one word for a game that was called by its name or path.

    >>> short_name("tic_tac_toe"), short_name("sheets/my game.kif"), short_name("-")
    ('tic_tac_toe', 'my_game', 'unnamed')
    """
    return "_".join(re.findall(r"\w+", Path(game_name).stem, re.ASCII)) or "unnamed"

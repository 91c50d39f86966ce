"""What a player in a process of its own and the process that asks it say to each other.

The player's process is sent a `Briefing`, then a `Question` for each move, then a `Farewell`. It answers with what
happens: that it is `Ready`, each move that it would make by now (`Proposed`), the move that it has `Chosen`, and what
went wrong (`Noted`, `Failed`).
"""

from __future__ import annotations

from dataclasses import dataclass

from woodstock.game.protocol import Move
from woodstock.gdl.rules import Rules
from woodstock.players.protocol import Clocks
from woodstock.players.tracking import News
from woodstock.search.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Briefing:
    """What a player is told before a match.

    Attributes:
        rules: The rules.
        role: The role to play.
        clocks: How long there is to think.
        hidden: Whether the rules hide something.
        seed: What the player's random numbers are made from.
        end: When it has to be ready, by `time.monotonic`, which is one clock for all processes; None for whenever.
        history: What happened already.
        tells_moves: Whether all questions come with the legal moves, so that nobody has to find them out.
        is_under_way: The match has begun: the time is for loading the game, not for thinking.
    """

    rules: Rules
    role: int
    clocks: Clocks
    hidden: bool
    seed: str = "0"
    end: float | None = None
    history: tuple[News, ...] = ()
    tells_moves: bool = False
    is_under_way: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """Asks for a move.

    Attributes:
        number: How many joint moves have been made.
        news: What happened since the last question, step by step: one step, unless some were missed.
        legal_moves: What to choose from; None if the player has to find out.
        end: When the move has to be there, by `time.monotonic`; None for whenever.
        explain: Whether to tell why.
    """

    number: int
    news: tuple[News, ...] = ()
    legal_moves: tuple[Move, ...] | None = None
    end: float | None = None
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Farewell:
    """Tells that the match is over; `goals` as `Player.stop` has them."""

    goals: tuple[int | None, ...] | None


@dataclass(frozen=True, slots=True)
class Hello:
    """The process runs, and there is a player of the spec."""


@dataclass(frozen=True, slots=True)
class Warmed:
    """What is to be compiled before a match is compiled."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The player is ready for the first move, or has caught up with the match."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A legal move that the player would make if it had to, in the turn of that number."""

    number: int
    move: Move


@dataclass(frozen=True, slots=True)
class Chosen:
    """The move that the player makes in the turn of that number; legal, if it knows the rules."""

    number: int
    move: Move
    is_legal: bool
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """Something went wrong, and the match goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Something went wrong, and what was asked will not come.

    Attributes:
        text: What, and why.
        number: The turn in which there will be no move now; -1 if it is the start that failed.
        is_final: The player cannot be used at all.
    """

    text: str
    number: int = -1
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class Rested:
    """The player has stopped, and the process may end."""


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """How the process of a player is run.

    Attributes:
        ponder: Whether the player thinks while it is not asked.
        warm: Whether the kernels that a search needs are compiled, or loaded, before there is a match.
        memory: How many bytes the process may take; None for as many as it likes.
    """

    ponder: bool = True
    warm: bool = False
    memory: int | None = None

"""The referee: it knows the position, judges the moves and applies the rules.

It asks nobody and looks at no clock: whoever plays a match, in this process or over the network, tells it what came of
asking the players, and gets from it what each of them may know.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final, Literal

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Fluent, Game, Move, Percept, goal
from woodstock.gdl.keywords import RANDOM
from woodstock.gdl.printer import rules_to_kif, to_kif
from woodstock.gdl.rules import Rules
from woodstock.match.record import ILLEGAL, LATE, Answer, Ending, Match, Step, short_name
from woodstock.match.symbols import write_symbols
from woodstock.players.loading import hides_information
from woodstock.players.protocol import Clocks, Event, Seat, Turn

MAX_STEPS: Final = 1000
"""After so many joint moves a match is cut."""

Fallback = Literal["random", "first"]
"""Which legal move is made for a player that made none: any, as ggp-base has it, or the first, as in Dresden."""


@dataclass(frozen=True)
class MatchSetup:
    """What is settled before a match begins.

    Attributes:
        rules: The rules as written.
        game: The same rules, ready to be played.
        player_names: What each player is called, one per seat, in role order; nature has no seat.
        seed: What all random numbers of the match are made from.
        clocks: How long the players may think.
        hidden: Whether to keep positions and joint moves from the players; None to do as the rules demand.
        fallback: What is played for a player without a legal move.
        max_steps: When to give up waiting for the end.
        match_id: One word for the match; None to make one up.
        game_name: What the game is called: a bundled name or a path.
        explain: Whether to ask players why they chose a move.
        scrambled: Whether the players are told other names than those in the rules; that is for the record alone.
    """

    rules: Rules
    game: Game[Any]
    player_names: Sequence[str]
    seed: int = 0
    clocks: Clocks = field(default_factory=Clocks)
    hidden: bool | None = None
    fallback: Fallback = "random"
    max_steps: int = MAX_STEPS
    match_id: str | None = None
    game_name: str = ""
    explain: bool = False
    scrambled: bool = False


def seats(roles: Sequence[str]) -> tuple[int, ...]:
    """Return the roles that need a player: all but nature's."""
    return tuple(number for number, name in enumerate(roles) if name != RANDOM)


@dataclass(frozen=True, slots=True)
class _Stage:
    """A moment between two steps, with all that follows from it.

    Attributes:
        step: The step that led here, None at the beginning.
        percepts: What each seat was shown of it.
        position: Where the match stands.
        is_terminal: The match is over.
        legal: The legal moves of each role; none where the match is over.
        state: What is true.
        time: When that was, in milliseconds since 1970.
    """

    step: Step | None
    percepts: Mapping[int, frozenset[Percept]]
    position: Any
    is_terminal: bool
    legal: tuple[tuple[Move, ...], ...]
    state: frozenset[Fluent]
    time: int


class Referee:
    """The state of a match between two steps.

    Args:
        setup: What was settled before.

    Attributes:
        setup: The same.
        seats: The roles that have a player.
        hidden: Positions and joint moves are kept from the players.
        match_id: The name of the match, one word.

    Raises:
        UsageError: There are not as many players as seats.
    """

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self.seats = seats(setup.game.roles)
        if len(setup.player_names) != len(self.seats):
            names = ", ".join(setup.game.roles[role] for role in self.seats)
            found = len(setup.player_names)
            raise UsageError(f"the game has {len(self.seats)} roles to play ({names}), found {found} players")
        self.hidden = hides_information(setup.rules) if setup.hidden is None else setup.hidden
        self._random = Random(f"{setup.seed} referee")
        self._randoms = {role: Random(f"{setup.seed} role {role}") for role in self.seats}
        self._token = secrets.token_hex(16)
        self._start_time = _now()
        self._start_errors = [""] * len(setup.game.roles)
        self.match_id = setup.match_id or self._make_id()
        # A match may be interrupted at any moment: a stage is there completely or not at all.
        self._stages = [self._stage(None, {}, setup.game.initial_position())]

    @property
    def number(self) -> int:
        """How many joint moves have been made."""
        return len(self._stages) - 1

    @property
    def position(self) -> Any:
        """Where the match stands."""
        return self._stages[-1].position

    @property
    def steps(self) -> tuple[Step, ...]:
        """The joint moves that have been made."""
        return tuple(stage.step for stage in self._stages if stage.step is not None)

    def ending(self) -> Ending | None:
        """Return why the match has to stop here, or None if it goes on."""
        stage = self._stages[-1]
        if stage.is_terminal:
            return Ending.FINISHED
        if not all(stage.legal):
            return Ending.STUCK
        return Ending.CUT if self.number >= self.setup.max_steps else None

    def legal_moves(self, role: int) -> tuple[Move, ...]:
        """Return the legal moves of a role, in alphabetical order, so that every reasoner plays the same from one seed.

        There are none where the match is over.
        """
        return self._stages[-1].legal[role]

    def seat(self, role: int, deadline: Deadline) -> Seat[Any]:
        """Return what the player of a role is told before the first move."""
        setup = self.setup
        return Seat(setup.rules, setup.game, role, setup.clocks, self.hidden, self._randoms[role], deadline)

    def turn(self, role: int, deadline: Deadline, propose: Callable[[Move], None] = lambda _: None) -> Turn[Any]:
        """Return what the player of a role is told when it has to move."""
        position = None if self.hidden else self.position
        return Turn(self.number, self.legal_moves(role), position, deadline, self.setup.clocks.iterations, propose)

    def event(self, role: int) -> Event[Any]:
        """Return what the player of a role sees of the last joint move.

        Raises:
            ValueError: None has been made yet.
        """
        stage = self._stages[-1]
        if stage.step is None:
            raise ValueError("no joint move has been made yet")
        moves = stage.step.moves
        shown = (None, None) if self.hidden else (moves, stage.position)
        return Event(self.number, moves[role], stage.percepts[role], *shown)

    def note_start(self, role: int, error: str) -> None:
        """Note what was wrong when the player of a role was told of the match."""
        self._start_errors[role] = error

    def advance(self, answers: Mapping[int, Answer]) -> Step:
        """Make a joint move from what came of asking the players, and return it.

        An answer with an error, without a move or with an illegal one is noted, and so is one that is missing: another
        move is made for it. Nature's moves are drawn.

        Raises:
            ValueError: The match is over, or a role has no legal move.
        """
        stage, game = self._stages[-1], self.setup.game
        if not all(stage.legal):
            raise ValueError("the match cannot go on here")
        roles = range(len(game.roles))
        judged = {role: self._judge(role, answers.get(role, Answer(None, LATE))) for role in self.seats}
        moves = tuple(self._move_of(role, judged.get(role)) for role in roles)
        step = Step(moves, tuple(judged.get(role) for role in roles))
        percepts = {role: game.percepts(stage.position, moves, role) for role in self.seats}
        self._stages.append(self._stage(step, percepts, game.next_position(stage.position, moves)))
        return step

    def goals(self) -> tuple[int | None, ...]:
        """Return the goal of each role where the match stands now, None where there is no single value 0..100."""
        game = self.setup.game
        return tuple(goal(game, self.position, role) for role in range(len(game.roles)))

    def finish(self, ending: Ending | None = None) -> Match:
        """Return the record of the match.

        Args:
            ending: Why it stops; None for what the rules say, which is an abort where they say nothing.
        """
        setup = self.setup
        names = dict(zip(self.seats, setup.player_names, strict=True))
        return Match(
            match_id=self.match_id,
            game_name=setup.game_name,
            roles=setup.game.roles,
            player_names=tuple(names.get(role, RANDOM) for role in range(len(setup.game.roles))),
            seed=setup.seed,
            clocks=setup.clocks,
            steps=self.steps,
            states=tuple(stage.state for stage in self._stages),
            state_times=tuple(stage.time for stage in self._stages),
            ending=ending or self.ending() or Ending.ABORTED,
            goals=self.goals(),
            random_token=self._token,
            start_time=self._start_time,
            start_errors=tuple(self._start_errors),
            rules_sha256=rules_fingerprint(setup.rules),
            scrambled=setup.scrambled,
        )

    def _judge(self, role: int, answer: Answer) -> Answer:
        """Return an answer with the error that it deserves."""
        # A player may answer anything, even something that cannot be compared with a move.
        if answer.error or (isinstance(answer.move, str | tuple) and answer.move in self.legal_moves(role)):
            return answer
        return replace(answer, error=f"{ILLEGAL} {_said(answer.move)}")

    def _move_of(self, role: int, answer: Answer | None) -> Move:
        """Return the move that a role makes."""
        if answer is not None and answer.move is not None and not answer.error:
            return answer.move
        legal = self.legal_moves(role)
        if answer is not None and self.setup.fallback == "first":
            return legal[0]
        return self._random.choice(legal)

    def _stage(self, step: Step | None, percepts: Mapping[int, frozenset[Percept]], position: Any) -> _Stage:
        game = self.setup.game
        is_terminal = game.is_terminal(position)
        legal = tuple(
            () if is_terminal else tuple(sorted(game.legal_moves(position, role), key=to_kif))
            for role in range(len(game.roles))
        )
        # A clock that is set back while the match goes on must not make a record that others refuse.
        before = self._stages[-1].time if step is not None else self._start_time
        return _Stage(step, percepts, position, is_terminal, legal, game.fluents(position), max(_now(), before))

    def _make_id(self) -> str:
        """Return one word, in lower case, which every host and player takes as it is."""
        name = short_name(self.setup.game_name).lower()
        return f"woodstock.{name}.{self._start_time}.{self._token[:6]}"


def rules_fingerprint(rules: Rules) -> str:
    """Return the SHA-256 of some rules, in hexadecimal: of their KIF text, one rule a line, without comments."""
    return hashlib.sha256(rules_to_kif(rules).encode()).hexdigest()


def _said(move: object) -> str:
    """Return what a player said, which may be anything, on one line."""
    if move is None:
        return "nil"
    try:
        return write_symbols(move)  # type: ignore[arg-type]
    except (TypeError, RecursionError):
        return " ".join(repr(move).split())


def _now() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000

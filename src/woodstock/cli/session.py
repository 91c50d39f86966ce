"""A match in which a person plays: boards and moves are told, and wishes granted.

To take a move back, the match is played again up to it by a new referee: from the same seed, so that nature does what
it did before, and with the same answers. The other players start anew, and see again what they saw.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from woodstock.cli.narration import describe_step, describe_thoughts
from woodstock.cli.output import count
from woodstock.common.limits import Deadline
from woodstock.draw import draw_position, scout
from woodstock.game.protocol import Fluent
from woodstock.gdl.printer import to_kif
from woodstock.match import LOST, Answer, Ending, Match, MatchSetup, Referee, Step, seats
from woodstock.players import Event, Player, make_player
from woodstock.players.human import Console, HumanPlayer, Wish, Wished

HINT_CANDIDATES: Final = 3
"""How many moves a hint tells of."""

RESTART_SECONDS: Final = 0.1
"""How long a player has to begin in the middle of a match: what it thinks of the first position is of no use there."""

LONG_SECONDS: Final = 2.0
"""Who may think as long is announced: nobody should believe that the program hangs."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Company:
    """Who is at the table.

    Attributes:
        role: The role of the person.
        opponents: The spec of the player of each other role that needs one.
        adviser: The spec of the player that is asked for hints.
    """

    role: int
    opponents: Mapping[int, str]
    adviser: str


@dataclass(frozen=True, slots=True)
class _PastStep:
    """A step that may be taken back.

    Attributes:
        answers: What everybody said, by role.
        is_decision: Whether the person had a choice.
    """

    answers: Mapping[int, Answer]
    is_decision: bool


class Session:
    """A match of a person, against players or alone.

    Args:
        setup: What is settled before the match.
        company: Who plays.
        console: Where the person reads and types.
    """

    def __init__(self, setup: MatchSetup, company: Company, console: Console) -> None:
        self._setup = setup
        self._company = company
        self._console = console
        self._known: set[Fluent] = scout(setup.game)
        self._person = HumanPlayer(console, list(Wish))
        self._person.known = self._known
        self._names = [f"{name} (you)" if role == company.role else name for role, name in enumerate(setup.game.roles)]
        self._begin(setup.clocks.start)

    def play(self) -> Match:
        """Play until the end, or until the person leaves, and return the record."""
        left: Wish | None = None
        goals: tuple[int | None, ...] | None = None
        try:
            self._show()
            while left is None and self._referee.ending() is None:
                try:
                    self._step()
                except Wished as wished:
                    left = self._grant(wished.wish)
            match = self._referee.finish(None if left is None else Ending.ABORTED)
            goals = None if left else match.goals
        finally:
            self._dismiss(goals)
        self._conclude(match, left)
        return match

    def abort(self) -> Match:
        """Return the record of what was played until now."""
        return self._referee.finish(Ending.ABORTED)

    def _begin(self, seconds: float | None) -> None:
        """Seat everybody for the first move; the players have so many seconds."""
        self._referee = Referee(self._setup)
        self._turns: list[_PastStep] = []
        self._events: list[Event[Any]] = []
        self._players: dict[int, Player] = {self._company.role: self._person}
        self._players |= {role: make_player(spec) for role, spec in self._company.opponents.items()}
        for role, player in self._players.items():
            player.start(self._referee.seat(role, Deadline(seconds)))

    def _dismiss(self, goals: tuple[int | None, ...] | None) -> None:
        for player in self._players.values():
            with _surviving():
                player.stop(goals)

    def _step(self) -> None:
        """Ask the person, then the others, and make the joint move."""
        choices = {role: len(self._referee.legal_moves(role)) for role in self._players}
        answers = {role: self._ask(role) for role in self._players}
        step = self._advance(_PastStep(answers, choices[self._company.role] > 1))
        if self._referee.hidden:
            self._person.observe(self._events[-1])
            for role in self._company.opponents:
                if step.errors[role]:
                    self._console.say(f"{self._names[role]} made no legal move: another one was made for it.")
            return
        for line in (*describe_thoughts(self._names, step), *describe_step(self._names, self._referee.number, step)):
            self._console.say(line)
        if max(choices.values()) == 1:
            self._console.say("   Nobody had a choice.")
        self._show()

    def _ask(self, role: int) -> Answer:
        """Return the move of a player; a program that crashes has none, and a person may have a wish."""
        clocks = self._setup.clocks
        player = self._players[role]
        is_person = role == self._company.role
        if not is_person and (clocks.play or 0.0) >= LONG_SECONDS and len(self._referee.legal_moves(role)) > 1:
            self._console.say(f"{self._names[role]} is thinking …")
        begin = time.monotonic()
        try:
            move = player.choose(self._referee.turn(role, Deadline(None if is_person else clocks.play)))
            explanation = player.explain() if self._setup.explain else None
        except Wished:
            raise
        except Exception:  # noqa: BLE001 (a player is somebody else's program)
            _log.debug("where %r crashed:", player, exc_info=True)
            return Answer(None, LOST, time.monotonic() - begin)
        return Answer(move, "", time.monotonic() - begin, explanation)

    def _advance(self, turn: _PastStep) -> Step:
        """Make a joint move; all but the person see it."""
        step = self._referee.advance(turn.answers)
        self._turns.append(turn)
        self._events.append(self._referee.event(self._company.role))
        for role in self._company.opponents:
            with _surviving():
                self._players[role].observe(self._referee.event(role))
        return step

    def _show(self) -> None:
        """Draw the position, if the person may see it."""
        if self._referee.hidden:
            if self._referee.number == 0:
                self._console.say("\nThe rules hide something: you are told what your role sees, and nothing else.")
            return
        self._draw()

    def _draw(self) -> None:
        fluents = self._setup.game.fluents(self._referee.position)
        self._known |= fluents
        self._console.say("\n" + draw_position(fluents, self._known))

    def _grant(self, wish: Wish) -> Wish | None:
        """Do what the person wishes; return the wish if it ends the match."""
        if wish is Wish.UNDO:
            self._take_back()
        elif wish is Wish.HINT:
            self._advise()
        else:
            return wish
        return None

    def _take_back(self) -> None:
        """Go back to where the person had a choice before."""
        decisions = [number for number, turn in enumerate(self._turns) if turn.is_decision]
        if not decisions:
            self._console.say("There is nothing to take back.")
            return
        kept = self._turns[: decisions[-1]]
        self._dismiss(None)
        self._begin(RESTART_SECONDS)
        for turn in kept:
            self._advance(turn)
        self._console.say(f"You are back before step {len(kept) + 1}.")
        if self._referee.hidden and self._events:
            self._person.observe(self._events[-1])
        self._show()

    def _advise(self) -> None:
        """Ask a player what it would do, knowing what the person knows."""
        role, spec, clocks = self._company.role, self._company.adviser, self._setup.clocks
        if (clocks.play or 0.0) >= LONG_SECONDS:
            self._console.say(f"{spec} is thinking …")
        adviser = make_player(spec)
        try:
            adviser.start(self._referee.seat(role, Deadline(RESTART_SECONDS)))
            for event in self._events:
                adviser.observe(event)
            move = adviser.choose(self._referee.turn(role, Deadline(clocks.play)))
            explanation = adviser.explain()
        except Exception as error:  # noqa: BLE001 (a player is somebody else's program)
            self._console.say(f"{spec} knows nothing: {error}")
            return
        finally:
            with _surviving():
                adviser.stop(None)
        self._console.say(f"{spec} would choose {to_kif(move)}.")
        if explanation is not None:
            self._console.say("\n".join(explanation.lines(HINT_CANDIDATES)))

    def _conclude(self, match: Match, left: Wish | None) -> None:
        """Tell how the match ended."""
        if left is Wish.QUIT:
            self._console.say("Good-bye.")
        elif left is Wish.RESIGN:
            self._console.say(f"You resign after {count(len(match.steps), 'step')}.")
        else:
            if self._referee.hidden:
                self._console.say("\nThis is how it stood at the end:")
                self._draw()
            self._console.say("\n" + describe_outcome(match, self._company.role))


@contextmanager
def _surviving() -> Iterator[None]:
    """Go on after an exception in a player, which has nothing to answer here."""
    try:
        yield
    except Exception:  # noqa: BLE001 (a player is somebody else's program)
        _log.debug("where a player crashed:", exc_info=True)


def describe_outcome(match: Match, role: int) -> str:
    """Return how a match ended for a role, in words for whoever played it."""
    if match.ending is Ending.STUCK:
        return f"Nobody can go on after {count(len(match.steps), 'step')}: a role has no legal move."
    if match.ending is Ending.CUT:
        return f"There is no end in sight after {count(len(match.steps), 'step')}."
    mine = match.goals[role]
    others = [match.goals[other] for other in seats(match.roles) if other != role]
    numbers = " : ".join("-" if goal is None else str(goal) for goal in (mine, *others))
    known = [goal for goal in others if goal is not None]
    if mine is None or len(known) < len(others):
        return f"The match is over, but the rules do not give everybody a goal: {numbers}."
    return f"{_verdict(mine, known)}, {numbers}."


def _verdict(mine: int, others: list[int]) -> str:
    """Return what a goal means beside those of the others.

    >>> _verdict(100, [0]), _verdict(50, [50]), _verdict(25, [75, 0]), _verdict(80, [])
    ('You win', 'A draw', 'You lose', 'You reach a part of the goal')
    >>> _verdict(100, [100]), _verdict(50, [50, 0])
    ('Everybody wins', 'You share the best result')
    """
    if not others:
        return {100: "You win", 0: "You lose"}.get(mine, "You reach a part of the goal")
    if {mine} == set(others):
        return {100: "Everybody wins", 0: "Nobody wins"}.get(mine, "A draw")
    if mine > max(others):
        return "You win"
    return "You share the best result" if mine == max(others) else "You lose"

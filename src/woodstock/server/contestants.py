"""Players as a host sees them: in a process of this machine, or behind a URL.

A *contestant* is told of the match, asked for moves, and told when it is over. It never raises: what goes wrong is part
of its answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from woodstock.gdl.terms import GroundTerm
from woodstock.match import ILLEGAL, LATE, LOST, Answer, Referee
from woodstock.match.expressions import ProtocolError
from woodstock.match.messages import Abort, Message, Play, RulesText, Start, Stop, write_message
from woodstock.match.replies import READY, as_word, read_move, read_word
from woodstock.players.dialogue import Briefing, ProcessSettings, Question
from woodstock.players.process import ProcessPlayer
from woodstock.players.tracking import News
from woodstock.server.scrambling import Scrambler

GRACE_SECONDS: Final = 1.0
"""What players on the network have beyond the play clock: a message takes its time."""

ABORT_SECONDS: Final = 1.0
"""How long to wait for the reply to an ABORT."""

MAX_TEXT: Final = 200
"""So many characters of a reply that is no move are kept."""

Form = Literal["new", "old"]
"""The two forms of PLAY and STOP in games that hide something."""


class Transport(Protocol):
    """What carries messages to players elsewhere."""

    async def ask(self, url: str, text: str, seconds: float, receiver: str) -> str:
        """Send a message and return the reply.

        Args:
            url: Where the player is.
            text: The message.
            seconds: How long all of it may take.
            receiver: What the player is called.

        Raises:
            TimeoutError: The reply was not there in time.
            ConnectionError: The player cannot be reached, or broke off.
        """


class Contestant(Protocol):
    """A player in a match that is hosted here."""

    async def start(self, referee: Referee, role: int) -> str:
        """Tell the player of the match; return what was wrong, as in the record, or an empty text."""

    async def play(self) -> Answer:
        """Ask the player for its move."""

    async def stop(self) -> None:
        """Tell the player that the match is over."""

    async def abort(self) -> None:
        """Tell the player that the match is broken off."""

    async def close(self) -> None:
        """Let the player go."""


class LocalContestant:
    """A player of ours, in a process of its own.

    Args:
        spec: The player.
        settings: How to run it.
    """

    def __init__(self, spec: str, settings: ProcessSettings | None = None) -> None:
        self._player = ProcessPlayer(spec, settings)
        self._referee: Referee | None = None
        self._role = 0

    async def prepare(self) -> str:
        """Start the process and let it compile what it needs; return an empty text, or why there is no such player."""
        problem = await self._player.greet()
        if not problem:
            await self._player.warm_up()
        return problem

    async def start(self, referee: Referee, role: int) -> str:
        """Tell the player of the match; return what was wrong, as in the record, or an empty text."""
        self._referee, self._role = referee, role
        setup = referee.setup
        end = None if setup.clocks.start is None else time.monotonic() + setup.clocks.start
        seed = f"{setup.seed} role {role}"
        briefing = Briefing(setup.rules, role, setup.clocks, referee.hidden, seed, end, tells_moves=True)
        if await self._player.start(briefing):
            return ""
        return LOST if self._player.has_failed else LATE

    async def play(self) -> Answer:
        """Ask the player for its move."""
        referee = self._referee
        assert referee is not None
        began = time.monotonic()
        clock = referee.setup.clocks.play
        question = Question(
            referee.number,
            _news(referee, self._role),
            referee.legal_moves(self._role),
            None if clock is None else began + clock,
            referee.setup.explain,
        )
        choice = await self._player.choose(question)
        seconds = time.monotonic() - began
        if choice.has_failed:
            return Answer(None, LOST, seconds)
        late = choice.move is None or (clock is not None and seconds > clock)
        return Answer(choice.move, LATE if late else "", seconds, choice.explanation)

    async def stop(self) -> None:
        """Tell the player that the match is over."""
        await self._player.stop(None if self._referee is None else self._referee.goals())

    async def abort(self) -> None:
        """Tell the player that the match is broken off."""
        await self._player.stop(None)

    async def close(self) -> None:
        """End the process."""
        await self._player.close()


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """How a host talks to players elsewhere.

    Attributes:
        form: The form of PLAY and STOP in games that hide something.
        grace: Seconds beyond the play clock.
        scrambler: What the players get to see in place of the names of the rules; None for the names.
    """

    form: Form = "new"
    grace: float = GRACE_SECONDS
    scrambler: Scrambler | None = None


class RemoteContestant:
    """A player behind a URL.

    Args:
        url: Where it is.
        transport: Carries the messages.
        settings: How to talk to it.
    """

    def __init__(self, url: str, transport: Transport, settings: RemoteSettings | None = None) -> None:
        self._url = url
        self._transport = transport
        self._settings = settings or RemoteSettings()
        self._referee: Referee | None = None
        self._role = 0

    async def start(self, referee: Referee, role: int) -> str:
        """Tell the player of the match; return what was wrong, as in the record, or an empty text."""
        self._referee, self._role = referee, role
        setup, scrambler = referee.setup, self._settings.scrambler
        rules = setup.rules if scrambler is None else scrambler.rules()
        clock, play_clock = setup.clocks.start or 0.0, setup.clocks.play or 1.0
        name = str(self._told(setup.game.roles[role]))
        message = Start(referee.match_id, name, RulesText.of(rules), clock, play_clock)
        reply, error = await self._ask(message, clock + self._settings.grace)
        try:
            return error or ("" if read_word(reply) == READY else f"{ILLEGAL} {reply[:MAX_TEXT]}")
        except ProtocolError:
            return f"{ILLEGAL} {reply[:MAX_TEXT]}".strip()

    async def play(self) -> Answer:
        """Ask the player for its move."""
        began = time.monotonic()
        reply, error = await self._ask(self._turn(Play), self._play_clock() + self._settings.grace)
        seconds = time.monotonic() - began
        if error:
            return Answer(None, error, seconds)
        try:
            return Answer(self._meant(read_move(reply)), "", seconds)
        except ProtocolError:
            return Answer(None, f"{ILLEGAL} {reply[:MAX_TEXT]}".strip(), seconds)

    async def stop(self) -> None:
        """Tell the player that the match is over."""
        if self._referee is not None:
            await self._ask(self._turn(Stop), self._play_clock() + self._settings.grace)

    async def abort(self) -> None:
        """Tell the player that the match is broken off."""
        if self._referee is not None:
            await self._ask(Abort(self._referee.match_id), ABORT_SECONDS)

    async def close(self) -> None:
        """Let the player go."""
        self._referee = None

    async def _ask(self, message: Message, seconds: float) -> tuple[str, str]:
        """Return the reply to a message, or an empty one and the error as in the record."""
        try:
            text = write_message(message)
            return (await self._transport.ask(self._url, text, seconds, as_word(self._url))).strip(), ""
        except TimeoutError:
            return "", LATE
        except ConnectionError:
            return "", LOST

    def _play_clock(self) -> float:
        assert self._referee is not None
        return self._referee.setup.clocks.play or 1.0

    def _turn(self, make: Callable[..., Play | Stop]) -> Play | Stop:
        """Return the message that tells what the player may know of the last step."""
        referee = self._referee
        assert referee is not None
        new = referee.hidden and self._settings.form == "new"
        if referee.number == 0:
            return make(referee.match_id, None, 0 if new else None)
        event = referee.event(self._role)
        terms = sorted(event.percepts, key=str) if event.moves is None else event.moves
        told = tuple(self._told(term) for term in terms)
        return make(referee.match_id, told, *((referee.number, self._told(event.move)) if new else ()))

    def _told(self, term: GroundTerm) -> GroundTerm:
        scrambler = self._settings.scrambler
        return term if scrambler is None else scrambler.scramble(term)

    def _meant(self, term: GroundTerm) -> GroundTerm:
        scrambler = self._settings.scrambler
        return term if scrambler is None else scrambler.unscramble(term)


def _news(referee: Referee, role: int) -> tuple[News, ...]:
    """Return what a player may know of the last step."""
    if referee.number == 0:
        return ()
    event = referee.event(role)
    moves = None if event.moves is None else tuple(event.moves)
    return (News(moves, event.percepts, event.move),)

"""A player that answers the messages of the GGP protocol: text in, text out, one match at a time.

Here are no sockets and no search. Who sends a message, and how the reply goes back, is the caller's business; the moves
come from a `Thinker`, which is a `woodstock.players.process.ProcessPlayer` outside of tests.

A host can send anything at any time, so every message is answered, whatever it is:

- While there is a match, a START is answered `busy`, and so is a PLAY, STOP or ABORT of another match.
- A PLAY that is repeated is answered with the same move, and so is one that cannot be what happens next. It is a turn
  of its own if it can be one: in some games the same joint move is made twice.
- A PLAY that comes while another one is being answered takes its place: that host does not wait any more.
- A match from which nothing is heard for a long time is given up.
- Rules with errors are played as far as they can be understood.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Protocol

from woodstock.game.protocol import Move
from woodstock.match.messages import Abort, Info, Play, Preview, Start, Stop, read_message
from woodstock.match.replies import ABORTED, AVAILABLE, BUSY, DONE, NOTHING, READY, write_info, write_move
from woodstock.players.dialogue import Briefing, Question
from woodstock.players.margin import Margin, usable
from woodstock.players.process import Choice
from woodstock.players.protocol import Clocks
from woodstock.players.tracking import News
from woodstock.server.engagement import Engagement, engage

BASE_SECONDS: Final = 0.02
"""What is left of every clock for what cannot be measured here: how long the host takes to notice a reply."""

PATIENCE_PLAYS: Final = 4
"""So many play clocks, and the start clock, go by before a match is given up."""

GOALS_SECONDS: Final = 1.0
"""How long to look for the goals at the end of a match."""

_log: Final = logging.getLogger(__name__)


class Thinker(Protocol):
    """Who finds the moves: see `ProcessPlayer`, of which these are the methods that are needed."""

    lag: Margin

    def prepare(self) -> None: ...

    async def start(self, briefing: Briefing) -> bool: ...

    async def choose(self, question: Question) -> Choice: ...

    async def stop(self, goals: tuple[int | None, ...] | None) -> None: ...


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What can be chosen about a session.

    Attributes:
        name: What the player calls itself.
        patience: Seconds that are added to the clocks before a match is given up.
        seed: What the player's random numbers are made from, and the name of the match.
    """

    name: str = "Woodstock"
    patience: float = 30.0
    seed: int = 0


class Session:
    """A player on the network, without the network.

    Args:
        thinker: Finds the moves.
        settings: What can be chosen.
    """

    def __init__(self, thinker: Thinker, settings: SessionSettings | None = None) -> None:
        self._thinker = thinker
        self._settings = settings or SessionSettings()
        self._match: Engagement | None = None
        self._ending: asyncio.Task[None] | None = None
        self._random = Random(self._settings.seed)

    @property
    def is_busy(self) -> bool:
        """Whether there is a match."""
        return self._match is not None

    async def answer(self, text: str, arrived: float | None = None, latency: float = 0.0) -> str:
        """Return the reply to a message.

        Args:
            text: The message.
            arrived: When it came, by `time.monotonic`; now, if not given.
            latency: How long a message takes to the host and back, in seconds.

        Raises:
            ProtocolError: It is no message.
        """
        arrived = time.monotonic() if arrived is None else arrived
        # A long message is read in a thread: others are answered meanwhile.
        message = read_message(text) if len(text) < 10_000 else await asyncio.to_thread(read_message, text)
        self.tidy()
        reserve = BASE_SECONDS + self._thinker.lag.overshoot + latency
        match message:
            case Info():
                return write_info(self._settings.name, BUSY if self.is_busy else AVAILABLE)
            case Preview():
                return BUSY if self.is_busy else READY
            case Start():
                return await self._start(message, arrived + usable(message.start_clock, reserve))
        match = self._match
        if match is None or not match.is_called(message.match_id):
            _log.info("the match %s is not played here", message.match_id)
            return BUSY
        match.touch()
        match message:
            case Play():
                return await self._play(match, message, arrived + usable(match.clocks.play or 0.0, reserve))
            case Stop():
                self._leave(match, await self._last_news(match, message))
                return DONE
            case Abort():
                self._leave(match, None)
                return ABORTED

    def tidy(self) -> None:
        """Give the match up if its host seems to have done so."""
        match = self._match
        if match is None or match.task is not None:
            return
        clocks = match.clocks
        patience = (clocks.start or 0.0) + PATIENCE_PLAYS * (clocks.play or 0.0) + self._settings.patience
        if time.monotonic() - match.touched > patience:
            _log.warning("nothing was heard of the match %s for %.0f s: given up", match.match_id, patience)
            self._leave(match, None)

    async def close(self) -> None:
        """Leave the match, if there is one."""
        if self._match is not None:
            self._leave(self._match, None)
        await self._rest()

    async def _start(self, message: Start, end: float) -> str:
        if self._match is not None:
            return BUSY
        match = self._match = Engagement(message.match_id, Clocks(message.start_clock or None, message.play_clock))
        task = match.take(self._begin(match, message, end))
        # Whoever needs longer than the clock to read the rules is ready nevertheless, and reads on.
        await asyncio.wait([task], timeout=end - time.monotonic())
        match.touch()
        return READY if not task.done() or _result(task) else BUSY

    async def _begin(self, match: Engagement, message: Start, end: float) -> bool:
        """Read the rules and brief the thinker; a match that cannot be played is left."""
        await self._rest()
        try:
            await engage(match, message)
        except Exception as error:  # noqa: BLE001 (a host may send anything)
            _log.warning("the match %s cannot be played: %s", match.match_id, error)
            if self._match is match:
                self._match = None
            return False
        assert match.rules is not None
        seed = f"{self._settings.seed} {match.match_id}"
        briefing = Briefing(match.rules, match.role, match.clocks, match.hidden, seed, end)
        if not await self._thinker.start(briefing):
            _log.warning("the match %s begins before the player is ready", match.match_id)
        return True

    async def _play(self, match: Engagement, message: Play, end: float) -> str:
        task = await self._turn_of(match, message, end)
        if task is None:
            return match.reply or NOTHING
        await asyncio.wait([task])
        reply: str | None = _result(task)
        match.touch()
        return reply or NOTHING

    async def _turn_of(self, match: Engagement, message: Play, end: float) -> asyncio.Task[str] | None:
        """Return the work that answers a PLAY; None if it is answered already, or cannot be."""
        async with match.lock:
            if match.task is not None and match.last is None:  # a host that does not wait for the reply to its START
                await asyncio.wait([match.task], timeout=(end - time.monotonic()) / 2)
            if match.shadow is None:
                return None
            if match.task is not None and message == match.last:
                return match.task
            news = await match.news_of(message)
            if news is None and match.last is not None:
                return match.task
            if match.task is not None:
                match.task.cancel()
            match.go_on(message, news or ())
            return match.take(self._move(match, news or (), end))

    async def _move(self, match: Engagement, news: tuple[News, ...], end: float) -> str:
        try:
            choice = await self._thinker.choose(Question(match.number, news, None, end))
        except Exception:  # noqa: BLE001 (there is a move without it)
            _log.exception("the player failed")
            choice = Choice(None)
        move = choice.move if choice.is_legal else choice.spare
        if move is None:
            move = await self._any_move(match, end)
        match.own_move = move
        match.reply = NOTHING if move is None else write_move(move)
        return match.reply

    async def _any_move(self, match: Engagement, end: float) -> Move | None:
        assert match.shadow is not None
        legal = await match.shadow.legal_moves(max(0.01, end - time.monotonic()))
        _log.warning("the player has no move in turn %d: %s", match.number, "a random one" if legal else "none known")
        return self._random.choice(legal) if legal else None

    async def _last_news(self, match: Engagement, message: Stop) -> tuple[News, ...]:
        if match.shadow is None:
            return ()
        return await match.news_of(message) or ()

    def _leave(self, match: Engagement, news: tuple[News, ...] | None) -> None:
        """End a match; with the last news, it has come to its end."""
        if self._match is not match:
            return
        if match.task is not None:
            match.task.cancel()
        self._match = None
        self._ending = asyncio.create_task(self._finish(match, news, self._ending))

    async def _finish(
        self, match: Engagement, news: tuple[News, ...] | None, before: asyncio.Task[None] | None
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        goals = None
        if match.shadow is not None:
            if news is not None:
                match.shadow.advance(news)
                goals = await match.shadow.goals(GOALS_SECONDS)
            match.shadow.close()
        await self._thinker.stop(goals)
        self._thinker.prepare()

    async def _rest(self) -> None:
        """Wait until the last match is over."""
        if self._ending is not None:
            with suppress(asyncio.CancelledError):
                await asyncio.wait([self._ending])
            self._ending = None


def _result(task: asyncio.Task[Any]) -> Any:
    """Return what a task that is done has returned; None if it was cancelled or failed."""
    if task.cancelled():
        return None
    if error := task.exception():
        _log.error("a message could not be answered", exc_info=error)
        return None
    return task.result()

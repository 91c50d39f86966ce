"""A player in a process of its own, so that a search never blocks whoever has to answer, and a move is always ready.

`ProcessPlayer` asks the player in its child process and waits for the answer, but not too long: shortly before the
deadline it takes the best move that the player has proposed by then, or any that is known to be legal. A process that
dies is replaced by another one, which is told what has happened in the match; one that dies again and again is given
up.

How early the player is wanted to be done is measured (see `woodstock.players.margin`): `ProcessPlayer.lag` is how much
later than planned this process wakes up, looked at many times a second while it waits, and a second margin how much
later than it was told to the child answers.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from woodstock.game.protocol import Move
from woodstock.players.dialogue import (
    Briefing,
    Chosen,
    Failed,
    Farewell,
    Hello,
    Noted,
    ProcessSettings,
    Proposed,
    Question,
    Ready,
    Rested,
    Warmed,
)
from woodstock.players.margin import Margin, usable
from woodstock.players.pipe import Child
from woodstock.players.tracking import News
from woodstock.search.explanation import Explanation

TICK_SECONDS: Final = 0.025
"""How often the clock is looked at while a player thinks."""

MAX_DEATHS: Final = 3
"""After so many deaths of the child without an answer in between there is no new one."""

MAX_SILENT_TURNS: Final = 3
"""After so many turns without an answer of the child, not even a late one, it is replaced."""

REST_SECONDS: Final = 0.5
"""How long a player has to tidy up after a match."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Choice:
    """What came of asking the player.

    Attributes:
        move: The move that it chose, or the spare one if it was not done in time; None if there is none.
        is_legal: Whether the move is legal, as far as the child knows the rules.
        spare: The last legal move that it proposed, or else any legal move, if it is known what is legal.
        explanation: Why it chose the move, if that was asked.
        has_failed: The player crashed, or its process died too often; there may be a spare move nevertheless.
    """

    move: Move | None
    is_legal: bool = True
    spare: Move | None = None
    explanation: Explanation | None = None
    has_failed: bool = False


class ProcessPlayer:
    """A player in a child process, for one match at a time; it lives in the event loop in which it is first used.

    Args:
        spec: The player (see `woodstock.players.registry`).
        settings: How to run it.

    Attributes:
        lag: How much later than planned this process wakes up.
        problem: Why there can be no such player; empty if there can.
    """

    def __init__(self, spec: str, settings: ProcessSettings | None = None) -> None:
        self.spec = spec
        self.lag = Margin(base=0.005, first=0.02)
        self.problem = ""
        self._settings = settings or ProcessSettings()
        self._delay = Margin(base=0.01, first=0.05, window=50, quantile=0.9)
        self._child: Child | None = None
        self._changed = asyncio.Event()
        self._briefing: Briefing | None = None
        self._history: list[News] = []
        self._question: Question | None = None
        self._proposal: Move | None = None
        self._chosen: Chosen | None = None
        self._is_greeted = self._is_warm = self._is_ready = self._is_rested = False
        self._is_waited_for = self._has_failed = self._is_given_up = False
        self._deaths = self._silent_turns = 0
        self._random = Random(0)

    def prepare(self) -> None:
        """Start the process, if there is none, so that it can import what it needs before a match begins."""
        if self._child is None and not self.problem:
            self._is_greeted = self._is_warm = self._is_ready = False
            self._child = Child((self.spec, self._settings), self._receive)

    async def greet(self) -> str:
        """Wait until the process has a player, and return an empty text, or what prevents it."""
        self.prepare()
        await self._wait(lambda: self._is_greeted or self._child is None or bool(self.problem), None)
        return self.problem or ("" if self._is_greeted else f"the process of the player {self.spec} has died")

    async def warm_up(self) -> None:
        """Wait until everything is compiled that the settings want to be, before a match begins."""
        self.prepare()
        await self._wait(lambda: self._is_warm or self._child is None, None)

    @property
    def has_failed(self) -> bool:
        """Whether the player cannot do what it was asked last."""
        return self._has_failed or self._is_given_up or bool(self.problem)

    async def start(self, briefing: Briefing) -> bool:
        """Begin a match; tell whether the player is ready, or is still preparing itself when its time is over."""
        self._briefing = briefing
        self._history = list(briefing.history)
        self._question = self._proposal = self._chosen = None
        self._is_ready = self._has_failed = self._is_given_up = False
        self._deaths = self._silent_turns = 0
        self.prepare()
        cut, end = self._times(briefing.end)
        self._send(replace(briefing, end=end))
        await self._wait(lambda: self._is_ready or self.has_failed, cut)
        return self._is_ready

    async def choose(self, question: Question) -> Choice:
        """Return the player's move, before the question's end."""
        self._history += question.news
        # One that is still loading the game has a reason to be silent.
        self._silent_turns += 1 if self._is_ready else 0
        if self._silent_turns > MAX_SILENT_TURNS and self._child is not None:
            _log.warning("the player %s does not answer any more; it is replaced", self.spec)
            self._child.kill()
        cut, end = self._times(question.end)
        self._question = replace(question, end=end)
        self._proposal = self._chosen = None
        self._has_failed = False
        self._is_waited_for = True
        if self._child is None:
            self._revive()
        else:
            self._send(self._question)
        await self._wait(lambda: self._chosen is not None or self.has_failed, cut)
        self._is_waited_for = False
        return self._decide()

    async def stop(self, goals: tuple[int | None, ...] | None) -> None:
        """Tell the player that the match is over; a process that takes long to tidy up is ended."""
        self._briefing = self._question = None
        if self._child is not None:
            self._is_rested = False
            self._send(Farewell(goals))
            await self._wait(lambda: self._is_rested or self._child is None, time.monotonic() + REST_SECONDS)
            if not self._is_rested:
                await self.close()

    async def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        self._briefing = self._question = None
        if child is not None:
            await asyncio.to_thread(child.close)

    def _times(self, end: float | None) -> tuple[float | None, float | None]:
        """Return when to stop waiting for the child, and when to tell it to be done."""
        if end is None:
            return None, None
        now = time.monotonic()
        cut = now + usable(end - now, self.lag.seconds)
        return cut, now + usable(cut - now, self._delay.seconds)

    def _decide(self) -> Choice:
        """Return the best that there is: at least any legal move, if those were told with the question."""
        chosen, spare = self._chosen, self._proposal
        if spare is None and self._question is not None and self._question.legal_moves:
            spare = self._random.choice(self._question.legal_moves)
        if chosen is not None:
            return Choice(chosen.move, chosen.is_legal, spare, chosen.explanation)
        return Choice(spare, True, spare, None, self.has_failed)

    async def _wait(self, done: Callable[[], bool], until: float | None) -> None:
        """Wait until something holds or a time has come, and take notice of how late this process wakes up."""
        while not done():
            now = time.monotonic()
            left = math.inf if until is None else until - now
            if left <= 0:
                return
            planned = now + min(TICK_SECONDS, left)
            self._changed.clear()
            try:
                # Not wait_for, which before Python 3.12 may lose a cancellation that comes when the time is just over.
                async with asyncio.timeout(planned - now):
                    await self._changed.wait()
            except TimeoutError:
                self.lag.note(time.monotonic() - planned)

    def _send(self, message: object) -> None:
        if self._child is not None:
            self._child.send(message)

    def _receive(self, child: Child, message: object) -> None:
        """Take a message of the child, or None when its process has ended."""
        if child is not self._child:
            return
        match message:
            case None:
                self._mourn(child)
            case Hello():
                self._is_greeted = True
            case Warmed():
                self._is_warm = True
            case Ready():
                self._is_ready = True
            case Rested():
                self._is_rested = True
            case Proposed(number, move):
                if self._question is not None and number == self._question.number:
                    self._proposal = move
            case Chosen(number):
                self._take(message, number)
            case Noted(text):
                _log.warning("%s: %s", self.spec, text)
            case Failed():
                self._take_failure(message)
        self._changed.set()

    def _take(self, chosen: Chosen, number: int) -> None:
        self._deaths = self._silent_turns = 0
        if self._question is None or number != self._question.number:
            return  # too late: another move was made
        if self._question.end is not None:
            self._delay.note(time.monotonic() - self._question.end)
        self._chosen = chosen

    def _take_failure(self, failure: Failed) -> None:
        _log.warning("%s: %s", self.spec, failure.text)
        if failure.is_final:
            self.problem = failure.text
        if self._question is None or failure.number == self._question.number:
            self._has_failed = True
            self._silent_turns = 0

    def _mourn(self, child: Child) -> None:
        """Replace a child that has died in a match."""
        self._child = None
        self._deaths += 1
        if self.problem:
            return
        _log.warning("the process of the player %s has died (%s)", self.spec, child.fate())
        if self._briefing is None:
            return
        if self._deaths > MAX_DEATHS:
            self._is_given_up = True
        else:
            self._revive()

    def _revive(self) -> None:
        """Start another process and tell it what has happened, and what is asked."""
        if self._briefing is None or self._is_given_up:
            return
        self.prepare()
        self._silent_turns = 0
        start = self._briefing.clocks.start
        end = None if start is None else time.monotonic() + start
        self._send(replace(self._briefing, end=end, history=tuple(self._history), is_under_way=True))
        if self._question is not None and self._is_waited_for:
            self._send(replace(self._question, news=()))

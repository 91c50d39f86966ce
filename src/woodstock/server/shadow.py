"""The rules as written beside a player: what is legal now, should the player have nothing to say.

A `Shadow` follows a match with the reference reasoner, in a thread of its own, so that a slow game holds up nobody: who
asks it says how long to wait for the answer.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from random import Random
from typing import Any, Final, TypeVar

from woodstock.game.protocol import Move, goal
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.terms import GroundTerm
from woodstock.players.tracking import News, Tracker

T = TypeVar("T")
_Job = tuple[Callable[[], Any], "asyncio.Future[Any]"]

_log: Final = logging.getLogger(__name__)


class Shadow:
    """What one role of a match can know, in a thread; it belongs to the event loop in which it is made.

    Args:
        game: The rules.
        role: Who looks.
    """

    def __init__(self, game: ReferenceGame, role: int) -> None:
        self._game = game
        self._role = role
        self._tracker: Tracker | None = None
        self._legal: tuple[Move, ...] = ()
        self._options: list[tuple[Move, ...]] = []
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()
        self._later(self._begin)
        self._later(self._look_around)

    def advance(self, news: Sequence[News]) -> None:
        """Follow some steps, some time soon."""
        self._later(lambda: self._advance(news))
        self._later(self._look_around)

    async def allows(self, moves: tuple[Move, ...], seconds: float) -> bool:
        """Tell whether a joint move is legal now; a joint move that nobody can judge in time is taken for legal."""
        return await self._ask(lambda: self._allows(moves), seconds, True)

    async def explain(self, percepts: Sequence[GroundTerm], seconds: float) -> tuple[Move, ...] | None:
        """Return the joint move that shows the role just these percepts, if there is one."""
        return await self._ask(lambda: self._explain(frozenset(percepts)), seconds, None)

    async def legal_moves(self, seconds: float) -> tuple[Move, ...]:
        """Return the legal moves of the role; none if they are not known in time."""
        return await self._ask(lambda: self._legal, seconds, ())

    async def goals(self, seconds: float) -> tuple[int | None, ...] | None:
        """Return the goals of all roles, if the match is over and the position known; else None."""
        return await self._ask(self._goals, seconds, None)

    def close(self) -> None:
        """Let the thread end when it has done what it is at."""
        self._jobs.put(None)

    def _later(self, job: Callable[[], T]) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put((job, future))
        return future

    async def _ask(self, job: Callable[[], T], seconds: float, otherwise: T) -> T:
        try:
            async with asyncio.timeout(seconds):
                return await self._later(job)
        except TimeoutError:
            return otherwise

    def _work(self) -> None:
        """Do one job after the other; what fails is as if it took for ever."""
        while (entry := self._jobs.get()) is not None:
            job, future = entry
            try:
                result = job()
            except Exception as error:  # noqa: BLE001 (rules may do anything, and a match goes on without this thread)
                _log.warning("the rules as written give no answer: %s: %s", type(error).__name__, error)
                continue
            if self._loop.is_closed():
                return
            self._loop.call_soon_threadsafe(_settle, future, result)

    def _begin(self) -> None:
        self._tracker = Tracker(self._game, self._role, Random(0))
        self._legal = self._tracker.legal_moves()

    def _advance(self, news: Sequence[News]) -> None:
        if self._tracker is None:
            return
        for step in news:
            self._tracker.advance(step)
        self._legal = self._tracker.legal_moves()

    def _look_around(self) -> None:
        """Find out what all roles may do while there is time, so that the next joint move is judged at once."""
        self._options = []
        if self._tracker is not None and len(self._tracker.positions) == 1:
            (position,) = self._tracker.positions
            if not self._game.is_terminal(position):
                self._options = [self._game.legal_moves(position, role) for role in range(len(self._game.roles))]

    def _allows(self, moves: tuple[Move, ...]) -> bool:
        if not self._options:
            return self._tracker is None or self._tracker.allows(moves)
        return len(moves) == len(self._options) and all(map(tuple.__contains__, self._options, moves))

    def _explain(self, percepts: frozenset[GroundTerm]) -> tuple[Move, ...] | None:
        return None if self._tracker is None else self._tracker.explain(percepts)

    def _goals(self) -> tuple[int | None, ...] | None:
        if self._tracker is None or len(self._tracker.positions) != 1:
            return None
        (position,) = self._tracker.positions
        if not self._game.is_terminal(position):
            return None
        return tuple(goal(self._game, position, role) for role in range(len(self._game.roles)))


def _settle(future: asyncio.Future[Any], result: object) -> None:
    if not future.done():
        future.set_result(result)

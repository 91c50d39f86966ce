"""A game manager: a match between players here and elsewhere, all asked at the same time.

Clocks are total deadlines, with a grace for the network; what is late, lost or illegal is noted and replaced as the
referee does it. Whatever happens, every player is told in the end that the match is over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from typing import Any, Final

from woodstock.common.errors import UsageError
from woodstock.match import LOST, Answer, Match, MatchSetup, Referee, Step, Watch
from woodstock.server.contestants import Contestant

_log: Final = logging.getLogger(__name__)


class HostedMatch:
    """A match between contestants.

    Args:
        setup: What is settled before.
        contestants: One per seat, in role order.

    Attributes:
        referee: Keeps the match in order, and knows its state even if it is broken off.

    Raises:
        UsageError: There are not as many contestants as seats.
    """

    def __init__(self, setup: MatchSetup, contestants: Sequence[Contestant]) -> None:
        self.referee = Referee(setup)
        if len(contestants) != len(self.referee.seats):
            raise UsageError(f"expected {len(self.referee.seats)} players, one per seat, found {len(contestants)}")
        self._contestants = dict(zip(self.referee.seats, contestants, strict=True))

    async def play(self, watch: Watch | None = None) -> Match:
        """Play to the end and return the record; the players are told of the end, whichever it is."""
        referee = self.referee
        match: Match | None = None
        try:
            await self._start()
            if watch:
                watch(referee.position, None)
            while referee.ending() is None:
                step = await self._step()
                if watch:
                    watch(referee.position, step)
            match = referee.finish()
        finally:
            await self._end(is_aborted=match is None)
        return match

    async def _start(self) -> None:
        errors = await self._all({role: each.start(self.referee, role) for role, each in self._contestants.items()})
        for role, error in errors.items():
            self.referee.note_start(role, LOST if error is None else error)

    async def _step(self) -> Step:
        answers = await self._all({role: each.play() for role, each in self._contestants.items()})
        return self.referee.advance({role: answer or Answer(None, LOST) for role, answer in answers.items()})

    async def _end(self, is_aborted: bool) -> None:
        await self._all({role: each.abort() if is_aborted else each.stop() for role, each in self._contestants.items()})
        await self._all({role: each.close() for role, each in self._contestants.items()})

    async def _all(self, calls: dict[int, Awaitable[Any]]) -> dict[int, Any]:
        """Await all at the same time and return what each returned; None in place of an exception."""
        results = await asyncio.gather(*calls.values(), return_exceptions=True)
        found: dict[int, Any] = {}
        for role, result in zip(calls, results, strict=True):
            found[role] = result
            if isinstance(result, BaseException):
                _log.error("the player of %s: %r", self.referee.setup.game.roles[role], result, exc_info=result)
                found[role] = None
        return found


async def host_match(setup: MatchSetup, contestants: Sequence[Contestant], watch: Watch | None = None) -> Match:
    """Host a match and return its record; see `HostedMatch`."""
    return await HostedMatch(setup, contestants).play(watch)

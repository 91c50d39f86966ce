"""Matches between players in this process, one asked after the other."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.match.record import LATE, LOST, Answer, Match, Step, is_human
from woodstock.match.referee import MatchSetup, Referee
from woodstock.players.protocol import Player

Watch = Callable[[Any, Step | None], None]
"""Called with the first position and None, then with each position and the step that led to it."""

_log: Final = logging.getLogger(__name__)


def play_match(setup: MatchSetup, players: Sequence[Player], watch: Watch | None = None) -> Match:
    """Play a match in this process and return its record.

    A move that is illegal or late, or in place of which the player raised an exception, is replaced and noted in the
    record; only a person is never late.

    Args:
        setup: What is settled before.
        players: One per seat, in role order.
        watch: Is shown every position on the way.

    Raises:
        UsageError: There are not as many players as seats.
    """
    return LocalMatch(setup, players).play(watch)


class LocalMatch:
    """A match between players in this process, for those who want to know its state even if it is broken off.

    Args:
        setup: What is settled before.
        players: One per seat, in role order.

    Attributes:
        referee: Keeps the match in order.

    Raises:
        UsageError: There are not as many players as seats.
    """

    def __init__(self, setup: MatchSetup, players: Sequence[Player]) -> None:
        self.referee = Referee(setup)
        if len(players) != len(self.referee.seats):
            raise UsageError(f"expected {len(self.referee.seats)} players, one per seat, found {len(players)}")
        self._players = dict(zip(self.referee.seats, players, strict=True))

    def play(self, watch: Watch | None = None) -> Match:
        """Play to the end and return the record; the players are stopped whatever happens."""
        referee = self.referee
        match: Match | None = None
        try:
            for role in self._players:
                self._start(role)
            if watch:
                watch(referee.position, None)
            while referee.ending() is None:
                step = self._step()
                if watch:
                    watch(referee.position, step)
            match = referee.finish()
        finally:
            self._stop(match)
        return match

    def _start(self, role: int) -> None:
        limit = self.referee.setup.clocks.start
        begin = time.monotonic()
        alive, _ = self._call(role, "start", self.referee.seat(role, Deadline(limit)))
        if not alive:
            self.referee.note_start(role, LOST)
        elif limit is not None and time.monotonic() - begin > limit:
            self.referee.note_start(role, LATE)

    def _step(self) -> Step:
        step = self.referee.advance({role: self._ask(role) for role in self._players})
        for role in self._players:
            self._call(role, "observe", self.referee.event(role))
        return step

    def _ask(self, role: int) -> Answer:
        limit = self.referee.setup.clocks.play
        begin = time.monotonic()
        alive, move = self._call(role, "choose", self.referee.turn(role, Deadline(limit)))
        seconds = time.monotonic() - begin
        if not alive:
            return Answer(None, LOST, seconds)
        # A person is told the time, and no more: a match is not spoilt because somebody looked away.
        is_late = limit is not None and seconds > limit and not is_human(self._name(role))
        explanation = self._call(role, "explain")[1] if self.referee.setup.explain else None
        return Answer(move, LATE if is_late else "", seconds, explanation)

    def _stop(self, match: Match | None) -> None:
        goals = None if match is None else match.goals
        for role in self._players:
            self._call(role, "stop", goals)

    def _call(self, role: int, method: str, *args: Any) -> tuple[bool, Any]:
        """Call a player; tell whether it survived, which the match does in any case, and what it returned."""
        try:
            return True, getattr(self._players[role], method)(*args)
        except Exception as error:  # noqa: BLE001 (a player is somebody else's program)
            seat = f"{self._name(role)} ({self.referee.setup.game.roles[role]})"
            _log.warning("the player %s crashed in %s: %s: %s", seat, method, type(error).__name__, error)
            _log.debug("where it crashed:", exc_info=True)
            return False, None

    def _name(self, role: int) -> str:
        return self.referee.setup.player_names[self.referee.seats.index(role)]

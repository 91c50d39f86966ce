"""The match that a player on the network is in, and what its host's messages mean in it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar

from woodstock.common.errors import UsageError
from woodstock.game.load import playable_rules
from woodstock.game.protocol import Move
from woodstock.game.reference import ReferenceGame
from woodstock.game.statics import has_percept_rules
from woodstock.gdl.diagnostics import GdlError
from woodstock.gdl.rules import Rules
from woodstock.gdl.terms import GroundTerm
from woodstock.match.messages import Play, Start, Stop
from woodstock.players.loading import hides_information
from woodstock.players.protocol import Clocks
from woodstock.players.tracking import News
from woodstock.server.shadow import Shadow

T = TypeVar("T")

JUDGING_SHARE: Final = 0.2
"""Of the play clock: how long to wait for a judgement of what the host says happened."""


class Engagement:
    """What a player remembers of its match.

    Args:
        match_id: The name of the match.
        clocks: Its clocks.

    Attributes:
        rules: The rules, once they are read.
        role: The player's role.
        hidden: Whether the rules hide something.
        shadow: What is legal, by the rules as written.
        number: How many joint moves have been made.
        last: The last PLAY that was answered, or is being answered.
        reply: The reply to it; empty as long as there is none.
        own_move: The move that was replied.
        task: What is being done to answer a START or PLAY.
        lock: Held while it is found out what a PLAY means.
        touched: When something was last heard of the match, by `time.monotonic`.
    """

    def __init__(self, match_id: str, clocks: Clocks) -> None:
        self.match_id = match_id
        self.clocks = clocks
        self.rules: Rules | None = None
        self.role = 0
        self.hidden = False
        self.shadow: Shadow | None = None
        self.number = 0
        self.last: Play | None = None
        self.reply = ""
        self.own_move: Move | None = None
        self.task: asyncio.Task[Any] | None = None
        self.lock = asyncio.Lock()
        self.touched = time.monotonic()

    def is_called(self, match_id: str) -> bool:
        """Tell whether a message of that name means this match; some hosts change the case of everything."""
        return match_id.lower() == self.match_id.lower()

    def touch(self) -> None:
        """Take notice that something was heard of the match."""
        self.touched = time.monotonic()

    def take(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin with the work that answers a message; it is done even if the sender goes."""
        self.task = task = asyncio.create_task(work)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        if self.task is task:
            self.task = None

    def go_on(self, message: Play, news: Sequence[News]) -> None:
        """Begin with the answer to a PLAY."""
        assert self.shadow is not None
        self.last, self.reply = message, ""
        self.own_move = None
        self.number += len(news)
        if news:
            self.shadow.advance(news)

    async def news_of(self, message: Play | Stop) -> tuple[News, ...] | None:
        """Return what a message tells of the steps since the last one; None if it tells nothing new.

        It tells nothing new if it is repeated, comes out of order, or is not what can happen next.
        """
        if message.turn is not None:
            missed = message.turn - self.number - 1
            if missed < 0 or (missed > 0 and not self.hidden):
                return None
            step = await self._step_of(message.terms or (), message.move)
            return None if step is None else (*[News()] * missed, step)
        if message.terms is None:
            return None
        step = await self._step_of(message.terms, self.own_move)
        return None if step is None else (step,)

    async def _step_of(self, terms: tuple[GroundTerm, ...], move: Move | None) -> News | None:
        """Return what some terms tell of a step: they are the joint move, or what the role was shown."""
        assert self.shadow is not None
        assert self.rules is not None
        seconds = JUDGING_SHARE * (self.clocks.play or 0.0)
        moves = _joint_move(terms, self.rules.roles)
        if self.hidden and not (moves and moves[self.role] == move):
            return News(percepts=frozenset(terms), move=move)
        # A host that knows nothing of hidden information tells the joint move even if the rules hide it.
        if moves and await self.shadow.allows(moves, seconds):
            return News(moves=moves)
        if self.hidden:
            return News(percepts=frozenset(terms), move=move)
        explained = await self.shadow.explain(terms, seconds) if has_percept_rules(self.rules) else None
        return None if explained is None else News(moves=explained)


def _joint_move(terms: tuple[GroundTerm, ...], roles: Sequence[str]) -> tuple[Move, ...]:
    """Return the joint move that some terms are, or that they tell as `(did role move)`; empty if they do neither."""
    made = {term[1]: term[2] for term in terms if isinstance(term, tuple) and len(term) == 3 and term[0] == "did"}
    if set(made) == set(roles):
        return tuple(made[role] for role in roles)
    return terms if len(terms) == len(roles) else ()


async def engage(match: Engagement, message: Start) -> None:
    """Read the rules of a match.

    Raises:
        GdlError: They cannot be played at all.
        UsageError: There is no such role in them.
    """
    rules, game = await asyncio.to_thread(_read_rules, message)
    if message.role not in rules.roles:
        raise UsageError(f"there is no role {message.role!r} (roles: {', '.join(rules.roles) or 'none'})")
    match.role = rules.roles.index(message.role)
    match.hidden = hides_information(rules)
    match.shadow = Shadow(game, match.role)
    match.rules = rules


def _read_rules(message: Start) -> tuple[Rules, ReferenceGame]:
    """Return the rules of a message and the game that they are; errors that can be got round are."""
    sheet = message.rules.read(f"match {message.match_id}")
    try:
        rules = playable_rules(sheet, repair=True)
        return rules, ReferenceGame(rules)
    except GdlError:
        # The host has a reasoner that plays them: perhaps ours can as well.
        return sheet.rules, ReferenceGame(sheet.rules)

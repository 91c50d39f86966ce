"""Thinkers that say what a test wants, in place of a player in a process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from woodstock.game.protocol import Move
from woodstock.game.reference import ReferenceGame
from woodstock.players.dialogue import Briefing, Question
from woodstock.players.margin import Margin
from woodstock.players.process import Choice
from woodstock.players.tracking import Tracker

Choose = Callable[[tuple[Move, ...]], Choice]


def first(moves: tuple[Move, ...]) -> Choice:
    """Choose the first legal move."""
    return Choice(moves[0])


def last(moves: tuple[Move, ...]) -> Choice:
    """Choose the last legal move."""
    return Choice(moves[-1])


class ScriptedThinker:
    """Follows the match as a player's process would, and chooses as it is told.

    Attributes:
        questions: What it was asked, and what it was told with each question.
        goals: How each match ended.
        start_seconds: How long it takes to get ready.
        seconds: How long it takes to choose.
    """

    def __init__(self, choose: Choose = first) -> None:
        self.lag = Margin(base=0.001, first=0.001)
        self.choose_from = choose
        self.questions: list[Question] = []
        self.briefings: list[Briefing] = []
        self.goals: list[Any] = []
        self.start_seconds = self.seconds = 0.0
        self.prepared = self.cancelled = 0
        self._tracker: Tracker | None = None

    def prepare(self) -> None:
        self.prepared += 1

    async def start(self, briefing: Briefing) -> bool:
        self.briefings.append(briefing)
        self._tracker = Tracker(ReferenceGame(briefing.rules), briefing.role)
        await asyncio.sleep(self.start_seconds)
        return True

    async def choose(self, question: Question) -> Choice:
        assert self._tracker is not None
        self.questions.append(question)
        for news in question.news:
            self._tracker.advance(news)
        assert self._tracker.number == question.number
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return self.choose_from(self._tracker.legal_moves())

    async def stop(self, goals: tuple[int | None, ...] | None) -> None:
        self.goals.append(goals)
        self._tracker = None

"""A player in a process of its own, seen from inside that process; `woodstock.players.process` is the other side.

Before the player thinks, the process proposes any legal move, so that there always is one.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from random import Random
from typing import Any, Final

from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game, Move
from woodstock.game.reference import ReferenceGame
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
from woodstock.players.protocol import Event, Player, Seat, Turn
from woodstock.players.tracking import News, Tracker

SLICE_SECONDS: Final = 0.05
"""How long a player ponders before the process looks whether there is a question."""

LOADING_SHARE: Final = 0.8
"""Of the start clock: how much of it the game may take to be loaded, so that some is left for the player."""

STAND_INS: Final = ("uct", "random")
"""Who moves for a player that failed in its start: the first of them that does not."""

_log = logging.getLogger(__name__)


def work(connection: Connection, spec: str, settings: ProcessSettings) -> None:
    """Play until the other end of the connection closes.

    Args:
        connection: Where messages come from and go to.
        spec: The player.
        settings: How to go about it.
    """
    threading.Thread(target=_end_with_caller, daemon=True).start()
    _limit_memory(settings.memory)
    worker = _Worker(connection, spec, settings)
    # The other end closes when the match, or its process, is over.
    with suppress(EOFError, OSError):
        worker.run()


class _Worker:
    """The player, and the match that it is in."""

    def __init__(self, connection: Connection, spec: str, settings: ProcessSettings) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._spec = spec
        self._settings = settings
        self._ponders = settings.ponder
        self._searches = True
        self._player: Player | None = None
        self._briefing: Briefing | None = None
        self._tracker: Tracker | None = None
        self._proposed: Proposed | None = None

    def run(self) -> None:
        """Answer messages until there are no more."""
        if not self._prepare():
            return
        while True:
            match self._next_message():
                case Briefing() as briefing:
                    self._start(briefing)
                case Question() as question:
                    self._answer(question)
                case Farewell(goals):
                    self._stop(goals)

    def _prepare(self) -> bool:
        """Make a player and import what it will need, before any clock runs; tell whether that worked."""
        from woodstock.players.registry import any_searches, make_player

        try:
            make_player(self._spec)
        except Exception as error:  # noqa: BLE001 (a player may come from anywhere)
            self._send(Failed(f"{error}", is_final=True))
            return False
        self._searches = any_searches([self._spec])
        if self._searches:
            import woodstock.circuit.game  # noqa: F401 (which brings the compiler)
        self._send(Hello())
        if self._settings.warm and self._searches:
            self._warm_up()
        self._send(Warmed())
        return True

    def _warm_up(self) -> None:
        """Load the kernels, or compile them, until there is something to do."""
        from woodstock.search.warm import FOR_PLAYERS, warm

        for name in FOR_PLAYERS:
            if self._connection.poll():
                return
            warm(names=[name])

    def _send(self, message: object) -> None:
        with self._lock:  # a search may propose from any of its threads
            self._connection.send(message)

    def _next_message(self) -> object:
        """Wait for a message, and ponder meanwhile."""
        while self._ponders and self._tracker is not None and self._player is not None:
            if self._connection.poll():
                break
            began = time.monotonic()
            try:
                self._player.ponder(Deadline(SLICE_SECONDS))
            except Exception as error:  # noqa: BLE001 (a player may come from anywhere)
                self._ponders = False
                self._send(Noted(f"the player failed while it pondered: {_describe(error)}"))
            # A player that does not ponder is done at once: this waits for the rest of its time.
            self._connection.poll(max(0.0, SLICE_SECONDS - (time.monotonic() - began)))
        return self._connection.recv()

    def _start(self, briefing: Briefing) -> None:
        from woodstock.players.registry import make_player

        self._briefing, self._tracker = briefing, None
        try:
            game = self._load(briefing)
            tracker = Tracker(game, briefing.role, Random(f"{briefing.seed} tracker"))
            _rehearse(game)
        except Exception as error:  # noqa: BLE001 (the other side plays on by itself)
            self._send(Failed(f"the game cannot be loaded: {_describe(error)}"))
            return
        deadline = Deadline(0.0 if briefing.is_under_way else _seconds_left(briefing.end))
        seat = Seat(
            briefing.rules, game, briefing.role, briefing.clocks, briefing.hidden, Random(briefing.seed), deadline
        )
        for spec in (self._spec, *STAND_INS):
            self._player = make_player(spec)
            try:
                self._player.start(seat)
                break
            except Exception as error:  # noqa: BLE001 (a player may come from anywhere)
                self._send(Noted(f"the player {spec} failed in its start, another moves for it: {_describe(error)}"))
        self._tracker = tracker
        try:
            for news in briefing.history:
                self._observe(news)
        except Exception as error:  # noqa: BLE001 (a host may tell anything)
            self._send(Failed(f"the match cannot be followed: {_describe(error)}"))
            return
        self._send(Ready())

    def _load(self, briefing: Briefing) -> Game[Any]:
        from woodstock.players.loading import prepare_game

        if not self._searches:
            return ReferenceGame(briefing.rules)
        left = _seconds_left(briefing.end)
        return prepare_game(briefing.rules, None if left is None else max(0.1, LOADING_SHARE * left))

    def _observe(self, news: News) -> None:
        """Let the player see what happened."""
        assert self._tracker is not None
        assert self._player is not None
        assert self._briefing is not None
        if not (self._briefing.hidden and self._briefing.tells_moves):
            event = self._tracker.advance(news)
        else:
            # Nobody needs to know the possible positions where the legal moves are told.
            self._tracker.number += 1
            event = Event(self._tracker.number, news.move or "", news.percepts or frozenset(), None, None)
        try:
            self._player.observe(event)
        except Exception as error:  # noqa: BLE001 (a player may come from anywhere)
            self._send(Noted(f"the player failed when it saw a move: {_describe(error)}"))

    def _answer(self, question: Question) -> None:
        """Choose a move, unless there is something newer to answer already."""
        if self._tracker is None or self._player is None or self._briefing is None:
            self._send(Failed("there is no game to play", question.number))
            return
        try:
            for news in question.news:
                self._observe(news)
            if self._connection.poll():
                return
            if self._tracker.number != question.number:
                self._send(Failed(f"there were {self._tracker.number} moves, not {question.number}", question.number))
                return
            legal = question.legal_moves or self._tracker.legal_moves()
            if not legal:
                self._send(Failed("there is no legal move", question.number))
                return
            self._choose(question, legal)
        except Exception as error:  # noqa: BLE001 (a player may come from anywhere)
            _log.debug("where it failed:", exc_info=True)
            self._send(Failed(f"the player failed when it had to move: {_describe(error)}", question.number))

    def _choose(self, question: Question, legal: tuple[Move, ...]) -> None:
        assert self._tracker is not None
        assert self._player is not None
        assert self._briefing is not None

        def propose(move: Move) -> None:
            proposal = Proposed(question.number, move)
            if move in legal and proposal != self._proposed:
                self._proposed = proposal
                self._send(proposal)

        propose(legal[0])
        position = None if self._briefing.hidden else self._tracker.positions[0]
        deadline = Deadline(_seconds_left(question.end))
        iterations = self._briefing.clocks.iterations
        move = self._player.choose(Turn(question.number, legal, position, deadline, iterations, propose))
        explanation = self._player.explain() if question.explain else None
        self._send(Chosen(question.number, move, move in legal, explanation))

    def _stop(self, goals: tuple[int | None, ...] | None) -> None:
        try:
            if self._player is not None:
                self._player.stop(goals)
        except Exception as error:  # noqa: BLE001 (a player may come from anywhere)
            self._send(Noted(f"the player failed in its stop: {_describe(error)}"))
        self._player = self._briefing = self._tracker = self._proposed = None
        self._send(Rested())


def _rehearse(game: Game[Any]) -> None:
    """Ask a game what will be asked at every turn, so that it has compiled what it needs before the first."""
    position = game.initial_position()
    moves = [game.legal_moves(position, role) for role in range(len(game.roles))]
    if not game.is_terminal(position) and all(moves):
        first = [options[0] for options in moves]
        game.percepts(position, first, 0)
        game.is_terminal(game.next_position(position, first))


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _seconds_left(end: float | None) -> float | None:
    return None if end is None else max(0.0, end - time.monotonic())


def _limit_memory(num_bytes: int | None) -> None:
    """Let the operating system hold the limit where it can."""
    if num_bytes is None:
        return
    with suppress(ImportError, ValueError, OSError):
        import resource

        # What is mapped but not used, such as the compiler's address space, does not count here.
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = num_bytes if hard == resource.RLIM_INFINITY else min(num_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _end_with_caller() -> None:
    """End this process when the caller's is gone, however it went and whatever is being done here."""
    caller = multiprocessing.parent_process()
    if caller is not None:
        caller.join()
        os._exit(1)

"""One play of a duel, as a worker process does it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from woodstock.arena.plan import DuelPlan, Play, read_rules
from woodstock.arena.preparation import prepare
from woodstock.game.protocol import Game
from woodstock.match import ILLEGAL, LATE, LOST, Ending, Match, MatchSetup, play_match, save_record, seats
from woodstock.players import make_player
from woodstock.players.registry import any_searches

GAMES_KEPT: Final = 4
"""How many games a worker keeps ready; their circuits take memory."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker is sent: a play and the plan that it belongs to."""

    plan: DuelPlan
    play: Play


@dataclass(frozen=True, slots=True)
class Faults:
    """What a player did wrong.

    Attributes:
        late: Moves that came too late.
        illegal: Moves that were not legal.
        errors: Moves in place of which there was an exception.
        starts: Starts that took too long, or during which there was an exception.
    """

    late: int = 0
    illegal: int = 0
    errors: int = 0
    starts: int = 0

    def __add__(self, other: Faults) -> Faults:
        return Faults(
            self.late + other.late,
            self.illegal + other.illegal,
            self.errors + other.errors,
            self.starts + other.starts,
        )


@dataclass(frozen=True, slots=True)
class PlayResult:
    """What came of a play.

    Attributes:
        play: The play.
        ending: Why it stopped.
        goals: The goal of each seat: 0 where the rules give no single value, and for all if there was no end.
        steps: How many joint moves were made.
        thinking: Seconds for which the player of each seat thought about its moves.
        slowest: Seconds for its slowest move.
        faults: What it did wrong.
        span: When the worker began and when it was done, by the clock that all processes share.
    """

    play: Play
    ending: Ending
    goals: tuple[int, ...]
    steps: int
    thinking: tuple[float, ...]
    slowest: tuple[float, ...]
    faults: tuple[Faults, ...]
    span: tuple[float, float]

    @property
    def is_finished(self) -> bool:
        """Whether the match came to its end."""
        return self.ending is Ending.FINISHED


def play_task(task: Task) -> PlayResult:
    """Play, and write the record if there is to be one."""
    began = time.monotonic()
    plan = task.plan
    specs = [plan.players[side] for side in task.play.seating]
    setup = MatchSetup(
        plan.rules,
        _prepare(plan.source.text, plan.source.name, plan.repair, any_searches(plan.players)),
        specs,
        seed=task.play.seed,
        clocks=plan.clocks,
        max_steps=plan.max_steps,
        game_name=plan.game,
    )
    match = play_match(setup, [make_player(spec) for spec in specs])
    path = plan.record_of(task.play)
    if path is not None:
        save_record(match, path)
    return _result_of(task.play, match, (began, time.monotonic()))


@lru_cache(maxsize=GAMES_KEPT)
def _prepare(text: str, name: str, repair: bool, kernels: bool) -> Game[Any]:
    """Return a game; a worker prepares each once, whoever plays it."""
    return prepare(read_rules(text, name, repair), kernels)


def _result_of(play: Play, match: Match, span: tuple[float, float]) -> PlayResult:
    chairs = seats(match.roles)
    finished = match.ending is Ending.FINISHED
    seconds = [[answer.seconds for step in match.steps if (answer := step.answers[role])] for role in chairs]
    return PlayResult(
        play=play,
        ending=match.ending,
        goals=tuple(match.goals[role] or 0 if finished else 0 for role in chairs),
        steps=len(match.steps),
        thinking=tuple(map(sum, seconds)),
        slowest=tuple(max(each, default=0.0) for each in seconds),
        faults=tuple(_faults_of(match, role) for role in chairs),
        span=span,
    )


def _faults_of(match: Match, role: int) -> Faults:
    kinds = Counter(step.errors[role].partition(" ")[0] for step in match.steps)
    return Faults(kinds[LATE], kinds[ILLEGAL], kinds[LOST], int(match.start_errors[role] != ""))

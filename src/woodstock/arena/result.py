"""What comes of a duel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from woodstock.arena.plan import FIRST, SECOND, DuelPlan
from woodstock.arena.playing import Faults, PlayResult
from woodstock.arena.statistics import FULL, Summary, summarise


@dataclass(frozen=True, slots=True)
class Encounter:
    """One match of a duel, as it counts.

    The first contestant wins if its goal is greater than the best of the second one's, and loses if it is less. Who
    plays several seats separately has the mean of their goals.

    Attributes:
        number: Number of the match, from 0.
        seat: Where the first contestant sat; None if both played separately.
        goals: The goal of each contestant; the mean over its seats if it had several.
        score: 100 if the first one won, 50 for a draw, 0 if it lost.
    """

    number: int
    seat: int | None
    goals: tuple[float, float]
    score: float


@dataclass(frozen=True, slots=True)
class Crash:
    """A play that was lost, and lost again when it was repeated: its process died, or it took too long.

    Attributes:
        match: Number of the match, from 0.
        reason: What happened the last time.
    """

    match: int
    reason: str


@dataclass(frozen=True, slots=True)
class Balance:
    """How a number of matches went for the first contestant."""

    wins: int
    draws: int
    losses: int

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> Summary:
        """What they say about its score."""
        return summarise([FULL] * self.wins + [FULL / 2] * self.draws + [0.0] * self.losses)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        counts = {"matches": self.matches, "wins": self.wins, "draws": self.draws, "losses": self.losses}
        return {**counts, "score": self.score.mean}


@dataclass(frozen=True)
class DuelResult:
    """What is known of a duel: everything when it is over, what has been played until then.

    Attributes:
        plan: What was to be played.
        plays: What came of each play that was finished, in the order of the plan.
        crashes: The plays that were lost; while the duel goes on, also those that will be repeated.
        repeated: How many plays were lost and repeated.
        is_complete: Nobody broke it off.
    """

    plan: DuelPlan
    plays: tuple[PlayResult, ...]
    crashes: tuple[Crash, ...] = ()
    repeated: int = 0
    is_complete: bool = True

    @cached_property
    def encounters(self) -> tuple[Encounter, ...]:
        """The matches of which everything was played."""
        if not self.plan.is_separate:
            return tuple(map(_encounter, self.plays))
        halves: dict[int, dict[int, PlayResult]] = {}
        for result in self.plays:
            halves.setdefault(result.play.match, {})[result.play.seating[0]] = result
        return tuple(_separate_encounter(half[FIRST], half[SECOND]) for half in halves.values() if len(half) == 2)

    @property
    def balance(self) -> Balance:
        """Wins, draws and losses of the first contestant."""
        return _balance(self.encounters)

    @property
    def balance_by_seat(self) -> dict[str, Balance]:
        """The same for each seat of the first contestant; nothing where they play separately."""
        if self.plan.is_separate:
            return {}
        return {
            name: _balance([each for each in self.encounters if each.seat == seat])
            for seat, name in enumerate(self.plan.seats)
        }

    @property
    def score(self) -> Summary:
        """The score of the first contestant."""
        return self.balance.score

    def goals(self, side: int) -> Summary:
        """Return what the goals of a contestant say."""
        return summarise([each.goals[side] for each in self.encounters])

    def faults(self, side: int) -> Faults:
        """Return what a contestant did wrong, in all plays."""
        return sum((result.faults[seat] for result, seat in self._seated(side)), Faults())

    def thinking(self, side: int) -> float:
        """Return for how many seconds a contestant thought about its moves, in all plays."""
        return sum(result.thinking[seat] for result, seat in self._seated(side))

    def slowest(self, side: int) -> float:
        """Return how many seconds the slowest move of a contestant took."""
        return max((result.slowest[seat] for result, seat in self._seated(side)), default=0.0)

    @property
    def crashed(self) -> int:
        """How many matches do not count because a play of them was lost."""
        return len({crash.match for crash in self.crashes})

    @property
    def unfinished(self) -> int:
        """How many plays did not come to an end: all their goals count as 0."""
        return sum(not result.is_finished for result in self.plays)

    @property
    def looks_cooperative(self) -> bool:
        """Whether all seats had the same goal in every play, and not that of a draw: then matches decide nothing."""
        goals = {result.goals for result in self.plays if result.is_finished}
        return (
            not self.plan.is_separate
            and all(len(set(each)) == 1 for each in goals)
            and any(each[0] != FULL / 2 for each in goals)
        )

    @property
    def mean_steps(self) -> float | None:
        """How many joint moves a play had."""
        return fmean(result.steps for result in self.plays) if self.plays else None

    @property
    def seconds(self) -> float:
        """How long it took, from the first play to the last, with the preparation of the game."""
        spans = [result.span for result in self.plays]
        return max(end for _, end in spans) - min(begin for begin, _ in spans) if spans else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        balance, score = self.balance, self.score
        faults = [self.faults(side) for side in (FIRST, SECOND)]
        interval = score.interval
        return {
            "game": self.plan.game,
            "players": list(self.plan.players),
            "matches": balance.matches,
            "planned": self.plan.matches,
            "wins": balance.wins,
            "draws": balance.draws,
            "losses": balance.losses,
            "score": score.mean,
            "interval": None if interval is None else list(interval),
            "deviation": score.deviation,
            "spread": score.spread,
            "late": sum(each.late for each in faults),
            "illegal": sum(each.illegal for each in faults),
            "errors": sum(each.errors for each in faults),
            "crashed": self.crashed,
            "crashes": [{"match": crash.match + 1, "reason": crash.reason} for crash in self.crashes],
            "repeated": self.repeated,
            "unfinished": self.unfinished,
            "interrupted": not self.is_complete,
            "separate": self.plan.is_separate,
            "seats": list(self.plan.seats),
            "by_player": [self._player_json(side) for side in (FIRST, SECOND)],
            "by_seat": {seat: each.to_json() for seat, each in self.balance_by_seat.items()},
            "mean_steps": self.mean_steps,
            "seconds": round(self.seconds, 3),
            "seed": self.plan.seed,
            "clocks": {
                "start": self.plan.clocks.start,
                "play": self.plan.clocks.play,
                "iterations": self.plan.clocks.iterations,
            },
            "scores": [each.score for each in self.encounters],
        }

    def _seated(self, side: int) -> list[tuple[PlayResult, int]]:
        """Return every seat that a contestant had, with the play."""
        return [(result, seat) for result in self.plays for seat, who in enumerate(result.play.seating) if who == side]

    def _player_json(self, side: int) -> dict[str, Any]:
        faults = self.faults(side)
        return {
            "player": self.plan.players[side],
            "goals": self.goals(side).to_json(),
            "late": faults.late,
            "illegal": faults.illegal,
            "errors": faults.errors,
            "start_errors": faults.starts,
            "thinking_seconds": round(self.thinking(side), 6),
            "slowest_move_seconds": round(self.slowest(side), 6),
        }


def _encounter(result: PlayResult) -> Encounter:
    seat = result.play.seating.index(FIRST)
    mine = result.goals[seat]
    others = [goal for goal, who in zip(result.goals, result.play.seating, strict=True) if who == SECOND]
    return Encounter(result.play.match, seat, (mine, fmean(others)), _score(mine, max(others)))


def _separate_encounter(first: PlayResult, second: PlayResult) -> Encounter:
    mine, theirs = fmean(first.goals), fmean(second.goals)
    return Encounter(first.play.match, None, (mine, theirs), _score(mine, theirs))


def _score(mine: float, theirs: float) -> float:
    return FULL * ((mine > theirs) + (mine >= theirs)) / 2


def _balance(encounters: Sequence[Encounter]) -> Balance:
    scores = [each.score for each in encounters]
    return Balance(scores.count(FULL), scores.count(FULL / 2), scores.count(0.0))

"""Duels: two players, one game, many matches, in worker processes.

A worker whose process dies, whoever killed it, costs one play. That play is repeated once, in another process; if it is
lost again its match is counted as crashed. Nothing else depends on the workers: every play has its own seed, and
players of its own.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from woodstock.arena.plan import DuelPlan, Play
from woodstock.arena.playing import PlayResult, Task, play_task
from woodstock.arena.result import Crash, DuelResult
from woodstock.game.workers import Lost, run_tasks

Report = Callable[[DuelResult], None]
"""Told what is known of a duel whenever a play of it is over, or lost."""

ATTEMPTS: Final = 2
"""How often a play is begun before it is given up."""


@dataclass(frozen=True, slots=True)
class Workers:
    """The processes that play.

    Attributes:
        count: How many there are. Players that look at the clock lose time if there are fewer processors.
        seconds: Limit on the time of one play, with the preparation of the game if it is a worker's first; None for
            none.
    """

    count: int = 1
    seconds: float | None = None


def run_duel(plan: DuelPlan, report: Report | None = None, workers: Workers | None = None) -> DuelResult:
    """Play a duel and return what came of it; see `run_duels`."""
    (result,) = run_duels([plan], report, workers)
    return result


def run_duels(
    plans: Sequence[DuelPlan], report: Report | None = None, workers: Workers | None = None
) -> list[DuelResult]:
    """Play several duels by the same workers, each of which prepares a game once; return what came of them.

    Ctrl-C ends them all: what is known by then is returned, and says of itself that it is not complete. Workers import
    the script that calls this, so it must do so under `if __name__ == "__main__":`.

    Args:
        plans: What to play, in this order; `DuelPlan.check` tells what is wrong with one.
        report: Told about every play.
        workers: Who plays; one process if None.
    """
    boards = [_Scoreboard(plan) for plan in plans]
    waiting = [(board, play) for board in boards for play in board.plan.plays()]
    is_complete = True
    try:
        for _ in range(ATTEMPTS):
            _play_all(waiting, report, workers or Workers())
            waiting = [(board, play) for board, play in waiting if play in board.lost]
            if not waiting:
                break
    except KeyboardInterrupt:
        is_complete = False
    return [board.result(is_complete) for board in boards]


class _Scoreboard:
    """What is known of a duel while it is played.

    Attributes:
        plan: What is played.
        lost: Plays of which there is no result, and why.
    """

    def __init__(self, plan: DuelPlan) -> None:
        self.plan = plan
        self.lost: dict[Play, str] = {}
        self._results: list[PlayResult] = []
        self._repeated = 0

    def enter(self, play: Play, outcome: PlayResult | Lost) -> None:
        """Note what came of a play."""
        self._repeated += self.lost.pop(play, None) is not None
        if isinstance(outcome, Lost):
            self.lost[play] = outcome.reason
        else:
            insort(self._results, outcome, key=lambda result: result.play)

    def result(self, is_complete: bool) -> DuelResult:
        """Return what is known by now, in the order of the plan, whichever play was over first."""
        return DuelResult(
            plan=self.plan,
            plays=tuple(self._results),
            crashes=tuple(Crash(play.match, reason) for play, reason in sorted(self.lost.items())),
            repeated=self._repeated,
            is_complete=is_complete,
        )


_Waiting: TypeAlias = "list[tuple[_Scoreboard, Play]]"


def _play_all(waiting: _Waiting, report: Report | None, workers: Workers) -> None:
    """Begin all plays once, and enter what comes of them."""
    tasks = [Task(board.plan, play) for board, play in waiting]
    outcomes = run_tasks(play_task, tasks, workers.count, workers.seconds)
    # Whatever interrupts the loop, the workers are ended before anything else is done.
    with closing(cast("Generator[tuple[int, PlayResult | Lost], None, None]", outcomes)):
        for index, outcome in outcomes:
            board, play = waiting[index]
            board.enter(play, outcome)
            if report is not None:
                report(board.result(is_complete=False))

"""What comes of a table: cells, and averages over games.

An average over games says how a player does in games like these, so its interval is over games, not over matches: with
the percentages `x` of `n` games it is `mean ± t s / √n`, where `s² = Σ (x - mean)² / (n - 1)` and `t` is Student's for
`n - 1` degrees of freedom. Games that both play separately are not in the average score, and have their own averages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, stdev
from typing import Any, Final

from woodstock.arena.ledger import Ledger, key_of
from woodstock.arena.plan import FIRST, SECOND, DuelPlan
from woodstock.arena.playing import Faults
from woodstock.arena.published import Figure, Pairing
from woodstock.arena.result import DuelResult
from woodstock.arena.statistics import FULL, Z_95, Interval, Summary, summarise
from woodstock.arena.tables import TableSetup
from woodstock.players import Clocks

STUDENT_95: Final = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""Of Student's distribution with 1, 2, … degrees of freedom 95 % lie within so many standard deviations."""


@dataclass(frozen=True)
class Cell:
    """One duel of a table, as far as it has been played.

    Attributes:
        result: What is known of it.
        figure: What the paper reports, if it does.
        versions: The versions of this program by which its plays were made.
    """

    result: DuelResult
    figure: Figure | None
    versions: frozenset[str]

    @property
    def is_separate(self) -> bool:
        """Whether the players play separately."""
        return self.result.plan.is_separate

    @property
    def matches(self) -> int:
        """How many matches were played, all of them."""
        return len(self.result.encounters)

    @cached_property
    def score(self) -> Summary:
        """The percentage of the first player: its score, or where they play separately, how often it succeeds."""
        return self.success(FIRST) if self.is_separate else self.result.score

    def success(self, side: int) -> Summary:
        """Return how often all seats of a player had the full goal, where they play separately."""
        plays = [play for play in self.result.plays if play.play.seating[0] == side]
        return summarise([FULL if all(goal == FULL for goal in play.goals) else 0.0 for play in plays])

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values: those of the duel, and what the paper has."""
        data = self.result.to_json()
        del data["seconds"]
        figure = self.figure
        return {
            **data,
            "percent": self.score.to_json(),
            "success": [self.success(side).to_json() for side in (FIRST, SECOND)] if self.is_separate else None,
            "paper": None
            if figure is None
            else {"percent": figure.percent, "deviation": figure.deviation, "other": figure.other},
            "versions": sorted(self.versions),
        }


@dataclass(frozen=True, slots=True)
class Average:
    """A mean over games.

    Attributes:
        games: Over how many.
        mean: The mean of their percentages; None without games.
        interval: What it lies between; None with fewer than two games.
    """

    games: int
    mean: float | None
    interval: Interval | None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        interval = None if self.interval is None else list(self.interval)
        return {"games": self.games, "mean": self.mean, "interval": interval}


def average(means: Sequence[float]) -> Average:
    """Return the mean of percentages of games, with its interval over games.

    >>> over_games = average([45, 60, 75])
    >>> over_games.mean, [round(end, 1) for end in over_games.interval]
    (60.0, [22.7, 97.3])
    """
    if len(means) < 2:
        return Average(len(means), means[0] if means else None, None)
    mean = fmean(means)
    margin = _student(len(means) - 1) * stdev(means) / math.sqrt(len(means))
    return Average(len(means), mean, Interval(max(0.0, mean - margin), min(FULL, mean + margin)))


@dataclass(frozen=True)
class TableColumn:
    """A column of a table: two players, one clock.

    Attributes:
        players: Whose percentage it is, and against whom.
        clocks: How long they may think.
        paper_seconds: Seconds for a move in the paper, for the figures beside it; None if there are none.
        cells: One for each game.
    """

    players: Pairing
    clocks: Clocks
    paper_seconds: float | None
    cells: tuple[Cell, ...]

    @property
    def score(self) -> Average:
        """The score of the first player over all games in which they compete."""
        return average([mean for cell in self._competing if (mean := cell.score.mean) is not None])

    @property
    def compared(self) -> tuple[Average, Average]:
        """The same over those games alone of which the paper has a figure, and the average of these figures."""
        pairs = [
            (mean, cell.figure.percent)
            for cell in self._competing
            if cell.figure is not None and (mean := cell.score.mean) is not None
        ]
        return average([ours for ours, _ in pairs]), average([theirs for _, theirs in pairs])

    @property
    def success(self) -> tuple[Average, Average]:
        """How often each player succeeds, over the games that they play separately."""
        played = [cell for cell in self.cells if cell.is_separate and cell.matches]
        first, second = ([cell.success(side).mean or 0.0 for cell in played] for side in (FIRST, SECOND))
        return average(first), average(second)

    @property
    def _competing(self) -> list[Cell]:
        return [cell for cell in self.cells if not cell.is_separate]

    def faults(self, side: int) -> Faults:
        """Return what a player did wrong in all games."""
        return sum((cell.result.faults(side) for cell in self.cells), Faults())

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        clocks = self.clocks
        compared, success = self.compared, self.success
        return {
            "players": list(self.players),
            "clocks": {"start": clocks.start, "play": clocks.play, "iterations": clocks.iterations},
            "paper_seconds": self.paper_seconds,
            "average": self.score.to_json(),
            "average_of_the_papers_games": {"ours": compared[0].to_json(), "paper": compared[1].to_json()},
            "average_success": [each.to_json() for each in success],
            "cells": [cell.to_json() for cell in self.cells],
        }


@dataclass(frozen=True)
class TableResult:
    """What is known of a table.

    Attributes:
        setup: What is to be played.
        columns: Its columns.
    """

    setup: TableSetup
    columns: tuple[TableColumn, ...]

    @property
    def rows(self) -> list[tuple[str, tuple[Cell, ...]]]:
        """Each game with its cells, one a column."""
        return list(
            zip(self.setup.table.games, zip(*(column.cells for column in self.columns), strict=True), strict=True)
        )

    @property
    def is_complete(self) -> bool:
        """Whether everything was played."""
        return all(cell.result.is_complete for column in self.columns for cell in column.cells)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        table = self.setup.table
        return {
            "table": table.name,
            "title": table.title,
            "paper": None if table.published is None else table.published.source,
            "games": list(table.games),
            "matches": self.setup.matches,
            "seed": self.setup.seed,
            "complete": self.is_complete,
            "columns": [column.to_json() for column in self.columns],
        }


def read_table(setup: TableSetup, ledger: Ledger) -> TableResult:
    """Return what the ledger knows of a table."""
    rows = [[_read_cell(setup, plan, ledger) for plan in setup.plans(game)] for game in setup.table.games]
    columns = zip(*rows, strict=True)
    return TableResult(
        setup,
        tuple(
            TableColumn(players, clocks, setup.paper_clock(players, clocks), tuple(cells))
            for (players, clocks), cells in zip(setup.columns, columns, strict=True)
        ),
    )


def _read_cell(setup: TableSetup, plan: DuelPlan, ledger: Ledger) -> Cell:
    known = [(play, entry) for play in plan.plays() if (entry := ledger.get(key_of(plan, play))) is not None]
    results = tuple(entry.result_of(play) for play, entry in known)
    published, seconds = setup.table.published, setup.paper_clock(plan.players, plan.clocks)
    figure = None if published is None or seconds is None else published.figure(plan.game, plan.players, seconds)
    complete = len(results) == plan.num_plays
    return Cell(DuelResult(plan, results, is_complete=complete), figure, frozenset(entry.version for _, entry in known))


def _student(freedom: int) -> float:
    """Return the half width of the 95 % interval, in standard deviations; beyond the list, by its expansion."""
    if freedom <= len(STUDENT_95):
        return STUDENT_95[freedom - 1]
    return Z_95 + (Z_95**3 + Z_95) / (4 * freedom)

"""The experiments of Baba et al. (IJCAI 2011, §4): Figures 3 to 7, at their scale or a smaller one.

A *cell* is a player, an adversary and a density `p_ee`. All cells of a density play the same networks, with the same
seeds, so that results can be compared network by network. Every play is a *task*; what came of it is a line of a file,
so that an experiment that is interrupted goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

from woodstock.common.errors import UsageError
from woodstock.qcsp.charts import Chart, Point, Series
from woodstock.qcsp.match import Sides, make_players, play
from woodstock.qcsp.random_networks import Parameters, random_network
from woodstock.qcsp.situation import Compiled
from woodstock.qcsp.statistics import Test, paired_t_test, wilson

SMALL: Final = Parameters()
LARGE: Final = Parameters(num_turns=50, num_values=16)
SMALL_DENSITIES: Final = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
LARGE_DENSITIES: Final = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
SEARCHERS: Final = ("iab", "mc-shallow", "mc-deep")


@dataclass(frozen=True, slots=True)
class Figure:
    """What an experiment is about.

    Attributes:
        name: As in the paper.
        title: What it shows.
        players: Existential players.
        adversary: The universal player.
        densities: Values of `p_ee`.
        parameters: All others.
        seconds: Time for a variable.
        instances: Networks for each density.
    """

    name: str
    title: str
    players: tuple[str, ...]
    adversary: str
    densities: tuple[float, ...]
    parameters: Parameters = SMALL
    seconds: float = 1.0
    instances: int = 100

    def tasks(self) -> list[Task]:
        """Return all plays; those of the same network stand together."""
        return [
            Task(replace(self.parameters, p_ee=density), player, self.adversary, self.seconds, seed)
            for density in self.densities
            for seed in range(self.instances)
            for player in self.players
        ]


class Task(NamedTuple):
    """One play.

    Attributes:
        parameters: Of the network.
        player: The existential side.
        adversary: The universal side.
        seconds: Time for a variable.
        seed: Of the network, and of both players.
    """

    parameters: Parameters
    player: str
    adversary: str
    seconds: float
    seed: int

    def key(self) -> str:
        """Return what tells a task from all others."""
        return json.dumps([asdict(self.parameters), self.player, self.adversary, self.seconds, self.seed])


FIGURES: Final = {
    figure.name: figure
    for figure in (
        Figure(
            "fig3",
            "Effect of propagation, against a random adversary (n=20, d=8)",
            ("random", "mc", "mc-shallow"),
            "random",
            SMALL_DENSITIES,
        ),
        Figure("fig4", "Against a random adversary (n=20, d=8)", SEARCHERS, "random", SMALL_DENSITIES),
        Figure("fig5", "Against alpha-beta (n=20, d=8)", SEARCHERS, "alphabeta", SMALL_DENSITIES),
        Figure("fig6", "Against a random adversary (n=50, d=16)", SEARCHERS, "random", LARGE_DENSITIES, LARGE, 3.0),
        Figure("fig7", "Against alpha-beta (n=50, d=16)", SEARCHERS, "alphabeta", LARGE_DENSITIES[:-1], LARGE, 3.0),
    )
}
"""The experiments of the paper by name."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task."""

    key: str
    is_won: bool
    steps: int = 0
    seconds: float = 0.0
    late: float = 0.0


def run_task(task: Task) -> Outcome:
    """Play; this is what worker processes do."""
    compiled = Compiled(random_network(task.parameters, task.seed))
    sides = Sides(task.player, task.adversary)
    result = play(compiled, make_players(compiled, sides, task.seed), task.seconds)
    late = round(max(0.0, *result.latest), 4)
    return Outcome(task.key(), result.is_won, result.steps[0], round(result.seconds[0], 4), late)


def warm_up(figure: Figure) -> None:
    """Compile all kernels that the plays of a figure need."""
    parameters = replace(figure.parameters, num_turns=6, num_values=4, p=1.0, p_ee=0.2)
    for player in figure.players:
        for seed in range(3):
            run_task(Task(parameters, player, figure.adversary, 0.01, seed))


Runner = Callable[[Callable[[Task], Outcome], Sequence[Task]], Iterable[Outcome]]
"""Calls a function for tasks, in any order, and yields what it returns."""


class Ledger:
    """The outcomes of tasks, in a file with a line for each; nothing is kept if there is no file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.outcomes: dict[str, Outcome] = {}
        if path is not None and path.exists():
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                self._read(number, line)

    def _read(self, number: int, line: str) -> None:
        try:
            outcome = Outcome(**json.loads(line))
        except (json.JSONDecodeError, TypeError):
            expected = "expected the outcome of a play, as an experiment writes it"
            raise UsageError(f"{self._path}:{number}: {expected}, found {line[:40]!r}") from None
        self.outcomes[outcome.key] = outcome

    def enter(self, outcome: Outcome) -> None:
        """Keep an outcome."""
        self.outcomes[outcome.key] = outcome
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(outcome)) + "\n")


@dataclass(frozen=True)
class Cell:
    """The plays of one player at one density.

    Attributes:
        player: The existential side.
        adversary: The universal side.
        p_ee: The density.
        results: Whether it won, for each network that was played.
        steps: Playouts or situations a second.
    """

    player: str
    adversary: str
    p_ee: float
    results: dict[int, bool] = field(default_factory=dict)
    steps: float = 0.0

    @property
    def wins(self) -> int:
        return sum(self.results.values())

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        count = len(self.results)
        low, high = wilson(self.wins, count) if count else (0.0, 1.0)
        return {
            "player": self.player,
            "adversary": self.adversary,
            "p_ee": self.p_ee,
            "wins": self.wins,
            "instances": count,
            "share": self.wins / count if count else None,
            "low": low,
            "high": high,
            "steps_per_second": round(self.steps),
        }


class Comparison(NamedTuple):
    """Two players over all networks that both played."""

    first: str
    second: str
    pairs: int
    test: Test | None


@dataclass(frozen=True)
class Report:
    """What is known of an experiment.

    Attributes:
        figure: What it was about.
        cells: By density, then by player.
    """

    figure: Figure
    cells: tuple[Cell, ...]

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All pairs of players; the pairs of the t-test are the networks of all densities."""
        return tuple(self._compare(*pair) for pair in combinations(self.figure.players, 2))

    def _compare(self, first: str, second: str) -> Comparison:
        ones, others = self._results(first), self._results(second)
        both = sorted(ones.keys() & others.keys())
        test = paired_t_test([ones[key] for key in both], [others[key] for key in both]) if len(both) > 1 else None
        return Comparison(first, second, len(both), test)

    def _results(self, player: str) -> dict[tuple[float, int], bool]:
        cells = [cell for cell in self.cells if cell.player == player]
        return {(cell.p_ee, seed): won for cell in cells for seed, won in cell.results.items()}

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        figure = self.figure
        return {
            "experiment": figure.name,
            "title": figure.title,
            "seconds_a_variable": figure.seconds,
            "parameters": {key: value for key, value in asdict(figure.parameters).items() if key != "p_ee"},
            "cells": [cell.to_json() for cell in self.cells],
            "comparisons": [
                {"first": first, "second": second, "pairs": pairs, **_test_json(test)}
                for first, second, pairs, test in self.comparisons
            ],
        }

    def to_csv(self) -> str:
        """Return the cells as a table."""
        rows = [cell.to_json() for cell in self.cells]
        head = list(rows[0]) if rows else []
        return "\n".join([",".join(head), *(",".join(str(row[key]) for key in head) for row in rows), ""])

    def chart(self) -> Chart:
        """Return the figure."""
        series = []
        for player in self.figure.players:
            shown = [cell for cell in self.cells if cell.player == player and cell.results]
            points = tuple(
                Point(cell.p_ee, cell.wins / len(cell.results), *wilson(cell.wins, len(cell.results))) for cell in shown
            )
            series.append(Series(player, points))
        return Chart(self.figure.title, "p_∃∃", "networks won by the existential side (%)", tuple(series))


def _test_json(test: Test | None) -> dict[str, Any]:
    if test is None:
        return {"difference": None, "t": None, "p": None, "is_significant": None}
    # JSON has no infinity: all differences are the same then, and p says it all.
    t = test.t if abs(test.t) < float("inf") else None
    return {"difference": test.difference, "t": t, "p": test.p, "is_significant": test.is_significant}


def run_experiment(
    figure: Figure, ledger: Ledger, run_tasks: Runner, advance: Callable[[], None] = lambda: None
) -> Report:
    """Play what is not yet in the ledger; return what is known then.

    Args:
        figure: What to play.
        ledger: What was played before, and where new outcomes go.
        run_tasks: Calls a function for tasks.
        advance: Called after every play, and at once for those that were played before.
    """
    tasks = figure.tasks()
    waiting = [task for task in tasks if task.key() not in ledger.outcomes]
    for _ in range(len(tasks) - len(waiting)):
        advance()
    for outcome in run_tasks(run_task, waiting):
        ledger.enter(outcome)
        advance()
    return make_report(figure, ledger)


def make_report(figure: Figure, ledger: Ledger) -> Report:
    """Return what a ledger says of an experiment."""
    return Report(figure, tuple(_cells(figure, ledger)))


def _cells(figure: Figure, ledger: Ledger) -> Iterator[Cell]:
    tasks = figure.tasks()
    for density in figure.densities:
        for player in figure.players:
            of_cell = [task for task in tasks if task.player == player and task.parameters.p_ee == density]
            found = {task.seed: ledger.outcomes[task.key()] for task in of_cell if task.key() in ledger.outcomes}
            seconds = sum(outcome.seconds for outcome in found.values())
            steps = sum(outcome.steps for outcome in found.values()) / seconds if seconds else 0.0
            results = {seed: outcome.is_won for seed, outcome in found.items()}
            yield Cell(player, figure.adversary, density, results, steps)

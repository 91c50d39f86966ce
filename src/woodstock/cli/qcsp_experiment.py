"""The experiments of `woodstock qcsp`: plays by several processes, tables and pictures."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from woodstock.cli.arguments import positive_seconds
from woodstock.cli.output import count, print_json, print_note, print_table
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.qcsp.experiment import Figure, Outcome, Report, Task

FIGURES = ("fig3", "fig4", "fig5", "fig6", "fig7")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("figures", metavar="FIGURE", nargs="+", choices=(*FIGURES, "all"), help="fig3 … fig7, or all")
    parser.add_argument("--instances", metavar="N", type=int, help="networks for each p_ee (as in the paper: 100)")
    parser.add_argument("--time", metavar="S", type=positive_seconds, help="for a variable (paper: 1 s, fig6 fig7 3 s)")
    parser.add_argument("--players", metavar="A,B", help="existential players instead of the paper's")
    parser.add_argument("--points", metavar="P,P", help="values of p_ee instead of the paper's")
    parser.add_argument("--jobs", metavar="J", type=int, default=1, help="processes that play at once (%(default)s)")
    parser.add_argument("--output", metavar="FOLDER", type=Path, help="tables, pictures, and plays to go on from")
    parser.add_argument("--png", action="store_true", help="pictures as PNG too (needs matplotlib)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def read_numbers(text: str, kind: type[Any], option: str) -> list[Any]:
    """Return the numbers of a list with commas, as an option takes it."""
    try:
        return [kind(word) for word in text.split(",")]
    except ValueError:
        raise UsageError(f"expected numbers with commas between them after {option}, found {text!r}") from None


def run(args: argparse.Namespace) -> int:
    """Play what is not yet played, and report; always 0."""
    reports = []
    for figure in _figures(args):
        report = _run_figure(args, figure)
        reports.append(report.to_json())
        if not args.json:
            _print_report(report)
    if args.json:
        print_json(reports[0] if len(reports) == 1 else reports)
    return 0


def _figures(args: argparse.Namespace) -> list[Figure]:
    """Return what is to be played, with the changes that the arguments ask for."""
    from woodstock.qcsp import experiment
    from woodstock.qcsp.players import PLAYERS

    for name, value in (("--instances", args.instances), ("--jobs", args.jobs)):
        if value is not None and not 1 <= value <= 100_000:
            raise UsageError(f"expected 1 to 100000 after {name}, found {value}")
    names = list(experiment.FIGURES) if "all" in args.figures else list(dict.fromkeys(args.figures))
    changes: dict[str, Any] = {}
    if args.instances is not None:
        changes["instances"] = args.instances
    if args.time is not None:
        changes["seconds"] = args.time
    if args.points is not None:
        changes["densities"] = tuple(read_numbers(args.points, float, "--points"))
    if args.players is not None:
        changes["players"] = tuple(args.players.split(","))
        wrong = [name for name in changes["players"] if name not in PLAYERS]
        if wrong:
            raise UsageError(f"expected players, of {' '.join(PLAYERS)}, found {wrong[0]!r}")
    return [replace(experiment.FIGURES[name], **changes) for name in names]


def _run_figure(args: argparse.Namespace, figure: Figure) -> Report:
    from woodstock.common.progress import progress
    from woodstock.qcsp.experiment import Ledger, run_experiment, warm_up

    folder = args.output
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(None if folder is None else folder / f"{figure.name}.jsonl")
    warm_up(figure)
    _look_at_processors(args.jobs)

    def run_tasks(function: Any, tasks: Sequence[Task]) -> Iterable[Outcome]:
        return map(function, tasks) if args.jobs == 1 else _by_workers(function, tasks, args.jobs)

    with progress(figure.name, len(figure.tasks()), "plays") as bar:
        report = run_experiment(figure, ledger, run_tasks, bar.advance)
    if folder is not None:
        _write_report(report, folder, args.png)
    return report


def _look_at_processors(jobs: int) -> None:
    from woodstock.common.threads import available_processors

    processors = len(available_processors())
    if jobs > processors:
        print_note(f"--jobs {jobs} on {count(processors, 'processor')}: players have less time than the clock says")


def _by_workers(function: Any, tasks: Sequence[Task], jobs: int) -> Iterator[Outcome]:
    """Yield outcomes as worker processes have them; a task that is lost is left out, and said to be."""
    from woodstock.game.workers import Lost, run_tasks

    with closing(run_tasks(function, tasks, jobs)) as outcomes:  # type: ignore[type-var]
        for index, outcome in outcomes:
            if isinstance(outcome, Lost):
                print_note(f"a play of {tasks[index].player} was lost: {outcome.reason}")
            else:
                yield outcome


def _write_report(report: Report, folder: Path, png: bool) -> None:
    from woodstock.common.files import write_atomically
    from woodstock.qcsp.charts import write_chart

    name = report.figure.name
    write_atomically(folder / f"{name}.json", (json.dumps(report.to_json(), indent=2) + "\n").encode())
    write_atomically(folder / f"{name}.csv", report.to_csv().encode())
    for suffix in ("svg", "png") if png else ("svg",):
        write_chart(report.chart(), folder / f"{name}.{suffix}")


def _print_report(report: Report) -> None:
    figure = report.figure
    print(f"{figure.name}: {figure.title}; {figure.seconds:g} s a variable")
    head = ["p_ee", *(f"{player} %" for player in figure.players)]
    rows = []
    for density in figure.densities:
        cells = [cell.to_json() for cell in report.cells if cell.p_ee == density]
        shown = [
            f"{100 * cell['share']:.0f} ({100 * cell['low']:.0f}-{100 * cell['high']:.0f})"
            if cell["instances"]
            else "-"
            for cell in cells
        ]
        rows.append([f"{density:g}", *shown])
    print_table(head, rows, right=range(1, len(head)))
    for first, second, pairs, test in report.comparisons:
        if test is not None:
            word = "significant" if test.is_significant else "not significant"
            numbers = f"difference {100 * test.difference:+.1f} points, t = {test.t:.2f}, p = {test.p:.2g}"
            print(f"{first} - {second}: {numbers} ({word}, {pairs} networks)")

"""`woodstock verify`: whether the reasoners agree, with each other or with recorded traces."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from woodstock.cli.arguments import add_repair_option, positive_seconds
from woodstock.cli.output import count, print_json, print_note
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.game.difference import Difference
    from woodstock.game.load import GameText
    from woodstock.game.verification import Comparison, Report, Task

HELP = "compare reasoners with each other, or with recorded traces, on games"

_EPILOG = """\
Without --against, the first backend is walked beside the others: through all positions of a small game, else along
random plays for --seconds. With --against, each backend follows the trace TRACES/NAME.jsonl.gz (or .jsonl) of a game.

A FOLDER of rule sheets stands for all of them; without games, all bundled ones are verified. A sheet with errors is
`invalid`: it is tried all the same if its meaning is defined, and its outcome told, but it does not count.

A difference from a trace is `explained` if all reasoners tried see the same one and the sheet has a warning about
something that reasoners are known to take differently; the line of the game names that warning.

JSON: `games`, `agreed`, `differed`, `explained`, `not_grounded`, `invalid` and `failed` are lists of names. Every game
is in `games` and in exactly one of `agreed`, `differed`, `failed` (a reasoner gave up, or no trace), `invalid`, or in
`not_grounded` alone when there was nothing else to compare; `not_grounded` also names games that agreed by another one,
`explained` some of those that `differed`. `positions` and `seconds` are totals; `details` has one object a game with
every comparison and its first difference.

Exit code: 0 all games that count agree or their differences are explained, 1 another one differs, failed, or nothing
could be compared, 2 wrong usage.
"""

_DEFAULT_WALK_SECONDS = 5.0
_DEFAULT_TRACE_SECONDS = 300.0
_SECONDS_BESIDE_PLAY = 150.0
"""What a game may take besides its play, grounding above all, before it is given up."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    from woodstock.game.backends import ON_GROUND, REFERENCE

    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("games", metavar="GAME", nargs="*", help="bundled game, rule sheet, or folder with one or many")
    parser.add_argument("--against", metavar="TRACES", type=Path, help="folder of recorded traces")
    parser.add_argument(
        "--backend", action="append", choices=(REFERENCE, *ON_GROUND), help="compare this reasoner (may be repeated)"
    )
    parser.add_argument("--seconds", type=positive_seconds, help="limit on the time of play of each comparison")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random plays")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_repair_option(parser)
    parser.add_argument("--record", metavar="FOLDER", type=Path, help="write traces of random plays instead")
    parser.add_argument("--plays", type=int, default=3, help="number of plays to record (3)")
    parser.add_argument("--plain", action="store_true", help="record NAME.jsonl, not compressed")


def run(args: argparse.Namespace) -> int:
    """Verify or record; 0 if all agree, 1 if not."""
    from woodstock.game.load import find_games
    from woodstock.games import game_names

    _check_arguments(args)
    games = list(find_games(args.games or game_names()))
    if args.record is not None:
        return _record(args, games)
    begin = time.perf_counter()
    tasks = [_make_task(args, game) for game in games]
    reports = []
    for report in _in_order(_verify(tasks, args.jobs), len(tasks)):
        reports.append(report)
        if not args.json:
            _print_report(report)
    seconds = time.perf_counter() - begin
    if args.json:
        print_json(_to_json(reports, seconds))
    else:
        _print_summary(reports, seconds)
    return _exit_code(reports)


def _check_arguments(args: argparse.Namespace) -> None:
    from woodstock.game.backends import REFERENCE

    for name in ("jobs", "plays"):
        value = getattr(args, name)
        if value < 1:
            raise UsageError(f"expected --{name} to be greater than zero, found {value}")
    if args.against is not None and not args.against.is_dir():
        raise UsageError(f"expected a folder of traces after --against, found {str(args.against)!r}")
    if args.backend == [REFERENCE] and args.against is None and args.record is None:
        raise UsageError("--backend reference alone leaves nothing to compare with: add --against TRACES")


def _make_task(args: argparse.Namespace, game: GameText) -> Task:
    from woodstock.game.backends import GROUND, REFERENCE
    from woodstock.game.verification import Task

    backends = tuple(dict.fromkeys(args.backend or (REFERENCE, GROUND)))
    if args.against is None:
        others = [backend for backend in backends if backend != REFERENCE]
        seconds = args.seconds or _DEFAULT_WALK_SECONDS
        compared = (REFERENCE, *others)
        return Task(game.name, game.source, compared, seconds=seconds, seed=args.seed, repair=args.repair)
    seconds = args.seconds or _DEFAULT_TRACE_SECONDS
    return Task(game.name, game.source, backends, traces=args.against, seconds=seconds, repair=args.repair)


def _verify(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[int, Report]]:
    from woodstock.common.progress import progress
    from woodstock.game.verification import Report, verify_game
    from woodstock.game.workers import Lost, run_tasks

    play = max((task.seconds or 0.0 for task in tasks), default=0.0)
    with progress("verifying", total=len(tasks), unit="games") as bar:
        for index, found in run_tasks(verify_game, tasks, jobs, _SECONDS_BESIDE_PLAY + 2 * play):
            bar.advance()
            yield index, Report(tasks[index].name, reason=found.reason) if isinstance(found, Lost) else found


def _in_order(reports: Iterator[tuple[int, Report]], count: int) -> Iterator[Report]:
    """Yield reports in the order of the games, each as soon as all before it are there."""
    early: dict[int, Report] = {}
    for index in range(count):
        while index not in early:
            number, report = next(reports)
            early[number] = report
        yield early.pop(index)


def _print_report(report: Report) -> None:
    """Print a line for the game and what is to be said about it."""
    status = report.status.replace("_", " ")
    if _is_explained(report):
        status += f" (explained: {', '.join(report.explanations)})"
    notes = [_describe(comparison, report.status) for comparison in report.comparisons]
    print(f"{report.name}: {status}: {'; '.join(notes) or report.reason}", flush=True)
    for line in (*report.sheet.errors, *report.sheet.repairs):
        print(f"  {line}")
    shown: Difference | None = None
    for comparison in report.comparisons:
        if comparison.reason:
            print(f"  {comparison.second}: {comparison.reason}")
        if comparison.difference is not None and comparison.difference == shown:
            print(f"  {comparison.first} and {comparison.second} differ in the same way")
        elif comparison.difference is not None:
            print(f"  {comparison.first} (-) and {comparison.second} (+) differ:")
            print(comparison.difference.render())
            shown = comparison.difference


def _describe(comparison: Comparison, status: str) -> str:
    """Return what was compared; how it went only if the status of the game does not say so."""
    seconds = f"{comparison.build_seconds + comparison.play_seconds:.1f} s"
    how = "" if comparison.outcome == status else comparison.outcome.replace("_", " ")
    if comparison.outcome == "not_grounded":
        return f"{how} in {seconds}" if how else f"given up after {seconds}"
    walked = comparison.walked
    extent = count(walked.positions, "position") + (" (all)" if walked.complete else "")
    return f"{how + ', ' if how else ''}{extent} by {comparison.second} in {seconds}"


def _print_summary(reports: Sequence[Report], seconds: float) -> None:
    document = _to_json(reports, seconds)
    counts = []
    for key in ("agreed", "differed", "failed", "invalid", "not_grounded"):
        names = document[key]
        if names or key in ("agreed", "differed"):
            explained = f" ({len(document['explained'])} explained)" if key == "differed" and names else ""
            counts.append(f"{len(names)} {key.replace('_', ' ')}{explained}")
    positions = count(document["positions"], "position")
    print(f"{count(len(reports), 'game')}: {', '.join(counts)}; {positions} in {seconds:.1f} s")


def _to_json(reports: Sequence[Report], seconds: float) -> dict[str, Any]:
    by_status = {
        status: [report.name for report in reports if report.status == status]
        for status in ("agreed", "differed", "failed", "invalid")
    }
    return {
        "games": [report.name for report in reports],
        **by_status,
        "explained": [report.name for report in reports if _is_explained(report)],
        "not_grounded": [report.name for report in reports if report.is_ungrounded],
        "positions": sum(report.positions for report in reports),
        "seconds": round(seconds, 3),
        "details": [report.to_json() for report in reports],
    }


def _is_explained(report: Report) -> bool:
    return report.status == "differed" and bool(report.explanations)


def _exit_code(reports: Sequence[Report]) -> int:
    is_good = [report.status == "agreed" or _is_explained(report) for report in reports]
    is_bad = [report.status in ("differed", "failed") and not _is_explained(report) for report in reports]
    return 0 if any(is_good) and not any(is_bad) else 1


def _record(args: argparse.Namespace, games: Sequence[GameText]) -> int:
    from woodstock.game.backends import REFERENCE, build_game
    from woodstock.game.load import playable_rules
    from woodstock.game.traces import SUFFIXES, Recording, record_plays, write_trace
    from woodstock.gdl.sheet import read_sheet

    try:
        args.record.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"expected a folder after --record, found {str(args.record)!r}: {error.strerror}") from None
    backend = args.backend[0] if args.backend else REFERENCE
    recording = Recording(plays=args.plays, seed=args.seed)
    for game in games:
        rules = playable_rules(read_sheet(game.source), args.repair, print_note)
        shown = replace(recording, percepts=any(clause.name == "sees" for clause in rules.clauses))
        trace = record_plays(build_game(rules, backend), game.name, shown)
        path = args.record / f"{game.name}{SUFFIXES[1] if args.plain else SUFFIXES[0]}"
        write_trace(trace, path)
        print(f"{path}: {count(args.plays, 'play')}, {count(len(trace.positions), 'position')}")
    return 0

"""`woodstock check`: everything that is wrong with rule sheets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from woodstock.cli.arguments import positive_seconds
from woodstock.cli.output import count, print_json

if TYPE_CHECKING:
    from woodstock.game.findings import Finding
    from woodstock.game.playcheck import PlayReport
    from woodstock.gdl.diagnostics import Diagnostic
    from woodstock.gdl.source import SourceText

HELP = "show everything that is wrong with rule sheets"

_EPILOG = """\
Each problem is shown as FILE:LINE:COLUMN: error|warning: what [code], with the line and a hint where there is one. An
error makes the sheet invalid, a warning points at something that is probably not meant.

With --play the sheet is played as well, unless its errors leave its meaning undefined: a role without a legal move, a
goal that is missing, double or not 0..100, no end in sight; each with the shortest line of play found that shows it.

A warning that is meant is accepted by a comment in the sheet: `; accepted: CODE (why)`; errors cannot be accepted.

JSON: `sheets` has one object a sheet with `problems` (severity, code, message, hint, line, column, end_line,
end_column, blocking) and `play` (null, or findings, exhaustive, positions, playouts); `errors`, `warnings` count all.

Exit code: 0 no errors, 1 errors, 2 wrong usage.
"""


@dataclass(frozen=True, slots=True)
class _Report:
    """What was found in one sheet; `play` is None if it was not played."""

    name: str
    problems: tuple[Diagnostic, ...]
    play: PlayReport | None

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.play.findings if self.play is not None else ()

    @property
    def num_errors(self) -> int:
        return sum(problem.is_error for problem in self.problems) + sum(finding.is_error for finding in self.findings)

    @property
    def num_warnings(self) -> int:
        return len(self.problems) + len(self.findings) - self.num_errors


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "games", nargs="+", metavar="GAME", help="bundled name, rule sheet, game folder, folder of sheets, or - (stdin)"
    )
    parser.add_argument(
        "--play", type=positive_seconds, metavar="SECONDS", help="also look for problems by playing so long"
    )
    parser.add_argument("--strict", action="store_true", help="count warnings as errors")
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="one line a problem, and only what counts as an error"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Check the sheets; the exit code is 1 if one of them has errors."""
    from woodstock.game.load import find_games

    reports = []
    for game in tuple(find_games(args.games)):
        report = _check(game.source, args.play)
        reports.append(report)
        if not args.json:
            _print_report(report, args)
    errors = sum(report.num_errors for report in reports)
    warnings = sum(report.num_warnings for report in reports)
    if args.json:
        print_json({"sheets": [_as_json(report) for report in reports], "errors": errors, "warnings": warnings})
    else:
        print(_summary(reports, errors, warnings))
    return 1 if errors or (args.strict and warnings) else 0


def _check(source: SourceText, seconds: float | None) -> _Report:
    from woodstock.gdl.accepted import accepted_codes
    from woodstock.gdl.checks import blocking, check_sheet
    from woodstock.gdl.sheet import read_sheet

    sheet = read_sheet(source)
    problems = check_sheet(sheet)
    accepted = accepted_codes(source)
    play = None
    if seconds is not None and not blocking(problems):
        from woodstock.game.playcheck import PlayLimits, report_by_play

        play = report_by_play(sheet.rules, PlayLimits(seconds))
        findings = tuple(found for found in play.findings if found.is_error or found.code not in accepted)
        play = replace(play, findings=findings)
    problems = tuple(problem for problem in problems if problem.is_error or problem.code not in accepted)
    return _Report(source.name, problems, play)


def _print_report(report: _Report, args: argparse.Namespace) -> None:
    errors_only = args.quiet and not args.strict
    for problem in report.problems:
        if problem.is_error or not errors_only:
            print(problem.headline() if args.quiet else problem.render())
    for finding in report.findings:
        if finding.is_error or not errors_only:
            headline, _, rest = finding.render().partition("\n")
            print(f"{report.name}: {headline}" if args.quiet else f"{report.name}: {headline}\n{rest}")
    if args.play is not None and not args.quiet:
        print(f"{report.name}: {_played(report.play)}")


def _played(play: PlayReport | None) -> str:
    if play is None:
        return "not played: its errors leave its meaning undefined"
    extent = "all" if play.exhaustive else "the first"
    return f"played: {extent} {count(play.positions, 'position')}, {count(play.playouts, 'random playout')}"


def _summary(reports: Sequence[_Report], errors: int, warnings: int) -> str:
    if len(reports) == 1:
        what = reports[0].name
    else:
        bad = sum(report.num_errors > 0 for report in reports)
        what = f"{len(reports)} sheets ({bad} with errors)"
    found = f"{count(errors, 'error')}, {count(warnings, 'warning')}" if errors or warnings else "no problems"
    return f"{what}: {found}"


def _as_json(report: _Report) -> dict[str, object]:
    return {
        "sheet": report.name,
        "errors": report.num_errors,
        "warnings": report.num_warnings,
        "problems": [_problem_as_json(problem) for problem in report.problems],
        "play": None if report.play is None else _play_as_json(report.play),
    }


def _problem_as_json(problem: Diagnostic) -> dict[str, object]:
    from woodstock.gdl.checks import blocking

    line, column = problem.source.position(problem.span.start)
    end_line, end_column = problem.source.position(problem.span.end)
    return {
        "severity": problem.severity.value,
        "code": problem.code,
        "message": problem.message,
        "hint": problem.hint,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "blocking": bool(blocking([problem])),
    }


def _play_as_json(play: PlayReport) -> dict[str, object]:
    from woodstock.gdl.printer import to_kif

    findings = [
        {
            "severity": "error" if finding.is_error else "warning",
            "code": finding.code,
            "message": finding.message,
            "line": [[to_kif(move) for move in moves] for moves in finding.line],
        }
        for finding in play.findings
    ]
    return {
        "findings": findings,
        "exhaustive": play.exhaustive,
        "positions": play.positions,
        "playouts": play.playouts,
    }

"""`woodstock duel`: which of two players plays a game better."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from woodstock.cli import EXIT_INTERRUPTED
from woodstock.cli.arguments import add_repair_option, positive_seconds
from woodstock.cli.output import count, print_json, print_note, print_table
from woodstock.cli.seating import SOON, add_clock_options, clocks_of
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.arena import Balance, DuelPlan, DuelResult, Report, Summary

HELP = "let two players play many matches, roles swapped, and tell who is better"

_EPILOG = """\
Who sits where: with two roles to play, A and B exchange them from match to match. With more, A takes each role in turn,
and B all others, with a player for each. The matches of a round, in which A has each role once, have the same seed. In
a game with one role, and in a cooperative one, they play separately: in every match A plays all roles, then B does,
from the same seed; --separate makes other games be played like that.

What counts: A wins a match if its goal is greater than the best goal of B, and loses it if that is less. The score is
the mean over all matches, 100 a win, 50 a draw, 0 a loss. A match without an end within 1000 moves is a draw, with goal
0 for all. Where they play separately, the mean goals tell how good each of them is.

Intervals are Wilson's, with 95 % confidence; a draw counts as half a win and half a loss. SD is the standard deviation
of the score, the root of the mean squared deviation of a match over the root of the number of matches: where there are
no draws, that of a percentage of wins.

Matches are played in --jobs other processes. One whose process dies is repeated once and then counted as crashed. With
--iterations the results follow from the seed alone, however many processes there are. Ctrl-C ends the duel and prints
what is known by then (exit code 130). Exit code 1: not one match could be played.

JSON: `matches` counts those that were played, `wins` + `draws` + `losses`; `planned` those that were asked for; `late`
and `illegal` are moves of both players together, `by_player` has them apart.
"""

MAX_MATCHES = 10**7
MAX_JOBS = 1024


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("game", metavar="GAME", help="bundled game, rule sheet, game folder, or - for standard input")
    parser.add_argument("first", metavar="A", help="a player, with its options: random, uct:exploration=0.7")
    parser.add_argument("second", metavar="B", help="the other one")
    parser.add_argument("--matches", metavar="N", type=int, default=20, help="how many matches (%(default)s)")
    parser.add_argument("--jobs", metavar="J", type=int, default=1, help="processes that play at once (%(default)s)")
    add_clock_options(parser, SOON)
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="makes the seeds of all matches (%(default)s)")
    parser.add_argument("--separate", action="store_true", help="A plays all roles, then B does")
    parser.add_argument("--limit", metavar="S", type=positive_seconds, help="a match that takes longer is given up")
    parser.add_argument("--record", metavar="FOLDER", type=Path, help="write the record of every match there")
    add_repair_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Play the duel; 0, 1 if nothing could be played, 130 if it was cut short."""
    from woodstock.arena import Workers, run_duel

    plan = _make_plan(args)
    _prepare(plan, args.jobs)
    with _telling(plan) as report:
        result = run_duel(plan, report, Workers(args.jobs, args.limit))
    if args.json:
        print_json({**result.to_json(), "jobs": args.jobs, "command": _command(args)})
    else:
        _print_text(result)
    _complain(result)
    if not result.is_complete:
        return EXIT_INTERRUPTED
    return 0 if result.encounters else 1


def _make_plan(args: argparse.Namespace) -> DuelPlan:
    from woodstock.arena import make_plan

    for name, value, most in (("matches", args.matches, MAX_MATCHES), ("jobs", args.jobs, MAX_JOBS)):
        if not 1 <= value <= most:
            raise UsageError(f"expected 1 to {most} {name}, found {value}")
    players = (args.first, args.second)
    plan = make_plan(args.game, players, args.matches, clocks_of(args), args.seed, args.repair)
    plan = replace(plan, separate=plan.separate or args.separate, record=_folder(args.record))
    plan.check(print_note)
    return plan


def _folder(path: Path | None) -> Path | None:
    """Return the folder for records, made if need be."""
    if path is None:
        return None
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"expected a folder after --record, found {str(path)!r}: {error.strerror}") from None
    return path.resolve()


def _prepare(plan: DuelPlan, jobs: int) -> None:
    """Compile kernels once, here, and not in every process at the same time."""
    from woodstock.cli.warm import warm_visibly
    from woodstock.common.threads import available_processors
    from woodstock.players.registry import any_searches
    from woodstock.search.warm import FOR_PLAYERS

    processors = len(available_processors())
    if jobs > processors:
        print_note(f"--jobs {jobs} on {count(processors, 'processor')}: players have less time than the clock says")
    if any_searches(plan.players):
        warm_visibly(FOR_PLAYERS)


@contextmanager
def _telling(plan: DuelPlan) -> Iterator[Report]:
    """Yield what shows how far a duel has come, and on a terminal how it stands."""
    from woodstock.common.progress import progress

    unit = "plays" if plan.is_separate else "matches"
    with progress(" - ".join(plan.players), total=plan.num_plays, unit=unit) as bar:
        done = 0

        def report(result: DuelResult) -> None:
            nonlocal done
            now = len(result.plays) + len(result.crashes)
            bar.advance(now - done)
            done = now
            bar.describe(_standing(result))

        yield report


def _standing(result: DuelResult) -> str:
    """Return the running score in a line."""
    balance, score = result.balance, result.score
    mean = "" if score.mean is None else f"; score {score.mean:.1f}"
    return (
        f"{balance.matches} of {result.plan.matches} matches: {balance.wins} won, {balance.draws} drawn, "
        f"{balance.losses} lost{mean}"
    )


def _command(args: argparse.Namespace) -> str:
    """Return the command that repeats the duel."""
    words = ["woodstock", "duel", args.game, args.first, args.second, "--matches", str(args.matches)]
    for name in ("jobs", "start", "play", "iterations", "seed", "limit", "record"):
        value = getattr(args, name)
        if value is not None:
            words += [f"--{name}", str(value)]
    words += [f"--{name}" for name in ("separate", "repair") if getattr(args, name)]
    return shlex.join(words)


def _complain(result: DuelResult) -> None:
    """Say on stderr what did not go as it should."""
    if result.repeated:
        print_note(f"{count(result.repeated, 'play')} had to be repeated")
    for crash in result.crashes:
        print_note(f"match {crash.match + 1} crashed: {crash.reason}")
    if not result.is_complete:
        print_note(f"interrupted: {len(result.encounters)} of {result.plan.matches} matches were played")
    if result.looks_cooperative:
        print_note("all roles had the same goal in every match: --separate compares players in cooperative games")


def _print_text(result: DuelResult) -> None:
    plan, clocks = result.plan, result.plan.clocks
    first, second = plan.players
    pace = (
        f"start {clocks.start:g} s, play {clocks.play:g} s"
        if clocks.play
        else count(clocks.iterations or 0, "iteration")
    )
    print(f"{plan.game}: {first} (A) against {second} (B); {pace}; seed {plan.seed}")
    print("Each plays all roles, from the same seeds." if plan.is_separate else _describe_seats(plan))
    print()
    rows = [_balance_row("all", result.balance)]
    rows += [_balance_row(f"A is {seat}", balance) for seat, balance in result.balance_by_seat.items()]
    headers = ("", "matches", "wins", "draws", "losses", "score", "95 %", "SD")
    print_table(headers, rows, right=range(1, len(headers)))
    print()
    headers = ("player", "mean goal", "95 %", "SD", "late", "illegal", "errors", "slowest move")
    print_table(headers, [_player_row(result, side) for side in range(2)], right=range(1, len(headers)))
    print()
    print(_describe_rest(result))


def _describe_seats(plan: DuelPlan) -> str:
    roles = ", ".join(plan.seats)
    if len(plan.seats) == 2:
        return f"They exchange the roles ({roles}) from match to match."
    return f"A has one role ({roles}) in turn, B all others."


def _balance_row(label: str, balance: Balance) -> tuple[str, ...]:
    numbers = (balance.matches, balance.wins, balance.draws, balance.losses)
    return label, *map(str, numbers), *_mean_cells(balance.score)


def _player_row(result: DuelResult, side: int) -> tuple[str, ...]:
    faults = result.faults(side)
    numbers = (faults.late, faults.illegal, faults.errors)
    slowest = f"{result.slowest(side):.3f} s"
    return result.plan.players[side], *_mean_cells(result.goals(side)), *map(str, numbers), slowest


def _mean_cells(summary: Summary) -> tuple[str, str, str]:
    """Return a mean, its interval and its standard deviation."""
    interval = summary.interval
    if summary.mean is None or summary.deviation is None or interval is None:
        return "-", "-", "-"
    return f"{summary.mean:.1f}", f"{interval.low:.1f} - {interval.high:.1f}", f"{summary.deviation:.1f}"


def _describe_rest(result: DuelResult) -> str:
    parts = [] if result.mean_steps is None else [f"{result.mean_steps:.1f} steps on average"]
    parts.append(f"{result.seconds:.1f} s")
    starts = sum(result.faults(side).starts for side in range(2))
    for number, what in (
        (starts, "starts late or failed"),
        (result.unfinished, "without an end"),
        (result.crashed, "crashed"),
    ):
        if number:
            parts.append(f"{number} {what}")
    return "; ".join(parts)

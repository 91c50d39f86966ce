"""`woodstock table`: the tables of the papers, by duels, each figure beside the paper's own."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from woodstock.cli import EXIT_INTERRUPTED
from woodstock.cli.arguments import positive_seconds
from woodstock.cli.output import count, print_json, print_note
from woodstock.cli.seating import SOON
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.arena.ledger import Ledger
    from woodstock.arena.tables import Report, Run, Table, TableSetup
    from woodstock.players import Clocks

HELP = "repeat a table of the papers by duels, beside the paper's own figures"

NAMES = ("constraints16-3", "constraints16-4", "ijcai17-1", "jfpc16-2", "woodstock", "symmetry")
DEFAULT_OUTPUT = Path("tables")
PLAYS_FILE = "plays.jsonl"
MAX_MATCHES = 10**6
MAX_JOBS = 1024

_EPILOG = """\
Tables: constraints16-3 (mac-ucb against uct and fc-ucb, fc-ucb against uct), constraints16-4 (mac-ucb against uct by
the time for a move), ijcai17-1 (mac-ucb-sym against mac-ucb, uct, uct-sym, grave, grave-sym), jfpc16-2 (the same with
games that hide something), woodstock (against all of them), symmetry (uct-sym against uct, grave-sym against grave).

Every play is kept in FOLDER/plays.jsonl as soon as it is over, and never made again: after Ctrl-C, or when the machine
went down, the same command goes on where it stopped; more matches, games or opponents are only additions, and tables
share the plays that they have in common. Other rules, players, options, clocks or seeds make other plays. When the
program of a player has changed, take its lines out of the file, or begin a new folder.

What counts: the score of the first player, a draw being half a win. With two roles they swap from match to match; with
more the first player takes each in turn, and its opponent all others. In cooperative games and in those for one
player (marked +) each plays all roles by itself, and what counts is how often it reaches the full goal.

The papers' scale is a matter of arguments:
  woodstock table constraints16-3 --games paper --play 30 --matches 5000
  woodstock table constraints16-4 --games paper --play 1,5,10,20,30,40,50,60 --speedup 1 --matches 5000
  woodstock table ijcai17-1 --games paper --start 180 --play 15 --matches 300      (games of chance: 1000)
  woodstock table jfpc16-2 --games paper --start 180 --play 15 --matches 100       (games of chance: 400)

Exit code 1: nothing is known of any cell; 130: interrupted.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("name", metavar="NAME", choices=NAMES, help=", ".join(NAMES))
    parser.add_argument(
        "--games",
        metavar="A,B",
        help="instead of the table's: games, 'paper' (those of the paper), 'wide' (every kind), 'all' (bundled games)",
    )
    parser.add_argument("--against", metavar="A,B", help="only these opponents")
    parser.add_argument("--matches", metavar="N", type=int, default=20, help="matches in a cell (%(default)s)")
    parser.add_argument(
        "--play", metavar="S,S", type=_seconds_list, help="seconds for a move; several make more columns"
    )
    parser.add_argument(
        "--start", metavar="S", type=positive_seconds, help=f"seconds before the first move (default: {SOON:g})"
    )
    parser.add_argument(
        "--iterations", metavar="N", type=int, help="in place of clocks, which makes matches repeatable"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="makes the seeds of all matches (%(default)s)")
    parser.add_argument(
        "--jobs", metavar="J", type=int, default=1, help="matches that are played at once (%(default)s)"
    )
    parser.add_argument("--limit", metavar="S", type=positive_seconds, help="a match that takes longer is given up")
    parser.add_argument(
        "--speedup",
        metavar="X",
        type=positive_seconds,
        help="a second of ours stands for X of the paper, where it has several clocks (default: 100)",
    )
    parser.add_argument("--output", metavar="FOLDER", type=Path, default=DEFAULT_OUTPUT, help="plays (%(default)s)")
    parser.add_argument("--no-play", action="store_true", help="report what is known, and play nothing")
    parser.add_argument("--write", metavar="FILE", type=Path, help="put the table into a Markdown file")
    parser.add_argument("--section", metavar="WORD", help="there between the comments of this name (default: NAME)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Play what is missing, and show the table; 0, 1 if nothing is known, 130 if it was cut short."""
    from woodstock.arena.table_result import read_table
    from woodstock.cli.table_text import check_section, print_result, to_markdown, write_section

    section = args.section or args.name
    if args.write is not None:
        check_section(args.write, section)
    setup = _make_setup(args)
    ledger = _open_ledger(args)
    played = None if args.no_play else _play(setup, ledger, args)
    result = read_table(setup, ledger)
    command = _command(args, setup)
    if args.json:
        print_json({**result.to_json(), "jobs": args.jobs, "command": command})
    else:
        print_result(result, command)
    if args.write is not None:
        write_section(args.write, section, to_markdown(result, command))
    if played is not None and not played.is_complete:
        print_note(f"interrupted: everything played is in {ledger.path}, and the same command goes on from there")
        return EXIT_INTERRUPTED
    return 0 if any(cell.matches for column in result.columns for cell in column.cells) else 1


def _make_setup(args: argparse.Namespace) -> TableSetup:
    """Return what the arguments ask for, if it can be played."""
    from woodstock.arena.tables import SPEEDUP, TABLES, TableSetup

    for name, value, most in (("matches", args.matches, MAX_MATCHES), ("jobs", args.jobs, MAX_JOBS)):
        if not 1 <= value <= most:
            raise UsageError(f"expected 1 to {most} {name}, found {value}")
    table = TABLES[args.name]
    table = replace(table, games=_games(table, args.games), pairings=_pairings(table, args.against))
    setup = TableSetup(table, args.matches, _clocks(table, args), args.seed, args.speedup or SPEEDUP)
    # Whatever is wrong with a player shows in the first game, what is wrong with a game in its first duel.
    for number, game in enumerate(table.games):
        for plan in setup.plans(game)[: None if number == 0 else 1]:
            plan.check()
    return setup


def _games(table: Table, text: str | None) -> tuple[str, ...]:
    """Return the games that were asked for, each once."""
    from woodstock.arena.tables import WIDE
    from woodstock.games import game_names

    if text is None:
        return table.games
    papers = table.games if table.published is None else table.published.games
    groups = {"paper": papers, "wide": WIDE, "all": game_names()}
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise UsageError(f"expected games with commas between them after --games, found {text!r}")
    return tuple(dict.fromkeys(game for word in words for game in groups.get(word, (word,))))


def _pairings(table: Table, text: str | None) -> tuple[tuple[str, str], ...]:
    if text is None:
        return table.pairings
    wanted = [word.strip() for word in text.split(",")]
    known = list(dict.fromkeys(second for _, second in table.pairings))
    for word in wanted:
        if word not in known:
            raise UsageError(f"expected opponents after --against, of {' '.join(known)}, found {word!r}")
    return tuple(pairing for pairing in table.pairings if pairing[1] in wanted)


def _clocks(table: Table, args: argparse.Namespace) -> tuple[Clocks, ...]:
    from woodstock.players import Clocks

    if args.iterations is None:
        return tuple(Clocks(args.start or SOON, play) for play in args.play or table.plays)
    if args.start is not None or args.play is not None:
        raise UsageError("--iterations takes the place of clocks: give it without --start and --play")
    if args.iterations < 1:
        raise UsageError(f"--iterations takes a positive number, found {args.iterations}")
    return (Clocks(iterations=args.iterations),)


def _seconds_list(text: str) -> tuple[float, ...]:
    return tuple(dict.fromkeys(positive_seconds(word) for word in text.split(",")))


def _open_ledger(args: argparse.Namespace) -> Ledger:
    from woodstock.arena.ledger import Ledger

    if not args.no_play:
        try:
            args.output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"expected a folder after --output, found '{args.output}': {error.strerror}") from None
    return Ledger(args.output / PLAYS_FILE)


def _play(setup: TableSetup, ledger: Ledger, args: argparse.Namespace) -> Run:
    """Play what is missing."""
    from woodstock.arena import Workers
    from woodstock.arena.tables import missing_plays, run_table

    missing = len(missing_plays(setup, ledger))
    if missing:
        _prepare(setup, args.jobs)
    with _telling(setup.table.name, missing) as report:
        played = run_table(setup, ledger, Workers(args.jobs, args.limit), report)
    for key, reason in played.lost.items():
        print_note(f"a play of {' - '.join(key.players)} with seed {key.seed} was lost: {reason}")
    return played


def _prepare(setup: TableSetup, jobs: int) -> None:
    """Compile kernels once, here, and not in every process at the same time."""
    from woodstock.common.threads import available_processors
    from woodstock.players.registry import any_searches

    processors = len(available_processors())
    if jobs > processors:
        print_note(f"--jobs {jobs} on {count(processors, 'processor')}: players have less time than the clock says")
    if any_searches(player for pairing in setup.table.pairings for player in pairing):
        from woodstock.cli.warm import warm_visibly
        from woodstock.search.warm import FOR_PLAYERS

        warm_visibly(FOR_PLAYERS)


@contextmanager
def _telling(name: str, missing: int) -> Iterator[Report]:
    """Yield what shows how far a table has come, on a terminal."""
    from woodstock.common.progress import progress

    if TYPE_CHECKING:
        from woodstock.arena.tables import Progress

    with progress(name, total=missing, unit="plays") as bar:
        done = 0

        def report(now: Progress) -> None:
            nonlocal done
            bar.advance(now.done - done)
            done = now.done
            bar.describe(now.game)

        yield report


def _command(args: argparse.Namespace, setup: TableSetup) -> str:
    """Return the command that makes the table, with its clocks even if they are the usual ones."""
    first = setup.clocks[0]
    values = {
        "games": args.games,
        "against": args.against,
        "matches": setup.matches,
        "start": first.start,
        "play": None if first.play is None else ",".join(_plain(clocks.play) for clocks in setup.clocks),
        "iterations": first.iterations,
        "seed": setup.seed,
        "jobs": args.jobs,
        "limit": args.limit,
        "speedup": args.speedup,
        "output": args.output,
        "write": args.write,
        "section": args.section,
    }
    options = [[f"--{name}", _plain(value)] for name, value in values.items() if value is not None]
    return shlex.join(["woodstock", "table", args.name, *(word for option in options for word in option)])


def _plain(value: object) -> str:
    """Return a value as one would type it.

    >>> _plain(30.0), _plain(0.2), _plain("hex,nim")
    ('30', '0.2', 'hex,nim')
    """
    return f"{value:.12g}" if isinstance(value, float) else str(value)

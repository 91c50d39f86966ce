"""`woodstock play`: a person plays a match at the terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from woodstock.cli.arguments import add_repair_option
from woodstock.cli.output import print_note
from woodstock.cli.seating import SOON, add_clock_options, choose_seed, clocks_of, deal_seats, prepare_visibly
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.cli.session import Company
    from woodstock.gdl.rules import Rules
    from woodstock.players import Clocks

HELP = "play a game against players, or alone, at the terminal"

_EPILOG = """\
Type the number of a move, the move itself, or a part that is enough to tell it from the others. Other words that are
understood: moves, board, undo, hint, resign, quit, help. A move without an alternative is made for you. Clocks are for
the players; you may take your time.

Where standard input is no terminal there is nobody to play: a match between players is shown instead, at --delay.
"""

OPPONENTS = ("woodstock", "greedy")
"""Who plays against a person that names nobody: the first of these that there is."""

DEMONSTRATION = ("greedy", "random")
"""Who plays where there is no person, if nobody is named."""

HUMAN = "human"
"""What the player of a person is called in records."""

MAX_DELAY = 3600


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("game", metavar="GAME", help="a bundled game, a rule sheet, a folder with one, or -")
    parser.add_argument("--role", metavar="R", help="the role that you play (default: the first)")
    parser.add_argument(
        "--against",
        metavar="SPEC",
        action="append",
        help="a player for the next of the other roles; fewer are dealt round again (default: uct)",
    )
    add_clock_options(parser, SOON)
    parser.add_argument("--seed", metavar="N", type=int, help="what random numbers are made from (default: a new one)")
    parser.add_argument("--explain", action="store_true", help="print why the players choose their moves")
    parser.add_argument("--record", metavar="FILE", type=Path, help="write the record of the match")
    parser.add_argument(
        "--delay", metavar="S", type=float, default=0.0, help="seconds between moves of a demonstration"
    )
    add_repair_option(parser)


def run(args: argparse.Namespace) -> int:
    """Play, or show a match where nobody can play; 0 unless it is interrupted."""
    from woodstock.game.load import load_rules
    from woodstock.match import seats

    if not 0 <= args.delay <= MAX_DELAY:
        raise UsageError(f"--delay takes 0 to {MAX_DELAY} seconds, found {args.delay:g}")
    if args.record is not None and not args.record.parent.is_dir():
        raise UsageError(f"cannot write {args.record}: there is no folder {args.record.parent}")
    clocks = clocks_of(args)
    rules = load_rules(args.game, args.repair, print_note)
    chairs = seats(rules.roles)
    role = find_role(args.role, [rules.roles[chair] for chair in chairs])
    if _somebody_is_there():
        _play(args, rules, chairs[role], clocks)
    else:
        _demonstrate(args, rules, clocks)
    return 0


def _somebody_is_there() -> bool:
    """Tell whether a person can type."""
    stream = cast("TextIO | None", sys.stdin)  # there is none if it was closed
    return stream is not None and stream.isatty()


def find_role(name: str | None, names: Sequence[str]) -> int:
    """Return which of some roles a person wants to play.

    >>> find_role("o", ["x", "o"]), find_role(None, ["x", "o"])
    (1, 0)

    Raises:
        UsageError: There is no such role.
    """
    if not names:
        raise UsageError("the game has no role to play")
    if name is not None and name.lower() not in names:
        raise UsageError(f"expected a role to play ({', '.join(names)}) after --role, found {name!r}")
    return 0 if name is None else names.index(name.lower())


def find_company(against: Sequence[str] | None, rules: Rules, role: int) -> Company:
    """Return who plays with a person.

    For hints the first opponent is asked that searches; a program that plays badly is no good adviser.

    Args:
        against: The specs of the others; None if nobody was named.
        rules: The rules of the game.
        role: The role of the person.

    Raises:
        UsageError: There are more players than roles, or there is no such player.
    """
    from woodstock.cli.session import Company
    from woodstock.match import seats
    from woodstock.players import make_player, player_names
    from woodstock.players.registry import any_searches

    others = [other for other in seats(rules.roles) if other != role]
    favourite = next(name for name in OPPONENTS if name in player_names())
    specs = deal_seats(against or [favourite] * len(others), [rules.roles[other] for other in others])
    for spec in specs:
        make_player(spec)
    advisers = [spec for spec in specs if any_searches([spec])]
    fallback = OPPONENTS[-1] if specs else favourite
    return Company(role, dict(zip(others, specs, strict=True)), advisers[0] if advisers else fallback)


def _play(args: argparse.Namespace, rules: Rules, role: int, clocks: Clocks) -> None:
    """Let a person play."""
    from woodstock.cli.session import Session
    from woodstock.match import MatchSetup, save_record, seats
    from woodstock.players.human import Console
    from woodstock.players.registry import any_searches

    company = find_company(args.against, rules, role)
    console = Console(sys.stdin, sys.stdout)
    specs = [*company.opponents.values(), company.adviser]
    if any_searches(specs):
        console.say("Preparing the game: the very first time this takes about a minute.")
    names = [company.opponents.get(seat, HUMAN) for seat in seats(rules.roles)]
    seed = choose_seed(args.seed)
    game = prepare_visibly(rules, specs)
    setup = MatchSetup(rules, game, names, seed, clocks, game_name=args.game, explain=args.explain)
    against = ", ".join(f"{rules.roles[other]} ({spec})" for other, spec in company.opponents.items())
    console.say(f"{args.game}: you are {rules.roles[role]}{' against ' + against if against else ''}; seed {seed}")
    console.say("Type the number of a move; 'help' tells what else you can type.")
    session = Session(setup, company, console)
    try:
        match = session.play()
    except KeyboardInterrupt:
        if args.record is not None:
            save_record(session.abort(), args.record)
        raise
    if args.record is not None:
        save_record(match, args.record)


def _demonstrate(args: argparse.Namespace, rules: Rules, clocks: Clocks) -> None:
    """Show a match between players."""
    from woodstock.cli.narration import Narrator, describe_result
    from woodstock.draw import scout
    from woodstock.match import MatchSetup, play_match, save_record, seats
    from woodstock.players import make_player

    seated = [rules.roles[role] for role in seats(rules.roles)]
    specs = deal_seats(args.against or DEMONSTRATION[: len(seated)], seated)
    players = [make_player(spec) for spec in specs]
    seed = choose_seed(args.seed)
    game = prepare_visibly(rules, specs)
    cast = ", ".join(f"{role} ({spec})" for role, spec in zip(seated, specs, strict=True))
    print("Standard input is no terminal: nobody can play, so this is a demonstration.")
    print(f"{args.game}: {cast}; seed {seed}", flush=True)
    setup = MatchSetup(rules, game, specs, seed, clocks, game_name=args.game, explain=args.explain)
    match = play_match(setup, players, Narrator(game, args.delay, scout(game)))
    print("\n" + describe_result(match))
    if args.record is not None:
        save_record(match, args.record)

"""`woodstock match`: a match between players in this process."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from woodstock.cli.arguments import add_repair_option
from woodstock.cli.output import print_json, print_note
from woodstock.cli.seating import add_clock_options, choose_seed, clocks_of, deal_seats, prepare_visibly
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.match import Match

HELP = "play a match between any players and record it"

_EPILOG = """\
A player is a name with options, NAME:OPTION=VALUE,…; the role random is played by the host. A move that is illegal or
late, or in place of which a player crashes, is replaced by a random legal one; the record says so. The record is the
match JSON of ggp.org, with our own data under x-; 'woodstock replay' shows and verifies it. Ctrl-C ends the match, and
the record tells of it up to there.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("game", metavar="GAME", help="a bundled game, a rule sheet, a folder with one, or -")
    parser.add_argument(
        "--player",
        metavar="SPEC",
        action="append",
        required=True,
        help="a player for the next role; give it once for each, fewer are dealt round again",
    )
    add_clock_options(parser)
    parser.add_argument("--seed", metavar="N", type=int, help="what random numbers are made from (default: a new one)")
    parser.add_argument("--record", metavar="FILE", type=Path, help="write the record of the match")
    parser.add_argument("--explain", action="store_true", help="print why each move was chosen, and record it")
    add_repair_option(parser)
    parser.add_argument("--json", action="store_true", help="print the record and nothing else")
    parser.add_argument("--quiet", action="store_true", help="print only the result")


def run(args: argparse.Namespace) -> int:
    """Play the match; 0 if it was played to an end."""
    from woodstock.cli.narration import Narrator, describe_result
    from woodstock.draw import scout
    from woodstock.game.load import load_rules
    from woodstock.match import Ending, LocalMatch, MatchSetup, is_human, seats
    from woodstock.players import make_player

    if args.record is not None and not args.record.parent.is_dir():
        raise UsageError(f"cannot write {args.record}: there is no folder {args.record.parent}")
    clocks = clocks_of(args)
    rules = load_rules(args.game, args.repair, print_note)
    seated = [rules.roles[role] for role in seats(rules.roles)]
    specs = deal_seats(args.player, seated)
    players = [make_player(spec) for spec in specs]
    game = prepare_visibly(rules, specs)
    seed = choose_seed(args.seed)
    contest = LocalMatch(
        MatchSetup(rules, game, specs, seed, clocks, game_name=args.game, explain=args.explain), players
    )
    watch = None
    if not (args.json or args.quiet):
        cast = ", ".join(f"{role} ({spec})" for role, spec in zip(seated, specs, strict=True))
        print(f"{args.game}: {cast}; seed {seed}", flush=True)
        # A person at the table must not see more than the role may; the player tells what that is.
        is_secret = contest.referee.hidden and any(map(is_human, specs))
        watch = None if is_secret else Narrator(game, 0, scout(game))
    try:
        match = contest.play(watch)
    except (KeyboardInterrupt, BrokenPipeError) as interruption:
        _deliver(args, contest.referee.finish(Ending.ABORTED), isinstance(interruption, KeyboardInterrupt))
        raise
    _deliver(args, match, is_read=True)
    if not args.json:
        print(("" if args.quiet else "\n") + describe_result(match))
    return 0


def _deliver(args: argparse.Namespace, match: Match, is_read: bool) -> None:
    """Write the record where it was asked for; nothing is printed if nobody reads it."""
    from woodstock.match import LATE, save_record, write_record

    if args.record is not None:
        save_record(match, args.record)
    if not is_read:
        return
    if args.json:
        print_json(write_record(match))
    for role, error in zip(match.roles, match.start_errors, strict=True):
        if error:
            what = "was not ready when the match began" if error == LATE else "crashed before the match began"
            print_note(f"the player of {role} {what}")

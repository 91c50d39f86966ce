"""`woodstock host`: a game manager for players here and on the network."""

from __future__ import annotations

import argparse
import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from woodstock.cli.arguments import add_repair_option, positive_seconds
from woodstock.cli.output import print_json, print_note
from woodstock.cli.seating import DEFAULT_PLAY, DEFAULT_START, choose_seed, deal_seats
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.match import Match, MatchSetup, Watch
    from woodstock.server.contestants import Contestant, LocalContestant, RemoteSettings, Transport

HELP = "host a match between players here and on the network"

_EPILOG = """\
A player is the URL of a GGP player, http://HOST:PORT, or the name of one of ours with options, NAME:OPTION=VALUE,…,
which then plays in a process of its own. The role random is played by the host. All are asked at the same time; an
answer that is late, lost or illegal is replaced by a legal move, and the record says so. Whatever happens, all are told
that the match is over: STOP at its end, ABORT after Ctrl-C.
"""

URL_STARTS = ("http://", "https://")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("game", metavar="GAME", help="a bundled game, a rule sheet, a folder with one, or -")
    parser.add_argument(
        "--player",
        metavar="PLAYER",
        action="append",
        required=True,
        help="a URL or a player of ours for the next role; give it once for each, fewer are dealt round again",
    )
    for name, default, what in (
        ("start", DEFAULT_START, "before the first move"),
        ("play", DEFAULT_PLAY, "for a move"),
    ):
        parser.add_argument(
            f"--{name}", metavar="S", type=positive_seconds, default=default, help=f"seconds {what} (%(default)g)"
        )
    parser.add_argument(
        "--grace", metavar="S", type=float, default=1.0, help="seconds beyond the clock on the network (%(default)g)"
    )
    parser.add_argument(
        "--gdl-ii", choices=("new", "old"), default="new", help="form of messages where rules hide something (new)"
    )
    parser.add_argument("--scramble", action="store_true", help="give all things other names for players elsewhere")
    parser.add_argument(
        "--fallback", choices=("random", "first"), default="random", help="move in place of none (random)"
    )
    parser.add_argument("--seed", metavar="N", type=int, help="what random numbers are made from (default: a new one)")
    parser.add_argument("--record", metavar="FILE", type=Path, help="write the record of the match")
    parser.add_argument("--explain", action="store_true", help="print why our players chose their moves, and record it")
    add_repair_option(parser)
    parser.add_argument("--json", action="store_true", help="print the record and nothing else")
    parser.add_argument("--quiet", action="store_true", help="print only the result")


def run(args: argparse.Namespace) -> int:
    """Host the match; 0 if it was played to an end."""
    from woodstock.cli.narration import Narrator, describe_result
    from woodstock.draw import scout
    from woodstock.game.load import load_rules
    from woodstock.game.reference import ReferenceGame
    from woodstock.match import MatchSetup, seats
    from woodstock.players import Clocks

    if args.record is not None and not args.record.parent.is_dir():
        raise UsageError(f"cannot write {args.record}: there is no folder {args.record.parent}")
    if not 0 <= args.grace <= 3600:
        raise UsageError(f"--grace takes 0 to 3600 seconds, found {args.grace:g}")
    rules = load_rules(args.game, args.repair, print_note)
    seated = [rules.roles[role] for role in seats(rules.roles)]
    specs = deal_seats(args.player, seated)
    game = ReferenceGame(rules)
    setup = MatchSetup(
        rules,
        game,
        specs,
        choose_seed(args.seed),
        Clocks(args.start, args.play),
        fallback=args.fallback,
        game_name=args.game,
        explain=args.explain,
        scrambled=args.scramble,
    )
    watch = None
    if not (args.json or args.quiet):
        cast = ", ".join(f"{role} ({spec})" for role, spec in zip(seated, specs, strict=True))
        print(f"{args.game}: {cast}; seed {setup.seed}", flush=True)
        watch = Narrator(game, 0, scout(game))
    try:
        match = asyncio.run(_host(args, setup, watch))
    except asyncio.CancelledError:  # somebody asked this process to end
        raise KeyboardInterrupt from None
    if not args.json:
        print(("" if args.quiet else "\n") + describe_result(match))
    return 0


async def _host(args: argparse.Namespace, setup: MatchSetup, watch: Watch | None) -> Match:
    """Host the match; the record is written even if it is broken off."""
    from woodstock.match import Ending
    from woodstock.server.host import HostedMatch

    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with _transport(setup) as transport:
        contestants = await _contestants(setup, _remote_settings(args, setup), transport)
        contest = HostedMatch(setup, contestants)
        match: Match | None = None
        try:
            match = await contest.play(watch)
        finally:
            _deliver(args, contest.referee.finish(Ending.ABORTED) if match is None else match)
        return match


def _transport(setup: MatchSetup) -> Any:
    """Return what carries messages, which needs no library if all players are here."""
    from contextlib import nullcontext

    if not any(_is_url(spec) for spec in setup.player_names):
        return nullcontext()
    from woodstock.server.availability import require_http

    require_http()
    from woodstock.server.http_transport import HttpTransport

    return HttpTransport()


def _remote_settings(args: argparse.Namespace, setup: MatchSetup) -> RemoteSettings:
    from woodstock.server.contestants import RemoteSettings
    from woodstock.server.scrambling import Scrambler

    scrambler = Scrambler(setup.rules, setup.seed) if args.scramble else None
    return RemoteSettings(args.gdl_ii, args.grace, scrambler)


async def _contestants(setup: MatchSetup, settings: RemoteSettings, transport: Transport) -> list[Contestant]:
    """Return a contestant for each seat; the processes of our own are started, and have compiled what they need.

    Raises:
        UsageError: There is no such player.
    """
    from woodstock.common.progress import progress
    from woodstock.players.dialogue import ProcessSettings
    from woodstock.server.contestants import LocalContestant, RemoteContestant

    found: list[Contestant] = []
    local: list[LocalContestant] = []
    try:
        for spec in setup.player_names:
            if _is_url(spec):
                found.append(RemoteContestant(spec, transport, settings))
            else:
                local.append(LocalContestant(spec, ProcessSettings(warm=True)))
                found.append(local[-1])
        with progress("preparing the players"):
            problems = await asyncio.gather(*(each.prepare() for each in local))
        for problem in filter(None, problems):
            raise UsageError(problem)
    except BaseException:
        for each in local:
            await each.close()
        raise
    return found


def _is_url(spec: str) -> bool:
    return spec.lower().startswith(URL_STARTS)


def _deliver(args: argparse.Namespace, match: Match) -> None:
    """Write the record where it was asked for."""
    from woodstock.match import LATE, save_record, write_record

    if args.record is not None:
        save_record(match, args.record)
    if args.json:
        print_json(write_record(match))
    for role, error in zip(match.roles, match.start_errors, strict=True):
        if error:
            what = "was not ready in time" if error == LATE else f"could not be told of the match ({error})"
            print_note(f"the player of {role} {what}")

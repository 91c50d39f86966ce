"""`woodstock serve`: a player that other programs can play against over the network."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal

from woodstock.cli.arguments import positive_seconds
from woodstock.common.errors import UsageError

HELP = "play on the network: a GGP player over HTTP"

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 9147
DEFAULT_NAME = "Woodstock"
MAX_PORT = 65535

_EPILOG = """\
The player speaks the GGP protocol (INFO, PREVIEW, START, PLAY, STOP, ABORT) as ggp-base and the Dresden game controller
do, for GDL and both forms of GDL-II, one match at a time. It thinks in a process of its own; a move is always ready,
and sent so early that it is there in time. It can be reached from this machine only, unless --host says otherwise; then
anybody who can reach the port can make it work. Ctrl-C ends it.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "--player", metavar="SPEC", default="woodstock", help="who plays, NAME:OPTION=VALUE,… (%(default)s)"
    )
    parser.add_argument(
        "--port", metavar="N", type=int, default=DEFAULT_PORT, help="where to listen, 0 for any free port (%(default)s)"
    )
    parser.add_argument("--host", metavar="H", default=DEFAULT_HOST, help="the address to listen on (%(default)s)")
    parser.add_argument("--name", default=DEFAULT_NAME, help="what the player calls itself (%(default)s)")
    parser.add_argument("--no-ponder", action="store_true", help="do not think while the others do")
    parser.add_argument("--no-warm", action="store_true", help="do not compile kernels before there is a match")
    parser.add_argument("--memory", metavar="MB", type=int, help="what the player's process may take")
    parser.add_argument("--max-message", metavar="MB", type=int, default=16, help="the largest message (%(default)s)")
    parser.add_argument(
        "--patience", metavar="S", type=positive_seconds, default=30.0,
        help="give a match up so long after its clocks without a message (%(default)g)",
    )  # fmt: skip
    parser.add_argument("--verbose", action="store_true", help="print every message and its reply on stderr")


def run(args: argparse.Namespace) -> int:
    """Serve until somebody ends it; 0."""
    from woodstock.players.registry import find_player, player_names, split_spec
    from woodstock.server.availability import require_http

    require_http()
    if not 0 <= args.port <= MAX_PORT:
        raise UsageError(f"--port takes 0 to {MAX_PORT}, found {args.port}")
    for option in ("memory", "max_message"):
        value = getattr(args, option)
        if value is not None and value < 1:
            raise UsageError(f"--{option.replace('_', '-')} takes a positive number, found {value}")
    name, _ = split_spec(args.player)
    if name not in player_names():
        find_player(name)  # which says what is wrong, and imports nothing in this case
    logging.basicConfig(level=logging.INFO if args.verbose else logging.WARNING, format="woodstock: %(message)s")
    asyncio.run(_serve(args))
    return 0


async def _serve(args: argparse.Namespace) -> None:
    from woodstock.players.dialogue import ProcessSettings
    from woodstock.players.process import ProcessPlayer
    from woodstock.server.http_player import HttpLimits, HttpPlayer
    from woodstock.server.session import Session, SessionSettings

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    memory = None if args.memory is None else args.memory * 2**20
    thinker = ProcessPlayer(args.player, ProcessSettings(not args.no_ponder, not args.no_warm, memory))
    session = Session(thinker, SessionSettings(args.name, args.patience))
    player = HttpPlayer(session, HttpLimits(num_bytes=args.max_message * 2**20))
    try:
        addresses = await player.open(args.host, args.port)
        where = " and ".join(_url(*address) for address in addresses)
        print(f"{args.name} ({args.player}) plays at {where}; Ctrl-C ends it", flush=True)
        greeting = asyncio.create_task(thinker.greet())
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait([greeting, stopping], return_when=asyncio.FIRST_COMPLETED)
        if greeting.done() and (problem := greeting.result()):
            raise UsageError(problem)
        await stopping
        greeting.cancel()
    finally:
        await player.close()
        await thinker.close()


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

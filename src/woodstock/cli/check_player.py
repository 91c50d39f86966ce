"""`woodstock check-player`: a conformance test of any GGP player."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from woodstock.cli.arguments import positive_seconds
from woodstock.cli.output import count, print_json
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.server.conformance import Finding

HELP = "find out what a GGP player on the network does with good and bad messages"

_EPILOG = """\
The player must be free, and is made to play some short matches: nothing else should talk to it meanwhile. Exit code
0 if everything required holds, 1 if not; what is optional is marked so.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("url", metavar="URL", help="where the player is: http://HOST:PORT")
    parser.add_argument("--start", metavar="S", type=positive_seconds, default=5.0, help="start clock (%(default)g)")
    parser.add_argument("--play", metavar="S", type=positive_seconds, default=1.0, help="play clock (%(default)g)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="seed of the opponents' moves (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Make all checks; 0 if everything required holds."""
    from woodstock.server.availability import require_http

    require_http()
    from woodstock.server.probe import check_url

    check_url(args.url)
    findings = asyncio.run(_check(args))
    broken = sum(finding.is_failure for finding in findings)
    if args.json:
        documents = [finding.to_json() for finding in findings]
        print_json({"url": args.url, "conforms": not broken, "checks": documents})
    else:
        required = sum(finding.check.is_required for finding in findings)
        print(f"{args.url}: {count(len(findings), 'check')}, {required} required, {broken} of them broken")
    return 1 if broken else 0


async def _check(args: argparse.Namespace) -> list[Finding]:
    from woodstock.server.conformance import check_player
    from woodstock.server.http_transport import HttpTransport
    from woodstock.server.probe import Broken, Probe

    async with HttpTransport() as transport:
        probe = Probe(args.url, transport, args.start, args.play, args.seed)
        try:
            await probe.expect_free()
        except Broken as fault:
            raise UsageError(f"there is no player at {args.url} that can be checked: {fault}") from None
        return await check_player(probe, (lambda _: None) if args.json else _print)


def _print(finding: Finding) -> None:
    optional = "" if finding.check.is_required else " (optional)"
    print(f"{finding.verdict.value:<14}  {finding.check.name}{optional}")
    if finding.detail:
        print(f"{'':14}  {finding.detail}")
    print(end="", flush=True)

"""`woodstock games`: the bundled games."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from woodstock.cli.output import print_json, print_table
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.games import BundledGame

HELP = "list the bundled games"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--tag", metavar="TAG", action="append", default=[], help="games with this tag, or with all given"
    )
    parser.add_argument("--json", action="store_true", help="print the whole catalogue as JSON")


def run(args: argparse.Namespace) -> int:
    """List the bundled games; always 0."""
    from woodstock.game.load import load_rules
    from woodstock.games import catalogue

    games = _with_tags(catalogue(), args.tag)
    if args.json:
        print_json([{**asdict(game), "roles": list(load_rules(game.name).roles)} for game in games])
    else:
        rows = [
            (game.name, game.title, str(game.year or ""), str(game.players), ", ".join(game.tags)) for game in games
        ]
        print_table(("name", "title", "year", "players", "tags"), rows, right={2, 3})
    return 0


def _with_tags(games: Iterable[BundledGame], tags: Iterable[str]) -> list[BundledGame]:
    """Return the games that have all tags; refuse a tag that no game has."""
    found = list(games)
    known = {tag for game in found for tag in game.tags}
    for tag in tags:
        if tag not in known:
            near = difflib.get_close_matches(tag, known, n=1)
            guess = f"; did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"no game has the tag {tag!r}{guess}")
        found = [game for game in found if tag in game.tags]
    return found

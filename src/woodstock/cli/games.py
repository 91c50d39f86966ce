"""`woodstock games`: the bundled games."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from woodstock.cli.output import print_json, print_table

HELP = "list the bundled games"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print the whole catalogue as JSON")


def run(args: argparse.Namespace) -> int:
    """List the bundled games; always 0."""
    from woodstock.games import catalogue

    games = catalogue()
    if args.json:
        print_json([asdict(game) for game in games])
    else:
        rows = [
            (game.name, game.title, str(game.year or ""), str(game.players), ", ".join(game.tags)) for game in games
        ]
        print_table(("name", "title", "year", "players", "tags"), rows, right={2, 3})
    return 0

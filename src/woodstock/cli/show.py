"""`woodstock show`: a game for somebody who does not know it: what it is about, its first position, its rules."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from woodstock.cli.arguments import add_repair_option
from woodstock.cli.output import print_json, print_note

HELP = "show a game: description, first position, rules"
WIDTH = 100


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("game", metavar="GAME", help="a bundled game, a rule sheet, or a folder with one")
    parser.add_argument("--no-rules", action="store_true", help="leave out the rules")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_repair_option(parser)


def run(args: argparse.Namespace) -> int:
    """Show a game; always 0."""
    from woodstock.draw import draw_position, scout
    from woodstock.game.backends import AUTO, build_game
    from woodstock.game.load import find_game, load_rules

    text = find_game(args.game).source.text
    game = build_game(load_rules(args.game, args.repair, print_note), AUTO)
    document: dict[str, Any] = {
        "name": args.game,
        **_catalogue_entry(args.game),
        "roles": list(game.roles),
        "picture": draw_position(game.fluents(game.initial_position()), scout(game)),
    }
    if not args.no_rules:
        document["rules"] = text
    if args.json:
        print_json(document)
    else:
        _print_text(document)
    return 0


def _catalogue_entry(name: str) -> dict[str, Any]:
    """Return what the catalogue says of a bundled game, nothing of another one."""
    from dataclasses import asdict

    from woodstock.games import bundled_game, is_bundled

    return asdict(bundled_game(name)) if is_bundled(name) else {}


def _print_text(document: dict[str, Any]) -> None:
    title = document.get("title", document["name"])
    print(title if document.get("year") is None else f"{title} ({document['year']})")
    print(f"roles: {', '.join(document['roles'])}")
    if document.get("tags"):
        print(f"tags:  {', '.join(document['tags'])}")
    if "description" in document:
        print()
        print(textwrap.fill(document["description"], WIDTH))
        for source in document["sources"]:
            print(textwrap.fill(source, WIDTH, initial_indent="- ", subsequent_indent="  "))
    print()
    print(document["picture"].rstrip())
    if "rules" in document:
        print()
        print(document["rules"].rstrip())

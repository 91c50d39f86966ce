"""`woodstock perft`: the number of lines of play by length."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from woodstock.cli.arguments import add_repair_option
from woodstock.cli.output import print_json, print_note, print_table
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.game.perft import Level
    from woodstock.game.protocol import Game

HELP = "count the lines of play of a game by their length"

_EPILOG = """\
A path of length d is a sequence of d joint moves, each legal, from the initial position; moves of the role random count
as any others. Terminal positions have no successors, so paths that ended earlier are not counted again. `terminal` is
the number of paths that end at that depth. The positions of the last depth are made only with --unique; without it its
paths are counted from the legal moves one step before, which is much quicker.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    from woodstock.game.backends import AUTO, BACKENDS

    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("game", metavar="GAME", help="bundled game, rule sheet, game folder, or - for standard input")
    parser.add_argument("depth", metavar="DEPTH", type=int, help="greatest length, at least 1")
    parser.add_argument("--backend", choices=BACKENDS, default=AUTO, help="the reasoner to count with")
    parser.add_argument("--divide", action="store_true", help="paths of length DEPTH by their first joint move")
    parser.add_argument("--unique", action="store_true", help="unique positions too, and all of the last depth")
    add_repair_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Count; always 0."""
    from woodstock.cli.grounding import ground_visibly
    from woodstock.game.backends import build_game
    from woodstock.game.load import load_rules

    if args.depth < 1:
        raise UsageError(f"expected a depth of at least 1, found {args.depth}")
    rules = load_rules(args.game, args.repair, print_note)
    game = build_game(rules, args.backend, print_note, ground_visibly)
    if args.divide:
        _run_divide(args, game)
    else:
        _run_levels(args, game)
    return 0


def _run_levels(args: argparse.Namespace, game: Game[Any]) -> None:
    from woodstock.game.perft import perft

    begin = time.perf_counter()
    levels = list(perft(game, args.depth, args.unique))
    seconds = time.perf_counter() - begin
    if args.json:
        document = {"game": args.game, "depth": args.depth, "seconds": round(seconds, 3)}
        print_json({**document, "levels": [_to_json(level, args.unique) for level in levels]})
        return
    headers = ["depth", "paths", "terminal", *(["unique"] if args.unique else [])]
    rows = [
        [_number(level.depth), _number(level.paths), _number(level.terminal)]
        + ([_number(level.unique)] if args.unique else [])
        for level in levels
    ]
    print_table(headers, rows, right=range(len(headers)))
    if len(levels) < args.depth:
        print(f"no path is longer than {len(levels)}")
    print(f"{seconds:.2f} s")


def _run_divide(args: argparse.Namespace, game: Game[Any]) -> None:
    from woodstock.game.perft import divide
    from woodstock.gdl.printer import to_kif

    begin = time.perf_counter()
    counts = divide(game, args.depth)
    seconds = time.perf_counter() - begin
    rows = sorted((f"({' '.join(map(to_kif, moves))})", count) for moves, count in counts.items())
    total = sum(counts.values())
    if args.json:
        document = {"game": args.game, "depth": args.depth, "seconds": round(seconds, 3), "paths": total}
        print_json({**document, "divide": dict(rows)})
        return
    table = [(moves, _number(count)) for moves, count in rows]
    print_table(("joint move", "paths"), [*table, ("total", _number(total))], right={1})
    print(f"{seconds:.2f} s")


def _to_json(level: Level, unique: bool) -> dict[str, int | None]:
    entry: dict[str, int | None] = {"depth": level.depth, "paths": level.paths, "terminal": level.terminal}
    return {**entry, "unique": level.unique} if unique else entry


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)

"""`woodstock replay`: a recorded match, shown and verified."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from woodstock.cli.arguments import add_repair_option
from woodstock.cli.output import count, print_json, print_note
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.game.protocol import Fluent
    from woodstock.match import Difference, Match

HELP = "step through the record of a match and verify it"

_EPILOG = """\
RECORD is the match JSON of ggp.org, by whatever program, or an archive of them: a file of JSON lines, of which --match
chooses one; either may be compressed by gzip. Every move must be legal, every state follow from the one before, the
match end where the rules end it, and the goals be those of the rules. Exit code 1 says that something differs.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("record", metavar="RECORD", type=Path, help="the record of a match, or an archive")
    parser.add_argument("--game", metavar="GAME", help="the game that was played (default: what the record calls it)")
    parser.add_argument("--match", metavar="N", type=int, default=1, help="which match of an archive (default: 1)")
    parser.add_argument("--step", metavar="N", type=int, help="show only what stood after N joint moves")
    add_repair_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quiet", action="store_true", help="show no step, only verify")


def run(args: argparse.Namespace) -> int:
    """Show and verify; 0 if the record follows the rules, 1 if not."""
    from woodstock.game.load import load_rules
    from woodstock.game.reference import ReferenceGame
    from woodstock.match import find_differences, load_record, rules_fingerprint

    if args.match < 1:
        raise UsageError(f"--match counts from 1, found {args.match}")
    match = load_record(args.record, args.match)
    if args.step is not None and not 0 <= args.step <= len(match.steps):
        raise UsageError(f"--step takes 0 to {len(match.steps)} here, found {args.step}")
    name = args.game or find_game_name(match, args.record.parent)
    rules = load_rules(name, args.repair, print_note)
    if match.rules_sha256 not in ("", rules_fingerprint(rules)):
        print_note(f"{name} has other rules today than those that the match was played by")
    game = ReferenceGame(rules)
    differences = list(find_differences(match, game))
    match = replace(match, roles=game.roles)
    if args.json:
        print_json(_to_json(args, name, match, differences))
        return 1 if differences else 0
    if not args.quiet:
        from woodstock.draw import scout

        _show(match, name, args.step, scout(game))
    for difference in differences:
        print(difference)
    steps = count(len(match.steps), "step")
    print(
        f"{count(len(differences), 'difference')} in {steps}" if differences else f"Verified: {steps} as the rules say"
    )
    return 1 if differences else 0


def find_game_name(match: Match, folder: Path) -> str:
    """Return what the game of a record is called here: a bundled name or a path.

    Args:
        match: The record.
        folder: Where the record stands; a rule sheet may stand beside it.

    Raises:
        UsageError: There is no such game here.
    """
    from woodstock.games import is_bundled

    name = match.game_name
    key = re.search(r"/([^/]+)/v\d+/$", match.game_url)
    if is_bundled(name):
        return name
    for path in (Path(name), folder / name):
        if name and _exists(path):
            return str(path)
    if key is not None and is_bundled(key[1]):
        return key[1]
    called = f"{name!r} at {match.game_url}" if name else match.game_url
    raise UsageError(f"there is no game or file here for {called}: name the game that was played with --game")


def _exists(path: Path) -> bool:
    """Tell whether there is such a file or folder; a record may name one that no system can have."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _show(match: Match, name: str, only: int | None, known: set[Fluent]) -> None:
    """Print the steps of a match, or one of them."""
    from woodstock.cli.narration import describe_expectations, describe_result, describe_step
    from woodstock.draw import draw_position

    known = {*known, *(fluent for state in match.states for fluent in state)}
    print(f"{name}: {', '.join(_cast(match))}; {match.match_id}")
    for number, state in enumerate(match.states):
        if only not in (None, number):
            continue
        if number:
            step = match.steps[number - 1]
            for line in (*describe_step(match.roles, number, step), *describe_expectations(match.roles, step)):
                print(line)
        print("\n" + draw_position(state, known))
    print("\n" + describe_result(match))


def _cast(match: Match) -> Iterator[str]:
    """Yield each role with its player, as far as that is known."""
    from woodstock.gdl.keywords import RANDOM

    for role, name in enumerate(match.roles):
        if name != RANDOM:
            yield f"{name} ({match.player_names[role]})" if match.player_names else name


def _to_json(args: argparse.Namespace, name: str, match: Match, differences: list[Difference]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "record": str(args.record),
        "match": match.match_id,
        "game": name,
        "roles": list(match.roles),
        "players": list(match.player_names),
        "steps": len(match.steps),
        "ending": match.ending.value,
        "goals": list(match.goals),
        "verified": not differences,
        "differences": [asdict(difference) for difference in differences],
    }
    if args.step is not None:
        document["step"] = _step_to_json(match, args.step)
    return document


def _step_to_json(match: Match, number: int) -> dict[str, Any]:
    """Return what stood after some joint moves, and the last of them."""
    from woodstock.gdl.printer import to_kif

    document: dict[str, Any] = {"number": number, "state": sorted(map(to_kif, match.states[number]))}
    if number:
        step = match.steps[number - 1]
        document["moves"] = [to_kif(move) for move in step.moves]
        document["errors"] = list(step.errors)
        document["values"] = [
            answer.explanation.value if answer is not None and answer.explanation is not None else None
            for answer in step.answers
        ]
    return document

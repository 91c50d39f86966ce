"""`woodstock info`: what kind of game it is, and how large."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from woodstock.cli.output import print_json
from woodstock.common.errors import LimitError, UsageError

if TYPE_CHECKING:
    from woodstock.game.protocol import Game
    from woodstock.game.traits import Traits
    from woodstock.gdl.rules import Rules
    from woodstock.ground.program import GroundProgram

HELP = "tell what kind of game it is: roles, traits, sizes"

_EPILOG = """\
A trait is `proved` if it follows from the rules, if all positions were seen, or if one position shows it; else it was
`sampled` in so many positions. Branching is the number of joint moves in a position. Players are all roles but random.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("game", metavar="GAME", help="bundled game, rule sheet, game folder, or - for standard input")
    parser.add_argument("--seconds", type=float, default=5.0, help="time to look at positions (5)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random plays")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Describe a game; always 0."""
    from woodstock.game.load import find_game, playable_rules
    from woodstock.game.survey import SurveyLimits
    from woodstock.game.traits import find_traits
    from woodstock.gdl.sheet import read_sheet

    if not args.seconds > 0:
        raise UsageError(f"expected --seconds to be greater than zero, found {args.seconds}")
    text = find_game(args.game)
    rules = playable_rules(read_sheet(text.source))
    game, grounding = _build(rules)
    traits = find_traits(rules, game, SurveyLimits(seconds=args.seconds), args.seed)
    document = {
        "name": text.name,
        "title": text.title,
        "description": text.description,
        "roles": list(rules.roles),
        "traits": {trait.name: getattr(traits, trait.name).to_json() for trait in _trait_fields(traits)},
        "playouts": asdict(traits.statistics),
        "rules": _rule_counts(rules),
        "ground": grounding,
    }
    if args.json:
        print_json(document)
    else:
        for label, value in _lines(document, traits):
            print(f"{label + ':':<20} {value}".rstrip())
    return 0


def _build(rules: Rules) -> tuple[Game[Any], dict[str, Any]]:
    """Return the fastest reasoner there is for some rules, and what is to be told about grounding them."""
    from woodstock.game.backends import REFERENCE, build_game
    from woodstock.game.ground_game import GroundGame
    from woodstock.ground import ground

    begin = time.perf_counter()
    try:
        program = ground(rules)
    except LimitError as error:
        seconds = round(time.perf_counter() - begin, 3)
        return build_game(rules, REFERENCE), {"seconds": seconds, "error": str(error)}
    return GroundGame(program), {"seconds": round(time.perf_counter() - begin, 3), **_ground_counts(program)}


def _rule_counts(rules: Rules) -> dict[str, int]:
    from woodstock.gdl.dependency import DependencyGraph

    facts = sum(not rule.body for rule in rules)
    relations = len(DependencyGraph(rules.clauses).relations)
    return {"rules": len(rules) - facts, "facts": facts, "relations": relations}


def _ground_counts(program: GroundProgram) -> dict[str, Any]:
    return {
        "atoms": program.num_atoms,
        "rules": program.num_rules,
        "fluents": program.num_fluents,
        "moves": {role: len(moves) for role, moves in zip(program.roles, program.moves, strict=True)},
        "loops": program.num_loops,
    }


def _trait_fields(traits: Traits) -> list[Any]:
    return [field for field in fields(traits) if field.name != "statistics"]


def _lines(document: dict[str, Any], traits: Traits) -> Iterator[tuple[str, str]]:
    """Yield what to print: labels and values."""
    yield "game", f"{document['title']} ({document['name']})"
    if document["description"]:
        yield "about", document["description"].partition("\n")[0]
    yield "roles", ", ".join(document["roles"])
    for trait in _trait_fields(traits):
        if trait.name not in ("num_roles", "num_players"):
            yield trait.name.removeprefix("num_").replace("_", " "), str(getattr(traits, trait.name))
    yield from _playout_lines(document["playouts"])
    counts = document["rules"]
    yield "sheet", f"{counts['rules']} rules, {counts['facts']} facts, {counts['relations']} relations"
    yield from _ground_lines(document["ground"])


def _playout_lines(playouts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    total = f"{playouts['playouts']} random playouts"
    if playouts["mean_length"] is not None:
        yield "length", f"{playouts['mean_length']:.1f} on average, {playouts['max_length']} at most ({total})"
    if playouts["unfinished"]:
        yield "unfinished", f"{playouts['unfinished']} random playouts were cut before their end"
    if playouts["mean_branching"] is not None:
        yield "branching", f"{playouts['mean_branching']:.1f} on average, {playouts['max_branching']} at most"


def _ground_lines(grounding: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "error" in grounding:
        yield "not grounded", grounding["error"]
        return
    yield "grounded", f"{grounding['rules']} rules, {grounding['atoms']} atoms in {grounding['seconds']:.2f} s"
    yield "fluents", str(grounding["fluents"])
    yield "moves", ", ".join(f"{role} {count}" for role, count in grounding["moves"].items())
    if grounding["loops"]:
        yield "positive loops", str(grounding["loops"])

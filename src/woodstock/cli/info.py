"""`woodstock info`: what kind of game it is, and how large."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from woodstock.cli.arguments import add_repair_option, positive_seconds
from woodstock.cli.output import count, print_json, print_note
from woodstock.common.errors import LimitError
from woodstock.common.limits import Limits

if TYPE_CHECKING:
    from woodstock.game.protocol import Game
    from woodstock.game.traits import Traits
    from woodstock.gdl.rules import Rules
    from woodstock.ground.program import GroundProgram

HELP = "tell what kind of game it is: roles, traits, sizes"

_EPILOG = """\
A trait is `proved` if it follows from the rules, if all positions were seen, or if one position shows it; else it was
`sampled` in so many positions. Branching is the number of joint moves in a position. Players are all roles but random.
Of an exclusive group of fluents at most one, or exactly one, is true in every position; a latch is a fluent that stays
true, or false, once it is so. These are proved for every position that can be reached.
"""

_PROOF_SECONDS = 10.0
"""What the proofs of invariants may take; they are of no use for the rest."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("game", metavar="GAME", help="bundled game, rule sheet, game folder, or - for standard input")
    parser.add_argument("--seconds", type=positive_seconds, default=5.0, help="time to look at positions (5)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random plays")
    add_repair_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Describe a game; always 0."""
    from woodstock.game.load import find_game, playable_rules
    from woodstock.game.survey import SurveyLimits
    from woodstock.game.traits import find_traits
    from woodstock.gdl.sheet import read_sheet

    text = find_game(args.game)
    rules = playable_rules(read_sheet(text.source), args.repair, print_note)
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
    from woodstock.cli.grounding import ground_visibly
    from woodstock.game.backends import REFERENCE, build_game
    from woodstock.game.ground_game import GroundGame

    begin = time.perf_counter()
    try:
        program = ground_visibly(rules)
    except LimitError as error:
        seconds = round(time.perf_counter() - begin, 3)
        return build_game(rules, REFERENCE), {"seconds": seconds, "error": str(error)}
    seconds = round(time.perf_counter() - begin, 3)
    return GroundGame(program), {"seconds": seconds, **_ground_counts(program), "invariants": _invariants(program)}


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


def _invariants(program: GroundProgram) -> dict[str, Any]:
    """Return what is proved about the fluents, or why nothing is."""
    from woodstock.ground.invariants import prove_invariants

    try:
        found = prove_invariants(program, Limits(seconds=_PROOF_SECONDS))
    except LimitError as error:
        return {"error": str(error)}
    return {
        "groups": len(found.groups),
        "exactly_one": sum(group.exactly_one for group in found.groups),
        "grouped_fluents": len({fluent for group in found.groups for fluent in group.fluents}),
        "stays_true": int(found.stays_true.sum()),
        "stays_false": int(found.stays_false.sum()),
        "constant": int(found.constant.sum()),
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
        if trait.name in ("num_roles", "num_players"):
            continue
        if trait.name != "shared_information" or traits.hidden_information.value:  # else there is nothing to share
            yield trait.name.removeprefix("num_").replace("_", " "), str(getattr(traits, trait.name))
    yield from _playout_lines(document["playouts"])
    counts = document["rules"]
    yield "sheet", ", ".join(count(counts[f"{noun}s"], noun) for noun in ("rule", "fact", "relation"))
    yield from _ground_lines(document["ground"])


def _playout_lines(playouts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    total = count(playouts["playouts"], "random playout")
    if playouts["mean_length"] is not None:
        yield "length", f"{playouts['mean_length']:.1f} on average, {playouts['max_length']} at most ({total})"
    if playouts["unfinished"]:
        yield "unfinished", f"cut before their end: {count(playouts['unfinished'], 'random playout')}"
    if playouts["mean_branching"] is not None:
        yield "branching", f"{playouts['mean_branching']:.1f} on average, {playouts['max_branching']} at most"


def _ground_lines(grounding: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "error" in grounding:
        yield "not grounded", grounding["error"]
        return
    size = f"{count(grounding['rules'], 'rule')}, {count(grounding['atoms'], 'atom')}"
    yield "grounded", f"{size} in {grounding['seconds']:.2f} s"
    yield "fluents", str(grounding["fluents"])
    yield "moves", ", ".join(f"{role} {count}" for role, count in grounding["moves"].items())
    if grounding["loops"]:
        yield "positive loops", str(grounding["loops"])
    yield from _invariant_lines(grounding["invariants"], grounding["fluents"])


def _invariant_lines(found: dict[str, Any], num_fluents: int) -> Iterator[tuple[str, str]]:
    if "error" in found:
        yield "invariants", found["error"]
        return
    covered = f"{found['grouped_fluents']} of {count(num_fluents, 'fluent')}"
    yield "exclusive groups", f"{found['groups']} ({found['exactly_one']} exactly one) with {covered}"
    yield "latches", f"{found['stays_true']} stay true, {found['stays_false']} stay false"
    if found["constant"]:
        yield "always true", count(found["constant"], "fluent")

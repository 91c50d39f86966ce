"""`woodstock network`: a game as a stochastic constraint network, and how large that is."""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from woodstock.cli.arguments import add_repair_option
from woodstock.cli.output import count, print_json, print_note, print_table
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from typing import TextIO

    from woodstock.cp.network import Network
    from woodstock.game.ground_game import GroundGame, GroundPosition
    from woodstock.gdl.terms import GroundTerm
    from woodstock.ground.program import GroundProgram
    from woodstock.scsp.game_network import GameNetwork

HELP = "write a game as a stochastic constraint network, and tell how large it is"

_EPILOG = """\
A stage has the parts of the position, terminal, a utility for each player, an action for each role, what chance may
draw and what is seen; behind the last stage stands the position that it leads to. All other variables are auxiliary.
In the multi-valued encoding fluents that exclude each other, as is proved, share a variable. The first stage begins
with the position that is asked for, as unary constraints. Terms are in KIF: --after "(place 2 2) wait" takes a move of
each role, in their order, for every step. Games of the papers are shown with the figures of the paper.

--xcsp3 writes a CSP for one stage, and with --stages the dialect of stochastic networks, where chance is drawn with the
probabilities that follow from the position. --dot writes a graph for Graphviz.
"""

MAX_LINES = 500
"""Most lines of each part of a listing."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("game", metavar="GAME", help="bundled game, rule sheet, game folder, or - for standard input")
    parser.add_argument(
        "--encoding",
        choices=("multivalued", "boolean"),
        default="multivalued",
        help="a variable for each group of fluents that exclude each other, or for each fluent",
    )
    parser.add_argument("--stages", metavar="T", type=int, help="number of stages (1)")
    parser.add_argument("--stage", action="store_true", help="list the variables and the constraints")
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--position", metavar="FLUENTS", help="the position to begin with, instead of the initial one")
    start.add_argument("--after", metavar="MOVES", help="begin with the position after these moves")
    add_repair_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--xcsp3", metavar="FILE", help="write the network as an XCSP3 file")
    parser.add_argument("--dot", metavar="FILE", help="write the graph of the network")


def run(args: argparse.Namespace) -> int:
    """Build the network, tell about it and write it; always 0."""
    from woodstock.cli.grounding import ground_visibly
    from woodstock.game.load import find_game, playable_rules
    from woodstock.gdl.sheet import read_sheet
    from woodstock.scsp.game_statistics import measure_network
    from woodstock.scsp.scopes import same_variables

    text = find_game(args.game)
    rules = playable_rules(read_sheet(text.source), args.repair, print_note)
    began = time.perf_counter()
    program = ground_visibly(rules)
    ground_seconds = time.perf_counter() - began
    position = _find_position(args, program)
    game, seconds = _build(args, program)
    constraints = [game.position_clauses(position), *game.network.constraints, *game.network.utilities]
    network = same_variables(game.network, constraints)
    document = {
        "game": text.name,
        "encoding": args.encoding,
        "stages": game.horizon,
        **asdict(measure_network(game, network)),
        **seconds,
        "ground_seconds": round(ground_seconds, 3),
        "paper": _paper(text.name),
    }
    if args.xcsp3 is not None:
        _write(args.xcsp3, lambda out: _write_xcsp3(args, game, network, out))
    if args.dot is not None:
        _write_dot(args.dot, game, network)
    if args.stage:
        document["listing"] = _listing(network)
    if args.json:
        print_json(document)
    else:
        _print_text(document)
    return 0


def _find_position(args: argparse.Namespace, program: GroundProgram) -> GroundPosition:
    """Return the position that the first stage begins with."""
    from woodstock.game.ground_game import GroundGame

    game = GroundGame(program)
    if args.position is not None:
        return game.position_of(_terms(args.position))
    position = game.initial_position()
    moves = [] if args.after is None else _terms(args.after)
    if len(moves) % len(game.roles):
        expected = f"a move of each of {count(len(game.roles), 'role')} ({', '.join(game.roles)}) for every step"
        raise UsageError(f"expected {expected}, found {count(len(moves), 'move')}")
    for step in range(0, len(moves), len(game.roles)):
        joint = moves[step : step + len(game.roles)]
        _refuse_illegal(game, position, joint, 1 + step // len(game.roles))
        position = game.next_position(position, joint)
    return position


def _refuse_illegal(game: GroundGame, position: GroundPosition, joint: list[GroundTerm], step: int) -> None:
    from woodstock.gdl.printer import to_kif

    if game.is_terminal(position):
        raise UsageError(f"expected no move in step {step}, as the match is over, found {to_kif(joint[0])}")
    for role, move in enumerate(joint):
        legal = game.legal_moves(position, role)
        if move not in legal:
            known = ", ".join(to_kif(other) for other in islice(legal, 8)) + (", …" if len(legal) > 8 else "")
            name = game.roles[role]
            raise UsageError(f"expected a legal move of {name} in step {step}, such as {known}, found {to_kif(move)}")


def _terms(text: str) -> list[GroundTerm]:
    """Read ground terms in KIF."""
    from woodstock.gdl.sheet import read_sheet
    from woodstock.gdl.terms import is_ground

    sheet = read_sheet(text, "kif")
    if sheet.has_errors or not all(is_ground(rule.head) and not rule.body for rule in sheet.rules):
        raise UsageError(f"expected terms without variables, such as (cell 1 2) or noop, found {text!r}")
    return [rule.head for rule in sheet.rules]  # type: ignore[misc]  # they are ground


def _build(args: argparse.Namespace, program: GroundProgram) -> tuple[GameNetwork, dict[str, float]]:
    """Return the network, and the seconds that it took to prove what it rests on and to build it."""
    from woodstock.common.progress import progress
    from woodstock.ground.exclusion import prove_exclusions
    from woodstock.scsp.game_fluents import Encoding
    from woodstock.scsp.game_network import GameNetwork

    encoding = Encoding(args.encoding)
    if encoding == Encoding.MULTIVALUED:
        _prepare()
    began = time.perf_counter()
    with progress("building the network"):
        exclusions = prove_exclusions(program, with_latches=False) if encoding == Encoding.MULTIVALUED else None
        proved = time.perf_counter()
        stages = 1 if args.stages is None else args.stages
        game = GameNetwork(program, stages, encoding=encoding, exclusions=exclusions)
    done = time.perf_counter()
    return game, {"seconds": round(done - began, 4), "proof_seconds": round(proved - began, 4)}


def _prepare() -> None:
    """Compile or load the kernels of the proofs: what they take has nothing to do with the game."""
    from woodstock.common.progress import progress
    from woodstock.game.load import load_rules
    from woodstock.ground import ground
    from woodstock.ground.exclusion import prove_exclusions

    with progress("preparing kernels"):
        prove_exclusions(ground(load_rules("nim")), with_latches=False)


def _paper(name: str) -> dict[str, Any] | None:
    """Return what the paper says of a game, if it is one of its games."""
    from woodstock.scsp.game_statistics import PAPER_TABLE, find_paper_game

    game = find_paper_game(name)
    if game is None:
        return None
    return {"game": game.name, "difference": game.difference, **PAPER_TABLE[game.name]._asdict()}


def _listing(network: Network) -> dict[str, list[str]]:
    """Return the variables and constraints in words; the first ones if there are many."""
    from woodstock.scsp.game_listing import Listing

    listing = Listing(network)
    return {"variables": _first_lines(listing.variables()), "constraints": _first_lines(listing.constraints())}


def _first_lines(lines: Iterator[str]) -> list[str]:
    found = list(islice(lines, MAX_LINES))
    left = sum(1 for _ in lines)
    return [*found, f"… and {count(left, 'line')} more"] if left else found


def _write(name: str, write: Callable[[TextIO], None]) -> None:
    """Write a file, completely or not at all."""
    from woodstock.common.files import write_atomically

    text = io.StringIO()
    write(text)
    try:
        write_atomically(Path(name), text.getvalue().encode())
    except OSError as error:
        raise UsageError(f"cannot write {name!r}: {error.strerror or error}") from None


def _write_xcsp3(args: argparse.Namespace, game: GameNetwork, network: Network, out: TextIO) -> None:
    from woodstock.cp.xcsp3 import write_xcsp3

    if args.stages is None:
        write_xcsp3(network, out)
        return
    from woodstock.scsp.game_export import make_stages

    stages, probabilities = make_stages(game, network)
    write_xcsp3(network, out, stages=stages, probabilities=probabilities)


def _write_dot(name: str, game: GameNetwork, network: Network) -> None:
    from woodstock.scsp.game_graph import write_dot

    _write(name, lambda out: write_dot(game, out, network))


def _print_text(document: dict[str, Any]) -> None:
    for label, value in _lines(document):
        print(f"{label + ':':<20} {value}")
    print()
    print_table(("", "#vars", "maxDom", "#const", "s"), _rows(document), right={1, 2, 3, 4})
    paper = document["paper"]
    if paper is not None:
        difference = f": {paper['difference']}" if paper["difference"] else ""
        print(f"\nThe paper's sheet of {paper['game']} is not public; this is another one{difference}.")
    for part, lines in document.get("listing", {}).items():
        print(f"\n{part}")
        for line in lines:
            print(f"  {line}")


def _lines(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what to print: labels and values."""
    yield "game", document["game"]
    yield "encoding", document["encoding"]
    yield "stages", str(document["stages"])
    yield "variables", f"{document['variables']:,}, and {document['auxiliaries']:,} auxiliary"
    yield "largest domain", f"{document['max_domain']:,}"
    parts = ", ".join(count(document[f"{noun}s"], noun) for noun in ("table", "clause", "gate", "loop"))
    yield "constraints", f"{document['constraints']:,} ({parts}, {document['soft']} soft)"
    yield "size", f"{document['tuples']:,} tuples, {document['literals']:,} literals"
    yield "grounded", f"in {document['ground_seconds']:.2f} s"
    yield "built", f"in {document['seconds']:.3f} s, of which {document['proof_seconds']:.3f} s for proofs"


def _rows(document: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of Table 2: ours, and the paper's if there is one."""
    keys = ("variables", "max_domain", "constraints")
    seconds = document["ground_seconds"] + document["seconds"]
    yield (document["game"], *(str(document[key]) for key in keys), f"{seconds:.2f}")
    paper = document["paper"]
    if paper is not None:
        yield (f"{paper['game']} (Constraints 2016)", *(str(paper[key]) for key in keys), str(paper["seconds"]))

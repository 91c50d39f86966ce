"""`woodstock symmetry`: the symmetries of a game, and which moves of a position are alike."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from woodstock.cli.arguments import add_repair_option, positive_seconds
from woodstock.cli.output import count, print_json, print_note

if TYPE_CHECKING:
    from woodstock.ground import GroundProgram
    from woodstock.ground.program import BoolArray
    from woodstock.symmetry import GameSymmetries, Symmetry, SymmetryGroup
    from woodstock.symmetry.picture import OrbitPicture

HELP = "find the symmetries of a game, and which moves of a position are alike"
DEFAULT_SECONDS = 60.0
EXACT_NUMBERS = 2**53
"""Larger numbers are written as text in JSON: many readers would round them."""
LIBRARIES = ("auto", "igraph", "dreadnaut")
MAX_SHOWN = 8
"""Moves of an orbit that are printed for people."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("game", metavar="GAME", help="a bundled game, a rule sheet, or a folder with one")
    parser.add_argument(
        "--position",
        metavar="RECORD:STEP",
        help="show the moves after so many steps of a recorded match, not at the start",
    )
    parser.add_argument("--permute-roles", action="store_true", help="let roles change places")
    parser.add_argument(
        "--seconds",
        type=positive_seconds,
        default=DEFAULT_SECONDS,
        metavar="S",
        help="time for the search (default: 60)",
    )
    parser.add_argument(
        "--library",
        choices=LIBRARIES,
        default=LIBRARIES[0],
        help="who is asked for automorphisms that our own search may have missed (default: igraph, or nauty's program "
        "dreadnaut for very large graphs where it is installed)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the orbits of moves on the board")
    add_repair_option(parser)


def run(args: argparse.Namespace) -> int:
    """Find symmetries; always 0."""
    from woodstock.cli.grounding import ground_visibly
    from woodstock.common.limits import Deadline
    from woodstock.game.load import load_rules
    from woodstock.symmetry import DetectionOptions, Library, find_symmetries

    program = ground_visibly(load_rules(args.game, args.repair, print_note))
    position = _position(program, args.position)
    options = DetectionOptions(
        deadline=Deadline(args.seconds), permute_roles=args.permute_roles, library=Library(args.library)
    )
    found = find_symmetries(program, options)
    stabiliser = found.group.position_stabiliser(position)
    orbits = _move_orbits(program, stabiliser, position)
    picture = _picture(program, position, orbits)
    if args.svg is not None:
        _write_svg(args.svg, args.game, picture)
    document = _document(program, found) | {
        "stabiliser_order": _number(stabiliser.order),
        "orbits": [[{"role": role, "move": move} for role, _, move in orbit] for orbit in orbits],
    }
    if args.json:
        print_json(document)
    else:
        _print_text(document, picture)
    return 0


def _position(program: GroundProgram, place: str | None) -> BoolArray:
    """Return the fluents of the initial position, or of one in a record."""
    import numpy as np

    from woodstock.common.errors import UsageError
    from woodstock.gdl.printer import to_kif
    from woodstock.match import load_record

    if place is None:
        return program.initial
    path, _, text = place.rpartition(":")
    if not path or not text.isdigit():
        raise UsageError(f"expected RECORD:STEP, such as match.json:12, found {place!r}")
    states = load_record(Path(path)).states
    if int(text) >= len(states):
        raise UsageError(f"{path}: expected a step from 0 to {len(states) - 1}, found {text}")
    bits = np.zeros(program.num_fluents, dtype=np.bool_)
    for fluent in sorted(states[int(text)], key=repr):
        if fluent not in program.fluent_index:
            raise UsageError(f"{path}: step {text} has {to_kif(fluent)}, which is no fluent of this game")
        bits[program.fluent_index[fluent]] = True
    return bits


def _move_orbits(
    program: GroundProgram, stabiliser: SymmetryGroup, position: BoolArray
) -> list[list[tuple[str, Any, str]]]:
    """Return the orbits of legal moves, each move as role, term and text."""
    import numpy as np

    from woodstock.gdl.printer import to_kif
    from woodstock.ground.evaluation import Evaluator, holds

    values = Evaluator(program).position(np.flatnonzero(position).tolist())
    legal = holds(values, program.legal_atom)
    names = [(role, move) for role, moves in zip(program.roles, program.moves, strict=True) for move in moves]
    orbits: dict[int, list[tuple[str, Any, str]]] = {}
    for move, orbit in enumerate(stabiliser.move_orbits().tolist()):
        if legal[move]:
            role, term = names[move]
            orbits.setdefault(orbit, []).append((role, term, to_kif(term)))
    return list(orbits.values())


def _picture(
    program: GroundProgram, position: BoolArray, orbits: list[list[tuple[str, Any, str]]]
) -> OrbitPicture | None:
    """Draw the orbits on the first board whose squares the moves name; None if there is none."""
    from woodstock.draw import find_boards
    from woodstock.symmetry.picture import make_picture

    here = [fluent for fluent, is_true in zip(program.fluents, position.tolist(), strict=True) if is_true]
    terms = [[term for _, term, _ in orbit] for orbit in orbits]
    pictures = [make_picture(board.columns, board.rows, terms) for board in find_boards(here, program.fluents)]
    found = [picture for picture in pictures if picture is not None]
    return max(found, key=lambda picture: len(picture.orbits), default=None)


def _write_svg(path: Path, name: str, picture: OrbitPicture | None) -> None:
    from woodstock.common.errors import UsageError
    from woodstock.common.files import write_atomically
    from woodstock.symmetry.picture import draw_svg

    if picture is None:
        raise UsageError(f"{name}: no board was found that the moves name squares of, so there is nothing to draw")
    try:
        write_atomically(path, draw_svg(picture, f"{name}: orbits of moves").encode())
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def _number(order: int) -> int | str:
    return order if order <= EXACT_NUMBERS else str(order)


def _document(program: GroundProgram, found: GameSymmetries) -> dict[str, Any]:
    return {
        "order": _number(found.order),
        "proved": found.proved,
        "finished": found.finished,
        "seconds": round(found.seconds, 3),
        "generators": [
            _generator(program, symmetry, how) for symmetry, how in zip(found.generators, found.how, strict=True)
        ],
        "refused": found.refused,
    }


def _generator(program: GroundProgram, symmetry: Symmetry, how: str) -> dict[str, Any]:
    from woodstock.symmetry.words import describe, fluent_images, move_images

    roles = {role: program.roles[symmetry.roles[number]] for number, role in enumerate(program.roles)}
    return {
        "words": describe(program, symmetry),
        "proved_by": how,
        "roles": {role: image for role, image in roles.items() if role != image},
        "fluents": _moved(fluent_images(program, symmetry)),
        "moves": _moved(move_images(program, symmetry)),
    }


def _moved(images: Mapping[Any, Any]) -> dict[str, str]:
    from woodstock.gdl.printer import to_kif

    return {to_kif(term): to_kif(image) for term, image in images.items() if term != image}


def _print_text(document: dict[str, Any], picture: OrbitPicture | None) -> None:
    from woodstock.symmetry.picture import draw_text, letter

    order = int(document["order"])
    print(f"{order} {'symmetry, which moves nothing' if order == 1 else 'symmetries'}")
    for generator in document["generators"]:
        print(f"- {'; '.join(generator['words'])}  (proved by {generator['proved_by']})")
    for refused in document["refused"]:
        print(f"not used: {refused}")
    if not document["finished"]:
        print("the time was up before the search was: there may be more")
    print()
    print(f"{count(len(document['orbits']), 'orbit')} of moves in this position:")
    for number, orbit in enumerate(document["orbits"]):
        moves = [f"{entry['role']} {entry['move']}" for entry in orbit]
        more = f", and {len(moves) - MAX_SHOWN} more" if len(moves) > MAX_SHOWN else ""
        print(f"{letter(number)}  {', '.join(moves[:MAX_SHOWN])}{more}")
    if picture is not None:
        print()
        print(draw_text(picture))

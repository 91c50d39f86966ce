"""How long the symmetries of games take to find, and how many there are.

    python benchmarks/symmetry.py [GAME|FOLDER …] [--seconds S] [--permute-roles] [--hidden] [--library L] [--no-own]

A game is whatever the commands take; a folder stands for the sheets in it; without any, the bundled games. Time is by
the clock, without the cache, from the ground program on: the graph, its automorphisms (by our own search or a library,
its process included), the verification of generators with the order of the group, and with `--hidden` what lies beyond
the syntax. Kernels are compiled or loaded before. `--library dreadnaut` asks nauty, if it is installed, and with
`--no-own` so does every game, as it does igraph otherwise.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise

import numpy as np

from woodstock.cli.output import print_table
from woodstock.common.errors import WoodstockError
from woodstock.common.limits import Deadline
from woodstock.game.load import find_games, playable_rules
from woodstock.games import game_names
from woodstock.gdl.sheet import read_sheet
from woodstock.ground import GroundProgram, ground
from woodstock.symmetry import DetectionOptions, Library, SymmetryGroup, _automorphism, find_symmetries
from woodstock.symmetry._automorphism import find_generators
from woodstock.symmetry.detection import shape_of
from woodstock.symmetry.graphs import Graph
from woodstock.symmetry.rule_graph import rule_graph
from woodstock.symmetry.verification import keeps_program

HEADERS = ["game", "vertices", "edges", "graph s", "search s", "verified s", "order", "hidden s", "order", "by"]


def measure(name: str, program: GroundProgram, args: argparse.Namespace) -> list[str]:
    """Return a row of the table."""
    times = [time.monotonic()]
    graph = rule_graph(program, args.permute_roles)
    times.append(time.monotonic())
    found = find_generators(graph.graph, Deadline(args.seconds), Library(args.library))
    times.append(time.monotonic())
    symmetries = [graph.symmetry_of(image) for image in found.permutations]
    maps = [graph.atoms_of(image) for image in found.permutations]
    assert all(keeps_program(program, *each) for each in zip(symmetries, maps, strict=True))
    order = SymmetryGroup(symmetries, shape_of(program), found.order).order
    times.append(time.monotonic())
    spent = [f"{end - start:.2f}" for start, end in pairwise(times)]
    size = [str(graph.graph.num_vertices), str(graph.graph.num_edges)]
    row = [name, *size, *spent, str(order) if found.finished else "no time"]
    if not args.hidden:
        return [*row, "", "", ""]
    options = DetectionOptions(
        Deadline(args.seconds), args.permute_roles, use_cache=False, library=Library(args.library)
    )
    beyond = find_symmetries(program, options)
    by = ", ".join(sorted(set(beyond.how))) if beyond.order != order else ""
    return [*row, f"{beyond.seconds:.2f}", str(beyond.order), by if beyond.finished else f"{by} (no time)"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME|FOLDER")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--permute-roles", action="store_true")
    parser.add_argument("--hidden", action="store_true")
    parser.add_argument("--library", choices=[each.value for each in Library], default=Library.AUTO.value)
    parser.add_argument("--no-own", action="store_true", help="ask a library always")
    args = parser.parse_args()
    if args.no_own:
        _automorphism.OWN_WORK = 0  # type: ignore[misc]
    find_generators(Graph(2, np.zeros((0, 2), dtype=np.int32), np.zeros(2, dtype=np.int32)))
    rows = []
    for game in find_games(args.games or game_names()):
        try:
            program = ground(playable_rules(read_sheet(game.source)))
        except WoodstockError:
            continue
        rows.append(measure(game.name, program, args))
    print_table(HEADERS, rows, right=range(1, 9))


if __name__ == "__main__":
    main()

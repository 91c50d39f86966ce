"""Node visits and playouts a second of tree search, from the initial position.

    python benchmarks/search.py [GAME ...] [--seconds S] [--threads N] [--memory MB] [--grave] [--mast]

A *visit* is a node of the tree that is sampled for the first time, with all its playouts; a *descent* ends in a node
that is expanded, which visits its children. `flat` is the number of playouts of flat UCB1 in the same time. Times are
by the clock on the wall: leave the machine alone.
"""

from __future__ import annotations

import argparse
import resource
import sys

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.search.advice import advise
from woodstock.search.flat import FlatSearch
from woodstock.search.options import SearchOptions
from woodstock.search.tree_search import TreeSearch

GAMES = ("connect_four", "breakthrough", "hex", "othello", "checkers", "ttcc4", "pig", "chess")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"games ({', '.join(GAMES)})")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds a search (1)")
    parser.add_argument("--threads", type=int, default=1, help="threads of a search (1)")
    parser.add_argument("--memory", type=float, default=1024, help="megabytes of a tree (1024)")
    parser.add_argument("--grave", action="store_true", help="GRAVE instead of UCT")
    parser.add_argument("--mast", action="store_true", help="playouts by MAST")
    args = parser.parse_args()
    options = SearchOptions(threads=args.threads, memory=args.memory, grave=args.grave, mast=args.mast)
    print("python", " ".join(sys.argv))
    head = ("descents/s", "visits/s", "playouts/s", "flat/s", "nodes", "collections", "MB")
    print(f"{'game':16}" + "".join(f"{name:>13}" for name in head) + "  move")
    for name in args.games or GAMES:
        game = CircuitGame(ground(load_rules(name)))
        search = TreeSearch(game, options)
        search.set_root(game.initial_position())
        search.run(Deadline(None), 20)
        search.clear()
        search.set_root(game.initial_position())
        search.run(Deadline(args.seconds))
        flat = FlatSearch(game)
        chooser = next((role for role in range(len(game.roles)) if advise(search, role) is not None), 0)
        flat.set_root(game.initial_position(), chooser)
        flat.run(Deadline(min(1.0, args.seconds)))
        done = search.statistics
        cells = [done.descents / done.seconds, done.visits / done.seconds, done.playouts / done.seconds]
        cells.append(flat.statistics.playouts / flat.statistics.seconds)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        cells += [search.num_nodes, done.collections, peak]
        advice = advise(search, chooser)
        best = "" if advice is None else f"{advice.move} {advice.value:.1f}"
        print(f"{name:16}" + "".join(f"{cell:13,.0f}" for cell in cells) + f"  {best}", flush=True)


if __name__ == "__main__":
    main()

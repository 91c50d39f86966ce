"""Puzzles: what a planner finds, what each of its parts finds alone, and what a tree search finds in the same time.

    python benchmarks/planning.py [GAME ...] [--seconds S] [--alone] [--uct]

A game is a bundled name or a rule sheet. For each: the value of the best plan, `*` if it is proven, the seconds until
it was found, and the part that found it; with `--alone` value and seconds of each part by itself, and with `--uct` the
goal of a match of a tree search, each within S seconds. Kernels are compiled before.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from woodstock.circuit.game import CircuitGame
from woodstock.common.errors import WoodstockError
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.game.protocol import goal
from woodstock.ground import ground
from woodstock.search.advice import advise
from woodstock.search.planning import PARTS, Planner, PlanningOptions, is_puzzle
from woodstock.search.tree_search import TreeSearch

GAMES = ("lights_out",)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"games ({', '.join(GAMES)})")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each trial (10)")
    parser.add_argument("--alone", action="store_true", help="try each part alone as well")
    parser.add_argument("--uct", action="store_true", help="try a tree search as well")
    args = parser.parse_args()
    print("python", " ".join(sys.argv))
    for part in PARTS:
        trial(CircuitGame(ground(load_rules("lights_out"))), (part,), 3.0)
    play_uct(CircuitGame(ground(load_rules("lights_out"))), 3.0)
    names = ["all", *(PARTS if args.alone else ()), *(("uct",) if args.uct else ())]
    print(f"{'game':30}" + "".join(f"{name:>20}" for name in names))
    for name in args.games or GAMES:
        try:
            game = CircuitGame(ground(load_rules(name, repair=True)))
        except WoodstockError as error:
            print(f"{Path(name).stem:30} {error}")
            continue
        if not is_puzzle(game.program):
            print(f"{Path(name).stem:30} no puzzle")
            continue
        cells = [trial(game, PARTS, args.seconds)]
        cells += [trial(game, (part,), args.seconds) for part in PARTS if args.alone]
        cells += [play_uct(game, args.seconds)] if args.uct else []
        print(f"{Path(name).stem:30}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


def trial(game: CircuitGame, parts: tuple[str, ...], seconds: float) -> str:
    """Return what parts of a planner find in some time."""
    planner = Planner(game, 1, options=PlanningOptions(parts))
    planner.look_at(game.initial_position())
    planner.run(Deadline(seconds))
    plan = planner.plan
    if plan is None:
        return "-"
    finder = f" {planner.statistics.finder}" if len(parts) > 1 else ""
    return f"{100 * plan.value:.0f}{'*' if plan.is_proven else ''} {planner.statistics.found_after:.1f}{finder}"


def play_uct(game: CircuitGame, seconds: float) -> str:
    """Return the goal of a match of a tree search that has a half of the time before the first move."""
    search = TreeSearch(game, seed=1)
    position = game.initial_position()
    budget = seconds / 2
    left = Deadline(seconds)
    while not game.is_terminal(position):
        search.set_root(position)
        search.run(Deadline(min(budget, left.seconds_left)))
        budget = seconds / 100
        best = [game.legal_moves(position, role)[0] for role in range(len(game.roles))]
        for role in range(len(game.roles)):
            if len(game.legal_moves(position, role)) > 1:
                advice = advise(search, role)
                best[role] = best[role] if advice is None else advice.move
        position = game.next_position(position, best)
    return f"{goal(game, position, 0) or 0}"


if __name__ == "__main__":
    main()

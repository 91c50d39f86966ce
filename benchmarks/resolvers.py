"""How many solutions of one-stage networks a resolver finds in a second: MAC, FC and the circuit, one after the other.

    python benchmarks/resolvers.py [GAME ...] [--sheets FOLDER] [--positions N] [--seconds S]

Positions of random matches are resolved again and again; rates are by the processor's clock. The circuit is also asked
for all positions at once, which is how a search uses it.
"""

from __future__ import annotations

import argparse
import platform
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from woodstock.circuit.packing import pack
from woodstock.cp.solver import Strength
from woodstock.game.ground_game import GroundGame, GroundPosition
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.ground.program import GroundProgram
from woodstock.scsp.resolver import NetworkResolver, Resolver
from woodstock.search.circuit_resolver import CircuitResolver

GAMES = ("tic_tac_toe", "connect_four", "breakthrough_small", "hex_small", "pig")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"bundled games or sheets ({', '.join(GAMES)})")
    parser.add_argument("--sheets", type=Path, help="folder of rule sheets in which names are looked up")
    parser.add_argument("--positions", type=int, default=200, help="positions of random matches (200)")
    parser.add_argument("--seconds", type=float, default=0.5, help="time for each figure (0.5)")
    args = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}; python {' '.join(sys.argv)}")
    print(f"{'game':24} {'MAC/s':>12} {'FC/s':>12} {'circuit/s':>12} {'in a batch/s':>14}")
    for name in args.games or GAMES:
        program = ground(load_rules(str(args.sheets / f"{name}.kif") if args.sheets else name))
        positions = sample(program, args.positions)
        circuit = CircuitResolver(program)
        resolvers = [NetworkResolver(program), NetworkResolver(program, strength=Strength.FC), circuit]
        rates = [rate(partial(one_by_one, each, positions), args.seconds) for each in resolvers]
        rates.append(rate(partial(at_once, circuit, positions), args.seconds))
        print(f"{name:24} {rates[0]:12,.0f} {rates[1]:12,.0f} {rates[2]:12,.0f} {rates[3]:14,.0f}", flush=True)


def sample(program: GroundProgram, count: int) -> list[GroundPosition]:
    """Return positions of random matches that are not over."""
    game, rng = GroundGame(program), random.Random(1)
    found: list[GroundPosition] = []
    while len(found) < count:
        position = game.initial_position()
        while not game.is_terminal(position) and len(found) < count:
            found.append(position)
            moves = [rng.choice(game.legal_moves(position, role)) for role in range(len(game.roles))]
            position = game.next_position(position, moves)
    return found


def one_by_one(resolver: Resolver, positions: list[GroundPosition]) -> int:
    """Resolve positions one after the other; return the number of solutions."""
    return sum(len(resolver.resolve(position).moves) for position in positions)


def at_once(resolver: CircuitResolver, positions: list[GroundPosition]) -> int:
    """Resolve all positions in one batch; return the number of solutions."""
    held = np.zeros((len(positions), resolver.program.num_fluents), np.bool_)
    for row, position in enumerate(positions):
        held[row, list(position)] = True
    return len(resolver.expander.expand(pack(held), with_goals=False).parent)


def rate(work: Callable[[], int], seconds: float) -> float:
    """Return what is done in a second of the processor's time, once everything is warm."""
    work()
    done, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        done += work()
    return done / (time.process_time() - began)


if __name__ == "__main__":
    main()

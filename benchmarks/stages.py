"""Several stages and a threshold in one network, against brute force on the circuit.

    python benchmarks/stages.py [GAME ...] [--stages N] [--positions N] [--seconds S]

The question, in positions of random matches: can role 0 have the goal 100 within n joint moves, if all help? It is
asked for n = 1, 2, … until brute force takes more than S seconds on average, or too much memory. The network answers by
propagation and search (`GameStages.find_plan`), brute force by expanding all positions, each once, until one with that
goal comes. Times are milliseconds a position by the processor's clock. `nodes` counts the positions that brute force
expands, `moves` is the share of the legal moves of roles with a choice that propagation alone leaves over
(`GameStages.moves_left`), `refuted` the share of positions without a plan in which it leaves none.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time

import numpy as np

from woodstock.circuit.packing import pack
from woodstock.common.limits import Limits
from woodstock.game.ground_game import GroundGame, GroundPosition
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.ground.program import GroundProgram
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_stages import GameStages, Threshold
from woodstock.search.circuit_resolver import CircuitResolver

GAMES = ("tic_tac_toe", "connect_four", "breakthrough_small", "hex_small", "lights_out", "nim")
MOST_CHILDREN = 3_000_000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"games ({', '.join(GAMES)})")
    parser.add_argument("--stages", type=int, default=6, help="most stages (6)")
    parser.add_argument("--positions", type=int, default=30, help="positions of random matches (30)")
    parser.add_argument("--seconds", type=float, default=1.0, help="when brute force takes longer, stop (1)")
    args = parser.parse_args()
    print("python", " ".join(sys.argv))
    head = ("game", "n", "plans", "network ms", "brute ms", "ratio", "nodes", "moves", "refuted")
    print(f"{head[0]:20}" + "".join(f"{name:>12}" for name in head[1:]))
    for name in args.games or GAMES:
        program = ground(load_rules(name))
        positions = sample(program, args.positions)
        for stages in range(1, args.stages + 1):
            if compare(name, program, positions, stages) > args.seconds:
                break


def sample(program: GroundProgram, count: int) -> list[GroundPosition]:
    """Return positions of random matches that are not over, from early and late in them."""
    game, rng = GroundGame(program), random.Random(1)
    found: list[GroundPosition] = []
    while len(found) < count:
        line: list[GroundPosition] = []
        position = game.initial_position()
        while not game.is_terminal(position):
            line.append(position)
            moves = [rng.choice(game.legal_moves(position, role)) for role in range(len(game.roles))]
            position = game.next_position(position, moves)
        found.append(rng.choice(line))
    return found


def compare(name: str, program: GroundProgram, positions: list[GroundPosition], num_stages: int) -> float:
    """Print a line of the table; return how many seconds brute force took for a position."""
    stages = GameStages(GameNetwork(program, num_stages, with_outcome=True), [Threshold(role=0, least=100)])
    circuit = CircuitResolver(program)
    for position in positions:  # what is compiled at the first call is not what is measured
        stages.find_plan(position, Limits(nodes=100))
        if search_forwards(circuit, position, num_stages) is None:
            return math.inf
    began = time.process_time()
    plans = [stages.find_plan(position, Limits(seconds=20)).moves is not None for position in positions]
    by_network = (time.process_time() - began) / len(positions)
    began = time.process_time()
    answers = [found for position in positions if (found := search_forwards(circuit, position, num_stages))]
    by_force = (time.process_time() - began) / len(positions)
    if plans != [found for found, _ in answers]:
        raise SystemExit(f"{name}: the two ways differ, or one was not given enough time")
    shares = [share_of_moves(program, stages, position) for position in positions]
    refuted = [share == 0 for share, found in zip(shares, plans, strict=True) if not found]
    nodes = np.mean([count for _, count in answers])
    texts = (
        *(str(num_stages), f"{sum(plans)}/{len(plans)}", f"{1000 * by_network:.2f}", f"{1000 * by_force:.2f}"),
        *(f"{by_force / by_network:.2f}", f"{nodes:,.0f}", f"{np.mean(shares):.0%}"),
        f"{np.mean(refuted):.0%}" if refuted else "-",
    )
    print(f"{name:20}" + "".join(f"{text:>12}" for text in texts), flush=True)
    return by_force


def share_of_moves(program: GroundProgram, stages: GameStages, position: GroundPosition) -> float:
    """Return how many of the legal moves, of roles with a choice, propagation leaves over."""
    game = GroundGame(program)
    legal = [len(game.legal_moves(position, role)) for role in range(len(program.roles))]
    left = [len(stages.moves_left(position, role)) for role in range(len(program.roles))]
    chosen = [role for role, count in enumerate(legal) if count > 1] or [0]
    return sum(left[role] for role in chosen) / sum(legal[role] for role in chosen)


def search_forwards(circuit: CircuitResolver, position: GroundPosition, num_stages: int) -> tuple[bool, int] | None:
    """Tell whether role 0 can have 100 within some joint moves, and how many positions it took; None if too many."""
    held = np.zeros((1, circuit.program.num_fluents), np.bool_)
    held[0, list(position)] = True
    rows = pack(held)
    expanded = 0
    for _ in range(num_stages):
        found = circuit.expander.expand(rows, max_children=MOST_CHILDREN)
        expanded += len(rows)
        if (found.terminal & (found.goals[:, 0] == 100)).any():
            return True, expanded
        if not found.finished:
            return None
        _, first = np.unique(found.keys, return_index=True)
        rows = found.rows[first[~found.terminal[first]]]
        if not len(rows):
            break
    return False, expanded


if __name__ == "__main__":
    main()

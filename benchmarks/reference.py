"""Random playouts a second of the reference reasoner.

    python benchmarks/reference.py GAME… [--seconds S] [--seed N]

A game is whatever the commands take: a bundled name, a path, a folder. Time is CPU time of this process; the first
playout, which compiles the rules, is shown apart.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import NamedTuple

from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame


class Speed(NamedTuple):
    """What was measured of a game."""

    first: float
    playouts: float
    steps: float
    length: float


def playout(game: ReferenceGame, rng: random.Random, longest: int) -> int:
    """Play random moves to the end, or to a step limit, and return the number of steps."""
    position = game.initial_position()
    roles = range(len(game.roles))
    for step in range(longest):
        if game.is_terminal(position):
            for role in roles:
                game.goal_values(position, role)
            return step
        moves = [game.legal_moves(position, role) for role in roles]
        if not all(moves):
            return step
        position = game.next_position(position, [rng.choice(choices) for choices in moves])
    return longest


def measure(name: str, seconds: float, seed: int, longest: int) -> Speed:
    """Run playouts for some time."""
    rules = load_rules(name)
    rng = random.Random(seed)
    start = time.process_time()
    game = ReferenceGame(rules)
    playout(game, rng, longest)
    first = time.process_time() - start
    playouts = steps = 0
    start = time.process_time()
    while not playouts or time.process_time() - start < seconds:
        steps += playout(game, rng, longest)
        playouts += 1
    spent = time.process_time() - start
    return Speed(first, playouts / spent, steps / spent, steps / playouts)


def main() -> None:
    """Print a table of speeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=["tic_tac_toe"], metavar="GAME")
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU time of each game (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="of the random moves (default: 1)")
    parser.add_argument("--longest", type=int, default=1000, help="steps after which a playout is cut (default: 1000)")
    args = parser.parse_args()
    print(f"{'game':30} {'first, s':>9} {'playouts/s':>11} {'steps/s':>9} {'length':>7}")
    for name in args.games:
        speed = measure(name, args.seconds, args.seed, args.longest)
        print(f"{name[-30:]:30} {speed.first:9.3f} {speed.playouts:11.2f} {speed.steps:9.0f} {speed.length:7.1f}")


if __name__ == "__main__":
    main()

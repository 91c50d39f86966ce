"""Speed of quantified networks: the exact solver, and random playouts with propagation.

    python benchmarks/qcsp.py [--instances N] [--seconds S]

Rates are of CPU time in one process. Playouts start at the root of networks that propagation does not refute, with
propagation after every value; many end early, as those of a search do.
"""

from __future__ import annotations

import argparse
import sys
import time

from woodstock.qcsp import Compiled, Parameters, Solver, random_network
from woodstock.qcsp.playouts import count_wins
from woodstock.qcsp.randomness import make_random_state
from woodstock.qcsp.warm import warm

DENSITIES = (0.55, 0.65, 0.75)
PLAYOUTS = (Parameters(p_ee=0.65), Parameters(num_turns=50, num_values=16, p_ee=0.35))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=1000, help="networks for each density (1000)")
    parser.add_argument("--seconds", type=float, default=0.2, help="of playouts for each of ten networks (0.2)")
    args = parser.parse_args()
    print("python", " ".join(sys.argv))
    warm()
    print(f"{'n=20 d=8, p_ee':>16}{'true %':>9}{'situations':>12}{'ms':>8}{'CPU s in all':>14}")
    for density in DENSITIES:
        solve_all(density, args.instances)
    print(f"{'n':>4}{'d':>4}{'p_ee':>7}{'playouts/s':>13}{'slowest':>12}{'won %':>8}")
    for parameters in PLAYOUTS:
        play_all(parameters, args.seconds)


def solve_all(density: float, instances: int) -> None:
    began = time.process_time()
    networks = (random_network(Parameters(p_ee=density), seed) for seed in range(instances))
    answers = [Solver(Compiled(network)).solve() for network in networks]
    cpu = time.process_time() - began
    share = 100 * sum(bool(answer.is_true) for answer in answers) / instances
    nodes = sum(answer.nodes for answer in answers) / instances
    print(f"{density:16}{share:9.1f}{nodes:12.0f}{1000 * cpu / instances:8.2f}{cpu:14.2f}", flush=True)


def play_all(parameters: Parameters, seconds: float) -> None:
    rates, shares = [], []
    for seed in range(10):
        compiled = Compiled(random_network(parameters, seed))
        if not compiled.is_consistent:
            continue
        scratch, random = compiled.root.copy(), make_random_state(seed)
        count_wins(compiled.arrays, compiled.work, compiled.root, scratch, random, 1)  # compiled now, if it was not
        began, playouts, wins = time.process_time(), 0, 0
        while time.process_time() - began < seconds:
            wins += count_wins(compiled.arrays, compiled.work, compiled.root, scratch, random, 500)
            playouts += 500
        rates.append(playouts / (time.process_time() - began))
        shares.append(100 * wins / playouts)
    mean, share = sum(rates) / len(rates), sum(shares) / len(shares)
    size = f"{parameters.num_turns:4}{parameters.num_values:4}{parameters.p_ee:7}"
    print(f"{size}{mean:13,.0f}{min(rates):12,.0f}{share:8.2f}", flush=True)


if __name__ == "__main__":
    main()

"""What foresight costs playouts, and what it is worth to a search (`woodstock.circuit.foresight`).

    python benchmarks/foresight.py [GAME ...] [--seconds S] [--matches S]

For each game and foresight: how long it takes to make the circuit, and, against playouts without foresight in the same
run, how large it is, how many playouts are made in a second, and how long these are. With `--matches` a tree search
with this foresight plays against one without, both with the same time for a move, for so many seconds a game.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from woodstock.circuit.circuit import Circuit
from woodstock.circuit.foresight import foresee
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.runner import Batch, Runner
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.search.options import SearchOptions
from woodstock.search.tree_search import TreeSearch
from woodstock.search.trial import UNLIMITED, Trial
from woodstock.search.warm import FOR_PLAYERS, warm

GAMES = (
    "connect_four",
    "connect_four_8x6",
    "connect_four_large",
    "quarto",
    "pentago",
    "gomoku",
    "ttcc4",
    "breakthrough_small",
    "knight_through",
    "checkers",
    "cant_stop",
    "othello",
)
PLAYOUTS = 20_000
MOST_SECONDS = 3.0
MAKING_SECONDS = 30.0
MEMORY = 512


def measure(game: CircuitGame, circuit: Circuit) -> tuple[float, float]:
    """Return playouts a second from the first position, and their length."""
    runner, rows = Runner(circuit), game.rows([game.initial_position()])
    runner.run(Batch(rows, np.array([1024])), Deadline(MOST_SECONDS))
    began = time.perf_counter()
    results = runner.run(Batch(rows, np.array([PLAYOUTS])), Deadline(MOST_SECONDS))
    count = max(1, int(results.counts[0]))
    return count / (time.perf_counter() - began), results.moves[0] / count


def play(game: CircuitGame, foresight: int, seconds: float, available: float) -> tuple[float, int]:
    """Return the score of a search with foresight against one without, in percent, and the number of matches."""
    rivals = [TreeSearch(game, SearchOptions(foresight=each, memory=MEMORY), each) for each in (0, foresight)]
    verdict = Trial(rivals[0], rivals[1], (seconds, seconds), 1, UNLIMITED).run(Deadline(available))
    return 100 * verdict.score / max(1, verdict.matches), verdict.matches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--seconds", type=float, default=0.02, help="for a move (0.02)")
    parser.add_argument("--matches", type=float, metavar="S", default=0.0, help="play for so many seconds (0)")
    args = parser.parse_args()
    warm(names=FOR_PLAYERS)
    print(f"{'game':24} foresight  made in s  size x  speed x  length, without  score (matches)")
    for name in args.games:
        game = CircuitGame(ground(load_rules(name)))
        speed, length = measure(game, game.circuit)
        for foresight in (1, 2):
            began = time.perf_counter()
            circuit = foresee(game.circuit, foresight, Deadline(MAKING_SECONDS))
            made = time.perf_counter() - began
            if circuit is None:
                print(f"{name:24} {foresight:9}  {made:9.2f}  none", flush=True)
                continue
            found = measure(game, circuit)
            row = f"{name:24} {foresight:9}  {made:9.2f}  {circuit.num_edges / game.circuit.num_edges:6.1f}"
            row += f"  {found[0] / speed:7.2f}  {found[1]:6.1f} {length:8.1f}"
            if args.matches:
                game.foreseeing(foresight, Deadline(MAKING_SECONDS))
                score, matches = play(game, foresight, args.seconds, args.matches)
                row += f"  {score:6.0f} ({matches})"
            print(row, flush=True)


if __name__ == "__main__":
    main()

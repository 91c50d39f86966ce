"""Whether `woodstock` finds exact values and moves that keep them, in games whose positions can all be listed.

    python benchmarks/exactness.py [GAME ...] [--most N] [--positions N] [--seconds S] [--start S]

All positions of a game are made and solved backwards: a role takes what is best for it, equally good moves are
averaged, and so are nature's. Then the player is asked about the first position and some others, any of those where a
role has a choice. Games with more positions, those that hide something, and those in which roles choose at once (there
is no one value then) are left out and named. *Proven* counts the positions about which the player was sure, *right*
those where its move keeps the value, and *false* those where it was sure of a wrong value. The exit code is 1 if any is
false, or not right.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from random import Random

import numpy as np

from woodstock.circuit.expansion import Expander
from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.games import game_names
from woodstock.gdl.keywords import RANDOM
from woodstock.ground import ground
from woodstock.players import Clocks, Seat, Turn
from woodstock.players.woodstock import WoodstockPlayer

SLICE = 1 << 14
"""Positions that are expanded at once."""
AT_ONCE, NOBODY = -2, -1


class UnsolvedError(Exception):
    """A game cannot be solved here; the message says why."""


@dataclass
class Solution:
    """All positions of a game.

    Attributes:
        rows: Packed positions, the first one first, shape (n, num_words).
        first: Where the successors of each begin, shape (n + 1,).
        below: The successors, shape (m,).
        moves: The moves that lead to each, counted over all roles, shape (m, num_roles).
        chooser: The role that chooses in each position, NOBODY if none or nature, AT_ONCE if several, shape (n,).
        values: What each is worth to the roles, 0 to 100, shape (n, num_roles).
    """

    rows: np.ndarray
    first: np.ndarray
    below: np.ndarray
    moves: np.ndarray
    chooser: np.ndarray
    values: np.ndarray


def list_positions(game: CircuitGame, most: int) -> Solution:
    """List all positions; values are known where the match is over, and not a number elsewhere."""
    expander, num_roles = Expander(game.circuit), len(game.roles)
    start = game.initial_position()
    numbers = {int(start.key): 0}
    rows, over, goals = [start.row], [game.is_terminal(start)], [np.zeros(num_roles)]
    sizes: list[np.ndarray] = []
    below: list[int] = []
    moves: list[np.ndarray] = []
    done = 0
    while done < len(rows):
        now = np.array(rows[done : done + SLICE])
        found = expander.expand(now)
        sizes.append(np.bincount(found.parent, minlength=len(now)))
        moves.append(found.moves)
        for key, row, is_over, goal in zip(
            found.keys.tolist(), found.rows, found.terminal.tolist(), found.goals, strict=True
        ):
            number = numbers.setdefault(key, len(rows))
            if number == len(rows):
                rows.append(row)
                over.append(is_over)
                goals.append(np.maximum(goal, 0).astype(float))
        if len(rows) > most:
            raise UnsolvedError(f"more than {most:,} positions")
        below += [numbers[key] for key in found.keys.tolist()]
        done += len(now)
    first = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    values = np.array(goals)
    values[~np.array(over)] = np.nan
    joint = np.concatenate(moves)
    return Solution(np.array(rows), first, np.array(below, np.int64), joint, _choosers(game, first, joint), values)


def _choosers(game: CircuitGame, first: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return who chooses in each position."""
    found = np.full(len(first) - 1, NOBODY)
    inner = np.flatnonzero(np.diff(first))
    starts = first[inner]
    num = np.zeros(len(inner), int)
    chooser = np.full(len(inner), NOBODY)
    for role, name in enumerate(game.roles):
        chooses = np.maximum.reduceat(moves[:, role], starts) != np.minimum.reduceat(moves[:, role], starts)
        num += chooses
        if name != RANDOM:
            chooser[chooses] = role
    chooser[num > 1] = AT_ONCE
    found[inner] = chooser
    return found


def solve(solution: Solution) -> None:
    """Find all values, backwards."""
    first, below, values = solution.first, solution.below, solution.values
    open_ones = np.flatnonzero((np.diff(first) > 0) & np.isnan(values[:, 0]))
    while len(open_ones):
        sizes = np.diff(first)[open_ones]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        edges = np.repeat(first[open_ones] - starts, sizes) + np.arange(sizes.sum())
        reached = values[below[edges]]
        ready = ~np.logical_or.reduceat(np.isnan(reached[:, 0]), starts)
        if not ready.any():
            raise UnsolvedError("play may go in circles")
        own = np.repeat(np.maximum(solution.chooser[open_ones], 0), sizes)
        of_chooser = reached[np.arange(len(reached)), own]
        best = np.repeat(np.maximum.reduceat(of_chooser, starts), sizes)
        counts = (of_chooser >= best - 1e-9) | np.repeat(solution.chooser[open_ones] < 0, sizes)
        total = np.add.reduceat(counts.astype(float), starts)
        for role in range(values.shape[1]):
            with np.errstate(invalid="ignore"):  # some are not ready
                mean = np.add.reduceat(np.where(counts, reached[:, role], 0.0), starts) / total
            values[open_ones[ready], role] = mean[ready]
        open_ones = open_ones[~ready]


@dataclass
class Tally:
    """How many positions the player was asked about, and what it said."""

    asked: int = 0
    proven: int = 0
    right: int = 0
    false: int = 0
    seconds: float = 0.0


def ask(name: str, game: CircuitGame, solution: Solution, number: int, args: argparse.Namespace, tally: Tally) -> None:
    """Ask the player about a position."""
    role = int(solution.chooser[number])
    position = game.position(solution.rows[number])
    player = WoodstockPlayer()
    clocks = Clocks(args.start, args.seconds)
    rules = load_rules(name)
    player.start(Seat(rules, game, role, clocks, False, Random(number), Deadline(args.start)))
    began = time.perf_counter()
    legal = game.legal_moves(position, role)
    move = player.choose(Turn(0, legal, position, Deadline(args.seconds)))
    tally.seconds += time.perf_counter() - began
    tally.asked += 1
    low = game.program.move_start[role]
    index = low + game.program.moves[role].index(move)
    span = slice(solution.first[number], solution.first[number + 1])
    mine = solution.below[span][solution.moves[span, role] == index]
    value = float(solution.values[number, role])
    tally.right += bool((solution.values[mine, role] >= value - 1e-6).all())
    said = player.explain()
    if said is not None and said.candidates[0].proven:
        tally.proven += 1
        known = said.candidates[0].value
        tally.false += known is None or abs(known - value) > 0.01


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help="games (all that are bundled)")
    parser.add_argument("--most", type=int, default=1_000_000, help="positions of a game at most (1,000,000)")
    parser.add_argument("--positions", type=int, default=10, help="positions to ask about (10)")
    parser.add_argument("--seconds", type=float, default=20.0, help="seconds for each (20)")
    parser.add_argument("--start", type=float, default=2.0, help="seconds before each (2)")
    args = parser.parse_args()
    print("python", " ".join(sys.argv))
    print(
        f"{'game':26}{'positions':>10}{'asked':>7}{'proven':>8}{'right':>7}{'false':>7}{'seconds':>9}  first position"
    )
    left_out: dict[str, list[str]] = {}
    num_false = 0
    for name in args.games or game_names():
        try:
            rules = load_rules(name)
            game = CircuitGame(ground(rules))
            if game.program.percepts is not None:
                raise UnsolvedError("hide something")
            solution = list_positions(game, args.most)
            if (solution.chooser == AT_ONCE).any():
                raise UnsolvedError("roles choose at once")
            solve(solution)
        except UnsolvedError as error:
            left_out.setdefault(str(error), []).append(name)
            continue
        choices = np.flatnonzero(solution.chooser >= 0)
        random = np.random.default_rng(1)
        others = random.permutation(choices[choices > 0])[: args.positions - 1].tolist()
        tally = Tally()
        for number in ([0] if solution.chooser[0] >= 0 else []) + others:
            ask(name, game, solution, number, args, tally)
        cells = f"{tally.asked:7}{tally.proven:8}{tally.right:7}{tally.false:7}{tally.seconds:9.1f}"
        values = ", ".join(f"{value:.4g}" for value in solution.values[0])
        print(f"{name:26}{len(solution.rows):10,}{cells}  {values}", flush=True)
        num_false += tally.false + tally.asked - tally.right
    for why, names in left_out.items():
        print(f"left out, {why}: {', '.join(names)}")
    sys.exit(1 if num_false else 0)


if __name__ == "__main__":
    main()

"""Canonical keys a second, and what symmetries save: positions of a search with and without them.

    python benchmarks/canonical.py keys [--seconds S]
    python benchmarks/canonical.py savings [GAME ...] [--positions N]

`keys` makes keys of random positions, a third of whose fluents hold, under groups of several sizes: from scratch with
the elements written out, from the keys of a parent in which four fluents change, by sorted blocks, and by a stabiliser
chain. `savings` goes through a game breadth first. *all* counts the positions of the whole game, *depth* those of the
deepest search that fits into N positions, each once at every depth; the shares are what is left if positions with one
canonical key count once, and the time includes finding the keys. *Ame* is what the search tree of MAC-UCB-SYM saves
against that of MAC-UCB in JFPC'16, table 2: another measure, of another search, but of the same games.

Times are by the clock on the wall: leave the machine alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.circuit import Circuit
from woodstock.circuit.expansion import Expander
from woodstock.circuit.packing import pack
from woodstock.circuit.zobrist import make_keys
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.symmetry.canonical import ExplicitKeys
from woodstock.symmetry.canonical_blocks import BlockKeys
from woodstock.symmetry.canonical_chain import ChainKeys
from woodstock.symmetry.canonical_choice import make_canonical_keys
from woodstock.symmetry.detection import DetectionOptions, find_symmetries
from woodstock.symmetry.group import PermutationGroup

WordArray = npt.NDArray[np.uint64]
Keys = Callable[[WordArray], WordArray]

GAMES = (
    *("tic_tac_toe", "lights_out", "leduc_poker", "treasure_hunt", "vacuum_cleaner", "connect_four", "hex_small"),
    *("breakthrough_small", "dots_and_boxes", "pentago", "hex", "amazons_torus", "nine_mens_morris", "reversi"),
    *("quarto", "yahtzee", "mastermind", "breakthrough_suicide", "connect_four_large", "majorities"),
)

AME = {
    "amazons_torus": 84.50,
    "breakthrough_suicide": 84.54,
    "connect_four_large": 91.02,
    "dots_and_boxes_suicide": 59.68,
    "hex": 71.18,
    "majorities": 75.85,
    "mastermind": 0.00,
    "monty_hall": 0.00,
    "pentago": 15.97,
    "quarto": 12.28,
    "reversi_suicide": 61.36,
    "vacuum_cleaner": 83.79,
    "yahtzee": 91.48,
}
"""JFPC'16, table 2, in percent."""


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=("keys", "savings"), help="which table")
    parser.add_argument("games", nargs="*", metavar="GAME", help="games of `savings`")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds a line of `keys` (0.5)")
    parser.add_argument("--positions", type=int, default=200_000, help="positions of a search of `savings` (200,000)")
    args = parser.parse_args()
    print("python", " ".join(sys.argv))
    if args.table == "keys":
        print_keys(args.seconds)
    else:
        print_savings(args.games or GAMES, args.positions)


# --- keys -------------------------------------------------------------------------------------------------------------


def random_rows(num_fluents: int, count: int, share: float = 0.33) -> WordArray:
    return pack(np.random.default_rng(1).random((count, num_fluents)) < share)


def rate(action: Callable[[], object], size: int, seconds: float) -> float:
    """Return how many of `size` things a second an action does."""
    action()
    started, done = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        action()
        done += size
    return done / (time.perf_counter() - started)


def torus(side: int, layers: int) -> PermutationGroup:
    """The translations, turns and reflections of a square torus, the same on several layers of fluents."""
    squares = np.arange(side * side).reshape(side, side)
    images = (np.roll(squares, 1, axis=0), np.roll(squares, 1, axis=1), np.rot90(squares), squares.T)
    layered = [np.concatenate([layer * side * side + image.reshape(-1) for layer in range(layers)]) for image in images]
    return PermutationGroup(layered, side * side * layers)


def square(side: int, layers: int, *, mirror_only: bool = False) -> PermutationGroup:
    squares = np.arange(side * side).reshape(side, side)
    images = (squares[:, ::-1],) if mirror_only else (np.rot90(squares), squares.T)
    layered = [np.concatenate([layer * side * side + image.reshape(-1) for layer in range(layers)]) for image in images]
    return PermutationGroup(layered, side * side * layers)


def with_colours(group: PermutationGroup) -> PermutationGroup:
    """The same group on two halves that can be exchanged as well."""
    size = group.degree
    images = [np.concatenate([image, size + image]) for image in group.generators]
    return PermutationGroup([*images, np.concatenate([size + np.arange(size), np.arange(size)])], 2 * size)


def dice(count: int, faces: int) -> PermutationGroup:
    """Dice that can be exchanged."""
    blocks = np.arange(count * faces).reshape(count, faces)
    orders = ([1, 0, *range(2, count)], [*range(1, count), 0])
    return PermutationGroup([blocks[order].reshape(-1) for order in orders], count * faces)


def print_keys(seconds: float) -> None:
    print(f"{'group':34}{'order':>14}{'fluents':>9}{'keys/s':>14}{'with element':>14}{'updated':>14}{'and stored':>14}")
    explicit = (
        ("mirror, 7 x 7, two layers", square(7, 2, mirror_only=True)),
        ("square, 3 x 3, three layers", square(3, 3)),
        ("square, 8 x 8, two layers", square(8, 2)),
        ("square, 8 x 8, and colours", with_colours(square(8, 1))),
        ("torus, 10 x 10, four layers", torus(10, 4)),
    )
    for name, group in explicit:
        keys = ExplicitKeys(group.elements(), make_keys(group.degree))
        cells = explicit_rates(keys, group.degree, seconds)
        print(f"{name:34}{group.order:14,}{group.degree:9}" + "".join(f"{cell:14,.0f}" for cell in cells), flush=True)
    large = (("12 dice, sorted blocks", dice(12, 6), BlockKeys), ("40 cards, sorted blocks", dice(40, 3), BlockKeys))
    for name, group, kind in (*large, ("12 dice, stabiliser chain", dice(12, 6), ChainKeys)):
        rows = random_rows(group.degree, 1000 if kind is BlockKeys else 20)
        other = kind(group, make_keys(group.degree))
        speed = rate(lambda other=other, rows=rows: other.keys(rows), len(rows), seconds)  # type: ignore[misc]
        print(f"{name:34}{group.order:14.4g}{group.degree:9}{speed:14,.0f}", flush=True)


def explicit_rates(keys: ExplicitKeys, num_fluents: int, seconds: float) -> list[float]:
    count = 20_000 if keys.num_elements < 100 else 1000
    rows = random_rows(num_fluents, count)
    parents = rows[:100]
    vectors = keys.vectors(parents)
    origin = np.arange(count, dtype=np.int32) % 100
    successors = parents[origin].copy()
    random = np.random.default_rng(2)
    for fluent in random.integers(0, num_fluents, (4, count)):
        successors[np.arange(count), fluent // 64] ^= np.uint64(1) << (fluent % 64).astype(np.uint64)
    return [
        rate(lambda: keys.keys(rows), count, seconds),
        rate(lambda: keys.keys_and_elements(rows), count, seconds),
        rate(lambda: keys.update(parents, vectors, origin, successors), count, seconds),
        rate(lambda: keys.update(parents, vectors, origin, successors, with_vectors=True), count, seconds),
    ]


# --- savings ----------------------------------------------------------------------------------------------------------


class Walk(NamedTuple):
    """What a search went through.

    Attributes:
        sizes: How many positions there are at each depth.
        finished: Whether there is nothing deeper.
        seconds: How long it took.
    """

    sizes: list[int]
    finished: bool
    seconds: float


def walk(expander: Expander, first: WordArray, keys: Keys, limit: tuple[int, int | None], *, whole: bool) -> Walk:
    """Go through a game breadth first.

    Args:
        expander: Finds successors.
        first: The initial position.
        keys: What makes two positions one.
        limit: How many positions there may be, and the last depth, None for any.
        whole: Whether a position counts once in the whole game, or once at each depth.
    """
    started = time.perf_counter()
    seen = keys(first[None])
    rows, sizes = first[None], [1]
    while len(rows):
        if limit[1] is not None and len(sizes) > limit[1]:
            return Walk(sizes, False, time.perf_counter() - started)
        found, found_keys = [np.zeros((0, first.shape[0]), np.uint64)], [np.zeros(0, np.uint64)]
        total = 0
        for start in range(0, len(rows), 500):
            made = expander.expand(rows[start : start + 500], with_goals=False)
            own, place = np.unique(keys(made.rows), return_index=True)
            found.append(made.rows[place])
            found_keys.append(own)
            total += len(own)
            if total > 20 * limit[0]:
                return Walk(sizes, False, time.perf_counter() - started)
        own, place = np.unique(np.concatenate(found_keys), return_index=True)
        rows = np.concatenate(found)[place]
        if whole:
            fresh = ~np.isin(own, seen, assume_unique=True)
            own, rows = own[fresh], rows[fresh]
            seen = np.concatenate([seen, own])
        if sum(sizes) + len(rows) > limit[0]:
            return Walk(sizes, False, time.perf_counter() - started)
        if len(rows):
            sizes.append(len(rows))
    return Walk(sizes, True, time.perf_counter() - started)


def print_savings(games: tuple[str, ...] | list[str], limit: int) -> None:
    head = f"{'game':22}{'order':>12}{'all':>10}{'left':>9}{'share':>8}{'depth':>7}{'positions':>11}{'left':>9}"
    print(f"{head}{'share':>8}{'seconds':>9}{'with':>8}{'Ame':>8}")
    for name in games:
        program = ground(load_rules(name))
        group = find_symmetries(program, DetectionOptions(deadline=Deadline(60))).group
        numbers = make_keys(program.num_fluents)
        canonical = make_canonical_keys(group, numbers)
        plain = ExplicitKeys(np.arange(program.num_fluents)[None], numbers)
        expander, first = Expander(Circuit(program)), pack(program.initial)
        cells = f"{name:22}{group.order:12.6g}"
        whole = walk(expander, first, plain.keys, (limit, None), whole=True)
        if whole.finished:
            left = walk(expander, first, canonical.keys, (limit, None), whole=True)
            cells += f"{sum(whole.sizes):10,}{sum(left.sizes):9,}{sum(left.sizes) / sum(whole.sizes):8.1%}"
        else:
            cells += f"{'':27}"
        before = walk(expander, first, plain.keys, (limit, None), whole=False)
        depth = len(before.sizes) - 1
        before = walk(expander, first, plain.keys, (limit, depth), whole=False)
        after = walk(expander, first, canonical.keys, (limit, depth), whole=False)
        one, two = sum(before.sizes), sum(after.sizes)
        cells += f"{depth:7}{one:11,}{two:9,}{two / one:8.1%}{before.seconds:9.2f}{after.seconds:8.2f}"
        print(cells + (f"{AME[name]:7.1f}%" if name in AME else ""), flush=True)


if __name__ == "__main__":
    main()

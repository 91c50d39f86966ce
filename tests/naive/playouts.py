"""Plain random playouts, one position at a time, and exactly what they give on average."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from math import prod, sqrt
from typing import Any, NamedTuple

import numpy as np

from woodstock.circuit.runner import PlayoutResults
from woodstock.game.protocol import Game
from woodstock.game.walk import joint_moves, legal_moves


class Outcome(NamedTuple):
    """What a playout gave: its moves, whether it was cut, the sum of each role's goals and of the squares."""

    moves: int
    cut: bool
    goals: tuple[int, ...]
    squares: tuple[int, ...]


def end_of(game: Game[Any], position: Any, moves: int) -> Outcome:
    """Return the outcome of a playout that ends in a position."""
    values = [[int(str(value)) for value in game.goal_values(position, role)] for role in range(len(game.roles))]
    goals = tuple(sum(found) for found in values)
    squares = tuple(sum(value * value for value in found) for found in values)
    return Outcome(moves, not game.is_terminal(position), goals, squares)


def plain_playout(game: Game[Any], position: Any, rng: random.Random, horizon: int = 10_000) -> Outcome:
    """Make random moves until the match is over, a role has no move, or so many moves are made."""
    for moves in range(horizon + 1):
        legal = legal_moves(game, position)
        if game.is_terminal(position) or not all(legal) or moves == horizon:
            return end_of(game, position, moves)
        position = game.next_position(position, [rng.choice(choices) for choices in legal])
    raise AssertionError


def outcomes(game: Game[Any], position: Any, horizon: int) -> dict[Outcome, float]:
    """Return the probability of each outcome of a playout from a position."""
    known: dict[tuple[Any, int], dict[Outcome, float]] = {}

    def find(position: Any, left: int) -> dict[Outcome, float]:
        if (position, left) not in known:
            known[position, left] = spread(position, left)
        return known[position, left]

    def spread(position: Any, left: int) -> dict[Outcome, float]:
        legal = legal_moves(game, position)
        if game.is_terminal(position) or not all(legal) or left == 0:
            return {end_of(game, position, 0): 1.0}
        found: Counter[Outcome] = Counter()
        share = 1 / prod(map(len, legal))
        for moves in joint_moves(legal):
            for outcome, chance in find(game.next_position(position, moves), left - 1).items():
                found[outcome._replace(moves=outcome.moves + 1)] += share * chance
        return dict(found)

    return find(position, horizon)


def columns(outcome: Outcome) -> list[float]:
    """Return what results count, in one list: moves, cuts, goals and squares."""
    return [outcome.moves, outcome.cut, *outcome.goals, *outcome.squares]


def check_results(results: PlayoutResults, number: int, expected: Mapping[Outcome, float], sigmas: float = 4.0) -> None:
    """Assert that what came of the playouts of a position is as likely as it should be."""
    found = [
        results.moves[number],
        results.cuts[number],
        *results.goal_sums[number].tolist(),
        *results.goal_squares[number].tolist(),
    ]
    count = int(results.counts[number])
    chances = np.array(list(expected.values()))
    assert np.isclose(chances.sum(), 1)
    table = np.array([columns(outcome) for outcome in expected])
    for total, values in zip(found, table.T, strict=True):
        mean = float(chances @ values)
        deviation = sqrt(max(float(chances @ values**2) - mean**2, 0.0) * count)
        assert abs(total - count * mean) <= sigmas * deviation + 1e-6 * (1 + count * abs(mean))

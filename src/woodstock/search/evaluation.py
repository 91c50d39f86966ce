"""Evaluation: what a position is worth by the fluents that hold in it.

Each fluent has a weight for each role, and so has each pair of fluents; the sum of those that hold is the logarithm of
the odds of the role's utility. What playouts from a position say is one opinion, this is another: `Model.mixture` says
how much each counts.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.words import U0, U1, WordArray, lowest_bit
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.tree import Float32Array, Float64Array, Tree

RATE: Final = 0.1
"""How far the first steps of a fluent's weight go."""
PAIR_RATE: Final = 0.02
"""How far those of a pair's weight go: there are many pairs."""
PULL: Final = 0.0001
"""How strongly weights of fluents are drawn to zero."""
FIRST_SQUARE: Final = 0.1
"""So much counts as gone before the first step."""
PAIR_BYTES: Final = 1 << 26
"""Pairs have weights if these take no more memory than that."""

# Entries of `Model.mixture`.
OF_MODEL: Final = 0
OF_PLAYOUTS: Final = 1
CONSTANT: Final = 2
NUM_SHARES: Final = 3


class Model(NamedTuple):
    """What was learnt.

    Attributes:
        weights: Of each fluent, then of the constant, for each role, shape (num_fluents + 1, num_roles), float64.
        squares: Sums of the squares of the steps that each has made.
        pairs: Weights of pairs for each role, shape (num_roles, num_fluents, num_fluents), float32, where the smaller
            number comes first; empty if pairs have none.
        pair_squares: Sums of the squares of the steps that each has made.
        mixture: How much the log odds of the model and of playouts count, and a constant, shape (num_roles, 3).
        sums: Space to work in: log odds, shape (num_roles,).
        held: Space to work in: fluents, shape (num_fluents,), int32.
    """

    weights: Float64Array
    squares: Float64Array
    pairs: Float32Array
    pair_squares: Float32Array
    mixture: Float64Array
    sums: Float64Array
    held: Int32Array


def make_model(num_fluents: int, num_roles: int) -> Model:
    """Return a model that knows nothing, and that nobody listens to."""
    weights = np.zeros((num_fluents + 1, num_roles))
    mixture = np.zeros((num_roles, NUM_SHARES))
    mixture[:, OF_PLAYOUTS] = 1.0
    side = num_fluents if 8 * num_roles * num_fluents**2 <= PAIR_BYTES else 0
    pairs = np.zeros((num_roles, side, side), np.float32)
    return Model(
        weights,
        np.full(weights.shape, FIRST_SQUARE),
        pairs,
        np.full(pairs.shape, FIRST_SQUARE, np.float32),
        mixture,
        np.zeros(num_roles),
        np.zeros(num_fluents, np.int32),
    )


@inner_kernel
def squash(log_odds: float) -> float:
    """Return a utility from its log odds."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, log_odds))))


@inner_kernel
def add_up(model: Model, rows: WordArray, number: int) -> int:
    """Set `Model.sums` to the log odds of a position, and list its fluents in `Model.held`; return how many hold."""
    num = 0
    for word in range(rows.shape[1]):
        bits = rows[number, word]
        while bits != U0:
            model.held[num] = np.int64(64 * word) + np.int64(lowest_bit(bits))
            bits &= bits - U1
            num += 1
    last = model.weights.shape[0] - 1
    for role in range(len(model.sums)):
        total = model.weights[last, role]
        for at in range(num):
            total += model.weights[model.held[at], role]
        if model.pairs.shape[1] > 0:
            for at in range(num):
                first = model.held[at]
                for other in range(at + 1, num):
                    total += model.pairs[role, first, model.held[other]]
        model.sums[role] = total
    return num


@jit
def find_log_odds(model: Model, rows: WordArray) -> Float64Array:
    """Return the log odds of positions for each role, shape (n, num_roles)."""
    found = np.empty((len(rows), len(model.sums)))
    for number in range(len(rows)):
        add_up(model, rows, number)
        for role in range(len(model.sums)):
            found[number, role] = model.sums[role]
    return found


@jit
def mix(tree: Tree, model: Model, nodes: Int32Array, counts: Int64Array) -> None:
    """Let nodes that were just sampled be worth what playouts and model say together.

    Args:
        tree: The tree; its nodes have the means of their playouts as values.
        model: The model.
        nodes: The nodes, shape (n,), int32.
        counts: Playouts from each, shape (n,), int64; with none, a node stays as it is.
    """
    for number in range(len(nodes)):
        node = nodes[number]
        if counts[number] == 0:
            continue
        add_up(model, tree.rows, node)
        for role in range(len(model.sums)):
            # However few the playouts are, they do not say that anything is certain.
            share = (tree.values[node, role] * counts[number] + 0.5) / (counts[number] + 1.0)
            total = model.mixture[role, OF_MODEL] * model.sums[role]
            total += model.mixture[role, OF_PLAYOUTS] * log(share / (1.0 - share))
            tree.values[node, role] = squash(total + model.mixture[role, CONSTANT])


@inner_kernel
def step_towards(model: Model, num: int, target: Float64Array) -> None:
    """Learn that a position is worth something, after `add_up` was asked about it.

    Weights go down the slope of the cross entropy, the less the more they have gone already (AdaGrad: Duchi, Hazan and
    Singer 2011).

    Args:
        model: The model.
        num: How many fluents hold in the position.
        target: What it is worth to each role, shape (num_roles,).
    """
    last = model.weights.shape[0] - 1
    for role in range(len(model.sums)):
        slope = squash(model.sums[role]) - target[role]
        _step(model, last, role, slope)
        for at in range(num):
            fluent = model.held[at]
            _step(model, fluent, role, slope + PULL * model.weights[fluent, role])
        if model.pairs.shape[1] > 0:
            _step_pairs(model, num, role, slope)


@inner_kernel
def _step(model: Model, feature: int, role: int, slope: float) -> None:
    model.squares[feature, role] += slope * slope
    model.weights[feature, role] -= RATE * slope / sqrt(model.squares[feature, role])


@inner_kernel
def _step_pairs(model: Model, num: int, role: int, slope: float) -> None:
    down = np.float32(slope)
    way = np.float32(PAIR_RATE * slope)
    for at in range(num):
        first = model.held[at]
        for other in range(at + 1, num):
            second = model.held[other]
            square = model.pair_squares[role, first, second] + down * down
            model.pair_squares[role, first, second] = square
            model.pairs[role, first, second] -= way / np.sqrt(square)

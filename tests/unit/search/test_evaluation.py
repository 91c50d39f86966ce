"""Evaluations: sums, steps and mixtures against plain dictionaries."""

from __future__ import annotations

import math

import numpy as np
import pytest

from naive.evaluation import NaiveEvaluation
from woodstock.circuit.packing import pack
from woodstock.common.jit import jit
from woodstock.search.evaluation import (
    CONSTANT,
    OF_MODEL,
    OF_PLAYOUTS,
    PAIR_BYTES,
    Model,
    add_up,
    find_log_odds,
    make_model,
    mix,
    step_towards,
)
from woodstock.search.tree import Float64Array, add_node, make_tree

NUM_FLUENTS = 70
"""More than fit into one word."""


@jit
def _learn(model: Model, rows: np.ndarray, number: int, target: Float64Array) -> None:
    step_towards(model, add_up(model, rows, number), target)


def _positions(num: int) -> np.ndarray:
    random = np.random.default_rng(5)
    return random.random((num, NUM_FLUENTS)) < 0.1


def test_learning_is_that_of_the_naive_evaluation() -> None:
    held = _positions(60)
    rows = pack(held)
    model = make_model(NUM_FLUENTS, 2)
    naive = [NaiveEvaluation(), NaiveEvaluation()]
    targets = np.random.default_rng(6).random((len(held), 2))
    for number, target in enumerate(targets):
        _learn(model, rows, number, target)
        for role in range(2):
            naive[role].learn(np.flatnonzero(held[number]).tolist(), float(target[role]))
    found = find_log_odds(model, rows)
    for number in range(len(held)):
        expected = [each.log_odds(np.flatnonzero(held[number]).tolist()) for each in naive]
        assert found[number] == pytest.approx(expected, abs=1e-4)
    assert np.abs(found).max() > 0.1


def test_what_is_told_often_is_believed() -> None:
    held = np.zeros((2, NUM_FLUENTS), np.bool_)
    held[0, 3] = held[1, 65] = True
    rows = pack(held)
    model = make_model(NUM_FLUENTS, 1)
    for _ in range(400):
        _learn(model, rows, 0, np.array([0.9]))
        _learn(model, rows, 1, np.array([0.2]))
    found = 1 / (1 + np.exp(-find_log_odds(model, rows)[:, 0]))
    assert found == pytest.approx([0.9, 0.2], abs=0.02)


def test_pairs_tell_what_fluents_alone_cannot() -> None:
    held = np.zeros((4, NUM_FLUENTS), np.bool_)
    held[1, 3] = held[2, 65] = held[3, 3] = held[3, 65] = True
    rows = pack(held)
    model = make_model(NUM_FLUENTS, 1)
    for _ in range(4000):
        for number, target in enumerate((0.1, 0.9, 0.9, 0.1)):  # one or the other, but not both
            _learn(model, rows, number, np.array([target]))
    neither, one, other, both = 1 / (1 + np.exp(-find_log_odds(model, rows)[:, 0]))
    assert min(one, other) > max(neither, both) + 0.2


def test_many_fluents_have_no_pairs() -> None:
    num = math.isqrt(PAIR_BYTES // 16) + 1
    assert make_model(num, 2).pairs.size == 0
    assert make_model(num - 1, 2).pairs.size > 0


def test_a_mixture_weighs_playouts_and_model() -> None:
    held = _positions(3)
    rows = pack(held)
    tree = make_tree(16, 1, rows.shape[1])
    nodes = np.array([add_node(tree, np.uint64(number), rows[number]) for number in range(3)], np.int32)
    tree.values[nodes, 0] = (0.25, 0.5, 1.0)
    model = make_model(NUM_FLUENTS, 1)
    _learn(model, rows, 0, np.array([1.0]))
    model.mixture[0, [OF_MODEL, OF_PLAYOUTS, CONSTANT]] = (0.5, 2.0, -0.1)
    said = find_log_odds(model, rows)[:, 0]
    mix(tree, model, nodes, np.array([8, 8, 0]))
    for number, mean in ((0, 0.25), (1, 0.5)):
        share = (8 * mean + 0.5) / 9
        expected = 0.5 * said[number] + 2.0 * math.log(share / (1 - share)) - 0.1
        assert tree.values[nodes[number], 0] == pytest.approx(1 / (1 + math.exp(-expected)))
    assert tree.values[nodes[2], 0] == 1.0  # it was not sampled


def test_a_new_model_says_what_playouts_say() -> None:
    rows = pack(_positions(1))
    tree = make_tree(16, 2, rows.shape[1])
    nodes = np.array([add_node(tree, np.uint64(1), rows[0])], np.int32)
    tree.values[nodes[0]] = (0.75, 0.25)
    mix(tree, make_model(NUM_FLUENTS, 2), nodes, np.array([1000]))
    assert tree.values[nodes[0]] == pytest.approx([0.75, 0.25], abs=0.001)

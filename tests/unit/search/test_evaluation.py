"""Evaluations: sums, steps and differences against plain dictionaries."""

from __future__ import annotations

import math

import numpy as np
import pytest

from naive.evaluation import NaiveEvaluation
from woodstock.circuit.packing import pack
from woodstock.common.jit import jit
from woodstock.search.evaluation import (
    PAIR_BYTES,
    Model,
    add_up,
    evaluate,
    find_log_odds,
    log_odds_after,
    make_model,
    step_towards,
)
from woodstock.search.tree import FLAGS, PENDING, VISITS, Float64Array, add_node, make_tree

NUM_FLUENTS = 70
"""More than fit into one word."""
FAMILIES = [tuple(range(start, NUM_FLUENTS, 7)) for start in range(7)] + [(1, 2, 3, 8, 69)]


@jit
def _learn(model: Model, rows: np.ndarray, number: int, target: Float64Array) -> None:
    step_towards(model, add_up(model, rows, number), target)


def _positions(num: int) -> np.ndarray:
    random = np.random.default_rng(5)
    return random.random((num, NUM_FLUENTS)) < 0.1


@pytest.mark.parametrize("families", [[], FAMILIES])
def test_learning_is_that_of_the_naive_evaluation(families: list[tuple[int, ...]]) -> None:
    held = _positions(60)
    rows = pack(held)
    model = make_model(NUM_FLUENTS, [True, True], families=families)
    naive = [NaiveEvaluation(families=families) for _ in range(2)]
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
    assert bool(np.abs(model.families).max() > 0.01) == bool(families)


def test_what_is_told_often_is_believed() -> None:
    held = np.zeros((2, NUM_FLUENTS), np.bool_)
    held[0, 3] = held[1, 65] = True
    rows = pack(held)
    model = make_model(NUM_FLUENTS, [True])
    for _ in range(400):
        _learn(model, rows, 0, np.array([0.9]))
        _learn(model, rows, 1, np.array([0.2]))
    found = 1 / (1 + np.exp(-find_log_odds(model, rows)[:, 0]))
    assert found == pytest.approx([0.9, 0.2], abs=0.02)


def test_pairs_tell_what_fluents_alone_cannot() -> None:
    held = np.zeros((4, NUM_FLUENTS), np.bool_)
    held[1, 3] = held[2, 65] = held[3, 3] = held[3, 65] = True
    rows = pack(held)
    model = make_model(NUM_FLUENTS, [True])
    for _ in range(6000):
        for number, target in enumerate((0.1, 0.9, 0.9, 0.1)):  # one or the other, but not both
            _learn(model, rows, number, np.array([target]))
    neither, one, other, both = 1 / (1 + np.exp(-find_log_odds(model, rows)[:, 0]))
    assert min(one, other) > max(neither, both) + 0.2


def test_what_is_learnt_of_some_of_a_family_is_known_of_the_others() -> None:
    held = np.zeros((4, NUM_FLUENTS), np.bool_)
    held[0, [7, 14]] = held[1, [21, 28]] = held[2, [5, 6]] = held[3, 63] = True
    rows = pack(held)
    model = make_model(NUM_FLUENTS, [True], families=FAMILIES)
    for _ in range(400):
        for number, target in enumerate((0.9, 0.9, 0.1)):
            _learn(model, rows, number, np.array([target]))
    found = find_log_odds(model, rows)[:, 0]
    model.families[:] = 0.0
    without = find_log_odds(model, rows)[:, 0]
    assert found[3] > without[3] + 0.1  # it was never seen
    assert found[0] - without[0] == pytest.approx(2 * (found[3] - without[3]))  # two of them count twice


def test_many_fluents_have_no_pairs() -> None:
    num = math.isqrt(PAIR_BYTES // 16) + 1
    assert make_model(num, [True, True]).pair_codes.size == 0
    assert make_model(num - 1, [True, True]).pair_codes.size > 0


@jit
def _log_odds_after(model: Model, rows: np.ndarray, before: int, after: int, column: int) -> float:
    num = add_up(model, rows, before)
    return log_odds_after(model, num, (rows, before), (rows, after), column)


@pytest.mark.parametrize("with_pairs", [True, False])
def test_a_neighbour_is_worth_what_its_own_sum_says(with_pairs: bool) -> None:
    rows = pack(_positions(20))
    model = make_model(NUM_FLUENTS, [True, False, True], families=FAMILIES)
    if not with_pairs:
        model = model._replace(pair_codes=model.pair_codes[:, :0, :0])
    targets = np.random.default_rng(6).random((len(rows), 2))
    for number, target in enumerate(targets):
        _learn(model, rows, number, target)
    found = find_log_odds(model, rows)
    assert np.abs(found).max() > 0.1
    for before in range(len(rows)):
        after = (7 * before + 3) % len(rows)
        for column, role in ((0, 0), (1, 2)):
            assert _log_odds_after(model, rows, before, after, column) == pytest.approx(found[after, role], abs=1e-5)


def test_who_shares_what_there_is_to_win_shares_a_column() -> None:
    model = make_model(NUM_FLUENTS, [True, False, True], is_shared=True)
    rows = pack(_positions(3))
    _learn(model, rows, 0, np.array([1.0]))
    found = find_log_odds(model, rows)
    assert len(model.sums) == 1
    assert found[0, 0] > 0
    assert found[:, 2] == pytest.approx(-found[:, 0])
    assert not found[:, 1].any()  # nature


def test_nodes_get_what_the_model_says() -> None:
    rows = pack(_positions(6))
    model = make_model(NUM_FLUENTS, [True, True])
    _learn(model, rows, 0, np.array([1.0, 0.3]))
    tree = make_tree(16, 2, rows.shape[1])
    nodes = np.array([add_node(tree, np.uint64(number), rows[number]) for number in range(2, 6)], np.int32)
    tree.nodes[nodes, FLAGS] |= PENDING
    evaluate(tree, model, nodes, rows[:2], np.array([0, 0, 1, 1], np.int32))
    assert tree.values[nodes] == pytest.approx(1 / (1 + np.exp(-find_log_odds(model, rows[2:]))))
    assert (tree.nodes[nodes, VISITS] == 1).all()
    assert not (tree.nodes[nodes, FLAGS] & PENDING).any()


def test_beside_playouts_it_says_nothing_of_values() -> None:
    rows = pack(_positions(6))
    model = make_model(NUM_FLUENTS, [True, True])
    _learn(model, rows, 0, np.array([1.0, 0.3]))
    tree = make_tree(16, 2, rows.shape[1], num_judged=2)
    nodes = np.array([add_node(tree, np.uint64(number), rows[number]) for number in range(2, 6)], np.int32)
    evaluate(tree, model, nodes, rows[:2], np.array([0, 0, 1, 1], np.int32))
    assert tree.judged[nodes] == pytest.approx(1 / (1 + np.exp(-find_log_odds(model, rows[2:]))))
    assert not tree.values[nodes].any()
    assert not tree.nodes[nodes, VISITS].any()

"""Preprocessing: the same solutions, and what was said to be done."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from naive.constraints import KINDS, clauses, is_satisfied, random_network, scope_of, solutions
from woodstock.cp.constraints import OneHot, Predicate, Table, Utility
from woodstock.cp.network import Network
from woodstock.cp.preprocess import preprocess
from woodstock.cp.solver import Solver

TABLES = ("table", "forbidden", "table", "forbidden", "predicate", "clauses")


def network_of(*sizes: int) -> Network:
    network = Network()
    for number, size in enumerate(sizes):
        network.add_var(f"x{number}", range(size))
    return network


def tables_of(network: Network) -> dict[tuple[int, ...], list[tuple[int, ...]]]:
    return {
        constraint.scope: sorted(tuple(map(int, row)) for row in constraint.tuples)
        for constraint in network.constraints
        if isinstance(constraint, Table)
    }


@pytest.mark.parametrize("kinds", [TABLES, KINDS], ids=["tables", "all"])
def test_the_solutions_stay_the_same(kinds: tuple[str, ...]) -> None:
    totals = np.zeros(5, np.int64)
    for seed in range(60):
        network = random_network(seed, kinds, num_constraints=2 + seed % 7, num_vars=5)
        smaller, statistics = preprocess(network)
        expected = solutions(network)
        assert solutions(smaller) == expected
        assert sorted(map(tuple, Solver(smaller).enumerate().places.tolist())) == expected
        totals += [
            statistics.num_merged,
            statistics.num_unary,
            statistics.num_removed,
            statistics.num_universal,
            statistics.num_void,
        ]
    assert (totals > 0).all()


def test_nothing_is_left_to_do() -> None:
    for seed in range(40):
        network = random_network(seed, TABLES, num_constraints=6, num_vars=5)
        smaller = preprocess(network).network
        again, statistics = preprocess(smaller)
        assert tables_of(again) == tables_of(smaller)
        assert (statistics.num_merged, statistics.num_universal, statistics.num_void) == (0, 0, 0)
        scopes = [constraint.scope for constraint in smaller.constraints if isinstance(constraint, Table)]
        assert len({frozenset(scope) for scope in scopes}) == len(scopes)


def test_no_variable_of_a_scope_is_universal() -> None:
    for seed in range(40):
        smaller = preprocess(random_network(seed, TABLES, num_constraints=5, num_vars=5)).network
        tables = tables_of(smaller)
        left = [
            {row[0] for row in tables[(var,)]} if (var,) in tables else set(range(len(domain)))
            for var, domain in enumerate(smaller.domains)
        ]
        for constraint in smaller.constraints:
            if not isinstance(constraint, Table) or len(constraint.scope) < 2:
                continue
            scope = scope_of(smaller, constraint)
            for var in scope:
                others = [other for other in scope if other != var]
                matters = False
                for rest in itertools.product(*(sorted(left[other]) for other in others)):
                    places = dict(zip(others, rest, strict=True))
                    row = [places.get(other, -1) for other in range(smaller.num_vars)]
                    held = {
                        is_satisfied(smaller, constraint, [*row[:var], place, *row[var + 1 :]]) for place in left[var]
                    }
                    matters |= len(held) == 2
                assert matters


def test_tables_of_equal_scope_are_intersected() -> None:
    network = network_of(3, 3)
    network.add(Table((0, 1), [(0, 1), (1, 2), (2, 0)]), Table((1, 0), [(1, 0), (2, 1), (2, 2)]))
    network.add(Table((0, 1), [(1, 2)], is_allowed=False), Table((1, 0), [(1, 1)], is_allowed=False))
    smaller, statistics = preprocess(network)
    assert statistics.num_merged == 3
    assert tables_of(smaller) == {(0, 1): [(0, 1)]}
    assert (statistics.num_tuples_before, statistics.num_tuples_after) == (1, 1)


def test_forbidden_tuples_are_united() -> None:
    network = network_of(3, 3)
    network.add(Table((0, 1), [(0, 1)], is_allowed=False), Table((1, 0), [(1, 0), (2, 2)], is_allowed=False))
    (table,) = preprocess(network).network.constraints
    assert isinstance(table, Table)
    assert not table.is_allowed
    assert np.asarray(table.tuples).tolist() == [[0, 1], [2, 2]]


def test_unary_constraints_of_all_kinds_become_one_domain() -> None:
    network = network_of(6, 2)
    network.add(Table((0,), [(0,), (1,), (2,), (4,)]), Table((0,), [(0,)], is_allowed=False))
    network.add(Predicate((0,), lambda value: value != 2), clauses([2 * 4 + 1], [2 * 6]))
    smaller, statistics = preprocess(network)
    assert tables_of(smaller) == {(0,): [(1,)], (1,): [(0,)]}
    assert statistics.num_unary == 5
    assert statistics.num_removed == 5 + 1


def test_tuples_with_values_that_are_gone_leave_and_more_follows() -> None:
    """Once a value is gone another variable is universal, and what is left of the table is unary in its turn."""
    network = network_of(3, 3)
    network.add(Table((0,), [(0,), (1,)]), Table((0, 1), [(0, 0), (0, 2), (1, 0), (1, 2), (2, 1)]))
    smaller, statistics = preprocess(network)
    assert tables_of(smaller) == {(0,): [(0,), (1,)], (1,): [(0,), (2,)]}
    assert (statistics.num_universal, statistics.num_unary) == (1, 2)


def test_what_allows_everything_is_void_and_what_allows_nothing_stays() -> None:
    network = network_of(2, 2)
    network.add(Table((0, 1), list(itertools.product(range(2), repeat=2))), Table((0, 1), (), is_allowed=False))
    smaller, statistics = preprocess(network)
    assert smaller.constraints == []
    assert (statistics.num_void, statistics.num_merged) == (1, 1)
    network.add(Table((0, 1), ()))
    assert Solver(preprocess(network).network).is_failed


def test_a_domain_may_become_empty() -> None:
    network = network_of(2, 2)
    network.add(Table((0,), [(0,)]), Table((0,), [(1,)]), Table((0, 1), [(0, 0)]))
    assert Solver(preprocess(network).network).is_failed


def test_the_rest_stays_as_it_is() -> None:
    network = network_of(2, 2, 3)
    one_hot, utility = OneHot((2, 6)), Utility((0,), [(1,)], [(1.0,)])
    network.add(one_hot, utility, clauses([2, 6], [2], [3, 7]))
    smaller, _ = preprocess(network)
    assert smaller.names == network.names
    assert smaller.domains == network.domains
    assert smaller.utilities == [utility]
    assert one_hot in smaller.constraints
    assert solutions(smaller) == solutions(network)
    smaller.add_var("new")
    assert network.num_vars == 3


def test_scopes_too_large_to_number_their_tuples() -> None:
    network = network_of(*[1000] * 8)
    rows = np.random.default_rng(1).integers(1000, size=(50, 8), dtype=np.int32)
    scope = tuple(range(8))
    network.add(Table(scope, rows[:30]), Table(scope, rows[20:]), Table(scope, rows[25:28], is_allowed=False))
    (table,) = preprocess(network).network.constraints
    assert isinstance(table, Table)
    expected = {tuple(row) for row in rows[20:30].tolist()} - {tuple(row) for row in rows[25:28].tolist()}
    assert {tuple(row) for row in np.asarray(table.tuples).tolist()} == expected

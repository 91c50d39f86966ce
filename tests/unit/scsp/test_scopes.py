"""Which constraints mention which variables."""

from __future__ import annotations

import random

import numpy as np
import pytest

from naive.networks import KINDS, brute_force, random_network
from woodstock.cp.constraints import (
    Channel,
    Clauses,
    Constraint,
    Founded,
    Gates,
    Linear,
    OneHot,
    Predicate,
    Table,
    Utility,
)
from woodstock.cp.network import Network
from woodstock.scsp.scopes import NO_SCOPE, count_rows, highest, mentions, same_variables, select_rows


def network_of_five() -> Network:
    network = Network()
    network.add_var("a", range(3))
    network.add_vars("bcde")
    return network


def literals(network: Network, *variables: int) -> tuple[int, ...]:
    """Return a literal of each variable, of its last value; every second one says that it does not have it."""
    return tuple(2 * (network.first_choices[var + 1] - 1) + number % 2 for number, var in enumerate(variables))


def arrays(network: Network, *rows: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return start, np.array([literal for row in rows for literal in literals(network, *row)], np.int32)


def entries(network: Network) -> list[tuple[Constraint | Utility, list[set[int]]]]:
    """Return constraints of every kind with the variables that each of their rows mentions."""
    clauses = arrays(network, (0, 3), (), (4, 1, 2))
    start, data = arrays(network, (1, 2), (), (0,))
    heads, outs = (np.array(literals(network, *variables), np.int32) for variables in ((3, 4, 4), (0, 1, 4)))
    return [
        (Table((4, 0), [(0, 0)]), [{0, 4}]),
        (Predicate((2,), bool), [{2}]),
        (Utility((3, 1), [(0, 0)], [[1.0]]), [{1, 3}]),
        (OneHot(literals(network, 1, 3)), [{1, 3}]),
        (Linear(literals(network, 0, 2), (1, 1), 0, 1), [{0, 2}]),
        (Channel(0, literals(network, 1, 2, 4)), [{0, 1, 2, 4}]),
        (Founded(heads, start, data), [{0, 1, 2, 3, 4}]),
        (Clauses(*clauses), [{0, 3}, set(), {1, 2, 4}]),
        (Gates(outs, start, data), [{0, 1, 2}, {1}, {0, 4}]),
    ]


@pytest.mark.parametrize("number", range(9))
def test_what_each_row_mentions(number: int) -> None:
    network = network_of_five()
    entry, expected = entries(network)[number]
    rows, variables = mentions(network, entry)
    found: list[set[int]] = [set() for _ in range(count_rows(entry))]
    for row, var in zip(rows.tolist(), variables.tolist(), strict=True):
        found[row].add(var)
    assert found == expected


@pytest.mark.parametrize("number", range(9))
def test_the_highest_number_of_each_row(number: int) -> None:
    network = network_of_five()
    entry, expected = entries(network)[number]
    of_var = np.array([7, 1, 9, 0, 3], np.int32)
    assert highest(network, entry, of_var).tolist() == [max(of_var[list(row)], default=NO_SCOPE) for row in expected]


def test_rows_that_are_selected_and_the_others_are_all_of_an_entry() -> None:
    rng = random.Random(8)
    np_rng = np.random.default_rng(8)
    split = 0
    for _ in range(60):
        network = random_network(rng, KINDS, largest=150)
        parts: list[Constraint | None] = []
        for entry in network.constraints:
            selected = np_rng.random(count_rows(entry)) < 0.5
            parts += [select_rows(entry, selected), select_rows(entry, ~selected)]
            split += 0 < selected.sum() < len(selected)
        divided = same_variables(network, parts)
        assert brute_force(divided) == brute_force(network)
        assert divided.num_constraints == network.num_constraints
    assert split > 10


def test_no_row_is_nothing() -> None:
    network = network_of_five()
    for entry, expected in entries(network):
        if not isinstance(entry, Utility):
            assert select_rows(entry, np.zeros(len(expected), np.bool_)) is None
            assert select_rows(entry, np.ones(len(expected), np.bool_)) is entry


def test_the_variables_of_another_network_are_copies() -> None:
    network = network_of_five()
    other = same_variables(network, [Table((0,), [(1,)]), None])
    other.add_var("f")
    assert (network.num_vars, other.num_vars) == (5, 6)
    assert (len(network.constraints), len(other.constraints)) == (0, 1)

"""Quantified networks: the prefix, and what a solution is."""

from __future__ import annotations

import numpy as np
import pytest

from naive.networks import brute_force
from naive.qcsp import random_any
from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Clauses, Founded, Table, Utility
from woodstock.cp.network import Network
from woodstock.qcsp.network import Block, QuantifiedNetwork, blocks_of


def three() -> Network:
    network = Network()
    network.add_vars("xyz", (0, 1))
    return network


def test_turns_follow_the_prefix_and_not_the_numbers() -> None:
    network = three()
    network.add(Table((0, 2), [(0, 1)]))
    quantified = QuantifiedNetwork(network, (Block(False, (2,)), Block(True, (0, 1))))
    assert quantified.order == (2, 0, 1)
    assert quantified.turn_of_var == (1, 2, 0)
    assert quantified.names == ("z", "x", "y")
    assert quantified.is_universal == (False, True, True)
    assert quantified.is_solution((1, 0, 0))
    assert not quantified.is_solution((0, 0, 0))
    assert str(quantified) == "∃z ∀x y, 1 constraint"


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ((Block(True, (0, 1)),), "without: z; twice: none"),
        ((Block(True, (0, 1, 2, 0)),), "without: none; twice: x"),
        ((), "without: x y z"),
    ],
)
def test_a_prefix_has_each_variable_once(blocks: tuple[Block, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        QuantifiedNetwork(three(), blocks)


def test_what_means_nothing_here_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one variable"):
        QuantifiedNetwork(Network(), ())
    network = three()
    network.add(Utility((0,), [(0,)], [(1.0,)]))
    with pytest.raises(UsageError, match="utilities"):
        QuantifiedNetwork(network, blocks_of([True, False, True]))
    network = three()
    network.add(Founded(np.array([2], np.int32), np.array([0, 1], np.int64), np.array([6], np.int32)))
    with pytest.raises(UsageError, match="founded"):
        QuantifiedNetwork(network, blocks_of([True, False, True])).is_solution((0, 0, 0))


def test_solutions_are_those_of_the_network() -> None:
    for number in range(40):
        quantified = random_any(f"solutions {number}")
        expected = brute_force(quantified.network)
        sizes = [len(domain) for domain in quantified.domains]
        found = set()
        for places in np.ndindex(*sizes):
            if quantified.is_solution(places):
                found.add(tuple(places[turn] for turn in quantified.turn_of_var))
        assert found == expected, number


def test_an_empty_clause_never_holds() -> None:
    network = three()
    network.add(Clauses(np.array([0, 0], np.int64), np.array([], np.int32)))
    assert not QuantifiedNetwork(network, blocks_of([True, False, True])).is_solution((0, 0, 0))

"""Networks: variables, choices and literals by their numbers."""

from __future__ import annotations

import pytest

from naive.constraints import clauses, founded, gates
from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Channel, Linear, OneHot, Predicate, Table, Utility
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver


def test_choices_are_numbered_over_all_variables() -> None:
    network = Network()
    assert network.add_var("x", "abc") == 0
    assert network.add_vars(["y", "z"]) == range(1, 3)
    assert network.add_vars([]) == range(3, 3)
    assert network.first_choices == [0, 3, 5, 7]
    assert (network.num_vars, network.num_choices) == (3, 7)
    assert [network.var_of_choice(choice) for choice in range(7)] == [0, 0, 0, 1, 1, 2, 2]
    assert (network.choice(0, "c"), network.choice(2, True)) == (2, 6)
    assert (network.literal(1), network.literal(1, holds=False), network.literal(0, "b")) == (8, 9, 2)
    assert network.choice_name(5) == "z = False"
    assert network.values([2, 0, 1]) == {"x": "c", "y": False, "z": True}


def test_each_clause_and_each_gate_is_a_constraint() -> None:
    network = Network()
    network.add_vars("abcd")
    network.add(clauses([2], [6, 3]), gates((2, [6]), (10, [6, 2]), (14, [])), founded((2, [6]), (6, [2])))
    network.add(OneHot((2, 6)), Channel(0, (6, 10)), Linear((2,), (1,), 0, 1), Table((0,), [(0,)]))
    network.add(Predicate((0,), bool), Utility((0,), [(0,)], [(1.0,)]))
    assert network.num_constraints == 2 + 3 + 1 + 5
    assert len(network.utilities) == 1


@pytest.mark.parametrize("domain", [(), (1, 2, 1)])
def test_values_must_be_different_and_there_must_be_one(domain: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="different values for x, at least one"):
        Network().add_var("x", domain)


def test_a_value_that_is_not_there_has_no_choice() -> None:
    network = Network()
    network.add_var("x", (1, 2))
    with pytest.raises(UsageError, match=r"x has no value 3; it has \(1, 2\)"):
        network.choice(0, 3)


def test_a_solver_does_not_know_what_is_added_later() -> None:
    network = Network()
    network.add_vars("ab")
    solver = Solver(network)
    network.add_var("c")
    network.add(clauses([2]))
    assert solver.enumerate().places.shape == (4, 2)
    with pytest.raises(UsageError, match="from 0 to 1, found 2"):
        solver.assign(2, 0)

"""One-hot constraints, channels, bounded sums and predicates: examples and errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Channel, Linear, OneHot, Predicate
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver, Strength


def booleans(count: int) -> Network:
    network = Network()
    network.add_vars([f"x{number}" for number in range(count)])
    return network


def true(var: int) -> int:
    return 4 * var + 2


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize(("exactly", "count"), [(True, 4), (False, 5)])
def test_one_of_four(strength: Strength, exactly: bool, count: int) -> None:
    network = booleans(4)
    network.add(OneHot(tuple(map(true, range(4))), exactly))
    solver = Solver(network, strength=strength)
    assert len(solver.enumerate()) == count
    solver.push()
    assert solver.assign(2, 1)
    assert [solver.domain(var) for var in range(4)] == [(0,), (0,), (1,), (0,)]
    solver.pop()
    assert solver.fix((0, 1, 3), (0, 0, 0))
    assert solver.domain(2) == ((1,) if exactly else (0, 1))


def test_one_of_nothing() -> None:
    network = booleans(1)
    network.add(OneHot((), exactly=False))
    assert not Solver(network).is_failed
    network.add(OneHot(()))
    assert Solver(network).is_failed


@pytest.mark.parametrize("strength", Strength)
def test_a_channel_goes_both_ways(strength: Strength) -> None:
    network = booleans(3)
    move = network.add_var("move", "abc")
    network.add(Channel(move, tuple(map(true, range(3)))))
    solver = Solver(network, strength=strength)
    assert sorted(solver.enumerate().places.tolist()) == [[0, 0, 1, 2], [0, 1, 0, 1], [1, 0, 0, 0]]
    solver.push()
    assert solver.assign(1, 0)
    assert solver.domain(move) == (0, 2)
    solver.pop()
    assert solver.assign(move, 2)
    assert [solver.domain(var) for var in range(3)] == [(0,), (0,), (1,)]


def test_a_sum_is_within_its_bounds() -> None:
    network = Network()
    x, y = network.add_var("x", range(10)), network.add_var("y", range(10))
    literals = [network.literal(var, value) for var in (x, y) for value in range(10)]
    network.add(Linear(tuple(literals), tuple(range(10)) * 2, 15, 16))
    solver = Solver(network)
    assert solver.domain(x) == solver.domain(y) == (6, 7, 8, 9)
    assert solver.assign(x, 9)
    assert solver.domain(y) == (6, 7)
    assert sorted(map(sum, Solver(network).enumerate().places.tolist())) == [15, 15, 15, 15, 16, 16, 16]


def test_complements_and_negative_weights() -> None:
    network = booleans(3)
    literals, weights = (true(0), true(1) ^ 1, true(2), true(0)), (3, 2, -4, 1)
    network.add(Linear(literals, weights, 0, 2))
    expected = [
        list(places)
        for places in itertools.product(range(2), repeat=3)
        if 0 <= 4 * places[0] + 2 * (1 - places[1]) - 4 * places[2] <= 2
    ]
    assert sorted(Solver(network).enumerate().places.tolist()) == expected


def test_large_weights() -> None:
    network = booleans(2)
    network.add(Linear((true(0), true(1)), (1 << 40, -(1 << 41)), -(1 << 40), -(1 << 40)))
    assert Solver(network).enumerate().places.tolist() == [[1, 1]]


def test_a_sum_of_nothing_is_zero() -> None:
    network = booleans(1)
    network.add(Linear((), (), 0, 0))
    assert not Solver(network).is_failed
    network.add(Linear((), (), 1, 2))
    assert Solver(network).is_failed


@pytest.mark.parametrize("strength", Strength)
def test_a_predicate_is_asked_when_one_variable_is_open(strength: Strength) -> None:
    asked = []

    def is_sum(one: int, other: int, third: int) -> bool:
        asked.append((one, other, third))
        return one + other == third

    network = Network()
    network.add_vars("abc", (1, 2, 3))
    network.add(Predicate((0, 1, 2), is_sum, "sum"))
    solver = Solver(network, strength=strength)
    assert solver.assign(0, 0)
    assert asked == []
    solver.push()
    assert solver.assign(2, 2)
    assert sorted(asked) == [(1, 1, 3), (1, 2, 3), (1, 3, 3)]
    assert solver.domain(1) == (1,)
    asked.clear()
    assert solver.assign(1, 1)
    assert asked == []
    solver.pop()
    assert not solver.assign(2, 0)
    assert sorted(asked) == [(1, 1, 1), (1, 2, 1), (1, 3, 1)]


def test_a_predicate_is_asked_about_one_value_if_all_are_known() -> None:
    asked = []

    def differs(one: str, other: str) -> bool:
        asked.append((one, other))
        return one != other

    network = Network()
    network.add_vars("xy", "ab")
    network.add(Predicate((1, 0), differs))
    solver = Solver(network)
    assert not solver.fix((0, 1), (1, 1))
    assert asked == [("b", "b")]


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (OneHot((true(0), true(0) ^ 1)), "different variables in a one-hot constraint"),
        (OneHot((99,)), "in a one-hot constraint, found 99"),
        (Channel(3, (true(0), true(1))), r"for each of the 3 values of move, found \(2, 6\)"),
        (Channel(7, ()), "from 0 to 3 in a channel, found 7"),
        (Linear((true(0),), (1, 2), 0, 1), "a weight for each of 1 literals, found 2"),
        (Predicate((0, 0), lambda *_: True, "rule 1"), "different variables in rule 1"),
        (Predicate((), lambda: True, "rule 2"), "at least one variable in the scope of rule 2"),
        (Predicate((4,), lambda _: True, "rule 3"), "in rule 3, found 4"),
    ],
)
def test_wrong_constraints_are_refused(constraint: OneHot | Channel | Linear | Predicate, message: str) -> None:
    network = booleans(3)
    network.add_var("move", "abc")
    network.add(constraint)
    with pytest.raises(UsageError, match=message):
        Solver(network)


def test_numpy_numbers_are_numbers() -> None:
    network = booleans(2)
    network.add(OneHot(tuple(np.array([true(0), true(1)], np.int32))))
    assert len(Solver(network, decisions=np.array([1])).enumerate()) == 2  # type: ignore[arg-type]

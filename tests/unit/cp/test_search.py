"""Searches of all kinds against trying everything."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from naive.constraints import KINDS, NaiveSearch, random_network, solutions
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Limits
from woodstock.cp.constraints import Predicate, Table
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver, Status, Strength, ValueOrder, VariableOrder

WITH_GAC = ("table", "forbidden", "clauses", "gates", "one_hot", "channel")
NUM_NETWORKS = 6 if JIT_DISABLED else 25
ENGINES = list(itertools.product(Strength, VariableOrder, ValueOrder))


def queens(count: int) -> Network:
    """Queens in the rows of a board that do not attack each other."""
    network = Network()
    rows = network.add_vars([f"row{row}" for row in range(count)], range(count))
    for one, other in itertools.combinations(rows, 2):
        allowed = [(a, b) for a in range(count) for b in range(count) if a != b and abs(a - b) != other - one]
        network.add(Table((one, other), allowed))
    return network


def rows_of(solver: Solver) -> list[tuple[int, ...]]:
    return sorted(map(tuple, solver.enumerate().places.tolist()))


@pytest.mark.parametrize("kinds", [*((kind,) for kind in KINDS), KINDS], ids="+".join)
def test_all_engines_find_what_trying_everything_finds(kinds: Sequence[str]) -> None:
    found = 0
    for seed in range(NUM_NETWORKS):
        network = random_network(seed, kinds, num_constraints=1 + seed % 6)
        expected = solutions(network)
        found += len(expected)
        strength, variable_order, value_order = ENGINES[seed % len(ENGINES)]
        for decisions in (None, (3, 0)):
            solver = Solver(
                network,
                strength=strength,
                variable_order=variable_order,
                value_order=value_order,
                decisions=decisions,
                seed=seed,
            )
            assert rows_of(solver) == expected
    assert found > 0


@pytest.mark.parametrize(("strength", "maintains"), [(Strength.MAC, True), (Strength.FC, False)])
def test_nodes_are_those_of_the_textbook(strength: Strength, maintains: bool) -> None:
    for seed in range(NUM_NETWORKS):
        network = random_network(seed, WITH_GAC, num_constraints=2 + seed % 5)
        search = NaiveSearch(network, maintains)
        expected = search.solutions()
        found = Solver(network, strength=strength, variable_order=VariableOrder.STATIC).enumerate()
        assert list(map(tuple, found.places.tolist())) == expected
        assert found.statistics.nodes == search.nodes


@pytest.mark.parametrize("kinds", [WITH_GAC, KINDS], ids=["gac", "all"])
def test_mac_visits_no_more_nodes_than_fc(kinds: Sequence[str]) -> None:
    total = dict.fromkeys(Strength, 0)
    for seed in range(3 * NUM_NETWORKS):
        network = random_network(seed, kinds, num_constraints=5, num_vars=8)
        nodes = {}
        for strength in Strength:
            found = Solver(network, strength=strength, variable_order=VariableOrder.STATIC).enumerate()
            nodes[strength] = found.statistics.nodes
            total[strength] += nodes[strength]
        assert nodes[Strength.MAC] <= nodes[Strength.FC]
    assert total[Strength.MAC] < total[Strength.FC]


@pytest.mark.parametrize("variable_order", VariableOrder)
@pytest.mark.parametrize("strength", Strength)
def test_queens(strength: Strength, variable_order: VariableOrder) -> None:
    size, expected = (6, 4) if JIT_DISABLED else (8, 92)
    found = Solver(queens(size), strength=strength, variable_order=variable_order).enumerate()
    assert len(found) == expected
    assert found.status is Status.COMPLETE
    assert found.statistics.failures > 0
    assert found.statistics.nodes > expected
    assert len({tuple(places) for places in found.places.tolist()}) == expected


def test_values_are_tried_in_the_order_that_was_asked_for() -> None:
    network = Network()
    network.add_var("x", range(9))

    def order(**options: object) -> list[int]:
        found = Solver(network, **options).enumerate()  # type: ignore[arg-type]
        return [int(place) for place in found.places[:, 0]]

    assert order() == list(range(9))
    assert order(value_order=ValueOrder.LAST) == list(range(8, -1, -1))
    shuffled = order(value_order=ValueOrder.RANDOM, seed=1)
    assert sorted(shuffled) == list(range(9)) != shuffled
    assert shuffled == order(value_order=ValueOrder.RANDOM, seed=1) != order(value_order=ValueOrder.RANDOM, seed=2)
    assert order(value_order=lambda solver, var: solver.domain(var)[::-1]) == list(range(8, -1, -1))


def test_random_orders_are_all_as_likely() -> None:
    network = Network()
    network.add_var("x", range(3))
    solver = Solver(network, value_order=ValueOrder.RANDOM)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(1200):
        row = tuple(solver.enumerate().places[:, 0].tolist())
        counts[row] = counts.get(row, 0) + 1
    assert len(counts) == 6
    assert all(140 < count < 260 for count in counts.values())


def test_decisions_come_first_in_their_order() -> None:
    network = Network()
    network.add_vars("abc", range(2))
    found = Solver(network, variable_order=VariableOrder.STATIC, decisions=(2, 0)).enumerate()
    assert [(c, a, b) for a, b, c in found.places.tolist()] == list(itertools.product(range(2), repeat=3))


def test_the_smallest_domain_and_the_heaviest_constraints_come_first() -> None:
    network = Network()
    network.add_var("large", range(4))
    network.add_var("small", range(3))
    network.add_var("heavy", range(4))
    network.add(*(Table((2, other), list(itertools.product(range(4), range(3)))) for other in (1, 1, 1)))
    chosen = []

    def note(solver: Solver, var: int) -> Sequence[int]:
        chosen.append(var)
        return solver.domain(var)

    Solver(network, variable_order=VariableOrder.SMALLEST_DOMAIN, value_order=note).enumerate(max_solutions=1)
    assert chosen == [1, 0, 2]
    chosen.clear()
    # 4 values to 1, 3 to 3 and 4 to 3.
    Solver(network, variable_order=VariableOrder.DOM_WDEG, value_order=note).enumerate(max_solutions=1)
    assert chosen == [1, 2, 0]


def test_a_constraint_that_fails_makes_its_variables_weigh_more() -> None:
    network = Network()
    x, y, z = network.add_vars("xyz", range(2))
    network.add(Table((x, y), [(0, 0), (1, 1)]), Predicate((y, z), lambda one, other: one > 3))
    solver = Solver(network)
    before = [solver.weight(var) for var in (x, y, z)]
    assert not len(solver.enumerate())
    assert solver.weight(x) == before[0]
    assert solver.weight(y) > before[1]
    assert solver.weight(z) > before[2]


def test_orders_may_be_functions() -> None:
    asked = []

    def last_open(solver: Solver) -> int:
        asked.append(solver.open_vars)
        return solver.open_vars[-1]

    network = queens(5)
    found = Solver(network, variable_order=last_open).enumerate()
    assert rows_of(Solver(network)) == sorted(map(tuple, found.places.tolist()))
    assert asked[0] == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variable_order": lambda solver: 7}, "variable that is open.*found 7"),
        ({"variable_order": lambda solver: -1}, "variable that is open.*found -1"),
        ({"value_order": lambda solver, var: (0, 1)}, r"places \(0, 1, 2, 3, 4\) of row0"),
        ({"value_order": lambda solver, var: (*solver.domain(var), 0)}, "in some order"),
    ],
)
def test_orders_that_are_wrong_are_refused_and_the_solver_is_where_it_was(
    options: dict[str, object], message: str
) -> None:
    solver = Solver(queens(5), **options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=message):
        solver.enumerate()
    assert solver.level == 0
    assert solver.open_vars == (0, 1, 2, 3, 4)
    solver.push()


def test_limits_of_nodes_solutions_seconds_and_bytes() -> None:
    network = Network()
    network.add_vars([f"x{number}" for number in range(30)])
    solver = Solver(network)
    few = solver.enumerate(Limits(nodes=100))
    assert few.status is Status.LIMIT
    assert few.statistics.nodes == 100
    assert 0 < len(few) < 100
    ten = solver.enumerate(max_solutions=10)
    assert (len(ten), ten.status) == (10, Status.LIMIT)
    assert (few.places[:10] == ten.places).all()
    by_bytes = solver.enumerate(Limits(bytes=5 * 30 * 4))
    assert (len(by_bytes), by_bytes.status) == (5, Status.LIMIT)
    in_time = solver.enumerate(Limits(seconds=1e-9, nodes=10_000_000))
    assert in_time.status is Status.LIMIT
    assert in_time.statistics.nodes < 10_000_000
    assert solver.level == 0


def test_as_many_solutions_as_there_are_is_complete() -> None:
    solver = Solver(queens(5))
    assert solver.enumerate(max_solutions=10).status is Status.COMPLETE
    assert solver.enumerate(max_solutions=9).status is Status.LIMIT


def test_many_solutions_come_in_one_array() -> None:
    size = 5 if JIT_DISABLED else 16
    network = Network()
    network.add_vars([f"x{number}" for number in range(size)])
    found = Solver(network, variable_order=VariableOrder.STATIC).enumerate()
    assert found.places.shape == (2**size, size)
    assert found.places.dtype == np.int32
    assert (found.places @ (1 << np.arange(size)[::-1]) == np.arange(2**size)).all()


def test_columns_are_those_that_were_asked_for() -> None:
    solver = Solver(queens(5))
    everything = solver.enumerate().places
    assert (solver.enumerate(columns=(3, 1)).places == everything[:, [3, 1]]).all()
    assert solver.enumerate(columns=()).places.shape == (10, 0)
    with pytest.raises(UsageError, match=r"from 0 to 4 as columns, found 5"):
        solver.enumerate(columns=(5,))


def test_solutions_come_one_by_one() -> None:
    solver = Solver(queens(5))
    everything = solver.enumerate().places.tolist()
    assert [places.tolist() for places in solver.solutions()] == everything
    one_by_one = solver.solutions()
    assert next(one_by_one).tolist() == everything[0]
    for forbidden in (solver.push, solver.pop, solver.propagate, solver.enumerate, lambda: solver.assign(0, 0)):
        with pytest.raises(UsageError, match="search that is under way"):
            forbidden()
    assert next(one_by_one).tolist() == everything[1]
    one_by_one.close()
    assert solver.level == 0
    assert solver.enumerate().places.tolist() == everything


def test_a_search_starts_where_the_solver_is() -> None:
    solver = Solver(queens(5))
    everything = solver.enumerate().places
    solver.push()
    assert solver.assign(2, 3)
    assert solver.enumerate().places.tolist() == everything[everything[:, 2] == 3].tolist()
    solver.push()
    assert not solver.fix((0, 1), (3, 1))
    nothing = solver.enumerate()
    assert (len(nothing), nothing.status, nothing.statistics.nodes) == (0, Status.COMPLETE, 0)
    solver.pop()
    solver.pop()
    assert solver.enumerate().places.tolist() == everything.tolist()


def test_a_network_without_variables_has_one_solution() -> None:
    assert Solver(Network()).enumerate().places.shape == (1, 0)


def test_an_error_of_a_predicate_leaves_the_solver_where_it_was() -> None:
    network = Network()
    x, y = network.add_vars("xy", range(3))
    is_broken = True

    def differs(one: int, other: int) -> bool:
        if is_broken and one == 1:
            raise RuntimeError("no answer")
        return one != other

    network.add(Predicate((x, y), differs))
    solver = Solver(network)
    with pytest.raises(RuntimeError, match="no answer"):
        solver.enumerate()
    assert solver.level == 0
    with pytest.raises(RuntimeError, match="no answer"):
        solver.assign(x, 1)
    is_broken = False
    assert solver.propagate()
    assert solver.domain(y) == (0, 2)

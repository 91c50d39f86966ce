"""Clauses and gates: watches, long ones, degenerate ones."""

from __future__ import annotations

import numpy as np
import pytest

from naive.constraints import clauses, gates, random_network
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.constraints import Clauses, Gates
from woodstock.cp.engine import NONE
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver, Strength

WIDE = 60 if JIT_DISABLED else 2000


def booleans(count: int) -> Network:
    network = Network()
    network.add_vars([f"x{number}" for number in range(count)])
    return network


def true(var: int) -> int:
    return 4 * var + 2


def false(var: int) -> int:
    return 4 * var + 3


def watched(solver: Solver) -> dict[int, list[int]]:
    """Return the literals that each clause watches, as the lists tell; every watch must be in one list."""
    store = solver._machine.engine.clauses
    found: dict[int, list[int]] = {}
    for literal, first in enumerate(store.watch_first.tolist()):
        watch = first
        while watch != NONE:
            clause = watch >> 1
            place = int(store.watches[2 * watch + 1])
            assert store.data[store.start[clause] + place] == literal
            found.setdefault(clause, []).append(literal)
            watch = int(store.watches[2 * watch])
    return found


def test_each_clause_of_three_or_more_watches_two_literals_that_are_not_false_or_has_a_true_one() -> None:
    num_watched = 0
    for seed in range(2 if JIT_DISABLED else 30):
        network = random_network(seed, ["clauses", "gates", "one_hot"], num_constraints=9, num_vars=10)
        solver = Solver(network)
        random = np.random.default_rng(seed)
        for _ in range(60):
            store, truth = solver._machine.engine.clauses, solver._machine.engine.domains.truth
            found = watched(solver)
            sizes = np.diff(store.start)
            assert sorted(found) == np.flatnonzero(sizes > 2).tolist()
            assert all(len(literals) == 2 for literals in found.values())
            for clause, literals in found.items():
                num_watched += 1
                data = store.data[store.start[clause] : store.start[clause + 1]]
                assert solver.is_failed or truth[data].any() or not any(truth[literal ^ 1] for literal in literals)
            if solver.is_failed or not solver.open_vars or random.random() < 0.35:
                if solver.level == 0:
                    break
                solver.pop()
            else:
                solver.push()
                var = int(random.choice(solver.open_vars))
                solver.assign(var, int(random.choice(solver.domain(var))))
    assert num_watched > 0


@pytest.mark.parametrize("strength", Strength)
def test_clauses_of_no_literal_and_of_one(strength: Strength) -> None:
    network = booleans(2)
    network.add(clauses([true(0)]))
    assert Solver(network, strength=strength).enumerate().places.tolist() == [[1, 0], [1, 1]]
    network.add(clauses([]))
    assert Solver(network, strength=strength).is_failed


def test_a_literal_may_be_there_twice_or_with_its_complement() -> None:
    network = booleans(3)
    network.add(clauses([true(0), true(0), true(0)], [true(1), false(1), true(2)]))
    assert sorted(Solver(network).enumerate().places.tolist()) == [[1, b, c] for b in (0, 1) for c in (0, 1)]


def test_the_last_literal_of_a_wide_clause_is_made_true() -> None:
    network = booleans(WIDE)
    network.add(clauses([true(var) for var in range(WIDE)]))
    solver = Solver(network)
    random = np.random.default_rng(1)
    for _ in range(3):
        solver.push()
        order = random.permutation(WIDE)
        for var in order[:-1].tolist():
            assert len(solver.open_vars) > 1
            assert solver.assign(var, 0)
        assert solver.domain(int(order[-1])) == (1,)
        solver.pop()


def wide_gate() -> Network:
    network = booleans(WIDE + 1)
    network.add(gates((true(WIDE), [true(var) for var in range(WIDE)])))
    return network


def test_a_wide_gate_works_both_ways() -> None:
    solver = Solver(wide_gate())
    inputs = np.arange(WIDE)
    solver.push()
    assert solver.assign(5, 0)
    assert solver.domain(WIDE) == (0,)
    solver.pop()
    solver.push()
    assert solver.fix(inputs, np.ones(WIDE, np.int64))
    assert solver.domain(WIDE) == (1,)
    solver.pop()
    solver.push()
    assert solver.assign(WIDE, 1)
    assert solver.open_vars == ()
    solver.pop()
    assert solver.assign(WIDE, 0)
    assert solver.fix(inputs[1:], np.ones(WIDE - 1, np.int64))
    assert solver.domain(0) == (0,)
    assert not solver.assign(0, 1)


def test_inputs_that_are_not_watched_are_no_concern_of_a_wide_gate() -> None:
    solver = Solver(wide_gate())
    watches = solver._machine.engine.clauses.watches
    before = watches.copy()
    assert solver.fix(np.arange(1, WIDE), np.ones(WIDE - 1, np.int64))
    assert (watches == before).all()
    assert solver.assign(WIDE, 0)
    assert solver.domain(0) == (0,)


@pytest.mark.parametrize("strength", Strength)
def test_gates_of_no_input_and_of_one(strength: Strength) -> None:
    network = booleans(3)
    network.add(gates((true(0), []), (false(2), [true(1)])))
    solver = Solver(network, strength=strength)
    assert sorted(solver.enumerate().places.tolist()) == [[1, 0, 1], [1, 1, 0]]
    assert solver.assign(2, 1)
    assert solver.domain(1) == (0,)


def test_a_gate_may_use_its_output() -> None:
    network = booleans(2)
    network.add(gates((true(0), [true(0), true(1)]), (true(1), [false(1), true(0)])))
    assert Solver(network).enumerate().places.tolist() == [[0, 0]]


def test_literals_of_variables_with_many_values() -> None:
    network = Network()
    x, y = network.add_var("x", "abc"), network.add_var("y", "de")
    network.add(clauses([network.literal(x, "a"), network.literal(y, "d")]))
    network.add(gates((network.literal(y, "e"), [network.literal(x, "b", holds=False)])))
    assert sorted(Solver(network).enumerate().places.tolist()) == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (
            Clauses(np.array([0, 3]), np.array([2, 6], np.int32)),
            "data of length 2, from 0 to its end, as the start of clauses",
        ),
        (Clauses(np.array([0, 2, 1, 2]), np.array([2, 6], np.int32)), "start of clauses"),
        (Clauses(np.array([0, 1]), np.array([8], np.int32)), "from 0 to 7 in a clause, found 8"),
        (Gates(np.array([2, 3], np.int32), np.array([0, 1]), np.array([6], np.int32)), "start of 2 gates"),
        (Gates(np.array([-2], np.int32), np.array([0, 1]), np.array([6], np.int32)), "in a gate, found -2"),
        (Clauses(np.array([0, 1]), np.array([[2]], np.int32)), r"shape \(1, 1\)"),
    ],
)
def test_wrong_clauses_and_gates_are_refused(constraint: Clauses | Gates, message: str) -> None:
    network = booleans(2)
    network.add(constraint)
    with pytest.raises(UsageError, match=message):
        Solver(network)

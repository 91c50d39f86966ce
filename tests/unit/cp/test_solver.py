"""The solver's node, its errors, and branch and bound."""

from __future__ import annotations

import numpy as np
import pytest

from naive.constraints import KINDS, random_network, random_table, solutions, worth
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Limits
from woodstock.cp import compiled
from woodstock.cp.constraints import Table, Utility
from woodstock.cp.network import Network
from woodstock.cp.search import run
from woodstock.cp.solver import Solver, Status, Strength, VariableOrder


def pair() -> Network:
    network = Network()
    network.add_vars("xy", (1, 2, 3))
    network.add(Table((0, 1), [(0, 1), (0, 2), (1, 2)]))
    return network


def add_utilities(network: Network, seed: int, num_players: int = 2) -> None:
    """Add soft constraints with random utilities, some of them equal."""
    random = np.random.default_rng(seed)
    for arity in (1, 2, 3):
        table = random_table(network, random, arity, share=0.6)
        values = random.integers(0, 5, (len(table.tuples), num_players)) / 4
        network.add(Utility(table.scope, table.tuples, values))


def test_a_mac_solver_is_at_a_fixpoint_from_the_beginning() -> None:
    solver = Solver(pair())
    assert (solver.domain(0), solver.domain(1)) == ((0, 1), (1, 2))
    assert (solver.domain_size(0), solver.is_open(1)) == (2, True)
    assert list(solver.open_vars) == [0, 1]
    assert solver.propagate()
    assert solver.remove(1, 1)
    assert list(solver.open_vars) == [0]
    assert solver.assign(0, 1)
    assert list(solver.open_vars) == []
    assert not solver.is_open(0)


def test_an_fc_solver_removes_nothing_before_an_assignment() -> None:
    solver = Solver(pair(), strength=Strength.FC)
    assert (solver.domain(0), solver.domain(1)) == ((0, 1, 2), (0, 1, 2))
    assert solver.remove(0, 2)
    assert solver.domain(1) == (0, 1, 2)
    assert solver.assign(0, 1)
    assert solver.domain(1) == (2,)
    assert solver.open_vars == (1,)
    assert solver.propagate()
    assert solver.open_vars == (1,)


def test_what_forward_checking_removes_wakes_nobody() -> None:
    network = Network()
    a, b, c = network.add_vars("abc")
    network.add(Table((a, b), [(0, 0), (1, 1)]), Table((b, c), [(0, 0), (1, 1)]))
    solver = Solver(network, strength=Strength.FC)
    assert solver.assign(a, 1)
    assert (solver.domain(b), solver.domain(c)) == ((1,), (0, 1))
    assert solver.assign(b, 1)
    assert solver.domain(c) == (1,)


def test_failure_lasts_until_the_return() -> None:
    solver = Solver(pair())
    solver.push()
    assert not solver.fix((0, 1), (1, 1))
    assert solver.is_failed
    assert not solver.propagate()
    assert not solver.assign(0, 0)
    assert not solver.remove(0, 0)
    solver.push()
    assert not solver.propagate()
    solver.pop()
    solver.pop()
    assert solver.propagate()
    assert len(solver.enumerate()) == 3


def test_many_levels() -> None:
    solver = Solver(pair())
    for _ in range(500):
        solver.push()
    assert solver.level == 500
    assert solver.assign(0, 1)
    assert len(solver.enumerate()) == 1
    for _ in range(500):
        solver.pop()
    assert len(solver.enumerate()) == 3


def test_much_to_remember(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deep down a table has changed often: the room for that grows, and nothing is forgotten."""
    monkeypatch.setattr(compiled, "FIRST_UNDO", 1)
    size = 100
    network = Network()
    network.add_vars("xy", range(size))
    network.add(
        Table((0, 1), [(place, other) for place in range(size) for other in (place, place + 1) if other < size])
    )
    solver = Solver(network)
    for place in range(size - 1):
        assert solver.domain_size(1) == size - place
        solver.push()
        assert solver.remove(0, place)
    assert solver.domain(1) == (size - 1,)
    assert len(solver._machine.pools.undo) > 300
    for place in range(size - 2, -1, -1):
        solver.pop()
        assert solver.domain_size(1) == size - place
    assert len(solver.enumerate()) == 2 * size - 1


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_numbers_of_all_types_are_good_for_the_same_kernel() -> None:
    solver = Solver(pair())
    signatures = list(run.signatures)  # type: ignore[attr-defined]
    fixed = np.zeros((3, 2), np.int32)
    fixed.flags.writeable = False
    assert solver.fix(fixed[:1, 0], fixed[:1, 1])
    assert solver.remove(np.int16(1), np.uint8(2))  # type: ignore[arg-type]
    assert len(solver.enumerate(columns=np.arange(4)[1::-1])) == 1  # type: ignore[arg-type]
    assert len(list(solver.solutions())) == 1
    assert len(solver.enumerate(columns=())) == 1
    assert run.signatures == signatures  # type: ignore[attr-defined]
    assert len(signatures) == 1


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda solver: solver.fix([[0]], [[0]]), r"a list of numbers, found an array of shape \(1, 1\)"),
        (lambda solver: solver.pop(), "push before this pop"),
        (lambda solver: solver.assign(2, 0), "from 0 to 1, found 2"),
        (lambda solver: solver.assign(-1, 0), "from 0 to 1, found -1"),
        (lambda solver: solver.remove(0, 3), "from 0 to 2 for x, found 3"),
        (lambda solver: solver.fix((0, 1), (0, -1)), "from 0 to 2 for y, found -1"),
        (lambda solver: solver.fix((0, 1), (0,)), "as many places as variables, found 1 and 2"),
        (lambda solver: solver.best(0), "player from 0 to -1, found 0"),
        (lambda solver: Solver(solver.network, decisions=(0, 5)), "as decisions, found 5"),
        (lambda solver: Solver(solver.network, decisions=(0, 0)), "different variables as decisions"),
    ],
)
def test_what_cannot_be_is_refused(action: object, message: str) -> None:
    solver = Solver(pair())
    with pytest.raises(UsageError, match=message):
        action(solver)  # type: ignore[operator]
    assert (solver.domain(0), solver.domain(1), solver.is_failed) == ((0, 1), (1, 2), False)


@pytest.mark.parametrize("strength", Strength)
def test_the_best_solution_is_the_best_of_all(strength: Strength) -> None:
    pruned = 0
    for seed in range(4 if JIT_DISABLED else 30):
        network = random_network(seed, KINDS, num_constraints=2)
        add_utilities(network, seed)
        everything = solutions(network)
        solver = Solver(network, strength=strength, variable_order=list(VariableOrder)[seed % 3])
        for player in range(2):
            best = solver.best(player)
            assert best.status is Status.COMPLETE
            assert (best.places is None) == (not everything)
            if best.places is not None and best.utility is not None:
                assert tuple(best.places.tolist()) in everything
                assert best.utility == pytest.approx(worth(network.utilities, best.places.tolist(), player))
                values = [worth(network.utilities, places, player) for places in solver.enumerate().places.tolist()]
                assert best.utility == pytest.approx(max(values))
                # No other one that is as good is looked for.
                if seed % 3 == 0:
                    assert best.places.tolist() == solver.enumerate().places[int(np.argmax(values))].tolist()
                pruned += best.statistics.nodes < solver.enumerate().statistics.nodes
        assert sorted(map(tuple, solver.enumerate().places.tolist())) == everything
    assert pruned > 0


def test_the_best_below_a_node_and_within_limits() -> None:
    network = pair()
    network.add(Utility((0,), [(0,), (1,)], [(0.25, 1.0), (0.5, 0.0)]), Utility((0, 1), [(0, 2)], [(0.75, 0.0)]))
    solver = Solver(network)
    best = solver.best(0)
    assert best.places is not None
    assert (best.places.tolist(), best.utility) == ([0, 2], 1.0)
    solver.push()
    assert solver.assign(1, 1)
    best = solver.best(0)
    assert best.places is not None
    assert (best.places.tolist(), best.utility) == ([0, 1], 0.25)
    solver.pop()
    assert solver.best(0, Limits(nodes=1)).status is Status.LIMIT
    solver.assign(0, 1)
    assert solver.best(1).utility == 0.0


@pytest.mark.parametrize(
    ("utility", "message"),
    [
        (Utility((0, 0), [(0, 0)], [(1.0,)]), "different variables in a soft constraint"),
        (Utility((0,), [(0,), (0,)], [(1.0,), (1.0,)]), "different tuples"),
        (Utility((0,), [(0,), (1,)], [(1.0,)]), "for each of 2 tuples"),
        (Utility((0,), [(0,)], [(1.5,)]), "from 0 to 1"),
        (Utility((0,), [(7,)], [(0.5,)]), r"found \[7\]"),
        (Utility((0,), [(0,)], [(0.5, 0.5)]), r"as many players in each soft constraint, found \[1, 2\]"),
    ],
)
def test_wrong_soft_constraints_are_refused(utility: Utility, message: str) -> None:
    network = pair()
    network.add(Utility((1,), [(0,)], [(1.0,)]), utility)
    with pytest.raises(UsageError, match=message):
        Solver(network)

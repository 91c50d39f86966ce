"""Consistencies against their definitions."""

from __future__ import annotations

import itertools

import pytest

from naive.constraints import arc_consistent, full_domains, random_network, singleton_consistent
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Limits
from woodstock.cp.consistency import make_arc_consistent, make_singleton_consistent
from woodstock.cp.constraints import Table
from woodstock.cp.network import Network
from woodstock.cp.results import Status
from woodstock.cp.solver import Solver, Strength

WITH_GAC = ("table", "forbidden", "clauses", "gates", "one_hot", "channel")


def domains_of(solver: Solver) -> list[set[int]]:
    return [set(solver.domain(var)) for var in range(solver.network.num_vars)]


def all_different(num_vars: int, num_values: int) -> Network:
    network = Network()
    variables = network.add_vars([f"x{number}" for number in range(num_vars)], range(num_values))
    for one, other in itertools.combinations(variables, 2):
        network.add(Table((one, other), [(a, b) for a in range(num_values) for b in range(num_values) if a != b]))
    return network


@pytest.mark.parametrize("strength", Strength)
def test_singleton_consistency_is_what_its_definition_says(strength: Strength) -> None:
    num_removed = 0
    for seed in range(5 if JIT_DISABLED else 40):
        network = random_network(seed, WITH_GAC, num_constraints=6)
        solver = Solver(network, strength=strength)
        arcs = arc_consistent(network, full_domains(network))
        expected = singleton_consistent(network, full_domains(network))
        reduction = make_singleton_consistent(solver)
        assert bool(reduction) == reduction.is_consistent == (expected is not None) != solver.is_failed
        assert reduction.status is Status.COMPLETE
        if expected is not None:
            assert domains_of(solver) == expected
            assert arcs is not None
            num_removed += sum(len(one - other) for one, other in zip(arcs, expected, strict=True))
    assert num_removed > 0


def test_it_is_stronger_than_arc_consistency() -> None:
    network = all_different(3, 2)
    solver = Solver(network, strength=Strength.FC)
    assert make_arc_consistent(solver)
    assert make_arc_consistent(solver).num_removed == 0
    assert not make_singleton_consistent(solver)
    assert solver.is_failed
    assert len(solver.enumerate()) == 0


def test_it_is_undone_with_its_level() -> None:
    network = all_different(3, 2)
    solver = Solver(network)
    before = domains_of(solver)
    solver.push()
    assert not make_singleton_consistent(solver)
    solver.pop()
    assert domains_of(solver) == before
    assert not solver.is_failed


def test_limits_stop_it_early() -> None:
    solver = Solver(all_different(6, 6))
    reduction = make_singleton_consistent(solver, Limits(nodes=5))
    assert reduction.status is Status.LIMIT
    assert reduction.is_consistent
    assert reduction.num_probes == 5
    assert make_singleton_consistent(solver, Limits(seconds=1e-9)).status is Status.LIMIT
    everything = make_singleton_consistent(solver)
    assert (everything.status, everything.num_probes, everything.num_removed) == (Status.COMPLETE, 36, 0)


def test_what_is_removed_is_counted() -> None:
    network = Network()
    x, y = network.add_vars("xy", range(4))
    network.add(Table((x, y), [(0, 1), (2, 1)]))
    solver = Solver(network, strength=Strength.FC)
    assert make_arc_consistent(solver).num_removed == 2 + 3
    assert make_arc_consistent(solver).num_removed == 0


def test_what_is_removed_late_counts_for_what_was_tried_early() -> None:
    """If p is 0 and r is 0, then u and v are; if r is 1, then d and e are 0; neither pair may be all 0."""
    network = Network()
    p, r, u, v, d, e = network.add_vars("pruvde", (0, 1))
    everything = list(itertools.product((0, 1), repeat=3))
    for other in (u, v):
        network.add(Table((p, r, other), [row for row in everything if row[:2] != (0, 0) or row[2] == 0]))
    for other in (d, e):
        network.add(Table((r, other), [(0, 0), (0, 1), (1, 0)]))
    network.add(*(Table(scope, [(0, 1), (1, 0), (1, 1)]) for scope in ((u, v), (d, e))))
    solver = Solver(network)
    assert solver.domain(p) == solver.domain(r) == (0, 1)
    assert make_singleton_consistent(solver)
    assert (solver.domain(p), solver.domain(r)) == ((1,), (0,))

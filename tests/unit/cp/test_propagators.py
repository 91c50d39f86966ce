"""Each propagator against its twin: nothing is lost, what is claimed is removed, and everything comes back."""

from __future__ import annotations

import numpy as np
import pytest

from naive.constraints import KINDS, Domains, arc_consistent, full_domains, random_network, solutions
from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver, Strength

WITH_GAC = ("table", "forbidden", "clauses", "gates", "one_hot", "channel")
WEAKER = ("linear", "founded", "predicate")
NUM_NETWORKS = 3 if JIT_DISABLED else 20
NUM_STEPS = 25


def domains_of(solver: Solver) -> Domains:
    """Return the domains of a solver, which must have nothing left to do."""
    agenda = solver._machine.engine.agenda
    assert not agenda.is_queued.any()
    assert not agenda.is_changed.any()
    return [set(solver.domain(var)) for var in range(solver.network.num_vars)]


class Walk:
    """A solver that is led through assignments, removals and returns, and the domains that it was told to have."""

    def __init__(self, network: Network, strength: Strength, seed: int) -> None:
        self.solver = Solver(network, strength=strength)
        self.solver.propagate()
        self.told = full_domains(network)
        self.random = np.random.default_rng(seed)
        self._kept: list[tuple[Domains, Domains]] = []

    def step(self) -> None:
        """Go on, or back; afterwards the solver is at a fixpoint."""
        solver = self.solver
        if self._kept and (solver.is_failed or self.random.random() < 0.3):
            solver.pop()
            self.told, expected = self._kept.pop()
            assert not solver.is_failed
            assert domains_of(solver) == expected
            return
        if self.random.random() < 0.6:
            self._kept.append(([set(domain) for domain in self.told], domains_of(solver)))
            solver.push()
        var = int(self.random.integers(solver.network.num_vars))
        place = int(self.random.choice(solver.domain(var)))
        if self.random.random() < 0.5:
            self.told[var] = self.told[var] & {place}
            solver.assign(var, place)
        else:
            self.told[var] = self.told[var] - {place}
            solver.remove(var, place)
        solver.propagate()

    @property
    def is_over(self) -> bool:
        return self.solver.is_failed and not self._kept


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize("kind", WITH_GAC)
def test_what_has_no_support_is_removed_and_nothing_else(kind: str, strength: Strength) -> None:
    for seed in range(NUM_NETWORKS):
        network = random_network(seed, [kind], num_constraints=1 + seed % 3)
        walk = Walk(network, strength, seed)
        for _ in range(NUM_STEPS):
            expected = arc_consistent(network, walk.told)
            left = domains_of(walk.solver)
            assert walk.solver.is_failed == (expected is None)
            assert expected is None or left == expected
            if walk.is_over:
                break
            walk.step()


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize("kind", WEAKER)
def test_no_solution_is_lost_and_no_wrong_one_is_left(kind: str, strength: Strength) -> None:
    for seed in range(NUM_NETWORKS // 2 + 1):
        network = random_network(seed, [kind], num_constraints=1 + seed % 3)
        walk = Walk(network, strength, seed)
        for _ in range(NUM_STEPS):
            expected = solutions(network, walk.told)
            left = domains_of(walk.solver)
            if walk.solver.is_failed:
                assert not expected
            else:
                for var in range(network.num_vars):
                    assert {places[var] for places in expected} <= left[var] <= walk.told[var]
                assert expected or any(len(domain) > 1 for domain in left)
            if walk.is_over:
                break
            walk.step()


@pytest.mark.parametrize("kind", KINDS)
def test_events_and_revisions_reach_the_same_fixpoint(kind: str) -> None:
    """MAC is driven by events of literals, FC's propagation by revisions alone: two ways to one fixpoint."""
    for seed in range(NUM_NETWORKS):
        network = random_network(100 + seed, [kind], num_constraints=4, num_vars=8)
        random = np.random.default_rng(seed)
        by_events, by_revisions = (Solver(network, strength=strength) for strength in (Strength.MAC, Strength.FC))
        by_revisions.propagate()
        while not by_events.is_failed and by_events.open_vars:
            assert domains_of(by_events) == domains_of(by_revisions)
            var = int(random.choice(by_events.open_vars))
            place = int(random.choice(by_events.domain(var)))
            by_events.assign(var, place)
            by_revisions.assign(var, place)
            by_revisions.propagate()
        assert by_events.is_failed == by_revisions.is_failed


def test_after_a_failure_nothing_is_left_to_do() -> None:
    num_failures = 0
    for seed in range(10 * NUM_NETWORKS):
        network = random_network(seed, KINDS, num_constraints=8)
        random = np.random.default_rng(seed)
        solver = Solver(network)
        while not solver.is_failed and solver.open_vars:
            domains_of(solver)
            var = int(random.choice(solver.open_vars))
            solver.assign(var, int(random.choice(solver.domain(var))))
        domains_of(solver)
        num_failures += solver.is_failed
    assert num_failures > 0

"""Random small networks: forward checking, maintained consistency, brute force and CP-SAT find the same solutions.

WOODSTOCK_FUZZ_NETWORKS sets how many networks are made in all, half of them with constraints of all kinds and the
others with constraints of one kind; the seeds, and so the networks, are the same ones every time.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

import numpy as np
import pytest

from naive.networks import KINDS, Places, brute_force, cp_sat, random_network
from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.consistency import make_singleton_consistent
from woodstock.cp.constraints import Clauses, Table, Utility
from woodstock.cp.network import Network
from woodstock.cp.orders import Strength, ValueOrder, VariableOrder
from woodstock.cp.preprocess import preprocess
from woodstock.cp.propagators import tables
from woodstock.cp.solver import Solver, Status

NUM_NETWORKS = int(os.environ.get("WOODSTOCK_FUZZ_NETWORKS", "100" if JIT_DISABLED else "2000"))
MIXED = "mixed"
SHARES = {MIXED: max(1, NUM_NETWORKS // 2)} | dict.fromkeys(KINDS, max(1, NUM_NETWORKS // 2 // len(KINDS)))
NUM_FEW = max(1, NUM_NETWORKS // 40)
"""For tests that do much with each network."""


def networks(kind: str, count: int) -> Iterator[tuple[str, Network]]:
    """Yield random networks, each with the name of its seed."""
    for number in range(count):
        seed = f"{kind} {number}"
        yield seed, random_network(random.Random(seed), KINDS if kind == MIXED else (kind,))


def solutions_of(solver: Solver) -> set[Places]:
    """Return all solutions, after a look at how the search ended."""
    found = solver.enumerate()
    assert found.status is Status.COMPLETE
    rows = {tuple(row) for row in found.places.tolist()}
    assert len(rows) == len(found.places)
    return rows


@pytest.mark.parametrize("kind", SHARES)
def test_all_find_the_same_solutions(kind: str) -> None:
    for seed, network in networks(kind, SHARES[kind]):
        expected = brute_force(network)
        assert cp_sat(network) == expected, seed
        nodes = {}
        for strength in Strength:
            solver = Solver(network, strength=strength, variable_order=VariableOrder.STATIC)
            found = solver.enumerate()
            rows = [tuple(row) for row in found.places.tolist()]
            assert found.status is Status.COMPLETE, seed
            assert set(rows) == expected, (seed, strength)
            assert len(rows) == len(expected), (seed, strength)
            nodes[strength] = found.statistics.nodes
        assert nodes[Strength.MAC] <= nodes[Strength.FC], seed


def test_there_are_easy_and_hard_networks() -> None:
    """The networks are worth the trouble: some have no solution, some have a few, some have many."""
    counts = [len(brute_force(network)) for _, network in networks(MIXED, 200)]
    assert sum(count == 0 for count in counts) > 20
    assert sum(1 <= count <= 10 for count in counts) > 20
    assert sum(count > 10 for count in counts) > 20


@pytest.mark.parametrize("strength", Strength)
def test_tables_that_stay_forbidden(strength: Strength, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones become tables of allowed tuples, unless there is no room for these."""
    monkeypatch.setattr(tables, "SMALL", 0)
    for number in range(max(40, 4 * NUM_FEW)):
        seed = f"stay forbidden {number}"
        network = random_network(random.Random(seed), ("forbidden", "forbidden", "allowed", "clauses"))
        assert solutions_of(Solver(network, strength=strength)) == brute_force(network), seed


@pytest.mark.parametrize("is_allowed", [True, False])
def test_large_tables(is_allowed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of many words, on a way down and up: what is left is what a cube of all tuples says."""
    monkeypatch.setattr(tables, "SMALL", 0)
    rng = np.random.default_rng(0)
    sizes = (8, 12, 10)
    for share in (0.05, 0.2) if is_allowed else (0.3,):
        cube = (rng.random(sizes) < share) == is_allowed
        network = Network()
        scope = tuple(network.add_var(f"x{size}", range(size)) for size in sizes)
        network.add(Table(scope, np.argwhere(cube == is_allowed).astype(np.int32), is_allowed))
        solver = Solver(network)
        for _ in range(NUM_FEW):
            possible = cube.copy()
            while possible.any() and rng.random() < 0.95:
                var = int(rng.integers(3))
                place = int(rng.choice(solver.domain(var)))
                solver.push()
                solver.remove(var, place)
                np.moveaxis(possible, var, 0)[place] = False
                for other in scope if possible.any() else ():
                    others = tuple(axis for axis in range(3) if axis != other)
                    assert solver.domain(other) == tuple(np.flatnonzero(possible.any(axis=others)))
                assert solver.is_failed == (not possible.any())
            while solver.level:
                solver.pop()


def test_many_solutions() -> None:
    """More than fit into the array of a search, and more work than it does at once."""
    size = 10 if JIT_DISABLED else 14
    network = Network()
    network.add_vars([f"p{number}" for number in range(size)])
    rng = random.Random(0)
    clauses = [rng.sample(range(0, 4 * size, 2), 5) for _ in range(6)]
    start = np.arange(0, 31, 5, dtype=np.int64)
    network.add(Clauses(start, np.array([literal for clause in clauses for literal in clause], np.int32)))
    expected = brute_force(network)
    assert len(expected) > (1 << size) // 2
    for strength in Strength:
        assert solutions_of(Solver(network, strength=strength)) == expected


@pytest.mark.parametrize("strength", Strength)
def test_orders_do_not_matter(strength: Strength) -> None:
    rng = random.Random(0)
    orders = list(itertools.product(VariableOrder, ValueOrder))
    for seed, network in networks(MIXED, NUM_FEW):
        expected = brute_force(network)
        for variables, values in orders:
            decisions = rng.sample(range(network.num_vars), rng.randint(0, network.num_vars))
            solver = Solver(
                network, strength=strength, variable_order=variables, value_order=values, decisions=decisions
            )
            assert solutions_of(solver) == expected, (seed, variables, values)


@pytest.mark.parametrize("strength", Strength)
def test_orders_of_ones_own_do_not_matter(strength: Strength) -> None:
    def last_open(solver: Solver) -> int:
        return solver.open_vars[-1]

    def from_the_middle(solver: Solver, var: int) -> list[int]:
        places = solver.domain(var)
        return sorted(places, key=lambda place: abs(2 * place - len(places)))

    for seed, network in networks(MIXED, NUM_FEW):
        expected = brute_force(network)
        solver = Solver(network, strength=strength, variable_order=last_open, value_order=from_the_middle)
        assert solutions_of(solver) == expected, seed


def add_related_tables(network: Network, rng: random.Random) -> None:
    """Add tables that preprocessing can do something about: of equal scope, and with universal variables."""
    for table in [entry for entry in network.constraints if isinstance(entry, Table)]:
        order = rng.sample(range(len(table.scope)), len(table.scope))
        rows = [[row[column] for column in order] for row in table.tuples if rng.random() < 0.8]
        scope = tuple(table.scope[column] for column in order)
        others = [var for var in range(network.num_vars) if var not in scope]
        if others and rng.random() < 0.6:
            var = rng.choice(others)
            scope = (var, *scope)
            rows = [[place, *row] for row in rows for place in range(len(network.domains[var]))]
        is_allowed = table.is_allowed if rng.random() < 0.8 else not table.is_allowed
        network.add(Table(scope, np.array(rows, np.int32).reshape(-1, len(scope)), is_allowed))


def test_preprocessing_keeps_the_solutions() -> None:
    totals: Counter[str] = Counter()
    for seed, network in networks(MIXED, 4 * NUM_FEW):
        add_related_tables(network, random.Random(seed))
        entries, expected = list(network.constraints), brute_force(network)
        found = preprocess(network)
        assert network.constraints == entries, seed
        assert (found.network.names, found.network.domains) == (network.names, network.domains), seed
        assert brute_force(found.network) == expected, seed
        assert solutions_of(Solver(found.network)) == expected, seed
        again = preprocess(found.network).statistics
        assert (again.num_merged, again.num_universal, again.num_removed) == (0, 0, found.statistics.num_removed), seed
        totals.update(asdict(found.statistics))
    assert min(totals[name] for name in ("num_merged", "num_unary", "num_removed", "num_universal")) > 0


def test_singleton_consistency_keeps_the_solutions() -> None:
    total = 0
    for seed, network in networks(MIXED, 4 * NUM_FEW):
        expected = brute_force(network)
        solver = Solver(network)
        is_consistent = bool(make_singleton_consistent(solver))
        total += is_consistent is False
        assert is_consistent or not expected, seed
        if is_consistent:
            assert make_singleton_consistent(solver).num_removed == 0, seed
            assert solutions_of(solver) == expected, seed
        for var in range(network.num_vars) if is_consistent else ():
            assert {row[var] for row in expected} <= set(solver.domain(var)), seed
            for place in solver.domain(var):
                solver.push()
                assert solver.assign(var, place), (seed, var, place)
                solver.pop()
    assert total > 0


@pytest.mark.parametrize("strength", Strength)
def test_the_best_solution(strength: Strength) -> None:
    for seed, network in networks(MIXED, NUM_FEW):
        rng = random.Random(seed)
        for _ in range(rng.randint(1, 3)):
            add_utility(network, rng, num_players=2)
        solutions = sorted(brute_force(network))
        for player in range(2):
            found = Solver(network, strength=strength).best(player)
            assert found.status is Status.COMPLETE, seed
            if found.places is None:
                assert found.utility is None
                assert not solutions, seed
            else:
                places = tuple(found.places.tolist())
                assert places in solutions, seed
                best = max(utility_of(network, row, player) for row in solutions)
                assert found.utility == pytest.approx(best), (seed, player)
                assert utility_of(network, places, player) == pytest.approx(best), (seed, player)


def add_utility(network: Network, rng: random.Random, num_players: int) -> None:
    """Add a soft constraint on at most three variables."""
    scope = tuple(rng.sample(range(network.num_vars), rng.randint(1, min(3, network.num_vars))))
    rows = itertools.product(*(range(len(network.domains[var])) for var in scope))
    kept = [row for row in rows if rng.random() < 0.7]
    utilities = [[rng.random() for _ in range(num_players)] for _ in kept]
    tuples = np.array(kept, np.int32).reshape(-1, len(scope))
    network.add(Utility(scope, tuples, np.array(utilities).reshape(-1, num_players)))


def utility_of(network: Network, places: Places, player: int) -> float:
    """Return what a player gets for an assignment."""
    total = 0.0
    for soft in network.utilities:
        chosen = tuple(places[var] for var in soft.scope)
        for row, utilities in zip(soft.tuples, soft.utilities, strict=True):
            total += utilities[player] if tuple(row) == chosen else 0.0
    return total

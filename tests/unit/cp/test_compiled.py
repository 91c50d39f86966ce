"""Networks as arrays."""

from __future__ import annotations

import itertools

import numpy as np

from naive.constraints import KINDS, gates, random_network
from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.compiled import compile_network
from woodstock.cp.constraints import Gates, Utility
from woodstock.cp.draft import Draft
from woodstock.cp.engine import Engine, pack, view
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver

NO_DECISIONS = np.zeros(0, np.int32)


def engine_of(network: Network, *, cascades: bool = True) -> Engine:
    return view(compile_network(network, cascades=cascades, decisions=NO_DECISIONS).pools)


def test_pools_hold_every_array_in_its_place() -> None:
    network = random_network(1, KINDS, num_constraints=12, num_vars=8)
    network.add(Utility((0,), [(0,)], [(0.5,)]))
    engine = engine_of(network)
    # Every array a different one, so that none can be taken for another.
    numbers = itertools.count(1)
    groups = [[array + np.array(next(numbers), array.dtype) for array in group] for group in engine]
    marked = Engine(*(type(group)(*arrays) for group, arrays in zip(engine, groups, strict=True)))  # type: ignore[arg-type]
    for arrays, again in zip(groups, view(pack(marked)), strict=True):
        for one, other in zip(arrays, map(np.asarray, again), strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)


def test_views_share_their_numbers_with_the_pools() -> None:
    compiled = compile_network(random_network(1, KINDS, 5), cascades=True, decisions=NO_DECISIONS)
    view(compiled.pools).domains.size[0] = 77
    assert view(compiled.pools).domains.size[0] == 77


def test_boolean_literals_are_written_with_the_second_choice() -> None:
    network = Network()
    network.add_var("x", "abc")
    network.add_vars("yz")
    draft = Draft(network)
    assert draft.literals(range(14), "a test").tolist() == [0, 1, 2, 3, 4, 5, 9, 8, 8, 9, 13, 12, 12, 13]
    network.add(gates((10, [6, 0])))
    wiring = engine_of(network).wiring
    counts = np.diff(wiring.reaction_start)
    assert counts[[6, 7, 10, 11]].sum() == 0
    assert counts.sum() == 4


def test_forward_checking_needs_no_events() -> None:
    engine = engine_of(random_network(3, KINDS, num_constraints=12, num_vars=8), cascades=False)
    assert len(engine.wiring.reactions) == 0
    assert (engine.clauses.watch_first == -1).all()
    assert len(engine.wiring.listeners) == len(engine.wiring.scope_data)


def test_many_gates_at_once() -> None:
    """A chain of gates, each with the one before and a free variable as inputs."""
    count = 200 if JIT_DISABLED else 100_000
    network = Network()
    network.add_vars([f"x{number}" for number in range(2 * count + 1)])
    true = 4 * np.arange(2 * count + 1) + 2
    outs = true[count + 1 :]
    data = np.stack([true[count : 2 * count], true[:count]], axis=1).ravel()
    network.add(Gates(outs.astype(np.int32), 2 * np.arange(count + 1), data.astype(np.int32)))
    assert network.num_constraints == count
    solver = Solver(network)
    solver.push()
    assert solver.fix(np.arange(count + 1), np.ones(count + 1, np.int64))
    assert solver.open_vars == ()
    assert len(solver.enumerate()) == 1
    solver.pop()
    assert solver.assign(count, 0)
    assert len(solver.open_vars) == count

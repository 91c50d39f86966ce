"""Consistencies: what can be removed at a node without a search.

Arc consistency is what propagation to the fixpoint gives: GAC, if all propagators enforce it. Singleton arc consistency
is stronger: a value stays only if the network does not fail by propagation once the value is assigned (Debruyne and
Bessière, "Some practicable filtering techniques for the constraint satisfaction problem", IJCAI 1997).

>>> from woodstock.cp.constraints import Table
>>> from woodstock.cp.network import Network
>>> from woodstock.cp.solver import Solver
>>> network = Network()
>>> x, y, z = network.add_vars("xyz")
>>> network.add(*(Table(scope, [(0, 1), (1, 0)]) for scope in ((x, y), (y, z), (x, z))))
>>> solver = Solver(network)
>>> bool(make_arc_consistent(solver)), bool(make_singleton_consistent(solver))
(True, False)
"""

from __future__ import annotations

from dataclasses import dataclass

from woodstock.common.limits import Deadline, Limits
from woodstock.cp.results import Status
from woodstock.cp.solver import Solver


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a consistency did; it is true if all constraints may still be satisfied.

    Attributes:
        is_consistent: Whether no constraint failed.
        num_removed: Values that were removed from all domains together.
        num_probes: Values that were tried.
        status: Whether the consistency was reached, or a limit before.
    """

    is_consistent: bool
    num_removed: int
    num_probes: int
    status: Status

    def __bool__(self) -> bool:
        return self.is_consistent


def make_arc_consistent(solver: Solver) -> Reduction:
    """Propagate at the solver's node until nothing changes."""
    before = _count_values(solver)
    is_consistent = solver.propagate()
    return Reduction(is_consistent, before - _count_values(solver), 0, Status.COMPLETE)


def make_singleton_consistent(solver: Solver, limits: Limits | None = None) -> Reduction:
    """Remove values at the solver's node until it is singleton arc consistent.

    Args:
        solver: The solver.
        limits: How many seconds it may take, and how many values may be tried (nodes). What was removed until then
            belongs to no solution.
    """
    deadline = Deadline(None if limits is None else limits.seconds)
    before = _count_values(solver)
    num_probes = 0
    is_consistent = solver.propagate()
    candidates = [var for var in range(solver.network.num_vars) if solver.domain_size(var) > 1]
    # Variables all of whose values were tried since anything was removed.
    num_calm = place = 0
    status = Status.COMPLETE
    while is_consistent and num_calm < len(candidates):
        var = candidates[place]
        place = (place + 1) % len(candidates)
        num_calm += 1
        for value in solver.domain(var) if solver.domain_size(var) > 1 else ():
            if deadline.expired or (limits is not None and limits.nodes is not None and num_probes >= limits.nodes):
                status, num_calm = Status.LIMIT, len(candidates)
                break
            num_probes += 1
            if value in solver.domain(var) and not _survives(solver, var, value):
                is_consistent = solver.remove(var, value) and solver.propagate()
                num_calm = 0
                if not is_consistent:
                    break
    return Reduction(is_consistent, before - _count_values(solver), num_probes, status)


def _survives(solver: Solver, var: int, place: int) -> bool:
    """Tell whether a value can be assigned without failure."""
    solver.push()
    try:
        return solver.assign(var, place) and solver.propagate()
    finally:
        solver.pop()


def _count_values(solver: Solver) -> int:
    return sum(solver.domain_size(var) for var in range(solver.network.num_vars))

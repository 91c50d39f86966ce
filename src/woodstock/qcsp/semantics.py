"""What constraints mean, by their definition: no propagation, no kernels. All else is checked against this."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Channel, Clauses, Constraint, Founded, Gates, Linear, OneHot, Predicate, Table
from woodstock.cp.network import Network

Literal = Callable[[int], bool]


def holds(network: Network, constraint: Constraint, places: Sequence[int]) -> bool:
    """Tell whether a constraint holds, given the place of the value of every variable of the network."""

    def is_true(literal: int) -> bool:
        var = network.var_of_choice(literal >> 1)
        return (places[var] == (literal >> 1) - network.first_choices[var]) != bool(literal & 1)

    match constraint:
        case Table():
            return (tuple(places[var] for var in constraint.scope) in _rows(constraint)) == constraint.is_allowed
        case Predicate():
            return constraint.holds(*(network.domains[var][places[var]] for var in constraint.scope))
        case Clauses():
            return all(any(map(is_true, clause)) for clause in literals_of(constraint))
        case Gates():
            bodies = literals_of(constraint)
            outs = constraint.outs.tolist()
            return all(is_true(out) == all(map(is_true, body)) for out, body in zip(outs, bodies, strict=True))
        case Channel():
            return all(
                is_true(literal) == (places[constraint.var] == place)
                for place, literal in enumerate(constraint.literals)
            )
        case OneHot():
            count = sum(map(is_true, constraint.literals))
            return count == 1 or (count == 0 and not constraint.exactly)
        case Linear():
            pairs = zip(constraint.literals, constraint.weights, strict=True)
            return constraint.low <= sum(weight for literal, weight in pairs if is_true(literal)) <= constraint.high
        case Founded():
            raise UsageError("expected constraints over given values, found founded rules: they are not quantified")


@lru_cache(maxsize=4096)
def _rows(table: Table) -> frozenset[tuple[int, ...]]:
    return frozenset(map(tuple, np.asarray(table.tuples).tolist()))


def literals_of(constraint: Clauses | Gates) -> list[list[int]]:
    """Return the literals of each clause or conjunction."""
    starts = constraint.start.tolist()
    return [constraint.data[first:end].tolist() for first, end in itertools.pairwise(starts)]

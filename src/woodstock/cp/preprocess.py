"""Preprocessing: a network with the same solutions, and fewer or smaller constraints.

- Tables of equal scope become one: the intersection of their relations.
- Unary constraints become domains. Variables and places keep their numbers: what is left of a domain is said by one
  unary table for each variable that has lost values, which a solver applies when it is made and never looks at again.
  Tuples with other values leave their tables.
- A variable is *universal* in a table if its value does not matter: |relation| = |domain| · |relation projected away
  from it|. It leaves the scope.

This goes on until nothing changes. Other kinds of constraints stay as they are.

>>> from woodstock.cp.constraints import Table
>>> from woodstock.cp.network import Network
>>> network = Network()
>>> x, y = network.add_vars("xy", (1, 2, 3))
>>> network.add(Table((x, y), [(0, 0), (0, 1), (0, 2), (1, 2)]), Table((y, x), [(0, 0), (1, 0), (2, 0)]))
>>> smaller, statistics = preprocess(network)
>>> [(table.scope, table.tuples.tolist()) for table in smaller.constraints]
[((0,), [[0]])]
>>> statistics.num_merged, statistics.num_universal
(1, 1)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from woodstock.cp.constraints import Clauses, Constraint, Int64Array, Predicate, Table
from woodstock.cp.draft import Draft
from woodstock.cp.network import Network
from woodstock.cp.tuples import checked_tuples, keys_of, sorted_tuples


@dataclass(frozen=True, slots=True)
class PreprocessStatistics:
    """What preprocessing did.

    Attributes:
        num_merged: Tables that became part of another one.
        num_unary: Unary constraints that became part of a domain.
        num_removed: Values that the domains have lost.
        num_universal: Variables that left a scope.
        num_void: Tables that are gone, because they allow everything.
        num_tuples_before: Tuples of all tables of two variables or more.
        num_tuples_after: The same afterwards.
    """

    num_merged: int
    num_unary: int
    num_removed: int
    num_universal: int
    num_void: int
    num_tuples_before: int
    num_tuples_after: int


class Preprocessed(NamedTuple):
    """The new network, and what was done."""

    network: Network
    statistics: PreprocessStatistics


def preprocess(network: Network) -> Preprocessed:
    """Return a network with the same variables and the same solutions; see the module."""
    work = _Work(network)
    for constraint in network.constraints:
        work.add(constraint)
    num_tuples_before = work.num_tuples
    while work.simplify():
        pass
    found = Network(list(network.names), list(network.domains), list(network.first_choices))
    found.add(*work.constraints(), *network.utilities)
    statistics = PreprocessStatistics(
        num_merged=work.num_merged,
        num_unary=work.num_unary,
        num_removed=int((~work.is_left).sum()),
        num_universal=work.num_universal,
        num_void=work.num_void,
        num_tuples_before=num_tuples_before,
        num_tuples_after=work.num_tuples,
    )
    return Preprocessed(found, statistics)


class _Relation(NamedTuple):
    """Tuples in order, each once, shape (n, arity), int64, and whether they are the allowed ones."""

    tuples: Int64Array
    is_allowed: bool


class _Work:
    """The constraints while they are made simpler."""

    def __init__(self, network: Network) -> None:
        self.draft = Draft(network)
        self.is_left = np.ones(network.num_choices, np.bool_)
        self.relations: dict[tuple[int, ...], _Relation] = {}
        self.others: list[Constraint] = []
        self.is_impossible = False
        self.num_merged = self.num_unary = self.num_universal = self.num_void = 0

    @property
    def num_tuples(self) -> int:
        return sum(len(relation.tuples) for relation in self.relations.values())

    def add(self, constraint: Constraint) -> None:
        """Add a constraint of the network."""
        match constraint:
            case Table():
                scope = self.draft.check_vars(constraint.scope, "a table")
                self.draft.refuse_repetition(scope, "a table")
                tuples = checked_tuples(constraint.tuples, self._sizes(scope))
                order = np.argsort(scope)
                self._add_relation(scope[order], tuples[:, order], constraint.is_allowed)
            case Predicate() if len(constraint.scope) == 1:
                scope = self.draft.check_vars(constraint.scope, constraint.name)
                values = self.draft.network.domains[scope[0]]
                allowed = [[place] for place, value in enumerate(values) if constraint.holds(value)]
                self._add_relation(scope, np.array(allowed, np.int64).reshape(-1, 1), True)
            case Clauses():
                self._add_clauses(constraint)
            case _:
                self.others.append(constraint)

    def _sizes(self, scope: Int64Array) -> Int64Array:
        return self.draft.first[scope + 1] - self.draft.first[scope]

    def _add_clauses(self, clauses: Clauses) -> None:
        """Add clauses; those of one literal become domains."""
        data = self.draft.literals(clauses.data, "a clause")
        start = self.draft.starts(clauses.start, len(data), "clauses")
        sizes = np.diff(start)
        for literal in data[start[:-1][sizes == 1]].tolist():
            var = self.draft.var_of[literal >> 1]
            place = (literal >> 1) - self.draft.first[var]
            self._add_relation(np.array([var]), np.array([[place]]), literal & 1 == 0)
        if (sizes != 1).any():
            kept = np.repeat(sizes != 1, sizes)
            new_start = np.concatenate([[0], np.cumsum(sizes[sizes != 1])])
            self.others.append(Clauses(new_start, data[kept].astype(np.int32)))

    def _add_relation(self, scope: Int64Array, tuples: Int64Array, is_allowed: bool) -> None:
        """Add a relation over variables in order."""
        sizes = self._sizes(scope)
        tuples = sorted_tuples(tuples, sizes)
        if len(scope) == 0:
            holds = is_allowed == (len(tuples) > 0)
            self.num_void += holds
            self.is_impossible |= not holds
        elif len(scope) == 1:
            self.num_unary += 1
            is_listed = np.zeros(int(sizes[0]), np.bool_)
            is_listed[tuples[:, 0]] = True
            self.is_left[self.draft.first[scope[0]] : self.draft.first[scope[0] + 1]] &= is_listed == is_allowed
        else:
            key = tuple(scope.tolist())
            new = _Relation(tuples, is_allowed)
            if key in self.relations:
                self.num_merged += 1
                new = _merged(self.relations[key], new, sizes)
            self.relations[key] = new

    def simplify(self) -> bool:
        """Simplify each relation once; return whether anything has changed."""
        num_left = self.is_left.sum()
        changed = False
        for key, relation in list(self.relations.items()):
            # Another one may have been merged with it since.
            scope, smaller = self._simplified(np.array(key), self.relations[key])
            if len(scope) < len(key):
                del self.relations[key]
                self._add_relation(scope, smaller.tuples, smaller.is_allowed)
                changed = True
            else:
                self.relations[key] = smaller
                changed |= len(smaller.tuples) < len(relation.tuples)
        return bool(changed or self.is_left.sum() < num_left)

    def _simplified(self, scope: Int64Array, relation: _Relation) -> tuple[Int64Array, _Relation]:
        """Return a relation without tuples that the domains exclude and without universal variables."""
        first = self.draft.first
        tuples = relation.tuples[self.is_left[first[scope] + relation.tuples].all(axis=1)]
        column = len(scope) - 1
        while column >= 0:
            others = np.delete(np.arange(len(scope)), column)
            projected = sorted_tuples(tuples[:, others], self._sizes(scope[others]))
            num_values = self.is_left[first[scope[column]] : first[scope[column] + 1]].sum()
            if len(tuples) == num_values * len(projected):
                scope, tuples = scope[others], projected
                self.num_universal += 1
            column -= 1
        return scope, _Relation(tuples, relation.is_allowed)

    def constraints(self) -> list[Constraint]:
        """Return the constraints that are left."""
        first = self.draft.first
        lost = np.unique(self.draft.var_of[~self.is_left])
        left = [np.flatnonzero(self.is_left[first[var] : first[var + 1]]) for var in lost]
        found: list[Constraint] = [
            Table((int(var),), places.reshape(-1, 1).astype(np.int32)) for var, places in zip(lost, left, strict=True)
        ]
        if self.is_impossible:
            found.append(Table((), np.zeros((0, 0), np.int32)))
        for scope, relation in self.relations.items():
            found.append(Table(scope, relation.tuples.astype(np.int32), relation.is_allowed))
        return found + self.others


def _merged(one: _Relation, other: _Relation, sizes: Int64Array) -> _Relation:
    """Return the intersection of two relations over the same variables."""
    if other.is_allowed and not one.is_allowed:
        one, other = other, one
    joined = np.concatenate([one.tuples, other.tuples])
    if not one.is_allowed:
        return _Relation(sorted_tuples(joined, sizes), False)
    _, place, count = np.unique(_numbered(joined, sizes), return_inverse=True, return_counts=True)
    is_in_both = count[place[: len(one.tuples)]] == 2
    return _Relation(one.tuples[is_in_both == other.is_allowed], True)


def _numbered(tuples: Int64Array, sizes: Int64Array) -> Int64Array:
    """Return a number for each tuple, equal for equal ones."""
    if math.prod(sizes.tolist()) < 1 << 62:
        return keys_of(tuples, sizes)
    return np.unique(tuples, axis=0, return_inverse=True)[1].ravel()

"""Which relation depends on which: components, strata, and what a relation's value can depend on.

A relation is known by its name and arity. `true` and `does` are inputs: nothing defines them, and what depends on
neither is *static*, the same in every position.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from woodstock.common.graphs import strongly_connected
from woodstock.gdl.rules import Clause
from woodstock.gdl.terms import LogicVar, Term, arity, functor

Relation = tuple[str, int]
"""Name and arity."""

MAX_CLAUSES_COMPARED = 1_000
"""Cycles of more clauses are taken as they look relation by relation."""


def relation(atom: Term) -> Relation:
    """Return the relation of an atom."""
    return functor(atom), arity(atom)


@dataclass(frozen=True, slots=True)
class Edge:
    """`head` uses `body`, negated or not, in clause number `clause`."""

    head: Relation
    body: Relation
    positive: bool
    clause: int


class DependencyGraph:
    """The dependency graph of some clauses; `distinct` is not part of it."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = clauses
        self.edges = tuple(
            Edge(relation(clause.head), relation(literal.atom), literal.positive, number)
            for number, clause in enumerate(clauses)
            for literal in clause.body
            if literal.name != "distinct"
        )
        heads = (relation(clause.head) for clause in clauses)
        self.relations = tuple(dict.fromkeys((*heads, *(edge.body for edge in self.edges))))

    @cached_property
    def uses(self) -> dict[Relation, tuple[Relation, ...]]:
        """The relations in the bodies of each relation's clauses."""
        found: dict[Relation, dict[Relation, None]] = {name: {} for name in self.relations}
        for edge in self.edges:
            found[edge.head][edge.body] = None
        return {name: tuple(bodies) for name, bodies in found.items()}

    @cached_property
    def components(self) -> tuple[tuple[Relation, ...], ...]:
        """Strongly connected components, each after all that it uses."""
        return strongly_connected(self.relations, self.uses.__getitem__)

    @cached_property
    def component_of(self) -> dict[Relation, int]:
        """Index into `components` of each relation."""
        return {name: number for number, names in enumerate(self.components) for name in names}

    def is_recursive(self, name: Relation) -> bool:
        """Tell whether a relation depends on itself."""
        members = self.components[self.component_of[name]]
        return len(members) > 1 or name in self.uses[name]

    def negative_cycle_edges(self) -> tuple[Edge, ...]:
        """Return the negated uses inside a component: with one of them the rules are not stratified."""
        of = self.component_of
        return tuple(edge for edge in self.edges if not edge.positive and of[edge.head] == of[edge.body])

    def unstratified_edges(self) -> tuple[Edge, ...]:
        """Return the negated uses by which a clause depends on its own negation: the rules have no clear meaning.

        That is finer than relation by relation, as GDL demands it: `(goal ?r 0)` may be defined by `(not (goal ?r
        100))` as long as no clause for `(goal ?r 100)` depends on one for `(goal ?r 0)`.
        """
        suspects = self.negative_cycle_edges()
        of = self.component_of
        found: list[Edge] = []
        for component in dict.fromkeys(of[edge.head] for edge in suspects):
            edges = [edge for edge in suspects if of[edge.head] == component]
            members = [number for number, clause in enumerate(self.clauses) if of[relation(clause.head)] == component]
            if len(members) <= MAX_CLAUSES_COMPARED:
                group_of = self._clause_groups(members)
                edges = [edge for edge in edges if self._is_cyclic(edge, group_of)]
            found.extend(edges)
        return tuple(found)

    def _clause_groups(self, members: Sequence[int]) -> dict[int, int]:
        """Return for each clause number the number of its group: clauses that depend on each other."""
        heads = [(number, self.clauses[number].head) for number in members]

        def used(number: int) -> Iterable[int]:
            atoms = [literal.atom for literal in self.clauses[number].body]
            return [other for other, head in heads if any(may_unify(atom, head) for atom in atoms)]

        groups = strongly_connected(members, used)
        return {number: group for group, numbers in enumerate(groups) for number in numbers}

    def _is_cyclic(self, edge: Edge, group_of: dict[int, int]) -> bool:
        """Tell whether a negated use may ask for a clause that depends on the user."""
        return any(
            may_unify(literal.atom, self.clauses[number].head) and group == group_of[edge.clause]
            for literal in self.clauses[edge.clause].body
            if not literal.positive and relation(literal.atom) == edge.body
            for number, group in group_of.items()
        )

    def reaching(self, targets: Iterable[Relation]) -> frozenset[Relation]:
        """Return every relation that depends on one of `targets`, these included."""
        users: dict[Relation, list[Relation]] = {name: [] for name in self.relations}
        for edge in self.edges:
            users[edge.body].append(edge.head)
        found = set(targets)
        stack = [name for name in found if name in users]
        while stack:
            for user in users[stack.pop()]:
                if user not in found:
                    found.add(user)
                    stack.append(user)
        return frozenset(found)

    def reached_from(self, sources: Iterable[Relation]) -> frozenset[Relation]:
        """Return every relation that one of `sources` depends on, these included."""
        found = set(sources)
        stack = [name for name in found if name in self.uses]
        while stack:
            for used in self.uses[stack.pop()]:
                if used not in found:
                    found.add(used)
                    stack.append(used)
        return frozenset(found)

    @cached_property
    def dynamic(self) -> frozenset[Relation]:
        """Relations that depend on the position or on the moves; all others are static."""
        return self.reaching([("true", 1), ("does", 2)])


def may_unify(one: Term, other: Term) -> bool:
    """Tell whether two terms may have an instance in common; repeated variables are not compared."""
    if isinstance(one, LogicVar) or isinstance(other, LogicVar):
        return True
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return len(one) == len(other) and all(map(may_unify, one, other))

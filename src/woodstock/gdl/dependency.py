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
from woodstock.gdl.terms import Term, arity, functor

Relation = tuple[str, int]
"""Name and arity."""


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

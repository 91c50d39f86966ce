"""The rules as the reasoner sees them: clauses by relation, and what kind of relation each one is."""

from __future__ import annotations

from enum import Enum, IntEnum
from functools import cached_property

from woodstock.gdl.dependency import DependencyGraph, Relation, relation
from woodstock.gdl.rules import Clause, Rules
from woodstock.gdl.terms import Term, arguments, is_ground

TRUE: Relation = ("true", 1)
DOES: Relation = ("does", 2)
DISTINCT: Relation = ("distinct", 2)


class Level(IntEnum):
    """What the value of a relation depends on, hence how long an answer stays valid."""

    STATIC = 0
    POSITION = 1
    MOVES = 2


class Kind(Enum):
    """How a relation is answered."""

    FLUENTS = "fluents of the position"
    MOVES = "moves made"
    FACTS = "ground facts"
    RULES = "rules"
    RECURSIVE = "rules that depend on themselves"
    EMPTY = "nothing defines it"


class Program:
    """Clauses by relation. `distinct` is built in: clauses that claim to define it are left out."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.clauses = tuple(clause for clause in rules.clauses if clause.name != "distinct")
        self.graph = DependencyGraph(self.clauses)
        self.clauses_of: dict[Relation, list[Clause]] = {}
        for clause in self.clauses:
            self.clauses_of.setdefault(relation(clause.head), []).append(clause)

    @cached_property
    def kinds(self) -> dict[Relation, Kind]:
        """The kind of every relation that occurs."""
        return {name: self._kind(name) for name in self.graph.relations}

    def kind(self, name: Relation) -> Kind:
        """Return how a relation is answered; one that occurs nowhere is empty."""
        return self.kinds.get(name) or self._kind(name)

    def _kind(self, name: Relation) -> Kind:
        if name == TRUE:
            return Kind.FLUENTS
        if name == DOES:
            return Kind.MOVES
        clauses = self.clauses_of.get(name)
        if clauses is None:
            return Kind.EMPTY
        if all(is_fact(clause) for clause in clauses):
            return Kind.FACTS
        return Kind.RECURSIVE if self.graph.is_recursive(name) else Kind.RULES

    @cached_property
    def levels(self) -> dict[Relation, Level]:
        """The level of every relation that occurs."""
        on_moves = self.graph.reaching([DOES])
        on_position = self.graph.reaching([TRUE])
        return {
            name: Level.MOVES if name in on_moves else Level.POSITION if name in on_position else Level.STATIC
            for name in self.graph.relations
        }

    def is_constructive(self, name: Relation) -> bool:
        """Tell whether the rules that a recursive relation is defined by build terms, so that they may have no end."""
        return self.graph.component_of.get(name) in self._constructive

    @cached_property
    def _constructive(self) -> frozenset[int]:
        """Numbers of the components in whose recursion compound terms are built or taken apart."""
        of = self.graph.component_of
        found = set()
        for clause in self.clauses:
            component = of[relation(clause.head)]
            inside = [part.atom for part in clause.body if of.get(relation(part.atom)) == component]
            if inside and any(_has_structure(atom) for atom in (clause.head, *inside)):
                found.add(component)
        return frozenset(found)

    def facts(self, name: Relation) -> list[tuple[Term, ...]]:
        """Return the argument tuples of a relation's ground facts."""
        return [arguments(clause.head) for clause in self.clauses_of.get(name, ()) if is_fact(clause)]

    def proper_clauses(self, name: Relation) -> list[Clause]:
        """Return a relation's clauses that are not ground facts."""
        return [clause for clause in self.clauses_of.get(name, ()) if not is_fact(clause)]

    def same_component(self, one: Relation, other: Relation) -> bool:
        """Tell whether two relations depend on each other."""
        of = self.graph.component_of
        return one in of and of[one] == of.get(other)


def is_fact(clause: Clause) -> bool:
    """Tell whether a clause is a ground fact."""
    return not clause.body and is_ground(clause.head)


def _has_structure(atom: Term) -> bool:
    return any(isinstance(arg, tuple) and not is_ground(arg) for arg in arguments(atom))

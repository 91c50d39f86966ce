"""A tiny bottom-up interpreter of GDL rules: the independent twin of the reference reasoner.

It applies every clause to everything known, stratum after stratum, until nothing new comes out. There is no index, no
order of evaluation to get wrong and no cache, so it can be read in one go; it is far too slow to play with, and does
not end on rules with infinitely many consequences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from woodstock.gdl.rules import Clause, Rules
from woodstock.gdl.terms import GroundTerm, LogicVar, Term, functor, substitute

Binding = dict[LogicVar, Term]


def match(pattern: Term, term: GroundTerm, binding: Binding) -> Binding | None:
    """Return the binding extended so that the pattern becomes the term, or None."""
    if isinstance(pattern, LogicVar):
        if pattern in binding:
            return binding if binding[pattern] == term else None
        return {**binding, pattern: term}
    if isinstance(pattern, str) or isinstance(term, str):
        return binding if pattern == term else None
    if len(pattern) != len(term):
        return None
    for part, value in zip(pattern, term, strict=True):
        extended = match(part, value, binding)
        if extended is None:
            return None
        binding = extended
    return binding


def strata(clauses: Iterable[Clause]) -> dict[str, int]:
    """Return a stratum for each relation's name: above what it negates, not below what it uses."""
    clauses = list(clauses)
    level: dict[str, int] = {}
    for _ in range(len(clauses) + 1):
        before = dict(level)
        for clause in clauses:
            needed = [level.get(part.name, 0) + (not part.positive) for part in clause.body if part.name != "distinct"]
            level[clause.name] = max([level.get(clause.name, 0), *needed])
        if level == before:
            return level
    raise ValueError("the rules are not stratified")


def solutions(clause: Clause, known: set[GroundTerm]) -> Iterator[Binding]:
    """Yield every binding that makes the body true."""
    bindings: list[Binding] = [{}]
    for part in clause.body:
        if part.positive and part.name != "distinct":
            atoms = [atom for atom in known if functor(atom) == part.name]
            bindings = [
                found for old in bindings for atom in atoms if (found := match(part.atom, atom, old)) is not None
            ]
    for binding in bindings:
        if all(_test(substitute(p.atom, binding), p.name, known) == p.positive for p in clause.body if _is_test(p)):
            yield binding


def _is_test(part) -> bool:
    return not part.positive or part.name == "distinct"


def _test(atom: Term, name: str, known: set[GroundTerm]) -> bool:
    return atom[1] != atom[2] if name == "distinct" else atom in known


def consequences(rules: Rules, given: Iterable[GroundTerm]) -> set[GroundTerm]:
    """Return everything that follows from the rules and some given atoms, such as `("true", fluent)`."""
    known = set(given)
    level = strata(rules.clauses)
    for stratum in sorted(set(level.values())):
        clauses = [clause for clause in rules.clauses if level[clause.name] == stratum]
        while True:
            new = {substitute(clause.head, found) for clause in clauses for found in solutions(clause, known)} - known
            if not new:
                break
            known |= new
    return known


class NaiveGame:
    """A game answered from the set of all consequences."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.roles = rules.roles

    def _values(self, name, position=(), moves=(), role=None) -> frozenset[GroundTerm]:
        given = [("true", fluent) for fluent in position]
        given += [("does", player, move) for player, move in zip(self.roles, moves, strict=False)]
        atoms = [atom for atom in consequences(self.rules, given) if functor(atom) == name]
        return frozenset(atom[-1] for atom in atoms if role is None or atom[1] == self.roles[role])

    def initial_position(self):
        return self._values("init")

    def legal_moves(self, position, role):
        return tuple(sorted(self._values("legal", position, role=role), key=repr))

    def next_position(self, position, moves):
        return self._values("next", position, moves)

    def is_terminal(self, position):
        return "terminal" in consequences(self.rules, [("true", fluent) for fluent in position])

    def goal_values(self, position, role):
        return tuple(sorted(self._values("goal", position, role=role), key=repr))

    def percepts(self, position, moves, role):
        if not any(rule.name == "sees" for rule in self.rules):
            return frozenset(("did", player, move) for player, move in zip(self.roles, moves, strict=True))
        return self._values("sees", position, moves, role)

    def fluents(self, position):
        return position

    def position_of(self, fluents):
        return frozenset(fluents)

"""Which rule is it that explodes? An estimate from the rules alone, for the message of a failed grounding.

Every argument place of every relation and function can hold only the constants that some rule puts there. The product
of the numbers of values that a rule's variables can take says which rule has most instances.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from woodstock.gdl.dependency import relation
from woodstock.gdl.rules import Clause, Rules
from woodstock.gdl.terms import LogicVar, Term
from woodstock.ground.split import Splitter, binds

Place = tuple[str, int, int]
"""Name, arity and number of an argument."""

_UNBOUNDED = 10**6
"""Assumed number of values of a place that holds terms of unlimited depth."""

_MAX_ROUNDS = 100


def likely_culprits(rules: Rules, among: Iterable[int], most: int = 2) -> list[int]:
    """Return the rules with the most instances, by estimate, the worst first."""
    wanted = set(among)
    sizes = _place_sizes(rules.clauses)
    splitter = Splitter()
    worst: dict[int, float] = {}
    for clause in rules.clauses:
        if clause.rule in wanted:
            cost = max(_instances(part, sizes) for part in splitter.split(clause))
            worst[clause.rule] = max(cost, worst.get(clause.rule, 0))
    return sorted(worst, key=lambda rule: -worst[rule])[:most]


def _instances(clause: Clause, sizes: dict[Place, int]) -> float:
    """Return the logarithm of the number of joint values of a clause's variables."""
    total = 0.0
    for var in clause.variables:
        found = [size for literal in clause.body if binds(literal) for size in _sizes_of(var, literal.atom, sizes)]
        total += math.log(max(1, min(found, default=1)))
    return total


def _sizes_of(var: LogicVar, term: Term, sizes: dict[Place, int]) -> Iterable[int]:
    if isinstance(term, tuple):
        name, arity = relation(term)
        for number, arg in enumerate(term[1:]):
            if arg == var:
                yield sizes.get((name, arity, number), 1)
            else:
                yield from _sizes_of(var, arg, sizes)


def _place_sizes(clauses: Sequence[Clause]) -> dict[Place, int]:
    """Return how many different terms each argument place can hold."""
    places: dict[Place, set[Term]] = {}
    for _ in range(_MAX_ROUNDS):
        before = sum(map(len, places.values()))
        for clause in clauses:
            _flow(clause, places)
        if sum(map(len, places.values())) == before:
            return {place: len(terms) for place, terms in places.items()}
    return {place: max(len(terms), _UNBOUNDED) for place, terms in places.items()}


_BECOMES = {"next": "true", "init": "true", "legal": "does"}
"""What holds here is there to be asked for."""


def _flow(clause: Clause, places: dict[Place, set[Term]]) -> None:
    """Let the terms of the body's places flow into those of the head; functions count by their names."""
    domains: dict[LogicVar, set[Term]] = {}
    for literal in clause.body:
        if binds(literal):
            _collect(literal.atom, places, domains)
    _store(clause.head, places, domains)
    name, _ = relation(clause.head)
    if name in _BECOMES and isinstance(clause.head, tuple):
        _store((_BECOMES[name], *clause.head[1:]), places, domains)


def _collect(term: Term, places: dict[Place, set[Term]], domains: dict[LogicVar, set[Term]]) -> None:
    if isinstance(term, tuple):
        name, arity = relation(term)
        for number, arg in enumerate(term[1:]):
            if isinstance(arg, LogicVar):
                found = places.get((name, arity, number), set())
                domains[arg] = domains[arg] & found if arg in domains else set(found)
            else:
                _collect(arg, places, domains)


def _store(term: Term, places: dict[Place, set[Term]], domains: dict[LogicVar, set[Term]]) -> None:
    if isinstance(term, tuple):
        name, arity = relation(term)
        for number, arg in enumerate(term[1:]):
            place = places.setdefault((name, arity, number), set())
            if isinstance(arg, LogicVar):
                place |= domains.get(arg, set())
            elif isinstance(arg, tuple):
                place.add(str(relation(arg)))
                _store(arg, places, domains)
            else:
                place.add(arg)

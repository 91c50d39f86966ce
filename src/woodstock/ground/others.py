"""Rules of the form "some other than": there is an r with D(r, k) that differs from c.

`(threatened ?x ?y ?k)` if some attacker of ?k stands elsewhere than on ?x ?y: ground, that is a rule for every attacker
and every ?x ?y. But some other than c is D iff two are, or if one is and c is not:

    h :- rest, not one(c, k), any(k).      one(r, k) :- D(r, k).      any(k) :- one(r, k).
    h :- rest, two(k).                                                two(k) :- 2 #count { r : one(r, k) }.

That is a rule or two for every c. It takes a negation, so D must not depend on h, and it pays where tuples are compared
and the rule has many variables. The comparison is a static relation that says `distinct` of one pair of its arguments
or another, such as `(different_cells ?x1 ?y1 ?x2 ?y2)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from woodstock.gdl.dependency import DependencyGraph, Relation, relation
from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.terms import LogicVar, Term, arguments, make_term, substitute, variables
from woodstock.ground.split import binds, bound_variables

MIN_VARIABLES = 8
"""Fewest variables of a rule that is worth rewriting."""

ONE, ANY, TWO = "one ", "any ", "two "
"""Prefixes of the new relations; a space cannot occur in a name of the rules."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A relation that holds iff two tuples differ and each argument is in its domain.

    Attributes:
        pairs: The argument places that are compared.
        args: The variables of its head.
        domains: Literals over `args` that say which values are compared at all.
    """

    pairs: tuple[tuple[int, int], ...]
    args: tuple[LogicVar, ...]
    domains: tuple[Literal, ...]


def rewrite_others(clauses: Sequence[Clause], dynamic: frozenset[Relation]) -> tuple[list[Clause], frozenset[Relation]]:
    """Rewrite what pays; return the clauses, and the new relations, all dynamic.

    The clause of a relation `two …` is written with the plain body `one`: that it takes two is in its name.
    """
    graph = DependencyGraph(clauses)
    comparisons = _comparisons(clauses, dynamic)
    done: list[Clause] = []
    for number, clause in enumerate(clauses):
        done.extend(_rewrite(clause, comparisons, graph, dynamic, number) or [clause])
    return done, frozenset({relation(clause.head) for clause in done} - {relation(clause.head) for clause in clauses})


def _comparisons(clauses: Sequence[Clause], dynamic: frozenset[Relation]) -> dict[Relation, Comparison]:
    by_head: dict[Relation, list[Clause]] = {}
    for clause in clauses:
        if relation(clause.head) not in dynamic:
            by_head.setdefault(relation(clause.head), []).append(clause)
    found = {name: _comparison(name, members) for name, members in by_head.items() if len(members) > 1}
    return {name: comparison for name, comparison in found.items() if comparison is not None}


def _comparison(name: Relation, clauses: Sequence[Clause]) -> Comparison | None:
    """Recognise a comparison of tuples by its clauses: one for each pair of places, otherwise alike."""
    args = tuple(LogicVar(f"?{place}") for place in range(name[1]))
    pairs: set[tuple[int, int]] = set()
    domains: set[frozenset[Literal]] = set()
    for clause in clauses:
        head = arguments(clause.head)
        if len(set(head)) != name[1] or not all(isinstance(arg, LogicVar) for arg in head):
            return None
        names = {var: arg for var, arg in zip(head, args, strict=True) if isinstance(var, LogicVar)}
        body = [Literal(substitute(literal.atom, dict(names)), literal.positive) for literal in clause.body]
        compared = [literal for literal in body if literal.name == "distinct" and literal.positive]
        rest = frozenset(literal for literal in body if literal not in compared)
        if len(compared) != 1 or not all(binds(literal) for literal in rest):
            return None
        left, right = arguments(compared[0].atom)
        if left not in args or right not in args:
            return None
        places = sorted(args.index(side) for side in (left, right) if isinstance(side, LogicVar))
        pairs.add((places[0], places[1]))
        domains.add(rest)
    if len(domains) != 1 or len(pairs) * 2 != name[1] or len({place for pair in pairs for place in pair}) != name[1]:
        return None
    sides = [{args[pair[side]] for pair in pairs} for side in (0, 1)]
    domain = domains.pop()
    if not all(any(side.issuperset(variables(literal.atom)) for side in sides) for literal in domain):
        return None
    return Comparison(tuple(sorted(pairs)), args, tuple(sorted(domain, key=repr)))


def _rewrite(
    clause: Clause,
    comparisons: dict[Relation, Comparison],
    graph: DependencyGraph,
    dynamic: frozenset[Relation],
    number: int,
) -> list[Clause] | None:
    """Rewrite a clause at its first comparison that allows it."""
    if len(clause.variables) < MIN_VARIABLES or relation(clause.head) not in dynamic:
        return None
    for literal in clause.body:
        found = _compared(literal, comparisons)
        if found is None:
            continue
        comparison, args = found
        for sides in (comparison.pairs, tuple((right, left) for left, right in comparison.pairs)):
            rewritten = _rewrite_at(clause, _Place(literal, comparison, args, sides, number), graph)
            if rewritten is not None:
                return rewritten
    return None


def _compared(literal: Literal, comparisons: dict[Relation, Comparison]) -> tuple[Comparison, tuple[Term, ...]] | None:
    """Return what a literal compares: by a relation of the sheet, or by `distinct` of two terms of one function."""
    if not literal.positive:
        return None
    if literal.name != "distinct":
        comparison = comparisons.get(relation(literal.atom))
        return None if comparison is None else (comparison, arguments(literal.atom))
    left, right = arguments(literal.atom)
    if not isinstance(left, tuple) or not isinstance(right, tuple) or relation(left) != relation(right):
        return None
    size = len(left) - 1
    places = tuple(LogicVar(f"?{place}") for place in range(2 * size))
    pairs = tuple((place, place + size) for place in range(size))
    return Comparison(pairs, places, ()), (*arguments(left), *arguments(right))


@dataclass(frozen=True, slots=True)
class _Place:
    """A comparison in the body of a clause; the second of each pair of `sides` is to be projected out."""

    literal: Literal
    comparison: Comparison
    args: tuple[Term, ...]
    sides: tuple[tuple[int, int], ...]
    number: int


def _rewrite_at(clause: Clause, place: _Place, graph: DependencyGraph) -> list[Clause] | None:
    """Rewrite a clause at a comparison, if it has the form."""
    literal, args, sides, number = place.literal, place.args, place.sides, place.number
    fixed = tuple(args[left] for left, _ in sides)
    others = tuple(arg for _, right in sides if isinstance(arg := args[right], LogicVar))
    head_vars = set(variables(clause.head))
    inside = [part for part in clause.body if part is not literal and set(others) & set(variables(part.atom))]
    rest = [part for part in clause.body if part is not literal and part not in inside]
    inner = set(variables(*(part.atom for part in inside)))
    if len(set(others)) < len(sides) or head_vars & set(others) or not bound_variables(inside).issuperset(inner):
        return None
    if not inner.issuperset(others) or inner & set(variables(*fixed)) or _depends(inside, clause.head, graph):
        return None
    kept = tuple(sorted(inner & (head_vars | set(variables(*(part.atom for part in rest))))))
    one = make_term(f"{ONE}{number}", (*others, *kept))
    some, two = make_term(f"{ANY}{number}", kept), make_term(f"{TWO}{number}", kept)
    names = dict(zip(place.comparison.args, args, strict=True))
    domains = [Literal(substitute(part.atom, dict(names))) for part in place.comparison.domains]
    inside += [part for part in domains if set(variables(part.atom)) <= set(others)]
    rest += [part for part in domains if not set(variables(part.atom)) <= set(others)]
    same = Literal(make_term(f"{ONE}{number}", (*fixed, *kept)), positive=False)
    return [
        Clause(one, tuple(inside), clause.rule),
        Clause(some, (Literal(one),), clause.rule),
        Clause(two, (Literal(one),), clause.rule),
        Clause(clause.head, (*rest, Literal(some), same), clause.rule),
        Clause(clause.head, (*rest, Literal(two)), clause.rule),
    ]


def _depends(inside: Sequence[Literal], head: Term, graph: DependencyGraph) -> bool:
    """Tell whether a literal depends on the head: then the negation would run in a circle."""
    used = graph.reached_from([relation(literal.atom) for literal in inside])
    return relation(head) in used

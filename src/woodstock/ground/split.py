"""Splitting rule bodies: variables are projected out early, so that grounding a rule costs little.

A rule with many variables has as many ground instances as its variables have joint values. Most of those variables
join only a few literals: `h(X) :- a(X,Y), b(Y,Z), c(Z)` is `h(X) :- a(X,Y), aux(Y)` and `aux(Y) :- b(Y,Z), c(Z)`. This
is bucket elimination over the variables that the head does not need; equal auxiliary relations are shared by all rules.

A literal that is cut off from the one that binds its variable gets a *guard* in its place: a literal over a relation
that is known to hold for every value that the variable can take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.terms import LogicVar, Term, make_term, substitute, variables

AUX = "aux "
"""Prefix of auxiliary relations; a space cannot occur in a name of the rules."""

Guard = Callable[[Literal], Literal]
"""Turns a positive body literal into one that bounds its variables at no cost to the ground program."""


def binds(literal: Literal) -> bool:
    """Tell whether a literal binds its variables: positive, and not `distinct`."""
    return literal.positive and literal.name != "distinct"


def bound_variables(body: Iterable[Literal]) -> frozenset[LogicVar]:
    """Return the variables that the positive literals of a body bind."""
    return frozenset(var for literal in body if binds(literal) for var in variables(literal.atom))


def fresh_names(names: Iterable[LogicVar], taken: set[LogicVar]) -> dict[LogicVar, Term]:
    """Return a new variable for each of some others, and add it to those that are taken."""
    found: dict[LogicVar, Term] = {}
    for var in names:
        number = 0
        while (new := LogicVar(f"{var.name} {number}")) in taken:
            number += 1
        taken.add(new)
        found[var] = new
    return found


class Splitter:
    """Splits clauses one after the other, sharing auxiliary relations among them.

    Args:
        guard: Makes guards; without it all relations are facts, and each literal is its own guard.
        is_fact: Tells which literals are about facts, and so never part of the ground program.
        prefix: Of the names of the auxiliary relations.
    """

    def __init__(
        self, guard: Guard | None = None, is_fact: Callable[[Literal], bool] = binds, prefix: str = AUX
    ) -> None:
        self._guard = guard
        self._is_fact = is_fact
        self._prefix = prefix
        self._known: dict[tuple[tuple[Literal, ...], tuple[Literal, ...], tuple[LogicVar, ...]], str] = {}

    def split(self, clause: Clause) -> list[Clause]:
        """Return clauses that mean the same and are cheaper to ground; the auxiliary ones come first."""
        return self._split(clause, ()) if len(clause.body) > 1 else [clause]

    def _split(self, clause: Clause, guards: tuple[Literal, ...]) -> list[Clause]:
        """Split a clause whose body is to be followed by `guards`."""
        done: list[Clause] = []
        body = clause.body
        while (bag := self._cheapest_bag(clause.head, body)) is not None:
            inside, rest, kept = bag
            atom, fresh = self._auxiliary(inside, self._guards(inside, (*rest, *guards)), kept, clause.rule)
            done.extend(fresh)
            body = (Literal(atom), *rest)
        return [*done, Clause(clause.head, (*body, *guards), clause.rule)]

    def _guards(self, inside: Sequence[Literal], rest: Sequence[Literal]) -> tuple[Literal, ...]:
        """Return literals that bind what `inside` uses but does not bind, and that narrow what it does bind."""
        used = frozenset(variables(*(literal.atom for literal in inside)))
        bound = set(bound_variables(inside))
        guards: dict[Term, Literal] = {}
        taken = set(used)
        binders = [literal for literal in rest if binds(literal) and used.intersection(variables(literal.atom))]
        for binder in sorted(binders, key=lambda literal: literal.name.startswith(AUX)):
            is_needed = not used.isdisjoint(set(variables(binder.atom)) - bound)
            if not is_needed and (self._guard is None or binder.name.startswith(AUX)):
                continue  # it would narrow, but not for nothing
            guard = self._guard(binder) if self._guard is not None else binder
            bound.update(variables(guard.atom))
            others = [var for var in variables(guard.atom) if var not in used]
            shape = substitute(guard.atom, {var: LogicVar(f"? {place}") for place, var in enumerate(others)})
            guards.setdefault(shape, Literal(substitute(guard.atom, fresh_names(others, taken))))
        return tuple(guard for guard in guards.values() if guard not in inside)

    def _auxiliary(
        self, inside: tuple[Literal, ...], guards: tuple[Literal, ...], kept: tuple[LogicVar, ...], rule: int
    ) -> tuple[Term, list[Clause]]:
        """Return the atom that stands for some literals over `kept`, and the clauses that define it if it is new."""
        names = {var: LogicVar(f"?{number}") for number, var in enumerate(kept)}
        for var in variables(*(literal.atom for literal in (*inside, *guards))):
            names.setdefault(var, LogicVar(f"?{len(names)}"))
        body = tuple(Literal(substitute(literal.atom, names), literal.positive) for literal in inside)
        after = tuple(Literal(substitute(literal.atom, names)) for literal in guards)
        head_vars = tuple(names[var] for var in kept)
        key = (body, after, head_vars)
        name = self._known.get(key)
        if name is not None:
            return make_term(name, kept), []
        name = f"{self._prefix}{len(self._known)}"
        self._known[key] = name
        return make_term(name, kept), self._split(Clause(make_term(name, head_vars), body, rule), after)

    def _cheapest_bag(
        self, head: Term, body: tuple[Literal, ...]
    ) -> tuple[tuple[Literal, ...], tuple[Literal, ...], tuple[LogicVar, ...]] | None:
        """Choose the variable to project out: return its literals, the others, and the variables between them."""
        head_vars = set(variables(head))
        literal_vars = [frozenset(variables(literal.atom)) for literal in body]
        all_vars = head_vars.union(*literal_vars)
        best: tuple[tuple[int, int, int], list[Literal], list[Literal], tuple[LogicVar, ...]] | None = None
        for var in sorted(all_vars - head_vars):
            inside = [literal for literal, found in zip(body, literal_vars, strict=True) if var in found]
            rest = [literal for literal, found in zip(body, literal_vars, strict=True) if var not in found]
            bag_vars = frozenset(variables(*(literal.atom for literal in inside)))
            if not rest or len(bag_vars) >= len(all_vars):
                continue
            if len(inside) == 1 and self._is_fact(inside[0]):
                continue  # the grounder projects a lone fact by itself
            outside = head_vars.union(variables(*(literal.atom for literal in rest)))
            kept = tuple(sorted(bag_vars & outside))
            cost = (len(bag_vars), len(kept), len(inside))
            if best is None or cost < best[0]:
                best = (cost, inside, rest, kept)
        if best is None:
            return None
        _, inside, rest, kept = best
        return tuple(inside), tuple(rest), kept

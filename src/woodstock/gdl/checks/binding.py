"""Binding: which variables have a value wherever a condition of a rule is looked at.

Bodies are taken as written, never multiplied out: in an `or` a variable is bound if every alternative binds it, and
inside one alternative also by the rest of that alternative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from woodstock.gdl.rules import Formula, Literal, Rule
from woodstock.gdl.terms import LogicVar, iter_variables

Binds = Callable[[Literal], bool]
"""Tells whether a condition gives values to its variables."""

_NONE: frozenset[LogicVar] = frozenset()


def is_binding(literal: Literal) -> bool:
    """Tell whether a condition binds its variables: positive, and not `distinct`."""
    return literal.positive and literal.name != "distinct"


def bound_in(rule: Rule, binds: Binds) -> frozenset[LogicVar]:
    """Return the variables that a rule's body binds, whichever alternatives hold."""
    return _bound_by_all(rule.body, True, binds)


def conditions(rule: Rule, binds: Binds) -> Iterator[tuple[Literal, frozenset[LogicVar]]]:
    """Yield each literal of a body, with its sign multiplied out, and the variables bound where it stands."""
    bound = bound_in(rule, binds)
    for formula in rule.body:
        yield from _conditions(formula, True, bound, binds)


def _conditions(
    formula: Formula, positive: bool, bound: frozenset[LogicVar], binds: Binds
) -> Iterator[tuple[Literal, frozenset[LogicVar]]]:
    if isinstance(formula, Literal):
        yield _signed(formula, positive), bound
        return
    sign = positive != (formula.kind == "not")
    for part in formula.parts:
        own = _NONE if isinstance(part, Literal) else _bound(part, sign, binds)
        yield from _conditions(part, sign, bound | own if own else bound, binds)


def _bound(formula: Formula, positive: bool, binds: Binds) -> frozenset[LogicVar]:
    """Return the variables that a formula, or its negation, binds whichever alternative holds."""
    if isinstance(formula, Literal):
        literal = _signed(formula, positive)
        return frozenset(iter_variables(literal.atom)) if binds(literal) else _NONE
    sign = positive != (formula.kind == "not")
    if (formula.kind == "or") == sign and formula.parts:
        return frozenset.intersection(*(_bound(part, sign, binds) for part in formula.parts))
    return _bound_by_all(formula.parts, sign, binds)


def _bound_by_all(parts: Iterable[Formula], positive: bool, binds: Binds) -> frozenset[LogicVar]:
    return _NONE.union(*(_bound(part, positive, binds) for part in parts))


def _signed(literal: Literal, positive: bool) -> Literal:
    return literal if positive else literal.negated()

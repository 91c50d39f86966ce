"""Safety: every variable of the head, of a negation and of `distinct` must occur in a positive condition.

An unsafe rule has no finite meaning: nothing says which values its unbound variables range over.
"""

from __future__ import annotations

from dataclasses import dataclass

from woodstock.gdl.checks.binding import bound_in, conditions, is_binding
from woodstock.gdl.checks.inspection import Inspection, body_literals, name_list
from woodstock.gdl.checks.suggestions import NameIndex
from woodstock.gdl.rules import Literal, Rule
from woodstock.gdl.source import Span
from woodstock.gdl.terms import LogicVar, variables

_ROLE_FIRST = frozenset({"legal", "does", "goal", "sees", "input", "role"})
"""Relations whose first argument is a role."""


@dataclass(frozen=True, slots=True)
class Unbound:
    """A variable that no positive condition binds where it is used: in the head (`literal` None) or in a condition."""

    variable: LogicVar
    literal: Literal | None


def unbound_variables(rule: Rule) -> tuple[Unbound, ...]:
    """Return what makes a rule unsafe, in the order of the rule; nothing if the rule is safe."""
    bound = bound_in(rule, is_binding)
    found = [Unbound(variable, None) for variable in variables(rule.head) if variable not in bound]
    for literal, bound_here in conditions(rule, is_binding):
        if not is_binding(literal):
            free = (variable for variable in variables(literal.atom) if variable not in bound_here)
            found.extend(Unbound(variable, literal) for variable in free)
    return tuple(dict.fromkeys(found))


def role_variables(rule: Rule) -> frozenset[LogicVar]:
    """Return the variables that stand for a role: the first argument of `legal`, `does`, `goal`, `sees` or `input`."""
    atoms = (rule.head, *(literal.atom for literal in body_literals(rule)))
    first = (atom[1] for atom in atoms if isinstance(atom, tuple) and atom[0] in _ROLE_FIRST)
    return frozenset(argument for argument in first if isinstance(argument, LogicVar))


def check_safety(inspection: Inspection) -> None:
    """Report every unsafe rule, once, with all its unbound variables."""
    for number, rule in enumerate(inspection.rules):
        unbound = unbound_variables(rule) if number not in inspection.hopeless else ()
        if not unbound:
            continue
        first = unbound[0]
        inside = first.literal.span if first.literal is not None else inspection.head_node(number).span
        span = inspection.word(number, first.variable.name, inside)
        if rule.body:
            _report_rule(inspection, number, unbound, span)
        else:
            names = name_list([item.variable.name for item in unbound])
            message = f"variables have a meaning in rules only: nothing binds {names} here"
            inspection.rule_error(number, "variable-in-fact", message, span, _hint(inspection, rule, unbound))


def _report_rule(inspection: Inspection, number: int, unbound: tuple[Unbound, ...], span: Span) -> None:
    rule = inspection.rules[number]
    places: dict[str, list[str]] = {}
    for item in unbound:
        where = "the head" if item.literal is None else inspection.show_literal(item.literal)
        places.setdefault(where, []).append(item.variable.name)
    uses = name_list([f"{name_list(names)} in {where}" for where, names in places.items()])
    partly = _bound_somewhere(rule)
    reason = "bound by no positive condition"
    if all(item.variable in partly for item in unbound):
        reason = "not bound in every alternative of the rule"
    message = f"unsafe rule: {uses}: {reason}"
    inspection.rule_error(number, "unsafe", message, span, _hint(inspection, rule, unbound))


def _hint(inspection: Inspection, rule: Rule, unbound: tuple[Unbound, ...]) -> str:
    names = list(dict.fromkeys(item.variable for item in unbound))
    index = NameIndex(sorted(variable.name for variable in _bound_somewhere(rule)))
    for name in names:
        if meant := index.one_edit(name.name):
            return f"did you mean {meant} instead of {name.name}?"
    possible = role_variables(rule)
    roles = [name for name in names if name in possible]
    if roles:
        bindings = name_list([inspection.show(("role", name)) for name in roles])
        return f"add the condition {bindings}: {'it stands' if len(roles) == 1 else 'they stand'} for a role"
    if not rule.body:
        return "write a rule whose conditions say which values it may have, or a fact for each value"
    return f"add a condition that says which values {name_list([name.name for name in names])} may have"


def _bound_somewhere(rule: Rule) -> set[LogicVar]:
    return {variable for literal in body_literals(rule) if is_binding(literal) for variable in variables(literal.atom)}

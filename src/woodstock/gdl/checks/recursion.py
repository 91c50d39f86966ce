"""The recursion restriction: no cycle of rules may build terms without end."""

from __future__ import annotations

from woodstock.gdl.checks.binding import conditions, is_binding
from woodstock.gdl.checks.inspection import Inspection, name_list
from woodstock.gdl.dependency import relation
from woodstock.gdl.rules import Literal
from woodstock.gdl.terms import arguments, is_ground, variables


def check_recursion(inspection: Inspection) -> None:
    """Report recursive conditions that break the recursion restriction (GDL specification 2008, definition 14).

    Every argument of a condition that is in a cycle with the head must be ground, an argument of the head, or come from
    a positive condition outside the cycle. Then terms cannot grow from round to round. A variable may come from inside
    an argument of such a condition, `(true (edge ?x ?y))`: that is as finite.
    """
    graph = inspection.graph
    for number, rule in enumerate(inspection.rules):
        if graph.is_recursive(relation(rule.head)):
            _check_arguments(inspection, number)


def _check_arguments(inspection: Inspection, number: int) -> None:
    graph = inspection.graph
    rule = inspection.rules[number]
    component = graph.component_of[relation(rule.head)]

    def is_cyclic(literal: Literal) -> bool:
        return literal.name != "distinct" and graph.component_of[relation(literal.atom)] == component

    head_arguments = set(arguments(rule.head))
    for literal, given in conditions(rule, lambda literal: is_binding(literal) and not is_cyclic(literal)):
        if not (literal.positive and is_cyclic(literal)):
            continue
        free = [
            term
            for term in dict.fromkeys(arguments(literal.atom))
            if not (is_ground(term) or term in head_arguments or given.issuperset(variables(term)))
        ]
        if free:
            inspection.error(
                "recursion",
                f"{rule.name} depends on itself through {inspection.show_literal(literal)}, where"
                f" {name_list([inspection.show(term) for term in free])} {'is' if len(free) == 1 else 'are'}"
                " neither an argument of the head nor bound outside this cycle",
                literal.span,
                "the recursion restriction of GDL keeps terms from growing without end: bind it by another condition",
            )

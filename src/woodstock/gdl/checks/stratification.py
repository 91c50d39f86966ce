"""Stratification: no relation may be defined by its own negation.

GDL demands that relation by relation. Rules that break this may still have a clear meaning if they keep it clause by
clause: `(goal ?r 0)` may use `(not (goal ?r 100))` as long as no clause for `(goal ?r 100)` depends on `(goal ?r 0)`.
"""

from __future__ import annotations

from collections import deque

from woodstock.common.errors import LimitError
from woodstock.gdl.checks.inspection import Inspection, name_list
from woodstock.gdl.dependency import MAX_CLAUSES_COMPARED, DependencyGraph, Edge, Relation, relation
from woodstock.gdl.rules import Literal, Rules
from woodstock.gdl.source import Span

_MAX_PLACES = 5
"""So many further negations of one cycle are listed."""
_MAX_NAMES = 12
"""Longer cycles are shown by their first names."""


def check_stratification(inspection: Inspection) -> None:
    """Report every group of relations that depend on their own negation, with a cycle that shows it."""
    graph = inspection.graph
    groups: dict[int, list[tuple[Span, Edge]]] = {}
    for edge in graph.negative_cycle_edges():
        span = _negation(inspection, edge).span
        groups.setdefault(graph.component_of[edge.head], []).append((span, edge))
    for component, negations in groups.items():
        spans = sorted({span for span, _ in negations})
        span, edge = min(negations, key=lambda negation: negation[0])
        message = f"{edge.head[0]} depends on its own negation: {' -> '.join(_cycle(inspection, edge))}"
        hint = _other_places(inspection, spans[1:]) or "no relation may be defined by its own negation"
        code = "unstratified"
        if _is_clear(inspection, component):
            code = "unstratified-by-name"
            hint = (
                "the rules can be played, since no clause depends on itself; but GDL forbids it: use another relation"
            )
        inspection.rule_error(edge.clause, code, message, span, hint)


def _is_clear(inspection: Inspection, component: int) -> bool:
    """Tell whether no clause of a component's relations depends on its own negation, clause by clause."""
    graph = inspection.graph
    rules = [rule for rule in inspection.rules if graph.component_of[relation(rule.head)] == component]
    if len(rules) > MAX_CLAUSES_COMPARED:
        return False
    try:
        return not DependencyGraph(Rules(rules, inspection.source).clauses).unstratified_edges()
    except LimitError:
        return False


def _negation(inspection: Inspection, edge: Edge) -> Literal:
    """Return the negated condition that an edge stands for."""
    literals = inspection.literals[edge.clause]
    return next(literal for literal in literals if not literal.positive and relation(literal.atom) == edge.body)


def _cycle(inspection: Inspection, edge: Edge) -> list[str]:
    """Return a shortest cycle through a negated use: p, not q, …, p."""
    graph = inspection.graph
    component = graph.component_of[edge.head]
    user_of: dict[Relation, Relation] = {edge.body: edge.head}
    queue = deque([edge.body])
    while queue and edge.head not in user_of:
        user = queue.popleft()
        for used in graph.uses[user]:
            if graph.component_of[used] == component and used not in user_of:
                user_of[used] = user
                queue.append(used)
    path = [edge.head]
    while path[-1] != edge.body:
        path.append(user_of[path[-1]])
    names = [name for name, _ in reversed(path)]
    if len(names) > _MAX_NAMES:
        names[_MAX_NAMES - 1 : -1] = ["..."]
    return [edge.head[0], f"not {names[0]}", *names[1:]]


def _other_places(inspection: Inspection, spans: list[Span]) -> str:
    if not spans:
        return ""
    lines = list(dict.fromkeys(str(inspection.line(span.start)) for span in spans))
    shown = lines if len(lines) <= _MAX_PLACES else [*lines[:_MAX_PLACES], f"{len(lines) - _MAX_PLACES} more"]
    return f"further negations inside the same cycle: line{'s' if len(lines) > 1 else ''} {name_list(shown)}"

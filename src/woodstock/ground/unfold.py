"""Unfolding: a wide static relation is replaced by its definition, so that the splitter can take it apart.

`(set ?a ?b ?c ?d)`, four pieces that share an attribute, has as many facts as there are such quadruples, and a rule
that joins it with four cells has an instance for each. Written out, the attribute is a variable of the rule that joins
the pieces one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from woodstock.gdl.dependency import DependencyGraph, Relation, relation
from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.terms import LogicVar, arguments, substitute, variables
from woodstock.ground.split import fresh_names

MIN_ARITY = 4
"""Fewest arguments of a relation that is worth unfolding."""


def unfold_static(clauses: Sequence[Clause], dynamic: frozenset[Relation]) -> list[Clause]:
    """Replace positive uses, in rules about the position, of static relations that one joining clause defines."""
    definitions = _definitions(clauses, dynamic)
    return [
        _unfold(clause, definitions) if relation(clause.head) in dynamic and definitions else clause
        for clause in clauses
    ]


def _definitions(clauses: Sequence[Clause], dynamic: frozenset[Relation]) -> dict[Relation, Clause]:
    """Return the clauses that may stand for a relation: the only one, not recursive, with variables of its own."""
    graph = DependencyGraph(clauses)
    members: dict[Relation, list[Clause]] = {}
    for clause in clauses:
        members.setdefault(relation(clause.head), []).append(clause)
    return {
        name: found[0]
        for name, found in members.items()
        if name[1] >= MIN_ARITY
        and name not in dynamic
        and len(found) == 1
        and not graph.is_recursive(name)
        and len(set(arguments(found[0].head))) == name[1]
        and all(isinstance(arg, LogicVar) for arg in arguments(found[0].head))
        and len(found[0].variables) > name[1]
    }


def _unfold(clause: Clause, definitions: dict[Relation, Clause]) -> Clause:
    body: list[Literal] = []
    head_vars = set(variables(clause.head))
    taken = set(clause.variables)
    for literal in clause.body:
        definition = definitions.get(relation(literal.atom))
        if definition is None or not literal.positive or head_vars.issuperset(variables(literal.atom)):
            body.append(literal)
            continue
        names = fresh_names(definition.variables, taken)
        params = (arg for arg in arguments(definition.head) if isinstance(arg, LogicVar))
        binding = {**names, **dict(zip(params, arguments(literal.atom), strict=True))}
        body.extend(Literal(substitute(part.atom, binding), part.positive) for part in definition.body)
    return Clause(clause.head, tuple(dict.fromkeys(body)), clause.rule)

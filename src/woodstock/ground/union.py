"""Alternatives that look at a part of the head's arguments only are joined before the other arguments come in.

`h(A,B,C) :- p(A), d(B), d(C)` and `h(A,B,C) :- q(A), d(B), d(C)`, where d is about facts, have an instance each for
every B and C. With `u(A) :- p(A)`, `u(A) :- q(A)`, `h(A,B,C) :- u(A), d(B), d(C)` there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.terms import LogicVar, Term, make_term, substitute, variables
from woodstock.ground.split import AUX, bound_variables

MIN_FREE = 2
"""Fewest arguments of the head that the alternatives do not look at."""

_Key = tuple[Term, frozenset[Literal], tuple[LogicVar, ...]]
"""Head, facts beside the alternative, and the variables that the alternative looks at, all in the head's names."""


def join_alternatives(clauses: Sequence[Clause], is_fact: Callable[[Literal], bool]) -> list[Clause]:
    """Join the clauses that differ only in literals about some of their head's arguments."""
    renamed = [_in_head_names(clause) for clause in clauses]
    keys = [_key(clause, is_fact) for clause in renamed]
    members: dict[_Key, list[int]] = {}
    for number, key in enumerate(keys):
        if key is not None:
            members.setdefault(key, []).append(number)
    done: list[Clause] = []
    for number, key in enumerate(keys):
        if key is None or len(members[key]) == 1:
            done.append(clauses[number])
            continue
        head, facts, seen = key
        joined = make_term(f"{AUX}u{members[key][0]}", seen)
        own = tuple(literal for literal in renamed[number].body if literal not in facts)
        done.append(Clause(joined, own, clauses[number].rule))
        if number == members[key][-1]:
            done.append(Clause(head, (Literal(joined), *sorted(facts, key=repr)), clauses[number].rule))
    return done


def _in_head_names(clause: Clause) -> Clause:
    """Name the variables by their order in the head, so that clauses of one relation can be compared."""
    names: dict[LogicVar, Term] = {var: LogicVar(f"?{place}") for place, var in enumerate(clause.variables)}
    body = tuple(Literal(substitute(literal.atom, names), literal.positive) for literal in clause.body)
    return Clause(substitute(clause.head, names), body, clause.rule)


def _key(clause: Clause, is_fact: Callable[[Literal], bool]) -> _Key | None:
    """Return what clauses must share to be joined; None if there is nothing to gain."""
    head_vars = variables(clause.head)
    facts = frozenset(
        literal for literal in clause.body if is_fact(literal) and set(head_vars).issuperset(variables(literal.atom))
    )
    own = [literal for literal in clause.body if literal not in facts]
    looked_at = set(variables(*(literal.atom for literal in own)))
    seen = tuple(var for var in head_vars if var in looked_at)
    bound = {var for literal in facts for var in variables(literal.atom)}
    if not own or len(head_vars) - len(seen) < MIN_FREE or not bound.union(seen).issuperset(head_vars):
        return None
    if not bound_variables(own).issuperset(looked_at):
        return None
    return clause.head, facts, seen

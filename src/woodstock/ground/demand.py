"""Demand: relations are computed only for the arguments that somebody asks for.

Many sheets define relations for any arguments and ask for few: `(count ?a ?b ?c ?player ?n)` over all triples of cells,
used with eight triples of constants; `(threatened ?player ?x ?y ?u ?v)` for all pairs of squares, used for the king's.
Grounding would compute all of it. As in the magic-sets transformation of deductive databases (Bancilhon et al. 1986),
each such relation p gets a relation `need p` of its bound arguments, which every rule of p must satisfy first.

An argument is bound if it is so at every use of p: by a constant, by the bound arguments of the head of the using rule,
or, under a negation, by the positive literals beside it (safety demands those; joining them is what grounding that rule
does anyway, so it is worth it only for relations of many arguments).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from woodstock.gdl.dependency import Relation, relation
from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.terms import LogicVar, Term, arguments, make_term, variables
from woodstock.ground.split import binds

NEED = "need "
"""Prefix of demand relations; a space cannot occur in a name of the rules."""

MIN_NEGATED_ARITY = 4
"""Fewest arguments for which demand is passed through the positive literals beside a negated one."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A literal of a relation in the body of a clause."""

    clause: Clause
    literal: Literal


def restrict(
    clauses: Sequence[Clause], dynamic: frozenset[Relation], roots: frozenset[Relation]
) -> tuple[list[Clause], list[Clause], list[Clause]]:
    """Restrict relations to what is asked of them.

    Args:
        clauses: All clauses of the game.
        dynamic: Relations that depend on the position or the moves.
        roots: Relations that are wanted as a whole.

    Returns:
        The clauses with their demands, the clauses that define the demands on static relations, and those that define
        the demands on dynamic ones (over relations of the position; the caller relaxes them).
    """
    uses = _uses(clauses)
    bound = _bound_arguments(clauses, uses, dynamic, roots)
    guarded = []
    for clause in clauses:
        positions = bound.get(relation(clause.head), ())
        need = (Literal(_need(clause.head, positions)),) if positions else ()
        guarded.append(Clause(clause.head, need + clause.body, clause.rule))
    static_needs: list[Clause] = []
    dynamic_needs: list[Clause] = []
    for name, positions in bound.items():
        found = dynamic_needs if name in dynamic else static_needs
        found.extend(dict.fromkeys(_need_clause(use, positions, bound, dynamic) for use in uses[name]))
    return guarded, static_needs, dynamic_needs


def _uses(clauses: Sequence[Clause]) -> dict[Relation, list[_Use]]:
    uses: dict[Relation, list[_Use]] = {}
    for clause in clauses:
        for literal in clause.body:
            if literal.name != "distinct":
                uses.setdefault(relation(literal.atom), []).append(_Use(clause, literal))
    return uses


def _bound_arguments(
    clauses: Sequence[Clause],
    uses: dict[Relation, list[_Use]],
    dynamic: frozenset[Relation],
    roots: frozenset[Relation],
) -> dict[Relation, tuple[int, ...]]:
    """Return the argument positions that every use of a relation binds: the greatest fixpoint."""
    defined = dict.fromkeys(relation(clause.head) for clause in clauses)
    bound = {name: frozenset(range(name[1])) for name in defined if name in uses and name not in roots}
    bound = {name: positions for name, positions in bound.items() if positions}
    changed = True
    while changed:
        changed = False
        for name, positions in list(bound.items()):
            kept = positions
            for use in uses[name]:
                known = _known_variables(use, bound, dynamic)
                args = arguments(use.literal.atom)
                kept = frozenset(place for place in kept if known.issuperset(variables(args[place])))
            if kept != positions:
                changed = True
                if kept:
                    bound[name] = kept
                else:
                    del bound[name]
    return {name: tuple(sorted(positions)) for name, positions in bound.items()}


def _known_variables(
    use: _Use, bound: dict[Relation, frozenset[int]], dynamic: frozenset[Relation]
) -> frozenset[LogicVar]:
    """Return the variables that are known where a relation is used."""
    head, used = relation(use.clause.head), relation(use.literal.atom)
    known: set[LogicVar] = set()
    if _passes_head(head, used, dynamic):
        args = arguments(use.clause.head)
        known.update(variables(*(args[place] for place in bound.get(head, ()))))
    if _passes_body(use, dynamic):
        known.update(variables(*(literal.atom for literal in use.clause.body if binds(literal))))
    return frozenset(known)


def _passes_head(head: Relation, used: Relation, dynamic: frozenset[Relation]) -> bool:
    """A static relation is computed before the dynamic ones, so it cannot wait for their demands."""
    return used in dynamic or head not in dynamic


def _passes_body(use: _Use, dynamic: frozenset[Relation]) -> bool:
    used = relation(use.literal.atom)
    return not use.literal.positive and used in dynamic and used[1] >= MIN_NEGATED_ARITY


def _need(atom: Term, positions: tuple[int, ...]) -> Term:
    """Return the demand for an atom."""
    name, arity = relation(atom)
    args = arguments(atom)
    return make_term(f"{NEED}{arity} {name}", tuple(args[place] for place in positions))


def _need_clause(
    use: _Use, positions: tuple[int, ...], bound: dict[Relation, tuple[int, ...]], dynamic: frozenset[Relation]
) -> Clause:
    """Return the clause that states the demand of one use."""
    head = relation(use.clause.head)
    body: list[Literal] = []
    if head in bound and _passes_head(head, relation(use.literal.atom), dynamic):
        body.append(Literal(_need(use.clause.head, bound[head])))
    if _passes_body(use, dynamic):
        body.extend(literal for literal in use.clause.body if literal.positive)
    return Clause(_need(use.literal.atom, positions), tuple(body), use.clause.rule)

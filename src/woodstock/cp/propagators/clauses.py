"""Clauses: disjunctions of literals, by two watched literals.

Two literals of each clause are *watched*; as long as neither is false there is nothing to do. When one becomes false
another takes its place that is not; if there is none, the other watched literal must become true (Moskewicz et al.,
"Chaff: Engineering an efficient SAT solver", DAC 2001). The search for a place goes round, from where the last one
ended (Gent, "Optimal implementation of watched literals and more general techniques", JAIR 48, 2013): so along a branch
it looks at each literal a bounded number of times, however long the clause. Watches are not restored when one goes
back, for a literal that was not false then is not false now.

The watches of a literal form a linked list, so that they can be moved without room being set aside for them. Clauses of
two literals are two reactions instead.

Consistency: GAC if the literals are of different variables; else what unit propagation finds.
"""

from __future__ import annotations

from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Clauses
from woodstock.cp.domains import Domains, UInt8Array, make_true
from woodstock.cp.draft import Draft
from woodstock.cp.engine import CLAUSE, NONE, ClauseStore


def compile_clauses(draft: Draft, clauses: Clauses) -> None:
    """Add clauses, each a constraint."""
    data = draft.literals(clauses.data, "a clause")
    start = draft.starts(clauses.start, len(data), "clauses")
    constraints = draft.add_constraints(CLAUSE, start, draft.var_of[data >> 1])
    draft.add_clauses(start, data, constraints)


@inner_kernel
def revise_clause(domains: Domains, clauses: ClauseStore, clause: int) -> bool:
    """Look at all literals of a clause; return whether it can be satisfied."""
    data, truth = clauses.data, domains.truth
    last_open = NONE
    for place in range(clauses.start[clause], clauses.start[clause + 1]):
        literal = data[place]
        if truth[literal] == 1:
            return True
        if truth[literal ^ 1] == 0:
            if last_open != NONE:
                return True
            last_open = literal
    return last_open != NONE and make_true(domains, last_open)


@inner_kernel
def wake_clauses(domains: Domains, clauses: ClauseStore, literal: int) -> int:
    """Look at the clauses that watch a literal, which has become false; return the constraint that fails, or NONE."""
    start, data, truth, watches, watch_first = (
        clauses.start,
        clauses.data,
        domains.truth,
        clauses.watches,
        clauses.watch_first,
    )
    before = NONE
    watch = watch_first[literal]
    while watch != NONE:
        following = watches[2 * watch]
        clause = watch >> 1
        first = start[clause]
        other = data[first + watches[2 * (watch ^ 1) + 1]]
        if truth[other] == 0:
            place = _find_place(clauses, truth, watch, other)
            if place != NONE:
                if before == NONE:
                    watch_first[literal] = following
                else:
                    watches[2 * before] = following
                replacement = data[first + place]
                watches[2 * watch] = watch_first[replacement]
                watches[2 * watch + 1] = place
                watch_first[replacement] = watch
                watch = following
                continue
            if not make_true(domains, other):
                return int(clauses.constraint[clause])
        before = watch
        watch = following
    return NONE


@inner_kernel
def _find_place(clauses: ClauseStore, truth: UInt8Array, watch: int, other: int) -> int:
    """Return the place in its clause of a literal to watch, which is not false and not the other one; else NONE."""
    data = clauses.data
    first = clauses.start[watch >> 1]
    length = clauses.start[(watch >> 1) + 1] - first
    begin = clauses.watches[2 * watch + 1]
    for place in range(begin + 1, length):
        literal = data[first + place]
        if truth[literal ^ 1] == 0 and literal != other:
            return place
    for place in range(begin):
        literal = data[first + place]
        if truth[literal ^ 1] == 0 and literal != other:
            return place
    return NONE

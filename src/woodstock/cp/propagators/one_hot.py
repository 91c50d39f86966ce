"""One-hot constraints: exactly one of some literals holds, or at most one.

That one must hold is a watched clause. That no two may is looked after when a literal becomes true: all others become
false then.

Consistency: GAC (the literals are of different variables).
"""

from __future__ import annotations

import numpy as np

from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Int64Array, OneHot
from woodstock.cp.domains import Domains, make_true
from woodstock.cp.draft import Draft
from woodstock.cp.engine import NONE, ONE_HOT

# Record: whether one must hold, the number of literals, the literals.


def compile_one_hot(draft: Draft, one_hot: OneHot) -> None:
    """Add a one-hot constraint."""
    literals = draft.literals(one_hot.literals, "a one-hot constraint")
    scope = draft.var_of[literals >> 1]
    draft.refuse_repetition(scope, "a one-hot constraint")
    constraint = draft.add_constraint(ONE_HOT, scope, [int(one_hot.exactly), len(literals), *literals])
    draft.add_reactions(literals, np.full(len(literals), NONE), np.full(len(literals), constraint))
    if one_hot.exactly:
        draft.add_clauses(np.array([0, len(literals)]), literals, np.array([constraint]))


@inner_kernel
def revise_one_hot(domains: Domains, numbers: Int64Array, record: int) -> bool:
    """Look at all literals; return whether they can be satisfied."""
    truth = domains.truth
    first = record + 2
    end = first + numbers[record + 1]
    num_open, last_open, holding = 0, NONE, NONE
    for place in range(first, end):
        literal = numbers[place]
        if truth[literal] == 1:
            if holding != NONE:
                return False
            holding = place
        elif truth[literal ^ 1] == 0:
            num_open += 1
            last_open = literal
    if holding != NONE:
        for place in range(first, end):
            if place != holding:
                make_true(domains, numbers[place] ^ 1)
        return True
    if numbers[record] == 1 and num_open < 2:
        return num_open == 1 and make_true(domains, last_open)
    return True

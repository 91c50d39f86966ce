"""Predicates: constraints that a Python function decides.

A kernel cannot call the function. When at most one variable is open the kernel returns with the constraint's number;
then the function is asked about each value that is left, what it refuses is removed, and the kernel goes on.

Consistency: GAC when at most one variable is open, before that nothing (forward checking).
"""

from __future__ import annotations

from woodstock.common.errors import UsageError
from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Predicate
from woodstock.cp.domains import Domains, has_room, remember
from woodstock.cp.draft import Draft
from woodstock.cp.engine import ASK_PREDICATE, CONSISTENT, NO_ROOM, PREDICATE, Wiring
from woodstock.cp.registers import ASKED

# Record: where the memory has a number that is 1 once the function has been asked.


def compile_predicate(draft: Draft, predicate: Predicate) -> None:
    """Add a predicate."""
    scope = draft.check_vars(predicate.scope, predicate.name)
    if len(scope) == 0:
        raise UsageError(f"expected at least one variable in the scope of {predicate.name}")
    draft.refuse_repetition(scope, predicate.name)
    constraint = draft.add_constraint(PREDICATE, scope, [draft.add_memory([0])])
    draft.add_listeners(scope, constraint)
    draft.predicates[constraint] = predicate


@inner_kernel
def revise_predicate(domains: Domains, wiring: Wiring, constraint: int) -> int:
    """Return that the function is to be asked if it is time for it; then nothing is left to find out."""
    address = wiring.numbers[wiring.record[constraint]]
    if domains.memory[address] == 1:
        return CONSISTENT
    num_open = 0
    for place in range(wiring.scope_start[constraint], wiring.scope_start[constraint + 1]):
        if domains.size[wiring.scope_data[place]] > 1:
            num_open += 1
            if num_open == 2:
                return CONSISTENT
    if not has_room(domains, 1):
        return NO_ROOM
    remember(domains, address)
    domains.memory[address] = 1
    domains.registers[ASKED] = constraint
    return ASK_PREDICATE

"""Bounded sums: the weights of the literals that hold, by the bounds of what each variable may add.

All literals of one variable are looked at together: each of its choices adds what the literals that hold by it weigh.
A choice is removed if the sum is out of its bounds even if all other variables add as much, or as little, as they can.

Consistency: weaker than GAC, which would be to solve subset-sum problems; the bounds of the sum are exact. Once all but
one of the variables are fixed nothing wrong is left.
"""

from __future__ import annotations

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Int64Array, Linear
from woodstock.cp.domains import Domains, make_true
from woodstock.cp.draft import Draft
from woodstock.cp.engine import LINEAR

# Record: least and greatest sum, the number of variables; for each variable its number and where what its first choice
# adds stands, counted from the record; then what the choices add.


def compile_linear(draft: Draft, linear: Linear) -> None:
    """Add a bounded sum."""
    literals = draft.literals(linear.literals, "a linear constraint")
    if len(linear.weights) != len(literals):
        raise UsageError(f"expected a weight for each of {len(literals)} literals, found {len(linear.weights)}")
    scope = np.unique(draft.var_of[literals >> 1])
    sizes = draft.first[scope + 1] - draft.first[scope]
    places = np.concatenate([[0], np.cumsum(sizes)])
    added = np.zeros(int(places[-1]), np.int64)
    constant = 0
    for literal, weight in zip(literals.tolist(), linear.weights, strict=True):
        number = int(np.searchsorted(scope, draft.var_of[literal >> 1]))
        place = int(places[number]) + (literal >> 1) - int(draft.first[scope[number]])
        # That a choice is not made weighs as much as: always so much, and so much less if it is made.
        added[place] += -weight if literal & 1 else weight
        constant += weight if literal & 1 else 0
    begin = 3 + 2 * len(scope)
    pairs = np.stack([scope, begin + places[:-1]], axis=1).ravel()
    record = [linear.low - constant, linear.high - constant, len(scope), *pairs, *added]
    constraint = draft.add_constraint(LINEAR, scope, record)
    draft.add_listeners(scope, constraint)


@inner_kernel
def revise_linear(domains: Domains, numbers: Int64Array, record: int) -> bool:
    """Look at all choices; return whether the sum can be within its bounds."""
    low, high, num_vars = numbers[record], numbers[record + 1], numbers[record + 2]
    least, most = 0, 0
    for number in range(num_vars):
        smallest, greatest = _bounds(domains, numbers, record, number)
        least += smallest
        most += greatest
    if least > high or most < low:
        return False
    if least >= low and most <= high:
        return True
    for number in range(num_vars):
        place = record + 3 + 2 * number
        var = numbers[place]
        first = domains.first[var]
        smallest, greatest = _bounds(domains, numbers, record, number)
        # From the end, because a choice that is removed changes places with the last one.
        for at in range(first + domains.size[var] - 1, first - 1, -1):
            choice = domains.choices[at]
            added = numbers[record + numbers[place + 1] + choice - first]
            is_possible = least - smallest + added <= high and most - greatest + added >= low
            if not is_possible and not make_true(domains, 2 * choice + 1):
                return False
    return True


@inner_kernel
def _bounds(domains: Domains, numbers: Int64Array, record: int, number: int) -> tuple[int, int]:
    """Return the least and the most that a variable of the scope may add."""
    place = record + 3 + 2 * number
    first = domains.first[numbers[place]]
    begin = record + numbers[place + 1] - first
    smallest = greatest = numbers[begin + domains.choices[first]]
    for at in range(first + 1, first + domains.size[numbers[place]]):
        added = numbers[begin + domains.choices[at]]
        smallest = min(smallest, added)
        greatest = max(greatest, added)
    return smallest, greatest

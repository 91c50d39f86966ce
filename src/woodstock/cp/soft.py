"""Soft constraints: what a solution is worth to a player, and what it may be worth at most.

The worth of a solution is the sum of the utilities of its tuples. As long as variables are open, a soft constraint
gives at most the greatest utility of a tuple that is still possible; the sum of these is an upper bound, on which
branch and bound relies. Sums of rounded numbers in one order are monotone, so the bound is never too low.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import FloatArray, Int64Array, Utility
from woodstock.cp.domains import Domains
from woodstock.cp.draft import Draft
from woodstock.cp.engine import Tree
from woodstock.cp.tuples import checked_tuples, sorted_tuples


class SoftConstraints(NamedTuple):
    """Soft constraints as arrays; see `Tree`."""

    heads: Int64Array
    choices: Int64Array
    utilities: FloatArray
    num_players: int


def compile_soft(draft: Draft, utilities: Sequence[Utility]) -> SoftConstraints:
    """Return soft constraints as arrays."""
    heads, choices, values = [], [np.zeros(0, np.int64)], []
    num_tuples = num_choices = 0
    for utility in utilities:
        scope = draft.check_vars(utility.scope, "a soft constraint")
        draft.refuse_repetition(scope, "a soft constraint")
        tuples = checked_tuples(utility.tuples, draft.first[scope + 1] - draft.first[scope])
        heads += [num_tuples, len(scope), num_choices]
        choices.append((tuples + draft.first[scope]).ravel())
        if len(sorted_tuples(tuples, draft.first[scope + 1] - draft.first[scope])) < len(tuples):
            raise UsageError("expected different tuples in a soft constraint, found one twice")
        values.append(_checked_utilities(utility, len(tuples)))
        num_tuples += len(tuples)
        num_choices += tuples.size
    heads += [num_tuples, 0, num_choices]
    num_players = {value.shape[1] for value in values}
    if len(num_players) > 1:
        raise UsageError(f"expected utilities of as many players in each soft constraint, found {sorted(num_players)}")
    count = num_players.pop() if num_players else 0
    by_player = np.concatenate(values).T.ravel() if values else np.zeros(0, np.float64)
    return SoftConstraints(np.array(heads, np.int64), np.concatenate(choices), by_player, count)


def _checked_utilities(utility: Utility, num_tuples: int) -> FloatArray:
    """Return the utilities of a soft constraint, shape (num_tuples, num_players), float64."""
    array = np.asarray(utility.utilities, np.float64)
    if array.ndim != 2 or len(array) != num_tuples:
        raise UsageError(f"expected utilities for each of {num_tuples} tuples, found an array of shape {array.shape}")
    if not ((array >= 0) & (array <= 1)).all():
        raise UsageError("expected utilities from 0 to 1")
    return array


@inner_kernel
def upper_bound(domains: Domains, tree: Tree, player: int) -> float:
    """Return what a player gets at most; if all variables are fixed, what it gets."""
    num_soft = len(tree.soft) // 3 - 1
    utilities = player * tree.soft[3 * num_soft]
    total = 0.0
    for number in range(num_soft):
        first, arity, data = tree.soft[3 * number], tree.soft[3 * number + 1], tree.soft[3 * number + 2]
        best = 0.0
        for place in range(first, tree.soft[3 * number + 3]):
            value = tree.utilities[utilities + place]
            if value > best and is_possible(domains, tree, data + (place - first) * arity, arity):
                best = value
        total += best
    return total


@inner_kernel
def is_possible(domains: Domains, tree: Tree, begin: int, arity: int) -> bool:
    """Tell whether all choices of a tuple are left."""
    place = begin
    while place < begin + arity and domains.truth[2 * tree.soft_data[place] + 1] == 0:
        place += 1
    return place == begin + arity

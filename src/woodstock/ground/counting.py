"""Rules that hold if two literals do, written as plain rules.

The literals are joined in pairs, as in a tournament: each node knows whether one literal below it holds, and whether
two do.
"""

from __future__ import annotations

import numpy as np

from woodstock.ground.rulebase import IntArray, RuleBase, offsets

_NONE = -1


def with_pairs(base: RuleBase, pairs: RuleBase, num_atoms: int) -> RuleBase:
    """Add rules to `base` that define the heads of `pairs`: each holds if two different literals of its body do.

    Args:
        base: Plain rules.
        pairs: Rules that take two literals of their body, which are all different.
        num_atoms: Atoms below this number are in use, besides those of the rules.
    """
    fresh = max(num_atoms, base.num_atoms, pairs.num_atoms)
    owner = pairs.rule_of_literal()
    one, two = pairs.data.copy(), np.full(len(pairs.data), _NONE)
    rules: list[tuple[IntArray, IntArray]] = []
    while len(owner):
        place = np.arange(len(owner)) - offsets(np.bincount(owner, minlength=pairs.num_rules))[owner]
        right = np.flatnonzero(place % 2 == 1)
        left = right - 1
        if not len(right):
            break
        one_atom, two_atom = fresh + np.arange(len(right)), fresh + len(right) + np.arange(len(right))
        fresh += 2 * len(right)
        rules += [(one_atom, one[left, None]), (one_atom, one[right, None])]
        rules.append((two_atom, np.stack([one[left], one[right]], axis=1)))
        for side in (left, right):
            has_two = two[side] != _NONE
            rules.append((two_atom[has_two], two[side][has_two, None]))
        one[left], two[left] = 2 * one_atom, 2 * two_atom
        keep = place % 2 == 0
        owner, one, two = owner[keep], one[keep], two[keep]
    has_two = two != _NONE
    rules.append((pairs.head[owner[has_two]], two[has_two, None]))
    heads = np.concatenate([base.head, *(head for head, _ in rules)])
    lengths = [np.diff(base.start), *(np.full(len(head), body.shape[1]) for head, body in rules)]
    data = np.concatenate([base.data, *(body.ravel() for _, body in rules)])
    return RuleBase(fresh, heads, offsets(np.concatenate(lengths)), data)

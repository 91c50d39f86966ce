"""Rules about the values of one variable, made simpler: a variable has one value and no other.

In the multi-valued encoding, and for actions in any, the literals of a rule may be about the same variable. "x or o is
on the cell" is "the cell is not blank", which is shorter, and propagation sees more of it: when blank goes, it holds.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.ground.rulebase import RuleBase, offsets, ranges, tidy
from woodstock.scsp.game_rules import join_rules

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

NO_GROUP: Final = -1


class Choices(NamedTuple):
    """Atoms of which exactly one holds: they say which value a variable has.

    Attributes:
        group: The group of each atom, or NO_GROUP, int64.
        start: Where the atoms of each group begin in `atoms`, and the end of the last, int64.
        atoms: The atoms of the groups, int64.
    """

    group: IntArray
    start: IntArray
    atoms: IntArray

    @property
    def sizes(self) -> IntArray:
        """The number of atoms of each group."""
        return np.diff(self.start)


def simplify_choices(rules: RuleBase, choices: Choices) -> RuleBase:
    """Return rules with the same meaning, in which literals about one variable are as few as possible."""
    return _shorten_alternatives(_shorten_bodies(tidy(rules), choices), choices)


def _shorten_bodies(rules: RuleBase, choices: Choices) -> RuleBase:
    """Let each body say of a variable that it has one value, or which few it has not.

    Two values at once never hold. A value makes it needless to say which others the variable has not; if all but one
    are excluded it has that one.
    """
    if not len(choices.atoms):
        return rules
    of, atoms = rules.rule_of_literal(), rules.data >> 1
    group = choices.group[atoms]
    about = np.flatnonzero(group != NO_GROUP)
    key = of[about] * len(choices.sizes) + group[about]
    pairs, pair_of = np.unique(key, return_inverse=True)
    is_negative = rules.data[about] & 1 == 1
    positives = np.bincount(pair_of[~is_negative], minlength=len(pairs))
    negatives = np.bincount(pair_of[is_negative], minlength=len(pairs))
    sizes = choices.sizes[pairs % len(choices.sizes)]

    is_kept = np.ones(len(rules.data), dtype=np.bool_)
    is_kept[about[is_negative & (positives[pair_of] > 0)]] = False
    is_possible = np.ones(rules.num_rules, dtype=np.bool_)
    is_possible[pairs[(positives > 1) | (negatives == sizes)] // len(choices.sizes)] = False
    data = rules.data.copy()
    # All values but one are excluded: the first of these literals says which is left, the others go.
    is_left = (positives == 0) & (negatives == sizes - 1)
    members = about[is_negative & is_left[pair_of]]
    if len(members):
        rows, first = np.unique(pair_of[is_negative & is_left[pair_of]], return_index=True)
        is_kept[members] = False
        is_kept[members[first]] = True
        total = _sums(choices)[pairs[rows] % len(choices.sizes)]
        excluded = np.bincount(pair_of[is_negative], weights=atoms[about[is_negative]], minlength=len(pairs))
        data[members[first]] = 2 * (total - excluded[rows].astype(np.int64))
    return RuleBase(rules.num_atoms, rules.head, rules.start, data).select(is_possible, is_kept)


def _sums(choices: Choices) -> IntArray:
    """Return the sum of the atoms of each group: without the others it is the one that is left."""
    return np.add.reduceat(choices.atoms, choices.start[:-1])


def _shorten_alternatives(rules: RuleBase, choices: Choices) -> RuleBase:
    """Let an atom that holds for most values of a variable say which ones it does not hold for."""
    lone = np.flatnonzero(np.diff(rules.start) == 1)
    literals = rules.data[rules.start[lone]]
    is_value = (literals & 1 == 0) & (choices.group[literals >> 1] != NO_GROUP)
    lone, literals = lone[is_value], literals[is_value]
    if not len(lone):
        return rules
    key = rules.head[lone] * len(choices.sizes) + choices.group[literals >> 1]
    pairs, pair_of, counts = np.unique(key, return_inverse=True, return_counts=True)
    sizes = choices.sizes[pairs % len(choices.sizes)]
    is_most = 2 * counts > sizes
    kept = np.ones(rules.num_rules, dtype=np.bool_)
    kept[lone[is_most[pair_of]]] = False

    chosen = np.flatnonzero(is_most)
    groups = pairs[chosen] % len(choices.sizes)
    others = choices.atoms[ranges(choices.start[groups], choices.start[groups + 1])]
    row_of = np.repeat(np.arange(len(chosen)), sizes[chosen])
    taken = np.isin(row_of * rules.num_atoms + others, _rows_of(chosen, pair_of) * rules.num_atoms + (literals >> 1))
    lengths = np.bincount(row_of[~taken], minlength=len(chosen))
    most = RuleBase(rules.num_atoms, pairs[chosen] // len(choices.sizes), offsets(lengths), 2 * others[~taken] + 1)
    return join_rules(rules.num_atoms, [rules.select(kept), most])


def _rows_of(chosen: IntArray, pair_of: IntArray) -> IntArray:
    """Return the row of each pair among the chosen ones; a number that no row has for the others."""
    row = np.full(int(pair_of.max()) + 1, len(chosen) + 1, dtype=np.int64)
    row[chosen] = np.arange(len(chosen))
    found: IntArray = row[pair_of]
    return found

"""Rules simplified by what is known of atoms: constants folded, equal atoms joined, superfluous rules dropped.

What is left is equivalent to the rules in all positions for which the knowledge holds. The more is folded the more
residuals of positions become alike.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.ground.program import NO_ATOM
from woodstock.ground.rulebase import IntArray, RuleBase, needed_atoms, tidy
from woodstock.symmetry.latches import KNOWN_FALSE, UNKNOWN, BoolArray, ValueArray

MAX_ROUNDS: Final = 50
"""Rounds of joining equal atoms; to stop early is sound, only fewer rules become alike."""


def fold(base: RuleBase, values: ValueArray) -> RuleBase:
    """Drop rules of constant atoms, rules that can never apply, and literals that always hold."""
    literal_value = values[base.data >> 1] * (1 - 2 * (base.data & 1))
    rules = values[base.head] == UNKNOWN
    rules[base.rule_of_literal()[literal_value == KNOWN_FALSE]] = False
    return base.select(rules, literal_value == UNKNOWN)


def simplify_rules(base: RuleBase, values: ValueArray, first_derived: int) -> tuple[RuleBase, IntArray]:
    """Return the rules that are left, and for each atom the one that stands for it there.

    Args:
        base: Rules.
        values: What is known of each atom, int8; what turns out to be false is noted.
        first_derived: The first atom that is no input.
    """
    while True:
        folded = tidy(fold(base, values))
        alias = _equal_atoms(folded)
        found = _drop_longer(_rename(folded, alias))
        without = (values == UNKNOWN) & (alias == np.arange(base.num_atoms))
        without[:first_derived] = without[found.head] = False
        if not without.any():
            return found, alias
        # All rules of these contradict themselves once equal atoms are the same, or run in a circle.
        values[without] = KNOWN_FALSE


def _equal_atoms(base: RuleBase) -> IntArray:
    """Return for each atom one that always equals it: by a lone rule with a lone literal, or by equal rules."""
    alias = np.arange(base.num_atoms)
    for _ in range(MAX_ROUNDS):
        found = _equal_by_rules(_rename(base, alias))
        if not found:
            break
        for atom, other in found.items():
            alias[atom] = other
        while not np.array_equal(alias, alias[alias]):
            alias = alias[alias]
    return alias


def _equal_by_rules(base: RuleBase) -> dict[int, int]:
    """Return atoms and what equals them, in which none of the latter is one of the former."""
    bodies: dict[int, list[tuple[int, ...]]] = {}
    starts, data = base.start.tolist(), base.data.tolist()
    for rule, head in enumerate(base.head.tolist()):
        bodies.setdefault(head, []).append(tuple(data[starts[rule] : starts[rule + 1]]))
    found: dict[int, int] = {}
    first: dict[tuple[tuple[int, ...], ...], int] = {}
    for head, own in bodies.items():
        lone = own[0][0] if len(own) == 1 and len(own[0]) == 1 else 1
        if not lone & 1 and lone >> 1 != head:
            found[head] = lone >> 1
        else:
            other = first.setdefault(tuple(sorted(own)), head)
            if other != head:
                found[head] = other
    return {atom: other for atom, other in found.items() if other not in found}


def _rename(base: RuleBase, alias: IntArray) -> RuleBase:
    """Put other atoms in the place of those that equal them, and drop the rules of the latter and rules in a circle."""
    renamed = tidy(base.renamed(alias, base.num_atoms).select(alias[base.head] == base.head))
    of = renamed.rule_of_literal()
    rules = np.ones(renamed.num_rules, dtype=np.bool_)
    rules[of[renamed.data == 2 * renamed.head[of]]] = False
    return renamed.select(rules)


def _drop_longer(base: RuleBase) -> RuleBase:
    """Drop rules whose body has all literals of another rule of the same atom."""
    starts, data = base.start.tolist(), base.data.tolist()
    by_head: dict[int, list[tuple[int, frozenset[int]]]] = {}
    for rule, head in enumerate(base.head.tolist()):
        by_head.setdefault(head, []).append((rule, frozenset(data[starts[rule] : starts[rule + 1]])))
    keep = np.ones(base.num_rules, dtype=np.bool_)
    for bodies in by_head.values():
        if len(bodies) > 1:
            bodies.sort(key=lambda entry: len(entry[1]))
            kept: list[frozenset[int]] = []
            for rule, body in bodies:
                if any(other <= body for other in kept):
                    keep[rule] = False
                else:
                    kept.append(body)
    return base.select(keep)


def find_needed(base: RuleBase, outputs: IntArray, next_atom: IntArray) -> BoolArray:
    """Return which atoms outputs depend on, now or in a later position."""
    roots = outputs
    while True:
        needed = needed_atoms(base, roots)
        following = next_atom[needed[1 : 1 + len(next_atom)]]
        more = following[(following != NO_ATOM)]
        if needed[more].all():
            return needed
        roots = np.unique(np.concatenate([roots, more]))

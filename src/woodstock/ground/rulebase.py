"""Rules as arrays, and what can be said about them without playing: simplification and dependency levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from woodstock.common.graphs import strongly_connected

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
ValueArray = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class RuleBase:
    """Rules over atoms 0 .. num_atoms - 1, in any order.

    Attributes:
        num_atoms: Number of atoms.
        head: Head of each rule, shape (num_rules,), int64.
        start: Where each body starts in `data`, shape (num_rules + 1,), int64.
        data: Literals, coded `2 * atom + negated`, shape (start[-1],), int64.
    """

    num_atoms: int
    head: IntArray
    start: IntArray
    data: IntArray

    @property
    def num_rules(self) -> int:
        return len(self.head)

    def rule_of_literal(self) -> IntArray:
        """Return the rule that each entry of `data` belongs to."""
        return np.repeat(np.arange(self.num_rules), np.diff(self.start))

    def select(self, rules: BoolArray, literals: BoolArray | None = None) -> RuleBase:
        """Keep some rules, and of their bodies some literals."""
        of = self.rule_of_literal()
        keep = rules[of] if literals is None else rules[of] & literals
        lengths = np.bincount(of[keep], minlength=self.num_rules)[rules]
        return RuleBase(self.num_atoms, self.head[rules], offsets(lengths), self.data[keep])

    def renamed(self, new_atom: IntArray, num_atoms: int) -> RuleBase:
        """Give the atoms other numbers."""
        data = 2 * new_atom[self.data >> 1] + (self.data & 1)
        return RuleBase(num_atoms, new_atom[self.head], self.start, data)

    def permuted(self, order: IntArray) -> RuleBase:
        """Put the rules into another order."""
        lengths = np.diff(self.start)[order]
        start = offsets(lengths)
        place = np.arange(start[-1]) - np.repeat(start[:-1], lengths) + np.repeat(self.start[:-1][order], lengths)
        return RuleBase(self.num_atoms, self.head[order], start, self.data[place])


def offsets(lengths: npt.NDArray[np.integer]) -> IntArray:
    """Return the running sum of some lengths, beginning with 0."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def tidy(base: RuleBase) -> RuleBase:
    """Sort the literals of each body, drop repeated ones, rules that contradict themselves, and repeated rules."""
    of = base.rule_of_literal()
    order = np.lexsort((base.data, of))
    data = base.data[order]
    repeated = np.zeros(len(data), dtype=np.bool_)
    clash = repeated.copy()
    same_rule = of[1:] == of[:-1]
    repeated[1:] = same_rule & (data[1:] == data[:-1])
    clash[1:] = same_rule & (data[1:] ^ data[:-1] == 1)
    rules = np.ones(base.num_rules, dtype=np.bool_)
    rules[of[clash]] = False
    clean = RuleBase(base.num_atoms, base.head, base.start, data).select(rules, ~repeated)
    return _drop_repeated(clean)


def _drop_repeated(base: RuleBase) -> RuleBase:
    """Keep the first of equal rules: rules are compared only with those of one length."""
    keep = np.ones(base.num_rules, dtype=np.bool_)
    lengths = np.diff(base.start)
    for length in np.unique(lengths):
        rules = np.flatnonzero(lengths == length)
        rows = base.data[base.start[rules][:, None] + np.arange(length)]
        table = np.concatenate([base.head[rules][:, None], rows], axis=1)
        order = np.lexsort(table.T[::-1])
        same = (table[order[1:]] == table[order[:-1]]).all(axis=1)
        keep[rules[order[1:][same]]] = False
    return base.select(keep)


def needed_atoms(base: RuleBase, roots: IntArray) -> BoolArray:
    """Return which atoms the roots depend on, themselves included."""
    by_head = base.permuted(np.argsort(base.head, kind="stable"))
    rule_start = offsets(np.bincount(by_head.head, minlength=base.num_atoms))
    needed = np.zeros(base.num_atoms, dtype=np.bool_)
    frontier = np.unique(roots)
    while len(frontier):
        needed[frontier] = True
        rules = ranges(rule_start[frontier], rule_start[frontier + 1])
        places = ranges(by_head.start[rules], by_head.start[rules + 1])
        found = np.unique(by_head.data[places] >> 1)
        frontier = found[~needed[found]]
    return needed


def ranges(starts: IntArray, ends: IntArray) -> IntArray:
    """Return all numbers of the half-open ranges, one after the other."""
    lengths = ends - starts
    total = offsets(lengths)
    return np.arange(total[-1]) - np.repeat(total[:-1] - starts, lengths)


def levels_and_loops(base: RuleBase) -> tuple[IntArray, IntArray]:
    """Return the level of each atom and the loop that it is in, -1 for none.

    Atoms without rules have level 0; every other atom lies one above the highest atom in its rules, a loop as a whole.
    """
    of = base.rule_of_literal()
    heads, bodies = base.head[of], base.data >> 1
    waiting = np.bincount(heads, minlength=base.num_atoms)
    order = np.argsort(bodies, kind="stable")
    user_start = offsets(np.bincount(bodies, minlength=base.num_atoms))
    users = heads[order]
    level = np.zeros(base.num_atoms, dtype=np.int64)
    frontier = np.flatnonzero(waiting == 0)
    while len(frontier):
        uses = users[ranges(user_start[frontier], user_start[frontier + 1])]
        np.subtract.at(waiting, uses, 1)
        touched = np.unique(uses)
        level[touched] = level[frontier[0]] + 1
        frontier = touched[waiting[touched] == 0]
    loop = np.full(base.num_atoms, -1, dtype=np.int64)
    left = np.flatnonzero(waiting > 0)
    if len(left):
        _order_loops(left, heads, bodies, level, loop)
    return level, loop


def _order_loops(left: IntArray, heads: IntArray, bodies: IntArray, level: IntArray, loop: IntArray) -> None:
    """Set level and loop of the atoms that are in a loop or above one."""
    inside = np.zeros(len(level), dtype=np.bool_)
    inside[left] = True
    edges = np.flatnonzero(inside[heads])
    edges = edges[np.argsort(heads[edges], kind="stable")]
    start = offsets(np.bincount(heads[edges], minlength=len(level)))
    used = bodies[edges].tolist()
    starts = start.tolist()
    levels = level.tolist()
    member = inside.tolist()

    def successors(atom: int) -> list[int]:
        return [other for other in used[starts[atom] : starts[atom + 1]] if member[other]]

    for component in strongly_connected(left.tolist(), successors):
        members = set(component)
        below = [
            levels[other]
            for atom in component
            for other in used[starts[atom] : starts[atom + 1]]
            if other not in members
        ]
        height = max(below, default=0) + 1
        is_loop = len(component) > 1 or component[0] in successors(component[0])
        for atom in component:
            levels[atom] = height
            if is_loop:
                loop[atom] = component[0]
    level[:] = levels
    names = np.unique(loop[loop >= 0])
    loop[loop >= 0] = np.searchsorted(names, loop[loop >= 0])

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
    num_codes = 2 * base.num_atoms
    data = np.sort(of * num_codes + base.data) - of * num_codes
    repeated = np.zeros(len(data), dtype=np.bool_)
    clash = repeated.copy()
    same_rule = of[1:] == of[:-1]
    repeated[1:] = same_rule & (data[1:] == data[:-1])
    clash[1:] = same_rule & (data[1:] ^ data[:-1] == 1)
    rules = np.ones(base.num_rules, dtype=np.bool_)
    rules[of[clash]] = False
    return _drop_repeated(RuleBase(base.num_atoms, base.head, base.start, data).select(rules, ~repeated))


def _drop_repeated(base: RuleBase) -> RuleBase:
    """Keep one of equal rules. Rules are sorted by a hash, and neighbours of one hash are compared."""
    lengths = np.diff(base.start)
    filled = lengths > 0
    code = _mix(base.head.astype(np.uint64))
    if filled.any():
        code[filled] += np.add.reduceat(_mix(base.data.astype(np.uint64) + _ODD), base.start[:-1][filled])
    order = np.argsort(code)
    one, two = order[:-1], order[1:]
    alike = np.flatnonzero(
        (code[one] == code[two]) & (lengths[one] == lengths[two]) & (base.head[one] == base.head[two])
    )
    one, two = one[alike], two[alike]
    same = np.ones(len(alike), dtype=np.bool_)
    left = ranges(base.start[one], base.start[one + 1])
    right = ranges(base.start[two], base.start[two + 1])
    same[np.repeat(np.arange(len(alike)), lengths[one])[base.data[left] != base.data[right]]] = False
    keep = np.ones(base.num_rules, dtype=np.bool_)
    keep[two[same]] = False
    return base.select(keep)


_ODD = np.uint64(0x9E3779B97F4A7C15)


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Scatter numbers over 64 bits (the finaliser of SplitMix64)."""
    mixed = values * _ODD
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    return mixed


def needed_atoms(base: RuleBase, roots: IntArray) -> BoolArray:
    """Return which atoms the roots depend on, themselves included."""
    by_head = base.permuted(np.argsort(base.head, kind="stable"))
    rule_start = offsets(np.bincount(by_head.head, minlength=base.num_atoms))
    needed = np.zeros(base.num_atoms, dtype=np.bool_)
    scratch = np.empty(base.num_atoms, dtype=np.int64)
    frontier = _distinct(roots, scratch)
    while len(frontier):
        needed[frontier] = True
        rules = ranges(rule_start[frontier], rule_start[frontier + 1])
        found = by_head.data[ranges(by_head.start[rules], by_head.start[rules + 1])] >> 1
        frontier = _distinct(found[~needed[found]], scratch)
    return needed


def _distinct(atoms: IntArray, scratch: IntArray) -> IntArray:
    """Return each atom once, without sorting: the last to write its place is the one that stays."""
    places = np.arange(len(atoms))
    scratch[atoms] = places
    found: IntArray = atoms[scratch[atoms] == places]
    return found


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
    scratch = np.empty(base.num_atoms, dtype=np.int64)
    frontier = np.flatnonzero(waiting == 0)
    while len(frontier):
        uses = users[ranges(user_start[frontier], user_start[frontier + 1])]
        np.subtract.at(waiting, uses, 1)
        touched = _distinct(uses, scratch)
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

"""Alternatives: the bodies of the rules that make fluents hold next, and which of them exclude each other.

Two fluents exclude each other next if every pair of their alternatives is refuted. That is found out in three stages,
each for what the one before left open: `exclude` supposes one alternative and looks which other fluents can then no
longer hold next; `sift` compares two alternatives at first sight; `woodstock.ground.cases` supposes both and goes on to
cases of cases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from woodstock.common.jit import jit, register_jitable
from woodstock.ground.cases import FAILED, OPEN, Cases
from woodstock.ground.implied import imply
from woodstock.ground.plan import LANES, U0, U1, Groups, IntArray, Plan, WordArray, bodies
from woodstock.ground.program import NO_ATOM, GroundProgram


class Alternatives(NamedTuple):
    """Bodies of the rules that make fluents hold next; a body of one literal is shared by all its fluents.

    Attributes:
        start: Where the literals of each alternative begin, shape (num_alternatives + 1,), int64.
        literal: Literals, shape (start[-1],), int64.
        owner_start: Where the fluents of each alternative begin, shape (num_alternatives + 1,), int64.
        owner: Fluents, shape (owner_start[-1],), int64.
        domain: For each alternative the moves that can be made when it holds, as `Domains` has them; shape
            (num_alternatives, num_words), uint64.
    """

    start: IntArray
    literal: IntArray
    owner_start: IntArray
    owner: IntArray
    domain: WordArray


def find_alternatives(program: GroundProgram, fluents: IntArray) -> Alternatives:
    """Return the alternatives of some fluents; nothing is known of their moves."""
    atoms = program.next_atom[fluents]
    fluents, atoms = fluents[atoms != NO_ATOM], atoms[atoms != NO_ATOM]
    first, last = np.searchsorted(program.rule_head, [atoms, atoms + 1])
    is_input = first == last
    number = np.where(is_input, 1, last - first)
    entry_start = np.cumsum(number) - number
    rules = np.arange(number.sum()) - np.repeat(entry_start - first, number)
    entry_input = np.repeat(is_input, number)
    owner = np.repeat(fluents, number)
    literal = np.repeat(2 * atoms, number)
    lengths = np.ones(len(owner), dtype=np.int64)
    lengths[~entry_input] = np.diff(program.body_start)[rules[~entry_input]]
    is_unit = lengths == 1
    derived_unit = is_unit & ~entry_input
    literal[derived_unit] = program.body_data[program.body_start[rules[derived_unit]]]
    # Entries with equal keys are one alternative: units by their literal, others by their own place.
    key = np.where(is_unit, literal, 2 * program.num_atoms + np.arange(len(owner)))
    _, kept, group = np.unique(key, return_index=True, return_inverse=True)
    rank = np.empty(len(kept), dtype=np.int64)
    rank[np.argsort(kept)] = np.arange(len(kept))
    kept = np.sort(kept)
    start = np.concatenate([[0], np.cumsum(lengths[kept])])
    data = np.empty(start[-1], dtype=np.int64)
    data[start[:-1][is_unit[kept]]] = literal[kept[is_unit[kept]]]
    longer = np.repeat(~is_unit[kept], lengths[kept])
    data[longer] = bodies(program, rules[kept[~is_unit[kept]]])[1]
    of_entry = rank[group]
    order = np.argsort(of_entry, kind="stable")
    owner_start = np.searchsorted(of_entry[order], np.arange(len(kept) + 1))
    return Alternatives(start, data, owner_start, owner[order], np.zeros((len(kept), 0), dtype=np.uint64))


class Hints(NamedTuple):
    """What it takes to see that two literals cannot hold together.

    Attributes:
        group_start: Where the groups of each fluent begin, shape (num_fluents + 1,), int64.
        group: Groups, in order for each fluent.
        num_roles: Number of roles.
        start: Where the words of each turn and role begin in a domain, and their end.
    """

    group_start: IntArray
    group: IntArray
    num_roles: int
    start: IntArray


class Unproved(NamedTuple):
    """Pairs of fluents of one group that may hold together next.

    Attributes:
        row: Group, alternative, the fluent that it belongs to and the other one; shape (capacity, 4), int64.
        size: Number of rows in use, shape (1,), int64.
        left: How many more rows each group may have, shape (num_groups,), int64.
        state: FAILED for the groups that have too many, shape (num_groups,), int64.
        goals: The groups; they may be parts only of those that are supposed.
    """

    row: IntArray
    size: IntArray
    left: IntArray
    state: IntArray
    goals: Groups


def exclude(
    plan: Plan, groups: Groups, base: WordArray, alternatives: Alternatives, lanes: IntArray, unproved: Unproved
) -> None:
    """Suppose alternatives, one after the other, and find the fluents of the same groups that may still hold next.

    Args:
        plan: The rules.
        groups: Groups of fluents of which at most one holds, or exactly one.
        base: What is known before, in all cases.
        alternatives: The alternatives.
        lanes: The alternatives that are to be supposed.
        unproved: Receives what was found.
    """
    known = np.empty_like(base)
    mask = np.empty(len(plan.next), dtype=np.uint64)
    for first in range(0, len(lanes), LANES):
        batch = lanes[first : first + LANES]
        known[:], mask[:] = base, 0
        _set_bits(known, alternatives.start, alternatives.literal, batch)
        _set_bits(mask, alternatives.owner_start, alternatives.owner, batch)
        refuted = np.uint64(imply(plan, groups, known, 1))
        note_open(plan.next, known, mask & ~refuted, batch, unproved)


def _set_bits(words: WordArray, start: IntArray, data: IntArray, batch: IntArray) -> None:
    """Set in the words of each list of a batch the bit of its lane."""
    lengths = start[batch + 1] - start[batch]
    lane = np.repeat(np.arange(len(batch), dtype=np.uint64), lengths)
    place = np.arange(len(lane)) + np.repeat(start[batch] - np.cumsum(lengths) + lengths, lengths)
    np.bitwise_or.at(words, data[place], U1 << lane)


@jit
def note_open(after: IntArray, known: WordArray, mask: WordArray, batch: IntArray, unproved: Unproved) -> None:
    """Note fluents that may hold next in lanes that suppose another one of the group.

    Args:
        after: For each fluent the atom that tells whether it holds next, or NO_ATOM.
        known: What is known in the lanes.
        mask: For each fluent the lanes that suppose an alternative of it and are not refuted.
        batch: Alternative of each lane.
        unproved: Receives what was found.
    """
    goals = unproved.goals
    for group in range(len(unproved.state)):
        some = U0
        for place in range(goals.start[group], goals.start[group + 1]):
            some |= mask[goals.atom[place] - 1]
        for place in range(goals.start[group], goals.start[group + 1] if some != U0 else 0):
            other = goals.atom[place] - 1
            if after[other] != NO_ATOM and unproved.state[group] == OPEN:
                still_open = some & ~known[2 * after[other] + 1]
                if still_open != U0:
                    _note(group, other, (mask, still_open, batch), unproved)


@register_jitable
def _note(group: int, other: int, open_lanes: tuple[WordArray, np.uint64, IntArray], unproved: Unproved) -> None:
    """Note that a fluent of a group may hold next in lanes that suppose another one of the group."""
    mask, still_open, batch = open_lanes
    for place in range(unproved.goals.start[group], unproved.goals.start[group + 1]):
        own = unproved.goals.atom[place] - 1
        left = mask[own] & still_open if own != other else U0
        lane = 0
        while left != U0:
            if left & U1 != U0:
                at = unproved.size[0]
                if at == len(unproved.row) or unproved.left[group] == 0:
                    unproved.state[group] = FAILED
                    return
                unproved.row[at, 0], unproved.row[at, 1] = group, batch[lane]
                unproved.row[at, 2], unproved.row[at, 3] = own, other
                unproved.size[0] += 1
                unproved.left[group] -= 1
            left >>= U1
            lane += 1


@jit
def sift(pairs: IntArray, rows: IntArray, alternatives: Alternatives, hints: Hints, cases: Cases) -> int:
    """Make cases of the pairs of alternatives that do not contradict each other at first sight.

    Args:
        pairs: Group of two fluents, where the rows of the first one begin, those of the other one, and their end; shape
            (num_pairs, 4), int64.
        rows: Alternative of each row, shape (num_rows,), int64.
        alternatives: The alternatives.
        hints: What it takes to see a contradiction.
        cases: Receives the cases; `spent` has how many each group may still have.

    Returns:
        The number of cases.
    """
    height = 0
    for number in range(len(pairs)):
        group = pairs[number, 0]
        for one in range(pairs[number, 1], pairs[number, 2]):
            for two in range(pairs[number, 2], pairs[number, 3]):
                if cases.state[group] == OPEN and not _contradict(rows[one], rows[two], alternatives, hints):
                    if height == len(cases.stack) or cases.spent[group] == 0:
                        cases.state[group] = FAILED
                        break
                    cases.spent[group] -= 1
                    cases.stack[height, 0] = group
                    cases.stack[height, 1] = rows[one]
                    cases.stack[height, 2] = rows[two]
                    cases.stack[height, 3] = 0
                    height += 1
    return height


@register_jitable
def _contradict(one: int, two: int, alternatives: Alternatives, hints: Hints) -> bool:
    """Tell whether no moves allow both alternatives, or two of their literals cannot hold together."""
    if _have_no_move(alternatives.domain[one], alternatives.domain[two], hints):
        return True
    num_fluents = len(hints.group_start) - 1
    for place in range(alternatives.start[one], alternatives.start[one + 1]):
        for other_place in range(alternatives.start[two], alternatives.start[two + 1]):
            literal, other = alternatives.literal[place], alternatives.literal[other_place]
            if literal ^ 1 == other:
                return True
            if literal & 1 or other & 1 or literal == other or max(literal, other) > 2 * num_fluents or literal == 0:
                continue
            left, right = hints.group_start[literal // 2 - 1], hints.group_start[other // 2 - 1]
            while left < hints.group_start[literal // 2] and right < hints.group_start[other // 2]:
                if hints.group[left] == hints.group[right]:
                    return True
                if hints.group[left] < hints.group[right]:
                    left += 1
                else:
                    right += 1
    return False


@register_jitable
def _have_no_move(one: WordArray, two: WordArray, hints: Hints) -> bool:
    """Tell whether in each turn some role has no move that is in both domains."""
    for first in range(0, len(hints.start) - 1, hints.num_roles):
        all_move = True
        for role in range(first, first + hints.num_roles):
            common = U0
            for word in range(hints.start[role], hints.start[role + 1]):
                common |= one[word] & two[word]
                if common != U0:
                    break
            all_move = all_move and common != U0
        if all_move:
            return False
    return len(hints.start) > 1

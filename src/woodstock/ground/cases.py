"""Cases that are to be refuted: literals that are supposed to hold together, and cases of cases.

A case that propagation does not refute is split: one of the bodies of an atom that holds must do so, and one of the
literals of a body must fail if its head does. A *goal* is reached when all its cases are refuted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from woodstock.common.jit import jit, register_jitable
from woodstock.ground.implied import imply
from woodstock.ground.plan import ALL, LANES, U0, U1, Groups, IntArray, Plan, WordArray

OPEN, FAILED = 0, 1
"""States of a goal."""

ROUNDS = 1
"""Further rounds of propagation for a case that the first round does not refute."""
MAX_DEPTH = 8
"""Most decisions in a case."""
NO_SPLIT = np.iinfo(np.int64).max
HEADER = 4
"""Entries of a case before its decisions: its goal, two lists of literals or -1, the number of decisions."""


class Cases(NamedTuple):
    """Cases that are to be refuted.

    Attributes:
        start: Where the literals of each list begin, shape (num_lists + 1,), int64.
        literal: Literals, shape (start[-1],), int64.
        stack: Cases, the next one last; a decision is the number of a rule whose body holds, or -1 - literal; shape
            (capacity, HEADER + MAX_DEPTH), int64.
        state: State of each goal, shape (num_goals,), int64: OPEN as long as no case of it failed.
        spent: Cases that were looked at for each goal, shape (num_goals,), int64.
    """

    start: IntArray
    literal: IntArray
    stack: IntArray
    state: IntArray
    spent: IntArray


def search(plan: Plan, groups: Groups, base: WordArray, cases: Cases, height: int, limits: tuple[int, int, int]) -> int:
    """Refute cases, from the top of the stack; a goal fails if a case can neither be refuted nor split.

    Args:
        plan: The rules.
        groups: Groups of fluents of which at most one holds, or exactly one.
        base: What is known before, in all cases.
        cases: The cases.
        height: Number of cases on the stack.
        limits: Most batches of 64 cases, most cases of one goal, and most decisions in a case.

    Returns:
        How many batches it took. A goal that has a case left on the stack has failed.
    """
    max_batches, max_spent, max_depth = limits
    known = np.empty_like(base)
    lanes = np.empty((LANES, cases.stack.shape[1]), dtype=np.int64)
    num_batches = 0
    while height > 0 and num_batches < max_batches:
        known[:] = base
        num_lanes, height = pop_cases(plan, cases, height, max_spent, lanes, known)
        num_batches += 1
        left = np.uint64((1 << num_lanes) - 1) & ~np.uint64(imply(plan, groups, known, 1))
        if left:
            left &= ~np.uint64(imply(plan, groups, known, ROUNDS))
        if left:
            height = push_cases(plan, known, (lanes, left), cases, height, (max_spent, max_depth))
    cases.state[cases.stack[:height, 0]] = FAILED
    return num_batches


@jit
def pop_cases(
    plan: Plan, cases: Cases, height: int, max_spent: int, lanes: IntArray, known: WordArray
) -> tuple[int, int]:
    """Take cases of open goals from the stack and suppose what they say.

    Args:
        plan: The rules.
        cases: The cases.
        height: Number of cases on the stack.
        max_spent: Most cases of one goal; it fails when it has more.
        lanes: Receives the cases, shape (64, HEADER + MAX_DEPTH), int64.
        known: Receives what they say.

    Returns:
        The number of cases taken, at most 64, and the height that is left.
    """
    num_lanes = 0
    while height > 0 and num_lanes < LANES:
        height -= 1
        goal = cases.stack[height, 0]
        cases.spent[goal] += 1
        if cases.spent[goal] > max_spent:
            cases.state[goal] = FAILED
        if cases.state[goal] == OPEN:
            for place in range(lanes.shape[1]):
                lanes[num_lanes, place] = cases.stack[height, place]
            _suppose(plan, cases, height, U1 << np.uint64(num_lanes), known)
            num_lanes += 1
    return num_lanes, height


@register_jitable
def _suppose(plan: Plan, cases: Cases, number: int, bit: np.uint64, known: WordArray) -> None:
    """Suppose what a case says, in one lane."""
    for part in range(1, 3):
        name = cases.stack[number, part]
        if name >= 0:
            for place in range(cases.start[name], cases.start[name + 1]):
                known[cases.literal[place]] |= bit
    for decision in range(HEADER, HEADER + cases.stack[number, 3]):
        rule = cases.stack[number, decision]
        if rule < 0:
            known[-1 - rule] |= bit
        else:
            for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
                known[plan.body[place]] |= bit


@jit
def push_cases(
    plan: Plan,
    known: WordArray,
    open_lanes: tuple[IntArray, np.uint64],
    cases: Cases,
    height: int,
    limits: tuple[int, int],
) -> int:
    """Split cases and push the parts; the goal of a case that cannot be split fails.

    Args:
        plan: The rules.
        known: What is known in the cases.
        open_lanes: The cases, as `pop_cases` gives them, and a bit for each that is not refuted.
        cases: Receives the parts.
        height: Number of cases on the stack.
        limits: Most cases of one goal, and most decisions in a case.

    Returns:
        The number of cases on the stack then.
    """
    lanes, left = open_lanes
    max_spent, max_depth = limits
    split, fewest = np.zeros(LANES, dtype=np.int64), np.zeros(LANES, dtype=np.int64)
    _find_splits(plan, known, left, split, fewest)
    for lane in range(LANES):
        bit = U1 << np.uint64(lane)
        if left & bit == U0:
            continue
        goal = lanes[lane, 0]
        room = min(len(cases.stack) - height, max_spent - cases.spent[goal])
        if fewest[lane] > room or lanes[lane, 3] >= max_depth:
            cases.state[goal] = FAILED
        elif cases.state[goal] == OPEN and split[lane] < 0:
            height = _push_literals(plan, (known, bit), lanes[lane], -1 - split[lane], cases, height)
        elif cases.state[goal] == OPEN:
            height = _push_bodies(plan, (known, bit), lanes[lane], split[lane], cases, height)
    return height


@register_jitable
def _push_literals(
    plan: Plan, lane: tuple[WordArray, np.uint64], case: IntArray, rule: int, cases: Cases, height: int
) -> int:
    """Push a case for each literal of a body that may fail."""
    known, bit = lane
    for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
        if known[plan.body[place]] & bit == U0:
            _push(case, -1 - int(plan.body[place] ^ U1), cases, height)
            height += 1
    return height


@register_jitable
def _push_bodies(
    plan: Plan, lane: tuple[WordArray, np.uint64], case: IntArray, number: int, cases: Cases, height: int
) -> int:
    """Push a case for each body of a derived atom that may hold."""
    known, bit = lane
    for rule in range(plan.rule_start[number], plan.rule_start[number + 1]):
        fails = U0
        for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
            fails |= known[plan.body[place] ^ U1]
        if fails & bit == U0:
            _push(case, rule, cases, height)
            height += 1
    return height


@register_jitable
def _push(case: IntArray, decision: int, cases: Cases, height: int) -> None:
    """Push a case with one more decision."""
    for place in range(len(case)):
        cases.stack[height, place] = case[place]
    cases.stack[height, HEADER + case[3]] = decision
    cases.stack[height, 3] += 1


@register_jitable
def _find_splits(plan: Plan, known: WordArray, left: np.uint64, split: IntArray, fewest: IntArray) -> None:
    """Find for each lane the split into the fewest cases: first what depends on the moves, heads that hold first."""
    for lane in range(LANES):
        fewest[lane] = NO_SPLIT
    for first, last in ((plan.num_position, len(plan.atom)), (0, plan.num_position)):
        for is_head in (True, False):
            todo = U0
            for lane in range(LANES):
                if fewest[lane] == NO_SPLIT:
                    todo |= left & (U1 << np.uint64(lane))
            if todo != U0 and is_head:
                _split_heads(plan, (first, last), known, todo, split, fewest)
            elif todo != U0:
                _split_bodies(plan, (first, last), known, todo, split, fewest)


@register_jitable
def _split_heads(
    plan: Plan, bounds: tuple[int, int], known: WordArray, todo: np.uint64, split: IntArray, fewest: IntArray
) -> None:
    """Look for atoms that hold, but no body of theirs for certain."""
    for number in range(bounds[0], bounds[1]):
        lanes = known[2 * plan.atom[number]] & todo if plan.is_relevant[number] else U0
        if lanes == U0:
            continue
        for rule in range(plan.rule_start[number], plan.rule_start[number + 1]):
            all_hold = ALL
            for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
                all_hold &= known[plan.body[place]]
            lanes &= ~all_hold
        for lane in range(LANES if lanes != U0 else 0):
            bit = U1 << np.uint64(lane)
            if lanes & bit != U0:
                count = 0
                for rule in range(plan.rule_start[number], plan.rule_start[number + 1]):
                    fails = U0
                    for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
                        fails |= known[plan.body[place] ^ U1]
                    if fails & bit == U0:
                        count += 1
                if count <= fewest[lane]:
                    fewest[lane], split[lane] = count, number


@register_jitable
def _split_bodies(
    plan: Plan, bounds: tuple[int, int], known: WordArray, todo: np.uint64, split: IntArray, fewest: IntArray
) -> None:
    """Look for bodies of atoms that fail, in which no literal fails for certain."""
    for number in range(bounds[0], bounds[1]):
        lanes = known[2 * plan.atom[number] + 1] & todo if plan.is_relevant[number] else U0
        if lanes == U0:
            continue
        for rule in range(plan.rule_start[number], plan.rule_start[number + 1]):
            not_failing = lanes
            for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
                not_failing &= ~known[plan.body[place] ^ U1]
            for lane in range(LANES if not_failing != U0 else 0):
                bit = U1 << np.uint64(lane)
                if not_failing & bit != U0:
                    count = 0
                    for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
                        if known[plan.body[place]] & bit == U0:
                            count += 1
                    if count <= fewest[lane]:
                        fewest[lane], split[lane] = count, -1 - rule

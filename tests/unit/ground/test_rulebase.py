"""Rules as arrays: tidying, selection, dependency levels, loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from woodstock.ground.counting import with_pairs
from woodstock.ground.rulebase import RuleBase, levels_and_loops, needed_atoms, offsets, tidy

RuleList = list[tuple[int, list[int]]]


def make(rules: RuleList, num_atoms: int = 10) -> RuleBase:
    data = [literal for _, body in rules for literal in body]
    start = offsets(np.array([len(body) for _, body in rules], dtype=np.int64))
    heads = np.array([head for head, _ in rules], dtype=np.int64)
    return RuleBase(num_atoms, heads, start, np.array(data, dtype=np.int64))


def listed(base: RuleBase) -> RuleList:
    return [
        (int(head), base.data[start:end].tolist())
        for head, start, end in zip(base.head, base.start[:-1], base.start[1:], strict=True)
    ]


bodies = st.lists(st.integers(0, 11), max_size=5)
rule_lists = st.lists(st.tuples(st.integers(0, 5), bodies), max_size=12)


@given(rule_lists)
def test_tidy_keeps_the_set_of_consistent_rules(rules: RuleList) -> None:
    consistent = {(head, frozenset(body)) for head, body in rules if not any(code ^ 1 in body for code in body)}
    found = listed(tidy(make(rules)))
    assert {(head, frozenset(body)) for head, body in found} == consistent
    assert len(found) == len(consistent)
    assert all(body == sorted(set(body)) for _, body in found)


@given(rule_lists, st.permutations(range(12)))
def test_a_permutation_moves_rules_whole(rules: RuleList, order: list[int]) -> None:
    places = np.array([place for place in order if place < len(rules)], dtype=np.int64)
    assert listed(make(rules).permuted(places)) == [rules[place] for place in places]


@given(rule_lists, st.integers(0, 5))
def test_needed_atoms_are_those_that_can_be_reached(rules: RuleList, root: int) -> None:
    reached, stack = {root}, [root]
    while stack:
        atom = stack.pop()
        for head, body in rules:
            if head == atom:
                new = {code >> 1 for code in body} - reached
                reached |= new
                stack.extend(new)
    assert set(np.flatnonzero(needed_atoms(make(rules), np.array([root]))).tolist()) == reached


@given(rule_lists)
def test_levels_rise_except_inside_loops(rules: RuleList) -> None:
    level, loop = levels_and_loops(make(rules))
    for head, body in rules:
        for code in body:
            atom = code >> 1
            same_loop = loop[head] >= 0 and loop[head] == loop[atom]
            assert level[head] == level[atom] if same_loop else level[head] > level[atom]


def test_a_loop_is_marked_as_a_whole_and_what_lies_above_is_not() -> None:
    level, loop = levels_and_loops(make([(2, [2 * 3]), (3, [2 * 2]), (3, [2 * 1]), (4, [2 * 3 + 1]), (5, [2 * 5])]))
    assert loop[2] == loop[3] >= 0
    assert loop[5] >= 0
    assert loop[5] != loop[2]
    assert loop[4] == -1
    assert level[4] == level[3] + 1


@given(st.lists(st.booleans(), max_size=9))
def test_pairs_hold_if_two_literals_do(inputs: list[bool]) -> None:
    head = 20
    literals = [2 * (1 + place) for place in range(len(inputs))]
    base = with_pairs(make([], 1), make([(head, literals)], 21), 21)
    true = {1 + place for place, value in enumerate(inputs) if value}
    for _ in range(10):
        true |= {rule for rule, body in listed(base) if all(code >> 1 in true for code in body)}
    assert (head in true) == (sum(inputs) >= 2)

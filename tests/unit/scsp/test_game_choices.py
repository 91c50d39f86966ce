"""Rules about the values of one variable: shorter ones that mean the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from woodstock.ground.rulebase import RuleBase, offsets
from woodstock.scsp.game_choices import NO_GROUP, Choices, simplify_choices

Rules = list[tuple[int, list[int]]]

GROUPS = [[0, 1, 2], [3, 4], [5, 6, 7, 8]]
FREE, HEAD, OTHER, NUM_ATOMS = 9, 10, 11, 12


def base_of(rules: Rules) -> RuleBase:
    rules = sorted(rules, key=lambda rule: rule[0])
    return RuleBase(
        NUM_ATOMS,
        np.array([head for head, _ in rules], np.int64),
        offsets(np.array([len(body) for _, body in rules], np.int64)),
        np.array([literal for _, body in rules for literal in body], np.int64),
    )


def choices_of(groups: list[list[int]]) -> Choices:
    group = np.full(NUM_ATOMS, NO_GROUP, np.int64)
    for number, atoms in enumerate(groups):
        group[atoms] = number
    lengths = np.array([len(atoms) for atoms in groups], np.int64)
    return Choices(group, offsets(lengths), np.array([atom for atoms in groups for atom in atoms], np.int64))


def simplified(rules: Rules, groups: list[list[int]] = GROUPS) -> Rules:
    found = simplify_choices(base_of(rules), choices_of(groups))
    bodies = [found.data[start:end].tolist() for start, end in itertools.pairwise(found.start.tolist())]
    return sorted((head, sorted(body)) for head, body in zip(found.head.tolist(), bodies, strict=True))


def holds(atom: int) -> int:
    return 2 * atom


def lacks(atom: int) -> int:
    return 2 * atom + 1


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ([[holds(0), lacks(1), lacks(2)]], [[holds(0)]]),
        ([[lacks(1), lacks(2), holds(FREE)]], [[holds(0), holds(FREE)]]),
        ([[lacks(3)]], [[holds(4)]]),
        ([[lacks(5), lacks(6)]], [[lacks(5), lacks(6)]]),
        ([[holds(0), holds(1)]], []),
        ([[lacks(0), lacks(1), lacks(2)]], []),
        ([[holds(0)], [holds(2)]], [[lacks(1)]]),
        ([[holds(0)], [holds(1)], [holds(2)]], [[]]),
        ([[holds(5)], [holds(6)]], [[holds(5)], [holds(6)]]),
        ([[holds(5)], [holds(6)], [holds(8)]], [[lacks(7)]]),
        ([[holds(0)], [holds(2), holds(FREE)]], [[holds(0)], [holds(2), holds(FREE)]]),
        ([[holds(0)], [holds(1)], [holds(5)], [holds(FREE)]], [[lacks(2)], [holds(5)], [holds(FREE)]]),
    ],
)
def test_shorter_bodies_and_alternatives(bodies: list[list[int]], expected: list[list[int]]) -> None:
    found = simplified([(HEAD, body) for body in bodies])
    assert found == sorted((HEAD, sorted(body)) for body in expected)


def test_without_choices_nothing_changes() -> None:
    rules: Rules = [(HEAD, [0, 2]), (HEAD, [5]), (OTHER, [1, 3, 5])]
    assert simplified(rules, []) == rules


def test_the_meaning_stays_the_same() -> None:
    rng = np.random.default_rng(5)
    changed = 0
    for _ in range(300):
        rules: Rules = [
            (int(rng.choice([HEAD, OTHER])), rng.integers(0, 2 * (FREE + 1), int(rng.integers(0, 5))).tolist())
            for _ in range(int(rng.integers(1, 7)))
        ]
        found = simplified(rules)
        changed += found != sorted((head, sorted(body)) for head, body in rules)
        for chosen in itertools.product(*GROUPS, (FREE, None)):
            for head in (HEAD, OTHER):
                assert derives(rules, head, set(chosen)) == derives(found, head, set(chosen)), (rules, found, chosen)
    assert changed > 200


def derives(rules: Rules, head: int, true: set[int | None]) -> bool:
    bodies = [body for other, body in rules if other == head]
    return any(all((literal >> 1 in true) != bool(literal & 1) for literal in body) for body in bodies)

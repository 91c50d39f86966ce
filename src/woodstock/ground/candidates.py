"""Groups of fluents that may exclude each other: by the shape of the fluents, and not refuted by random play.

Fluents of one name that differ in one, two or all of their arguments make a candidate, such as the contents of a cell;
so do all fluents of several names, such as `to_select` and `to_place`. A candidate of which random play ever saw two
fluents together is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import combinations

import numpy as np

from woodstock.gdl.terms import GroundTerm, Term, arguments, functor
from woodstock.ground.plan import ALL, Groups, IntArray, Plan, WordArray
from woodstock.ground.program import GroundProgram
from woodstock.ground.sampling import count_seen, play_at_random

SAMPLE_WORK = 16_000_000
"""Literals that random play may look at in all."""
SAMPLE_WORDS = 8_000_000
"""Words that random play may keep."""
FEWEST_STEPS, MOST_STEPS = 20, 200

MAX_VARIED = 2
"""Most arguments in which the fluents of a candidate differ, unless it is all of them."""
MAX_ARITY = 8
"""Fluents with more arguments than these make no candidates in which some of them differ."""
MAX_NAMES = 200
"""Names that are looked at for joining."""


class Shape(Enum):
    """Where a candidate comes from: a family that is one throughout, the rest of one that is not, or whole names."""

    FAMILY = 0
    PART = 1
    WHOLE = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """Fluents that may exclude each other.

    Attributes:
        fluents: Their numbers, in order.
        is_exact: Whether one of them held in every position of random play.
        shape: Where it comes from.
    """

    fluents: tuple[int, ...]
    is_exact: bool
    shape: Shape


@dataclass(frozen=True, slots=True)
class _Families:
    """Groups of fluents of one name; those of a family differ in the same arguments.

    Attributes:
        start: Where the fluents of each group begin, shape (num_groups + 1,), int64.
        fluent: Fluents, shape (start[-1],), int64.
        family: Family of each group, shape (num_groups,), int64.
        num_varied: Number of arguments in which the fluents of each family differ, shape (num_families,), int64.
    """

    start: IntArray
    fluent: IntArray
    family: IntArray
    num_varied: IntArray


def find_candidates(program: GroundProgram, plan: Plan, asks_for_moves: bool) -> list[Candidate]:
    """Return the groups of fluents that random play does not refute.

    Args:
        program: The game.
        plan: Its rules.
        asks_for_moves: Whether `legal` or `terminal` depend on the moves.
    """
    steps = SAMPLE_WORK // (len(plan.body) + 1)
    steps = min(int(np.clip(steps, FEWEST_STEPS, MOST_STEPS)), 1 + SAMPLE_WORDS // (program.num_fluents + 1))
    seen = play_at_random(program, plan, asks_for_moves, steps)
    by_name: dict[str, list[int]] = {}
    for number, fluent in enumerate(program.fluents):
        by_name.setdefault(functor(fluent), []).append(number)
    names = [tuple(members) for members in by_name.values()]
    whole = set(names)
    found: dict[tuple[int, ...], Candidate] = {}
    for candidate in _unrefuted(_families(program.fluents), seen):
        if candidate.fluents in whole:
            found[candidate.fluents] = replace(candidate, shape=Shape.WHOLE)
        elif candidate.shape == Shape.FAMILY or candidate.fluents not in found:
            found[candidate.fluents] = candidate
    found |= {candidate.fluents: candidate for candidate in _joined_names(names[:MAX_NAMES], seen)}
    return list(found.values())


def _families(fluents: tuple[GroundTerm, ...]) -> _Families:
    """Return the families of fluents that differ in one, two or all of their arguments."""
    by_shape: dict[tuple[str, int], list[int]] = {}
    for number, fluent in enumerate(fluents):
        by_shape.setdefault((functor(fluent), len(arguments(fluent))), []).append(number)
    sizes: list[IntArray] = []
    members: list[IntArray] = []
    num_varied = []
    for (_, arity), numbers in by_shape.items():
        codes = _argument_codes([arguments(fluents[number]) for number in numbers], arity)
        counts = {*range(1, min(MAX_VARIED, arity) + 1), arity} if arity <= MAX_ARITY else {arity}
        for varied in (places for count in sorted(counts - {0}) for places in combinations(range(arity), count)):
            key = np.zeros(len(numbers), dtype=np.int64)
            for place in range(arity):
                if place not in varied:
                    key = np.unique(key * (len(numbers) + 1) + codes[:, place], return_inverse=True)[1]
            size = np.bincount(key)
            order = np.argsort(key, kind="stable")
            members.append(np.array(numbers, dtype=np.int64)[order[size[key[order]] > 1]])
            sizes.append(size[size > 1])
            num_varied.append(len(varied))
    empty = np.zeros(0, dtype=np.int64)
    return _Families(
        start=np.concatenate([[0], np.cumsum(np.concatenate([empty, *sizes]))]),
        fluent=np.concatenate([empty, *members]),
        family=np.repeat(np.arange(len(sizes)), [len(size) for size in sizes]),
        num_varied=np.array(num_varied, dtype=np.int64),
    )


def _argument_codes(rows: list[tuple[Term, ...]], arity: int) -> IntArray:
    """Return numbers for arguments, equal ones for equal terms in one place, shape (num_rows, arity)."""
    codes = np.zeros((len(rows), arity), dtype=np.int64)
    for place in range(arity):
        known: dict[Term, int] = {}
        codes[:, place] = [known.setdefault(row[place], len(known)) for row in rows]
    return codes


def _unrefuted(families: _Families, seen: WordArray) -> list[Candidate]:
    """Return the groups of which two fluents were never seen.

    Where fluents differ in one argument, such as the contents of cells, all groups of the family must be so: what
    holds for some of them only is chance. Where they differ in more, such as the places of a piece, each is for itself.
    """
    two_seen = np.zeros(len(families.family), dtype=np.bool_)
    none_seen = np.zeros(len(families.family), dtype=np.bool_)
    count_seen(families.start, families.fluent, seen, two_seen, none_seen)
    is_broken = np.zeros(len(families.num_varied), dtype=np.bool_)
    is_broken[families.family[two_seen]] = True
    by_chance = is_broken & (families.num_varied == 1)
    kept = np.flatnonzero(~two_seen & ~by_chance[families.family])
    found = []
    for group in kept.tolist():
        fluents = families.fluent[families.start[group] : families.start[group + 1]]
        shape = Shape.PART if is_broken[families.family[group]] else Shape.FAMILY
        found.append(Candidate(tuple(fluents.tolist()), not none_seen[group], shape))
    return found


def _joined_names(names: list[tuple[int, ...]], seen: WordArray) -> list[Candidate]:
    """Return groups of all fluents of several names that were never seen together."""
    start = np.cumsum([0, *map(len, names)])
    two_seen = np.zeros(len(names), dtype=np.bool_)
    fluents = np.array([fluent for members in names for fluent in members], dtype=np.int64)
    count_seen(start, fluents, seen, two_seen, np.zeros(len(names), dtype=np.bool_))
    single = np.flatnonzero(~two_seen).tolist()
    some = {name: np.bitwise_or.reduce(seen[:, list(names[name])], axis=1) for name in single}
    found = {}
    for first in single:
        taken, members = some[first].copy(), list(names[first])
        for name in single:
            if name != first and not (taken & some[name]).any():
                taken |= some[name]
                members += names[name]
        if len(members) > len(names[first]):
            group = tuple(sorted(members))
            found[group] = Candidate(group, bool((taken == ALL).all()), Shape.WHOLE)
    return list(found.values())


def make_groups(candidates: Sequence[Candidate]) -> Groups:
    """Write groups as arrays."""
    return Groups(
        np.cumsum([0, *(len(candidate.fluents) for candidate in candidates)], dtype=np.int64),
        1 + np.array([fluent for candidate in candidates for fluent in candidate.fluents], dtype=np.int64),
        np.array([candidate.is_exact for candidate in candidates], dtype=np.bool_),
    )


def maximal(candidates: Sequence[Candidate], given: Sequence[Candidate] = ()) -> list[Candidate]:
    """Drop the candidates that are part of another one, or of what is given, and say no more than that.

    What is exact says more than what contains it and is not.
    """
    kept: list[Candidate] = []
    containing: dict[int, list[tuple[frozenset[int], bool]]] = {}

    def add(candidate: Candidate) -> None:
        members = frozenset(candidate.fluents)
        for fluent in candidate.fluents:
            containing.setdefault(fluent, []).append((members, candidate.is_exact))

    for candidate in given:
        add(candidate)
    for candidate in sorted(candidates, key=lambda candidate: (-len(candidate.fluents), candidate.fluents)):
        members = frozenset(candidate.fluents)
        others = containing.get(candidate.fluents[0], [])
        if not any(members <= other and exact >= candidate.is_exact for other, exact in others):
            kept.append(candidate)
            add(candidate)
    return kept

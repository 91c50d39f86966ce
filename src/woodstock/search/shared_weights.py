"""Shared weights: which weights of an evaluation are one and the same, because the rules are symmetric.

What a symmetry takes to each other is worth the same: a piece here and its mirror image there, a pair of pieces and its
image, a line and its image, the men of one side and those of the other. A symmetry may exchange roles: what a fluent is
worth to a role, its image is worth to the one that takes its place. If one column of weights tells of both roles, it is
worth the opposite there, and what is its own opposite is worth nothing.

Weights are kept twice, with either sign, one beside the other; so a *code*, the place of a weight, says which one it is
and with which sign. The lowest bit turns it round. Codes 0 and 1 are those of a weight that is always zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import BoolArray, Int32Array, Int64Array
from woodstock.search.families import Family
from woodstock.search.patterns import Patterns
from woodstock.search.tree import Float64Array
from woodstock.symmetry.group import SymmetryGroup, orbits_of

MOST_WORK: Final = 1 << 21
"""So many pairs, or members of families, for each generator of the symmetries, are looked at; where there are more they
share nothing."""


class Action(NamedTuple):
    """What a symmetry does with fluents and columns.

    Attributes:
        fluents: Where it takes each fluent, shape (num_fluents,).
        columns: Where it takes each column, shape (num_columns,).
        turns: Whether what the column says is turned round there, shape (num_columns,).
    """

    fluents: Int32Array
    columns: Int64Array
    turns: BoolArray


def find_actions(symmetries: SymmetryGroup | None, columns: Int64Array, signs: Float64Array) -> list[Action]:
    """Return what the generators of some symmetries do.

    Args:
        symmetries: The symmetries; None if they are not known.
        columns: Which column tells of each role.
        signs: What its log odds are multiplied by to have those of the role; zero for nature.
    """
    if symmetries is None:
        return []
    num_fluents, num_columns = symmetries.shape.num_fluents, int(columns.max()) + 1
    first_role = num_fluents + symmetries.shape.num_moves
    found = []
    for points in symmetries.points.generators:
        action = Action(points[:num_fluents], np.arange(num_columns), np.zeros(num_columns, np.bool_))
        for role in np.flatnonzero(signs)[::-1]:  # a column is the first role's that it tells of
            there = points[first_role + role] - first_role
            action.columns[columns[role]] = columns[there]
            action.turns[columns[role]] = signs[there] != signs[role]
        found.append(action)
    return found


def share_fluents(num_fluents: int, num_columns: int, actions: Sequence[Action]) -> Int32Array:
    """Return the codes of the weights of fluents, then of the constant, shape (num_columns, num_fluents + 1)."""
    fluents = [np.append(action.fluents, num_fluents) for action in actions]
    return _share(num_fluents + 1, num_columns, fluents, actions)


def share_pairs(num_fluents: int, num_columns: int, actions: Sequence[Action]) -> Int32Array:
    """Return the codes of the weights of pairs of fluents, shape (num_columns, num_fluents, num_fluents)."""
    num_pairs = num_fluents * (num_fluents - 1) // 2
    if num_columns * num_pairs * len(actions) > MOST_WORK:
        actions = ()
    high, low = np.tril_indices(num_fluents, -1)
    pairs = [_number_pairs(action.fluents[high], action.fluents[low]) for action in actions]
    codes = _share(num_pairs, num_columns, pairs, actions)
    found = np.zeros((num_columns, num_fluents, num_fluents), np.int32)
    found[:, high, low] = codes
    found[:, low, high] = codes
    return found


def _number_pairs(first: Int32Array, second: Int32Array) -> Int64Array:
    high, low = np.maximum(first, second).astype(np.int64), np.minimum(first, second)
    return high * (high - 1) // 2 + low


def share_families(
    families: Sequence[Family], num_fluents: int, num_columns: int, actions: Sequence[Action]
) -> Int32Array:
    """Return the codes of the weights of each fluent's families, shape (num_columns, num_fluents, most).

    Families that a symmetry takes to what is none, such as a row to a diagonal, are left out, and so are those that are
    their own opposites. Codes of the weight that is always zero fill up where a fluent has fewer families than others.
    """
    if num_columns * sum(map(len, families)) * len(actions) > MOST_WORK:
        actions = ()
    numbers = {family: number for number, family in enumerate(families)}
    images = []
    for action in actions:
        there = [tuple(np.sort(action.fluents[list(family)]).tolist()) for family in families]
        images.append(np.array([numbers.get(family, -1) for family in there], np.int64))
    kept = _closed_under(images, len(families))
    new_numbers = np.cumsum(kept) - 1
    codes = _share(int(kept.sum()), num_columns, [new_numbers[image[kept]] for image in images], actions)
    codes_of: list[list[Int32Array]] = [[] for _ in range(num_fluents)]
    for number in np.flatnonzero(kept).tolist():
        code = codes[:, new_numbers[number]]
        for fluent in families[number] if code.any() else ():
            codes_of[fluent].append(code)
    shared = np.zeros((num_columns, num_fluents, max(map(len, codes_of), default=0)), np.int32)
    for fluent, each in enumerate(codes_of):
        for place, code in enumerate(each):
            shared[:, fluent, place] = code
    return shared


def _closed_under(images: Sequence[Int64Array], num: int) -> BoolArray:
    """Tell which of some things are taken to others of them for ever; an image is negative if it is none of them."""
    kept = np.append(np.ones(num, np.bool_), False)
    is_closed = False
    while not is_closed:
        still = kept.copy()
        for image in images:
            still[:-1] &= kept[image]
        is_closed = np.array_equal(kept, still)
        kept = still
    return kept[:-1]


def share_patterns(patterns: Patterns, num_columns: int, actions: Sequence[Action]) -> tuple[Int32Array, Int32Array]:
    """Return codes of patterns, and of their kinds, as if each had one weight; shape (num_columns, num_patterns)."""
    num, num_kinds = len(patterns.sizes), int(patterns.kinds.max(initial=-1)) + 1
    names = _names(patterns, np.arange(len(patterns.start) - 1))
    numbers = {name: number for number, name in enumerate(names)}
    images: list[Int64Array] = []
    kinds: list[Int64Array] = []
    for action in actions:
        found = [numbers.get(name, -1) for name in _names(patterns, action.fluents)]
        image = np.array(found, np.int64)
        kind = np.arange(num_kinds)
        kind[patterns.kinds] = patterns.kinds[image]
        if len(set(found)) < num or -1 in found or len(set(kind.tolist())) < num_kinds:
            images, kinds, actions = [], [], ()
            break
        images.append(image)
        kinds.append(kind)
    return (
        _share(num, num_columns, images, actions),
        _share(num_kinds, num_columns, kinds, actions)[:, patterns.kinds],
    )


def _names(patterns: Patterns, fluents: Int32Array | Int64Array) -> list[tuple[int, bytes]]:
    """Return of each pattern its size and its fluents, after these have gone elsewhere."""
    is_member = patterns.entries & 1 == 0
    of_pattern = patterns.entries[is_member] >> 1
    members = fluents[np.repeat(np.arange(len(fluents)), np.diff(patterns.start))[is_member]].astype(np.int32)
    order = np.lexsort((members, of_pattern))
    text = members[order].tobytes()
    ends = members.itemsize * np.cumsum(np.bincount(of_pattern, minlength=len(patterns.sizes)))
    starts = [0, *ends.tolist()]
    return [
        (size, text[start:end])
        for size, start, end in zip(patterns.sizes.tolist(), starts[:-1], starts[1:], strict=True)
    ]


def _share(
    num: int, num_columns: int, images: Sequence[Int32Array | Int64Array], actions: Sequence[Action]
) -> Int32Array:
    """Return codes of weights, shape (num_columns, num).

    Args:
        num: How many weights a column would have if none were shared.
        num_columns: How many columns there are.
        images: Where each action takes them.
        actions: The actions.
    """
    degree = num * num_columns
    if not actions:
        return np.arange(2, 2 * degree + 2, 2, dtype=np.int32).reshape(num_columns, num)
    generators = []
    for image, action in zip(images, actions, strict=True):
        places = 2 * (action.columns[:, None] * num + image) + action.turns[:, None]
        generators.append(np.stack((places, places ^ 1), axis=-1).reshape(2 * degree).astype(np.int32))
    smallest = orbits_of(generators, 2 * degree).reshape(degree, 2)
    is_zero = smallest[:, 0] == smallest[:, 1]  # it is its own opposite
    first, turned = smallest[:, 0] >> 1, smallest[:, 0] & 1
    numbers = np.cumsum((smallest[:, 0] == 2 * np.arange(degree)) & ~is_zero)
    codes = 2 * numbers[first] + turned
    return np.where(is_zero, 0, codes).astype(np.int32).reshape(num_columns, num)

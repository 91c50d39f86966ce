"""Canonical keys under groups that are not written out: sorted blocks, stabiliser chains, and the choice."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.symmetry import canonical_key, close_group, image_key
from woodstock.symmetry import blocks, canonical_choice
from woodstock.symmetry.blocks import find_cosets, find_families, order_of
from woodstock.symmetry.canonical import CanonicalKeys, ExplicitKeys
from woodstock.symmetry.canonical_blocks import BlockKeys
from woodstock.symmetry.canonical_chain import ChainKeys
from woodstock.symmetry.canonical_choice import choose_keys, is_trivial, make_canonical_keys
from woodstock.symmetry.group import PermutationGroup, SymmetryGroup
from woodstock.symmetry.symmetry import Shape, Symmetry


def numbers_for(num_fluents: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 2**64, num_fluents, dtype=np.uint64)


def permute_blocks(order: list[int], size: int, degree: int, first: int = 0) -> np.ndarray:
    """The permutation that takes block b, place by place, to block order[b]; all else stays."""
    image = np.arange(degree)
    for block, other in enumerate(order):
        image[first + block * size : first + (block + 1) * size] = first + other * size + np.arange(size)
    return image


def dice(count: int, faces: int, extra: int = 2) -> PermutationGroup:
    """Dice that can be exchanged, beside fluents that stay where they are, two of which can be exchanged as well."""
    degree = count * faces + extra
    rotate = permute_blocks([*range(1, count), 0], faces, degree)
    swap = permute_blocks([1, 0, *range(2, count)], faces, degree)
    flip = np.arange(degree)
    flip[-2:] = flip[-2:][::-1]
    return PermutationGroup([rotate, swap, flip], degree)


def hypercube(size: int) -> PermutationGroup:
    """Pairs that can be exchanged, each of which can be turned round: no blocks that are exchanged in one way only."""
    turn = np.arange(2 * size)
    turn[:2] = [1, 0]
    rotate = permute_blocks([*range(1, size), 0], 2, 2 * size)
    swap = permute_blocks([1, 0, *range(2, size)], 2, 2 * size)
    return PermutationGroup([rotate, swap, turn], 2 * size)


def matrix(rows: int, columns: int) -> PermutationGroup:
    """A matrix whose rows and columns can be permuted."""
    degree = rows * columns
    grid = np.arange(degree).reshape(rows, columns)
    images = []
    for axis, size in ((0, rows), (1, columns)):
        for order in ([1, 0, *range(2, size)], [*range(1, size), 0]):
            image = np.empty(degree, dtype=np.int64)
            image[grid.reshape(-1)] = np.take(grid, order, axis=axis).reshape(-1)
            images.append(image)
    return PermutationGroup(images, degree)


def pack(positions: list[list[int]], num_fluents: int) -> np.ndarray:
    rows = np.zeros((len(positions), (num_fluents + 63) // 64), np.uint64)
    for row, position in enumerate(positions):
        for fluent in position:
            rows[row, fluent // 64] |= np.uint64(1) << np.uint64(fluent % 64)
    return rows


def check_partition(keys: CanonicalKeys, group: PermutationGroup, positions: list[list[int]]) -> None:
    """Keys are equal exactly for positions of one orbit, and each is the key of an image."""
    numbers = numbers_for(group.degree).tolist()
    elements = close_group([each.tolist() for each in group.generators], group.degree)
    found = keys.keys(pack(positions, group.degree)).tolist()
    orbits = [canonical_key(numbers, elements, position) for position in positions]
    assert len(set(found)) == len(set(orbits)) == len(set(zip(found, orbits, strict=True)))
    for position, key in list(zip(positions, found, strict=True))[:5]:
        assert key in {image_key(numbers, element, position) for element in elements}


def subsets(degree: int) -> list[list[int]]:
    return [list(each) for size in range(degree + 1) for each in combinations(range(degree), size)]


def test_dice_are_a_family() -> None:
    group = dice(4, 3)
    families = find_families(group)
    assert [family.tolist() for family in families] == [[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]]
    cosets, is_complete = find_cosets(group, families)
    assert is_complete
    assert len(cosets) * order_of(families) == group.order == math.factorial(4) * 2
    assert cosets[0].tolist() == list(range(14))


@pytest.mark.parametrize("make", [lambda: dice(3, 2), lambda: dice(4, 2), lambda: matrix(3, 3)])
def test_blocks_give_one_key_to_an_orbit(make: object) -> None:
    group = make()  # type: ignore[operator]
    keys = BlockKeys(group, numbers_for(group.degree))
    assert keys.families
    assert keys.is_complete
    assert keys.order == group.order
    check_partition(keys, group, subsets(group.degree))


def test_two_families_that_change_places() -> None:
    """Two times three dice: the dice of each set can be exchanged, and the sets can."""
    degree = 12
    swap = permute_blocks([1, 0, 2], 2, degree)
    rotate = permute_blocks([1, 2, 0], 2, degree)
    sets = permute_blocks([1, 0], 6, degree)
    group = PermutationGroup([swap, rotate, sets], degree)
    keys = BlockKeys(group, numbers_for(degree))
    assert sorted(len(family) for family in keys.families) == [3, 3]
    assert keys.order == group.order == 72
    check_partition(keys, group, subsets(degree)[::7])


def test_what_is_not_blocks_is_not_taken_for_blocks() -> None:
    assert find_families(hypercube(4)) == []
    assert find_families(PermutationGroup([np.array([1, 2, 3, 4, 0])], 5)) == []
    assert find_families(PermutationGroup([], 5)) == []
    alternating = PermutationGroup([np.array([1, 2, 0, 3, 4]), np.array([1, 2, 3, 4, 0])], 5)
    assert alternating.order == 60
    assert find_families(alternating) == []


def test_cosets_end_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some positions of an orbit may then have several keys, but no key is of two orbits."""
    group = matrix(3, 4)
    monkeypatch.setattr(blocks, "MAX_COSETS", 2)
    keys = BlockKeys(group, numbers_for(12))
    assert not keys.is_complete
    assert keys.num_cosets == 2
    numbers = numbers_for(12).tolist()
    elements = close_group([each.tolist() for each in group.generators], 12)
    positions = subsets(12)[::13]
    found = keys.keys(pack(positions, 12)).tolist()
    orbits = [canonical_key(numbers, elements, position) for position in positions]
    assert len(set(zip(found, orbits, strict=True))) == len(set(found)) >= len(set(orbits))


@pytest.mark.parametrize("make", [lambda: hypercube(3), lambda: matrix(3, 3), lambda: dice(3, 2)])
def test_chains_give_one_key_to_an_orbit(make: object) -> None:
    group = make()  # type: ignore[operator]
    keys = ChainKeys(group, numbers_for(group.degree))
    check_partition(keys, group, subsets(group.degree))
    assert keys.is_complete


def test_chain_within_a_budget_is_sound() -> None:
    group = hypercube(4)
    keys = ChainKeys(group, numbers_for(8), max_nodes=1)
    numbers = numbers_for(8).tolist()
    elements = close_group([each.tolist() for each in group.generators], 8)
    positions = subsets(8)
    found = keys.keys(pack(positions, 8)).tolist()
    orbits = [canonical_key(numbers, elements, position) for position in positions]
    assert not keys.is_complete
    assert len(set(zip(found, orbits, strict=True))) == len(set(found))


@cache
def twelve_dice() -> CanonicalKeys:
    return choose_keys(dice(12, 3, 2), numbers_for(38))


@given(st.lists(st.integers(0, 35), max_size=12), st.permutations(range(12)))
def test_large_group_of_blocks(held: list[int], order: list[int]) -> None:
    """12 dice: half a billion ways to permute them, none of which changes the key."""
    keys = twelve_dice()
    assert isinstance(keys, BlockKeys)
    image = permute_blocks(order, 3, 38)
    other = [int(image[fluent]) for fluent in held]
    found = keys.keys(pack([held, other], 38))
    assert found[0] == found[1]


def test_choice() -> None:
    small = choose_keys(dice(3, 2), numbers_for(8))
    assert isinstance(small, ExplicitKeys)
    assert not is_trivial(small)
    assert isinstance(choose_keys(dice(9, 2), numbers_for(20)), BlockKeys)
    assert isinstance(choose_keys(hypercube(9), numbers_for(18)), ChainKeys)
    assert is_trivial(choose_keys(PermutationGroup([], 3), numbers_for(3)))


def test_choice_where_there_are_too_many_cosets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_COSETS", 5)
    monkeypatch.setattr(canonical_choice, "MAX_ELEMENTS", 10)
    assert isinstance(choose_keys(matrix(6, 4), numbers_for(24)), ChainKeys)


def test_symmetries_that_exchange_roles_do_not_count() -> None:
    swap = Symmetry.of([1, 0, 2, 3], [1, 0], [1, 0])
    mirror = Symmetry.of([0, 1, 3, 2], [0, 1], [0, 1])
    keys = make_canonical_keys(SymmetryGroup([swap, mirror], Shape(4, 2, 2)), numbers_for(4))
    found = keys.keys(pack([[0], [1], [2], [3]], 4)).tolist()
    assert found[0] != found[1]
    assert found[2] == found[3]

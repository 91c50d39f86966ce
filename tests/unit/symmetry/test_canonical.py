"""Canonical keys under groups that are written out, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.symmetry import canonical_key, close_group, image_key
from woodstock.common.errors import LimitError, UsageError
from woodstock.symmetry import canonical
from woodstock.symmetry.canonical import ExplicitKeys

SQUARE = ([2, 5, 8, 1, 4, 7, 0, 3, 6], [2, 1, 0, 5, 4, 3, 8, 7, 6])
"""A quarter turn and a reflection of three by three squares."""


def pack(positions: list[list[int]], num_fluents: int) -> np.ndarray:
    rows = np.zeros((len(positions), (num_fluents + 63) // 64), np.uint64)
    for row, position in enumerate(positions):
        for fluent in position:
            rows[row, fluent // 64] |= np.uint64(1) << np.uint64(fluent % 64)
    return rows


def numbers_for(num_fluents: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 2**64, num_fluents, dtype=np.uint64)


def random_positions(num_fluents: int, count: int, seed: int = 1) -> list[list[int]]:
    random = np.random.default_rng(seed)
    return [np.flatnonzero(random.random(num_fluents) < 0.4).tolist() for _ in range(count)]


@st.composite
def groups(draw: st.DrawFn) -> tuple[int, list[tuple[int, ...]]]:
    """A small group: some random permutations of few points, the same on copies of them, in one or several words."""
    points = draw(st.integers(1, 5))
    copies = draw(st.sampled_from([1, 2, 13, 14, 40]))
    generators = draw(st.lists(st.permutations(range(points)), max_size=2))
    wide = [[copy * points + image for copy in range(copies) for image in each] for each in generators]
    return points * copies, close_group(wide, points * copies)


@pytest.mark.parametrize("by_octets", [True, False])
@given(groups(), st.integers(0, 2**32))
def test_keys_follow_the_definition(by_octets: bool, group: tuple[int, list[tuple[int, ...]]], seed: int) -> None:
    degree, elements = group
    numbers = numbers_for(degree)
    positions = [[], list(range(degree)), *random_positions(degree, 3, seed)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical, "MAX_OCTET_BYTES", 1 << 27 if by_octets else 0)
        keys = ExplicitKeys(elements, numbers)
    rows = pack(positions, degree)
    expected = [canonical_key(numbers.tolist(), elements, position) for position in positions]
    found, places = keys.keys_and_elements(rows)
    assert found.tolist() == keys.keys(rows).tolist() == expected
    images = [image_key(numbers.tolist(), elements[place], p) for place, p in zip(places, positions, strict=True)]
    assert images == expected
    vectors = keys.vectors(rows)
    assert vectors.min(axis=1).tolist() == expected
    assert vectors[1, : len(elements)].tolist() == [image_key(numbers.tolist(), e, positions[1]) for e in elements]


def test_an_orbit_has_one_key_and_two_orbits_have_two() -> None:
    elements = close_group(SQUARE, 9)
    assert len(elements) == 8
    keys = ExplicitKeys(elements, numbers_for(9))
    rows = np.arange(512, dtype=np.uint64)[:, None]
    found = keys.keys(rows).tolist()
    orbit_of = {}
    for number in range(512):
        held = [square for square in range(9) if number >> square & 1]
        orbit_of[number] = min(sum(1 << element[square] for square in held) for element in elements)
    assert len(set(found)) == len(set(orbit_of.values())) == 102
    assert len({(key, orbit_of[number]) for number, key in enumerate(found)}) == 102


@pytest.mark.parametrize("more", [True, False])
def test_update_gives_what_keys_give(more: bool) -> None:
    copies = [[9 * copy + image for copy in range(15) for image in each] for each in SQUARE]
    keys = ExplicitKeys(close_group(copies, 135), numbers_for(135))
    parents = pack(random_positions(135, 5), 135)
    random = np.random.default_rng(3)
    origin = random.integers(0, 5, 40)
    successors = parents[origin].copy()
    for row in range(40):
        for fluent in random.integers(0, 135, row % 5):
            successors[row, fluent // 64] ^= np.uint64(1) << np.uint64(fluent % 64)
    successors[0] = pack([list(range(135))], 135)[0]
    updated = keys.update(parents, keys.vectors(parents), origin, successors, with_elements=more, with_vectors=more)
    expected, elements = keys.keys_and_elements(successors)
    assert np.array_equal(updated.keys, expected)
    if more:
        assert np.array_equal(updated.elements, elements)
        assert np.array_equal(updated.vectors, keys.vectors(successors))
    else:
        assert updated.vectors.size == updated.elements.size == 0


def test_update_where_everything_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for few changes at a time; what does not fit is done in the next call."""
    monkeypatch.setattr(canonical, "CALL_WORK", 1000)
    keys = ExplicitKeys(close_group([[9 * c + i for c in range(15) for i in e] for e in SQUARE], 135), numbers_for(135))
    parents = np.zeros((1, 3), np.uint64)
    successors = np.repeat(pack([list(range(135))], 135), 30, axis=0)
    successors[::3] = parents[0]
    updated = keys.update(parents, keys.vectors(parents), np.zeros(30), successors)
    assert updated.keys.tolist() == keys.keys(successors).tolist()


def test_rows_are_cut_into_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    elements, numbers = close_group(SQUARE, 9), numbers_for(9)
    rows = np.arange(512, dtype=np.uint64)[:, None]
    whole = ExplicitKeys(elements, numbers).keys_and_elements(rows)
    monkeypatch.setattr(canonical, "CALL_WORK", 200)
    cut = ExplicitKeys(elements, numbers).keys_and_elements(rows)
    assert np.array_equal(whole[0], cut[0])
    assert np.array_equal(whole[1], cut[1])


def test_game_without_fluents() -> None:
    keys = ExplicitKeys(np.zeros((1, 0), np.int32), np.zeros(0, np.uint64))
    found, elements = keys.keys_and_elements(np.zeros((3, 0), np.uint64))
    assert found.tolist() == elements.tolist() == [0, 0, 0]


def test_bad_arguments() -> None:
    numbers = numbers_for(3)
    with pytest.raises(UsageError, match="whose rows are none"):
        ExplicitKeys([[0, 0, 1]], numbers)
    with pytest.raises(UsageError, match=r"found an array of shape \(1, 2\)"):
        ExplicitKeys([[0, 1]], numbers)
    keys = ExplicitKeys([[0, 1, 2]], numbers)
    with pytest.raises(UsageError, match=r"expected words of shape \(2, 1\)"):
        keys.keys(np.zeros((2, 2), np.uint64))
    with pytest.raises(UsageError, match="expected rows of 3 bits, found one with bits beyond them"):
        keys.keys(np.array([[7], [8]], np.uint64))
    row = np.zeros((1, 1), np.uint64)
    with pytest.raises(UsageError, match="expected vectors of shape"):
        keys.update(row, np.zeros((1, 3), np.uint64), [0], row)
    for parents in ([1], [-1], [0, 0]):
        with pytest.raises(UsageError, match="expected one of 1 parents for each of 1 successors"):
            keys.update(row, keys.vectors(row), parents, row)


def test_group_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical, "MAX_ELEMENTS", 7)
    with pytest.raises(LimitError, match="a group of 8 elements on 9 fluents is too large to write out"):
        ExplicitKeys(close_group(SQUARE, 9), numbers_for(9))

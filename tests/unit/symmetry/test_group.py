from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from woodstock.common.errors import LimitError
from woodstock.common.limits import Deadline
from woodstock.symmetry.group import MAX_ELEMENTS, PermutationGroup, SymmetryGroup
from woodstock.symmetry.symmetry import Shape, Symmetry


def closure(generators: list[list[int]], degree: int) -> set[tuple[int, ...]]:
    """All products, found one by one."""
    found = {tuple(range(degree))}
    waiting = list(found)
    while waiting:
        element = waiting.pop()
        for generator in generators:
            product = tuple(generator[point] for point in element)
            if product not in found:
                found.add(product)
                waiting.append(product)
    return found


def random_groups() -> list[tuple[list[list[int]], int]]:
    random = np.random.default_rng(7)
    return [
        ([random.permutation(degree).tolist() for _ in range(number)], degree)
        for degree in (1, 2, 4, 6, 7)
        for number in (0, 1, 2, 3)
    ]


@pytest.mark.parametrize(("generators", "degree"), random_groups())
def test_small_groups_are_as_brute_force_finds_them(generators: list[list[int]], degree: int) -> None:
    group = PermutationGroup([np.array(each) for each in generators], degree)
    expected = closure(generators, degree)
    assert group.order == len(expected)
    assert {tuple(each) for each in group.elements().tolist()} == expected
    assert group.elements()[0].tolist() == list(range(degree))
    for point, smallest in enumerate(group.orbits().tolist()):
        assert smallest == min(each[point] for each in expected)
    outside = next((each for each in permutations(range(degree)) if each not in expected), None)
    assert outside is None or not group.contains(outside)


@pytest.mark.parametrize(("generators", "degree"), [each for each in random_groups() if each[1] > 2])
def test_stabilisers_are_as_brute_force_finds_them(generators: list[list[int]], degree: int) -> None:
    group = PermutationGroup([np.array(each) for each in generators], degree)
    expected = closure(generators, degree)
    fixing = {each for each in expected if each[0] == 0 and each[2] == 2}
    assert group.stabiliser([0, 2]).order == len(fixing)
    keeping = {each for each in expected if {each[1], each[2]} == {1, 2}}
    found = group.set_stabiliser([1, 2])
    assert {tuple(each) for each in found.elements().tolist()} == keeping


def symmetric_group(size: int) -> PermutationGroup:
    turn, swap = np.roll(np.arange(size), 1), np.arange(size)
    swap[:2] = (1, 0)
    return PermutationGroup([turn, swap], size)


def test_a_large_group_is_counted_and_not_listed() -> None:
    group = symmetric_group(12)
    assert group.order == math.factorial(12) > MAX_ELEMENTS
    with pytest.raises(LimitError, match="479001600 elements"):
        group.elements()


def test_the_stabiliser_of_a_set_in_a_large_group_is_searched_for() -> None:
    group = symmetric_group(12)
    assert group.set_stabiliser([0, 3, 5, 7]).order == math.factorial(4) * math.factorial(8)
    few = group.set_stabiliser([0, 3, 5, 7], max_nodes=3)
    assert all({each[point] for point in (0, 3, 5, 7)} == {0, 3, 5, 7} for each in few.generators)


def test_an_order_that_cannot_be_exceeded_is_believed_only_if_it_is_reached() -> None:
    turn = np.array([1, 2, 3, 0])
    assert PermutationGroup([turn], 4, order_bound=24).order == 4


def test_the_group_of_a_game_acts_on_everything_at_once() -> None:
    shape = Shape(3, 2, 2)
    swap = Symmetry.of([1, 0, 2], [1, 0], [1, 0])
    group = SymmetryGroup([swap], shape)
    assert group.order == 2
    assert group.fluent_orbits().tolist() == [0, 0, 2]
    assert group.move_orbits().tolist() == [0, 0]
    assert group.contains(swap)
    assert group.position_stabiliser(np.array([True, False, True])).is_trivial
    assert group.position_stabiliser(np.array([True, True, False])).order == 2
    assert group.role_stabiliser().order == 1


def test_questions_have_a_deadline() -> None:
    """All permutations of 40 points, by a circle and an exchange."""
    circle = np.roll(np.arange(40), 1)
    exchange = np.arange(40)
    exchange[:2] = 1, 0
    group = PermutationGroup([circle, exchange], 40)
    late, in_time = group.within(Deadline(0.0)), group.within(Deadline(None))
    with pytest.raises(LimitError, match="in time"):
        _ = late.order
    assert in_time.order == group.order == math.factorial(40)
    assert in_time.stabiliser([3]).deadline is in_time.deadline


def test_a_symmetry_group_passes_its_deadline_on() -> None:
    swap = Symmetry.of(fluents=[1, 0, 2], moves=[0, 2, 1], roles=[0])
    group = SymmetryGroup([swap], swap.shape).within(Deadline(None))
    assert group.order == 2
    assert group.contains(swap)
    with pytest.raises(LimitError):
        group.within(Deadline(0.0)).role_stabiliser()

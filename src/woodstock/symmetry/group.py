"""Permutation groups: exact order, orbits, elements, stabilisers; and the group of a game's symmetries.

>>> square = PermutationGroup([np.array([1, 2, 3, 0]), np.array([1, 0, 3, 2])], 4)
>>> square.order, square.orbits().tolist(), square.stabiliser([0]).order, square.set_stabiliser([0, 2]).order
(8, [0, 0, 0, 0], 2, 4)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import LimitError
from woodstock.common.jit import inner_kernel, jit
from woodstock.common.limits import Deadline
from woodstock.symmetry.chain import StabiliserChain
from woodstock.symmetry.graphs import Int32Array
from woodstock.symmetry.symmetry import BoolArray, Shape, Symmetry

MAX_ELEMENTS: Final = 100_000
"""Larger groups are not listed element by element."""
MAX_NODES: Final = 20_000
"""Steps of the search for the stabiliser of a set in a group that is not listed."""


class PermutationGroup:
    """The group that some permutations of the points 0, 1, …, degree - 1 generate.

    Args:
        generators: Permutations, given by the image of each point.
        degree: Number of points.
        order_bound: What the order cannot exceed, if that is known; it spares work.
        deadline: When to give up finding the order, on which most questions rest, with a `LimitError`.
    """

    def __init__(
        self,
        generators: Iterable[npt.NDArray[np.integer]],
        degree: int,
        order_bound: int | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        self.degree = degree
        self.deadline = deadline
        arrays = [np.asarray(each, dtype=np.int32) for each in generators]
        identity = np.arange(degree, dtype=np.int32)
        self.generators = [each for each in arrays if not np.array_equal(each, identity)]
        self._order_bound = order_bound

    @cached_property
    def chain(self) -> StabiliserChain:
        """The stabiliser chain, made when it is first needed."""
        return StabiliserChain(self.generators, self.degree, (), self._order_bound, self.deadline)

    @property
    def order(self) -> int:
        """Number of elements, exact."""
        return self.chain.order

    @property
    def is_trivial(self) -> bool:
        return not self.generators

    def contains(self, element: npt.ArrayLike) -> bool:
        return self.chain.contains(np.asarray(element, dtype=np.int32))

    def orbits(self) -> Int32Array:
        """Return for each point the smallest point of its orbit, shape (degree,), int32."""
        return orbits_of(self.generators, self.degree)

    def elements(self, limit: int = MAX_ELEMENTS) -> Int32Array:
        """Return all elements, the identity first, shape (order, degree), int32.

        Raises:
            LimitError: There are more than the limit.
        """
        if self.order > limit:
            raise LimitError(f"the group has {self.order} elements, more than {limit}")
        return self.chain.elements()

    def stabiliser(self, points: Sequence[int]) -> PermutationGroup:
        """Return the subgroup that fixes each of some points."""
        chain = StabiliserChain(self.generators, self.degree, points, self.order, self.deadline)
        below = chain.levels[len(points) :]
        order = int(np.prod([len(level.orbit) for level in below], dtype=object)) if below else 1
        return PermutationGroup(below[0].generators if below else [], self.degree, order, self.deadline)

    def within(self, deadline: Deadline) -> PermutationGroup:
        """Return the same group, with a deadline for its questions."""
        return PermutationGroup(self.generators, self.degree, self._order_bound, deadline)

    def set_stabiliser(self, points: Sequence[int], max_nodes: int = MAX_NODES) -> PermutationGroup:
        """Return the subgroup that takes a set of points to itself.

        In a group of more than `MAX_ELEMENTS` elements it is searched for, and what is found within the limit on nodes
        is returned: a part of the stabiliser, which is as good for merging as all of it, only less.
        """
        inside = np.zeros(self.degree, dtype=np.bool_)
        inside[list(points)] = True
        moved = np.flatnonzero(inside & _moved(self.generators, self.degree))
        if not len(moved):
            return self
        if self.order <= MAX_ELEMENTS:
            elements = self._cached_elements
            kept = inside[elements[:, moved]].all(axis=1)
            return _generated(elements[kept], self.degree)
        return _SetSearch(self, inside, moved, max_nodes).run()

    @cached_property
    def _cached_elements(self) -> Int32Array:
        return self.elements()


def orbits_of(generators: Sequence[Int32Array], degree: int) -> Int32Array:
    """Return for each point the smallest point that generators connect it to."""
    smallest = np.arange(degree, dtype=np.int32)
    for generator in generators:
        _join(smallest, np.ascontiguousarray(generator, np.int32))
    return smallest


@jit
def _join(smallest: Int32Array, generator: Int32Array) -> None:
    """Join the orbits of points that a generator connects, given the smallest point of each; there and back."""
    for point in range(len(smallest)):
        one, other = _root(smallest, point), _root(smallest, generator[point])
        smallest[max(one, other)] = min(one, other)
    for point in range(len(smallest)):
        smallest[point] = smallest[smallest[point]]


@inner_kernel
def _root(parents: Int32Array, point: int) -> int:
    """Return where the way up from a point ends, and make it shorter for those who come after."""
    while parents[point] != point:
        parents[point] = parents[parents[point]]
        point = parents[point]
    return point


def _moved(generators: Sequence[Int32Array], degree: int) -> BoolArray:
    """Return which points at least one generator moves."""
    identity = np.arange(degree)
    moved = np.zeros(degree, dtype=np.bool_)
    for generator in generators:
        moved |= generator != identity
    return moved


def _generated(elements: Int32Array, degree: int) -> PermutationGroup:
    """Return the group that consists of some elements, by a few generators."""
    order = len(elements)
    chosen: list[Int32Array] = []
    group = PermutationGroup(chosen, degree, order)
    for element in elements:
        if group.order == order:
            break
        if not group.contains(element):
            chosen.append(element)
            group = PermutationGroup(chosen, degree)
    return group


class _SetSearch:
    """Searches for the elements that take a set to itself: depth first over the images of the set's points.

    The base of the chain begins with the points of the set; an image outside the set ends a branch. What fixes all of
    the points is in the stabiliser as a whole. Of the images of a base point that the elements found so far connect,
    one is tried, as long as all base points above stay where they are.
    """

    def __init__(
        self, group: PermutationGroup, inside: BoolArray, points: npt.NDArray[np.intp], max_nodes: int
    ) -> None:
        self._inside = inside
        self._degree = group.degree
        self._size = len(points)
        self._chain = StabiliserChain(group.generators, group.degree, [int(point) for point in points], group.order)
        below = self._chain.levels[self._size :]
        self._found: list[Int32Array] = list(below[0].generators) if below else []
        self._nodes = max_nodes

    def run(self) -> PermutationGroup:
        """Search from the last base point of the set to the first, so that the found elements prune what follows."""
        identity = np.arange(self._degree, dtype=np.int32)
        for number in reversed(range(self._size)):
            level = self._chain.levels[number]
            for place in range(1, len(level.orbit)):
                if not self._inside[level.orbit[place]]:
                    continue
                connected = orbits_of(self._found, self._degree)
                if connected[level.orbit[place]] == connected[level.base]:
                    continue
                element = self._extend(level.transversal[place][identity], number + 1)
                if element is not None:
                    self._found.append(element)
                if self._nodes <= 0:
                    return PermutationGroup(self._found, self._degree)
        return PermutationGroup(self._found, self._degree)

    def _extend(self, element: Int32Array, first: int) -> Int32Array | None:
        """Return an element that agrees with one on the base points before a level, and keeps the set."""
        waiting = [(element, first)]
        while waiting and self._nodes > 0:
            element, number = waiting.pop()
            self._nodes -= 1
            if number == self._size:
                return element
            level = self._chain.levels[number]
            images = element[level.orbit]
            waiting.extend(
                (element[level.transversal[place]], number + 1) for place in np.flatnonzero(self._inside[images])[::-1]
            )
        return None


class SymmetryGroup:
    """The group of a game's symmetries, acting on fluents, moves, roles and percepts at once.

    Args:
        generators: Symmetries of one shape.
        shape: The shape.
        order_bound: What the order cannot exceed, if that is known.
    """

    def __init__(self, generators: Sequence[Symmetry], shape: Shape, order_bound: int | None = None) -> None:
        self.shape = shape
        self.points = PermutationGroup([each.points() for each in generators], shape.degree, order_bound)

    @property
    def generators(self) -> list[Symmetry]:
        return [Symmetry.from_points(each, self.shape) for each in self.points.generators]

    @property
    def order(self) -> int:
        """Number of symmetries, the identity among them."""
        return self.points.order

    @property
    def is_trivial(self) -> bool:
        return self.points.is_trivial

    def contains(self, symmetry: Symmetry) -> bool:
        return self.points.contains(symmetry.points())

    def elements(self, limit: int = MAX_ELEMENTS) -> list[Symmetry]:
        """Return all symmetries, the identity first.

        Raises:
            LimitError: There are more than the limit.
        """
        return [Symmetry.from_points(each, self.shape) for each in self.points.elements(limit)]

    def within(self, deadline: Deadline) -> SymmetryGroup:
        """Return the same group, with a deadline for its questions; see `PermutationGroup`."""
        found = SymmetryGroup([], self.shape)
        found.points = self.points.within(deadline)
        return found

    def fluent_orbits(self) -> Int32Array:
        """Return for each fluent the smallest fluent of its orbit."""
        return self.points.orbits()[: self.shape.num_fluents]

    def move_orbits(self) -> Int32Array:
        """Return for each move the smallest move of its orbit."""
        start = self.shape.num_fluents
        return self.points.orbits()[start : start + self.shape.num_moves] - np.int32(start)

    def position_stabiliser(self, bits: BoolArray, max_nodes: int = MAX_NODES) -> SymmetryGroup:
        """Return the symmetries that keep a position, given as which fluents hold (see `set_stabiliser` for limits)."""
        group = self.points.set_stabiliser(np.flatnonzero(bits).tolist(), max_nodes)
        found = SymmetryGroup([], self.shape)
        found.points = group
        return found

    def role_stabiliser(self) -> SymmetryGroup:
        """Return the symmetries that keep every role where it is."""
        start = self.shape.num_fluents + self.shape.num_moves
        found = SymmetryGroup([], self.shape)
        found.points = self.points.stabiliser(range(start, start + self.shape.num_roles))
        return found

"""Stabiliser chains: a base, and strong generators (Sims 1970; Holt, Eick and O'Brien 2005, §4.4).

Level i of a chain has a base point, the generators that fix the base points of all levels above, the orbit of the base
point under them, and for each point of the orbit an element that takes the base point there. The order of the group is
the product of the orbits' sizes. A chain is first filled with random products, which is quick; then it is either known
to be complete, since a bound on the order is reached, or made so: Schreier's generators are sifted, whole orbits at
once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from woodstock.common.errors import LimitError
from woodstock.common.limits import Deadline
from woodstock.symmetry.graphs import Int32Array

SEED: Final = 20170819
RANDOM_TRIES: Final = 20
"""Random elements in a row that must be in the chain already before it is worth while to look at all of Schreier's."""
MAX_BYTES: Final = 1 << 31
"""Memory that the elements of a chain may take."""
_BATCH_CELLS: Final = 1 << 22


def inverses(elements: Int32Array) -> Int32Array:
    """Return the inverse of each row."""
    found = np.empty_like(elements)
    points = np.broadcast_to(np.arange(elements.shape[1], dtype=np.int32), elements.shape)
    np.put_along_axis(found, elements, points, axis=1)
    return found


class Level:
    """One level of a chain; see the module.

    Attributes:
        base: The base point.
        generators: Those that are known to fix all base points above.
        orbit: The points that the base point can be taken to, itself first, shape (size,).
        place: The place of each point in the orbit, or -1, shape (degree,).
        transversal: Row j takes the base point to `orbit[j]`, shape (size, degree).
        inverse: The inverse of each row of the transversal.
    """

    def __init__(self, base: int, degree: int) -> None:
        self.base = base
        self.generators: list[Int32Array] = []
        self.orbit = np.array([base], dtype=np.int32)
        self.place = np.full(degree, -1, dtype=np.int32)
        self.place[base] = 0
        self.transversal = np.arange(degree, dtype=np.int32)[None, :]
        self.inverse = self.transversal
        self.tested: list[int] = []
        """For each generator the number of points whose Schreier generators are known to be in the chain."""

    def add(self, generator: Int32Array) -> None:
        """Take one more generator, and let the orbit grow."""
        self.generators.append(generator)
        self.tested.append(0)
        started = len(self.orbit)
        if self._apply(generator, 0, started):
            first = started
            while first < (last := len(self.orbit)):
                for each in self.generators:
                    self._apply(each, first, last)
                first = last
        if len(self.orbit) > started:
            new = self.transversal[started:]
            self.inverse = np.concatenate([self.inverse, inverses(new)])

    def _apply(self, generator: Int32Array, first: int, last: int) -> bool:
        """Add the images of some points of the orbit under one generator; tell whether there are new ones."""
        images = generator[self.orbit[first:last]]
        new = np.flatnonzero(self.place[images] < 0)
        if not len(new):
            return False
        points = images[new]
        size = len(self.orbit)
        if (size + len(new)) * len(self.place) * 8 > MAX_BYTES:
            raise LimitError(f"a stabiliser chain of degree {len(self.place)} takes more than {MAX_BYTES >> 30} GiB")
        self.place[points] = np.arange(size, size + len(new), dtype=np.int32)
        self.orbit = np.concatenate([self.orbit, points])
        self.transversal = np.concatenate([self.transversal, generator[self.transversal[first + new]]])
        return True


class StabiliserChain:
    """The chain of a permutation group.

    Args:
        generators: Permutations, given by the image of each point, shape (degree,), int32.
        degree: Number of points.
        base: Points that the base begins with, in this order; the chain has a level for each, even if nothing moves it.
        order_bound: What the order cannot exceed, if that is known.
        deadline: When to give up.

    Raises:
        LimitError: It takes too much memory, or the deadline comes first.
    """

    def __init__(
        self,
        generators: Sequence[Int32Array],
        degree: int,
        base: Iterable[int] = (),
        order_bound: int | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        self.degree = degree
        self._deadline = deadline or Deadline(None)
        self._identity = np.arange(degree, dtype=np.int32)
        self.levels = [Level(point, degree) for point in base]
        moving = [each for each in generators if not np.array_equal(each, self._identity)]
        for generator in moving:
            self._insert(generator, 0)
        if moving:
            self._fill(moving, order_bound)
            if order_bound is None or self.order < order_bound:
                self._complete()

    @property
    def order(self) -> int:
        """The order of the group, exact."""
        return math.prod(len(level.orbit) for level in self.levels)

    @property
    def base(self) -> list[int]:
        return [level.base for level in self.levels]

    def sift(self, element: Int32Array, first: int = 0) -> tuple[Int32Array, int]:
        """Divide an element by those of the transversals; return what is left and the level where that got stuck."""
        for number in range(first, len(self.levels)):
            level = self.levels[number]
            place = level.place[element[level.base]]
            if place < 0:
                return element, number
            if place > 0:
                element = level.inverse[place][element]
        return element, len(self.levels)

    def contains(self, element: Int32Array) -> bool:
        left, _ = self.sift(element)
        return np.array_equal(left, self._identity)

    def _insert(self, element: Int32Array, first: int) -> bool:
        """Sift an element that fixes the base above a level; make what is left a generator. Tell whether it was new."""
        left, stuck = self.sift(element, first)
        if np.array_equal(left, self._identity):
            return False
        if stuck == len(self.levels):
            self.levels.append(Level(int(np.flatnonzero(left != self._identity)[0]), self.degree))
        # What is left fixes the base points above `stuck`, so it is a generator of every level down to there.
        for level in self.levels[first : stuck + 1]:
            level.add(left)
        if self._deadline.expired:
            raise LimitError("the order of the group is not known in time")
        return True

    def _fill(self, generators: list[Int32Array], order_bound: int | None) -> None:
        """Insert random products of the generators (product replacement, Celler et al. 1995) until they say no more."""
        random = np.random.default_rng(SEED)
        pool = [generators[number % len(generators)] for number in range(max(10, len(generators)))]
        current = pool[0]
        in_a_row = -3 * len(pool)
        while in_a_row < RANDOM_TRIES and (order_bound is None or self.order < order_bound):
            one, other = (int(place) for place in random.choice(len(pool), size=2, replace=False))
            pool[one] = pool[other][pool[one]] if random.random() < 0.5 else pool[one][pool[other]]
            current = pool[one][current]
            in_a_row = min(0, in_a_row) if self._insert(current, 0) else in_a_row + 1

    def _complete(self) -> None:
        """Sift all of Schreier's generators, from the last level to the first, until each is in the chain."""
        number = len(self.levels) - 1
        while number >= 0:
            left = self._first_missing(number)
            if left is None:
                number -= 1
            else:
                self._insert(left, number + 1)
                number = len(self.levels) - 1

    def _first_missing(self, number: int) -> Int32Array | None:
        """Return one of Schreier's generators of a level that the levels below do not have."""
        level = self.levels[number]
        rows = max(1, _BATCH_CELLS // max(1, self.degree))
        for which, generator in enumerate(level.generators):
            while level.tested[which] < len(level.orbit):
                first = level.tested[which]
                batch = generator[level.transversal[first : first + rows]]
                elements = np.take_along_axis(level.inverse[level.place[batch[:, level.base]]], batch, axis=1)
                left = self._sift_all(elements, number + 1)
                wrong = np.flatnonzero((left != self._identity).any(axis=1))
                if len(wrong):
                    level.tested[which] += int(wrong[0])
                    missing: Int32Array = elements[wrong[0]]
                    return missing
                level.tested[which] += len(batch)
                if self._deadline.expired:
                    raise LimitError("the order of the group is not known in time")
        return None

    def _sift_all(self, elements: Int32Array, first: int) -> Int32Array:
        """Sift many elements at once; one that gets stuck stays as it is there."""
        live = np.arange(len(elements))
        for level in self.levels[first:]:
            places = level.place[elements[live, level.base]]
            live, places = live[places >= 0], places[places >= 0]
            moved = places > 0
            rows = live[moved]
            if len(rows):
                elements[rows] = np.take_along_axis(level.inverse[places[moved]], elements[rows], axis=1)
        return elements

    def elements(self) -> Int32Array:
        """Return all elements, the identity first, shape (order, degree)."""
        found = self._identity[None, :]
        for level in reversed(self.levels):
            found = level.transversal[:, found].reshape(-1, self.degree)
        return found

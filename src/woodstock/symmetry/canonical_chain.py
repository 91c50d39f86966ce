"""Canonical keys by stabiliser chains, for large groups of any kind: a search for the least image of a position.

A *node* is an image of the position. At every level the nodes are compared by how many fluents hold of each orbit of
the group, and only the best are kept; then a base point is chosen in an orbit of which some fluents hold and some do
not, and each node is taken so that one of those fluents comes to the base point, in every way (Linton 2004; Jefferson
et al. 2019). The group becomes the stabiliser of the base point, until it keeps the node as a whole. Where there are
too many nodes some are dropped: the key is still that of an image, but maybe not the same for the whole orbit.

Stabilisers are kept, so that only the first keys are slow. Still there are only some hundred keys a second: this is for
the root and its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from woodstock.symmetry.canonical import as_rows
from woodstock.symmetry.canonical_kernels import WordArray
from woodstock.symmetry.chain import StabiliserChain
from woodstock.symmetry.graphs import Int32Array
from woodstock.symmetry.group import PermutationGroup
from woodstock.symmetry.symmetry import BoolArray

MAX_NODES: Final = 256
"""Images that are kept at a level."""


@dataclass(eq=False)
class _Stage:
    """A group of a chain.

    Attributes:
        group: The group.
        orbit: The orbit of each fluent, numbered from 0, shape (num_fluents,).
        sizes: The size of each orbit.
        below: For base points that were chosen, what takes their orbit to them, and the stage of the stabiliser.
    """

    group: PermutationGroup
    orbit: Int32Array
    sizes: Int32Array
    below: dict[int, tuple[Int32Array, Int32Array, _Stage]] = field(default_factory=dict)

    @classmethod
    def of(cls, group: PermutationGroup) -> _Stage:
        _, orbit, sizes = np.unique(group.orbits(), return_inverse=True, return_counts=True)
        return cls(group, orbit.astype(np.int32), sizes.astype(np.int32))

    def counts(self, nodes: BoolArray) -> Int32Array:
        """Return how many fluents of each orbit hold in each node, shape (num_nodes, num_orbits)."""
        return np.stack([np.bincount(self.orbit[node], minlength=len(self.sizes)) for node in nodes]).astype(np.int32)

    def descend(self, base: int) -> tuple[Int32Array, Int32Array, _Stage]:
        """Return the places of the points of the orbit of a base point, what takes each to it, and its stabiliser."""
        if base not in self.below:
            order = self.group.order
            chain = StabiliserChain(self.group.generators, self.group.degree, [base], order)
            first, rest = chain.levels[0], chain.levels[1:]
            generators = rest[0].generators if rest else []
            group = PermutationGroup(generators, self.group.degree, order // len(first.orbit))
            self.below[base] = (first.place, first.inverse, _Stage.of(group))
        return self.below[base]


class ChainKeys:
    """Canonical keys under any group.

    Attributes:
        is_complete: Whether no node was dropped so far: positions of one orbit had one key.
        max_nodes: How many images are kept at a level.
    """

    def __init__(self, group: PermutationGroup, numbers: WordArray, max_nodes: int = MAX_NODES) -> None:
        self.is_complete = True
        self.max_nodes = max_nodes
        self._numbers = numbers
        self._root = _Stage.of(group)

    def keys(self, rows: WordArray) -> WordArray:
        """Return the keys of packed positions, shape (n, num_words), uint64: (n,), uint64."""
        num_fluents = len(self._numbers)
        rows = as_rows(rows, num_fluents)
        octets = np.ascontiguousarray(rows, "<u8").view(np.uint8)
        positions = np.unpackbits(octets, axis=1, count=num_fluents, bitorder="little").view(np.bool_)
        return np.array([self._key(position) for position in positions], dtype=np.uint64)

    def _key(self, position: BoolArray) -> np.uint64:
        """Return the least key of the images that are left at the end."""
        nodes, stage = position[None, :], self._root
        while True:
            counts = stage.counts(nodes)
            best = counts[np.lexsort(counts.T[::-1])[-1]]
            nodes = nodes[(counts == best).all(axis=1)]
            branching = np.flatnonzero((best > 0) & (best < stage.sizes))
            if not len(branching):
                break
            orbit = branching[np.argmin(best[branching])]
            base = int(np.flatnonzero(stage.orbit == orbit)[0])
            place, takes, below = stage.descend(base)
            nodes = self._limit(np.concatenate([_branch(node, stage.orbit == orbit, place, takes) for node in nodes]))
            stage = below
        return np.uint64(min(int(np.bitwise_xor.reduce(self._numbers[node], initial=np.uint64(0))) for node in nodes))

    def _limit(self, nodes: BoolArray) -> BoolArray:
        """Return each node once, and no more than there may be."""
        nodes = np.unique(nodes, axis=0)
        if len(nodes) > self.max_nodes:
            self.is_complete = False
        return nodes[: self.max_nodes]


def _branch(node: BoolArray, orbit: BoolArray, place: Int32Array, takes: Int32Array) -> BoolArray:
    """Return the images of a node in which each of its fluents of an orbit has come to the base point."""
    elements = takes[place[np.flatnonzero(node & orbit)]]
    images = np.zeros((len(elements), len(node)), dtype=np.bool_)
    np.put_along_axis(images, elements, np.broadcast_to(node, elements.shape), axis=1)
    return images

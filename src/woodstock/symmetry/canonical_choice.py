"""The right kind of canonical keys for a group: its elements written out, sorted blocks, or a stabiliser chain.

>>> from woodstock.symmetry.symmetry import Shape, Symmetry
>>> mirror = Symmetry.of(fluents=[1, 0], moves=[0], roles=[0])
>>> keys = make_canonical_keys(SymmetryGroup([mirror], Shape(2, 1, 1)), np.array([9, 4], dtype=np.uint64))
>>> type(keys).__name__, keys.keys(np.array([[1], [2]], dtype=np.uint64)).tolist()
('ExplicitKeys', [4, 4])
"""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.symmetry.blocks import find_families, order_of
from woodstock.symmetry.canonical import MAX_ELEMENTS, MAX_IMAGE_BYTES, CanonicalKeys, ExplicitKeys
from woodstock.symmetry.canonical_blocks import BlockKeys
from woodstock.symmetry.canonical_chain import ChainKeys
from woodstock.symmetry.canonical_kernels import WordArray
from woodstock.symmetry.group import PermutationGroup, SymmetryGroup

WORTH_SORTING: Final = 256
"""So many times more elements than cosets must a group have for sorted blocks to be faster: see the benchmark."""


def make_canonical_keys(group: SymmetryGroup, numbers: WordArray) -> CanonicalKeys:
    """Return canonical keys under the symmetries of a game that keep the roles in their places.

    Args:
        group: Symmetries of a game; those that exchange roles are left out.
        numbers: The Zobrist number of each fluent, shape (num_fluents,), uint64.
    """
    keeps_roles = all(generator.keeps_roles for generator in group.generators)
    symmetries = group.generators if keeps_roles else group.role_stabiliser().generators
    fluents = [each.fluents for each in symmetries]
    return choose_keys(PermutationGroup(fluents, len(numbers), deadline=group.points.deadline), numbers)


def choose_keys(group: PermutationGroup, numbers: WordArray) -> CanonicalKeys:
    """Return canonical keys under a group on the fluents.

    Args:
        group: The group.
        numbers: The Zobrist number of each fluent, shape (num_fluents,), uint64.
    """
    is_small = group.order <= MAX_ELEMENTS and 8 * group.order * group.degree <= MAX_IMAGE_BYTES
    if group.order < WORTH_SORTING:
        return ExplicitKeys(group.elements(), numbers)
    families = find_families(group)
    order = order_of(families)
    if is_small and order < WORTH_SORTING:
        return ExplicitKeys(group.elements(), numbers)
    if order > 1:
        blocks = BlockKeys(group, numbers, families)
        if blocks.is_complete:
            return blocks
    return ChainKeys(group, numbers)


def is_trivial(keys: CanonicalKeys) -> bool:
    """Tell whether keys are under no symmetry at all, so that they are plain Zobrist keys."""
    return isinstance(keys, ExplicitKeys) and np.array_equal(keys.elements, np.arange(keys.elements.shape[1])[None])

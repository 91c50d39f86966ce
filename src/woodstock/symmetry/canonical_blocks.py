"""Canonical keys by sorting interchangeable blocks, for groups that are too large to be written out.

For each coset of the subgroup that permutes blocks the position is taken by one element, the blocks of each family are
put in the order of what they hold, and the key of what comes out is found; the least of these is the canonical key.

>>> from woodstock.symmetry.group import PermutationGroup
>>> dice = PermutationGroup([np.array([2, 3, 0, 1, 4, 5]), np.array([2, 3, 4, 5, 0, 1])], 6)
>>> keys = BlockKeys(dice, np.array([1, 2, 4, 8, 16, 32], dtype=np.uint64))
>>> keys.keys(np.array([[0b100110], [0b011010], [0b010110]], dtype=np.uint64)).tolist()
[41, 41, 37]
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.common.jit import jit
from woodstock.symmetry.blocks import Family, find_cosets, find_families, order_of
from woodstock.symmetry.canonical import as_rows
from woodstock.symmetry.canonical_kernels import U0, U1, U64, Int32Array, Int64Array, WordArray, lowest_bit
from woodstock.symmetry.group import PermutationGroup

CALL_WORK: Final = 500_000
"""Fluents that one call of a kernel looks at, at most: a few milliseconds."""
NO_BLOCK: Final = -1


class BlockArrays(NamedTuple):
    """Families of blocks, and the cosets of what permutes them, as arrays.

    Attributes:
        cosets: An element of each coset, shape (num_cosets, num_fluents), int32.
        block: The block that each fluent is in, or NO_BLOCK, shape (num_fluents,), int32.
        place: Its place there, shape (num_fluents,), int32.
        family_start: Which blocks are a family, shape (num_families + 1,), int64.
        block_start: Where the fluents of each block begin, shape (num_blocks + 1,), int64.
        fluent_at: The fluents of all blocks, int32.
        first_block: The first block of the family of each block, shape (num_blocks,), int32.
    """

    cosets: Int32Array
    block: Int32Array
    place: Int32Array
    family_start: Int64Array
    block_start: Int64Array
    fluent_at: Int32Array
    first_block: Int32Array


class BlockKeys:
    """Canonical keys under a group that permutes blocks.

    Attributes:
        families: The families of blocks, each of shape (num_blocks, block_size).
        num_cosets: Number of elements that are written out.
        is_complete: Whether all positions of an orbit have one key: all cosets are there.
    """

    def __init__(self, group: PermutationGroup, numbers: WordArray, families: list[Family] | None = None) -> None:
        """Find the blocks and the cosets.

        Args:
            group: A group on the fluents.
            numbers: The Zobrist number of each fluent, shape (num_fluents,), uint64.
            families: The families of blocks, if they are known.
        """
        self.families = find_families(group) if families is None else families
        cosets, self.is_complete = find_cosets(group, self.families)
        self.num_cosets = len(cosets)
        self._numbers = numbers
        self._arrays = _make_arrays(cosets, self.families)

    @property
    def order(self) -> int:
        """How many elements of the group keys take into account."""
        return order_of(self.families) * self.num_cosets

    def keys(self, rows: WordArray) -> WordArray:
        """Return the keys of packed positions, shape (n, num_words), uint64: (n,), uint64."""
        num_fluents = len(self._numbers)
        rows = as_rows(rows, num_fluents)
        found = np.zeros(len(rows), np.uint64)
        num_blocks = len(self._arrays.first_block)
        space = np.empty(num_fluents, np.int32), np.empty(num_blocks, np.uint64), np.empty(num_blocks, np.int32)
        step = max(1, CALL_WORK // max(1, num_fluents * self.num_cosets))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            find_by_blocks(self._arrays, self._numbers, rows[part], found[part], space)
        return found


def _make_arrays(cosets: Int32Array, families: list[Family]) -> BlockArrays:
    num_fluents = cosets.shape[1]
    block = np.full(num_fluents, NO_BLOCK, np.int32)
    place = np.zeros(num_fluents, np.int32)
    family_start, block_start, first_block = [0], [0], []
    for family in families:
        first = family_start[-1]
        for number, fluents in enumerate(family):
            block[fluents] = first + number
            place[fluents] = np.arange(len(fluents))
            block_start.append(block_start[-1] + len(fluents))
            first_block.append(first)
        family_start.append(first + len(family))
    fluent_at = np.concatenate([family.reshape(-1) for family in families] or [np.zeros(0, np.int32)])
    return BlockArrays(
        cosets,
        block,
        place,
        np.array(family_start, np.int64),
        np.array(block_start, np.int64),
        fluent_at.astype(np.int32),
        np.array(first_block, np.int32),
    )


@jit
def find_by_blocks(
    arrays: BlockArrays,
    numbers: WordArray,
    rows: WordArray,
    found: WordArray,
    space: tuple[Int32Array, WordArray, Int32Array],
) -> None:
    """Find the canonical keys of positions.

    Blocks are put in the order of the Zobrist key that what they hold would have in the first block of their family.
    If two of these collided, positions of one orbit might get two keys, and no harm were done.

    Args:
        arrays: The group.
        numbers: The Zobrist number of each fluent, shape (num_fluents,), uint64.
        rows: Packed positions, shape (n, num_words), uint64.
        found: Their keys, written, shape (n,), uint64.
        space: Room for the fluents that hold, and for the key and the new place of each block.
    """
    held, content, slot = space
    for row in range(len(rows)):
        count = 0
        for number in range(rows.shape[1]):
            word = rows[row, number]
            while word != U0:
                held[count] = np.int64(np.uint64(number) * U64 + lowest_bit(word))
                count += 1
                word &= word - U1
        for coset in range(len(arrays.cosets)):
            key = U0
            content[:] = U0
            for at in range(count):
                image = arrays.cosets[coset, held[at]]
                block = arrays.block[image]
                if block == NO_BLOCK:
                    key ^= numbers[image]
                else:
                    first = arrays.block_start[arrays.first_block[block]]
                    content[block] ^= numbers[arrays.fluent_at[first + arrays.place[image]]]
            sort_blocks(arrays.family_start, content, slot)
            for at in range(count):
                image = arrays.cosets[coset, held[at]]
                block = arrays.block[image]
                if block != NO_BLOCK:
                    key ^= numbers[arrays.fluent_at[arrays.block_start[slot[block]] + arrays.place[image]]]
            if coset == 0 or key < found[row]:
                found[row] = key


@jit
def sort_blocks(family_start: Int64Array, content: WordArray, slot: Int32Array) -> None:
    """Find the new place of each block: families are sorted by the keys of what blocks hold, by counting.

    Args:
        family_start: Which blocks are a family, shape (num_families + 1,), int64.
        content: A key for each block, shape (num_blocks,), uint64.
        slot: The place that each block takes, written, shape (num_blocks,), int32.
    """
    for family in range(len(family_start) - 1):
        start, end = family_start[family], family_start[family + 1]
        for block in range(start, end):
            before = start
            for other in range(start, end):
                if content[other] < content[block] or (content[other] == content[block] and other < block):
                    before += 1
            slot[block] = before

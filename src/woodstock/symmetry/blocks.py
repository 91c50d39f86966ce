"""Interchangeable blocks: parts of a position that a group permutes in every way, such as dice, cards or columns.

A *family* is a number of congruent blocks of fluents; exchanging any two of its blocks, place by place, and leaving all
else alone is in the group. All families that are found generate a normal subgroup, a product of symmetric groups, whose
orbits are found by sorting. What is left of the group is written out: one element of each coset.

>>> swap, rotate = np.array([2, 3, 0, 1, 4, 5]), np.array([2, 3, 4, 5, 0, 1])
>>> families = find_families(PermutationGroup([swap, rotate], 6))
>>> [family.tolist() for family in families]
[[[0, 1], [2, 3], [4, 5]]]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from woodstock.symmetry.chain import inverses
from woodstock.symmetry.graphs import Int32Array
from woodstock.symmetry.group import PermutationGroup

MAX_CLASS: Final = 5_000
"""Exchanges of two blocks in a family, at most: 100 blocks."""
MAX_COSETS: Final = 20_000
"""Cosets that are written out."""
MAX_COSET_BYTES: Final = 1 << 28
RANDOM_TRIES: Final = 60
"""Random elements whose powers are looked at for exchanges."""
SEED: Final = 20170820

Family = Int32Array
"""The fluents of congruent blocks, shape (num_blocks, block_size)."""


def find_families(group: PermutationGroup) -> list[Family]:
    """Return families of interchangeable blocks that have no fluent in common, of at least three blocks each.

    Not all need be found: whatever is left out is in the cosets.
    """
    taken = np.zeros(group.degree, dtype=np.bool_)
    families: list[Family] = []
    failed: set[bytes] = set()
    for exchange in _exchanges(group):
        moved = exchange != np.arange(group.degree)
        # Half of what is moved is a block, so there is no room for more blocks, nor for more exchanges of two.
        num_blocks = 2 * group.degree // int(moved.sum())
        if taken[moved].any() or exchange.tobytes() in failed or num_blocks < 3:
            continue
        conjugates = _conjugates(exchange, group, min(MAX_CLASS, math.comb(num_blocks, 2)))
        found = None if conjugates is None else _decode(conjugates)
        if conjugates is None or found is None or any(taken[family].any() for family in found):
            failed.update(each.tobytes() for each in ([exchange] if conjugates is None else conjugates))
            continue
        families.extend(found)
        for family in found:
            taken[family] = True
    return families


def order_of(families: list[Family]) -> int:
    """Return how many ways there are to permute the blocks of families."""
    return math.prod(math.factorial(len(family)) for family in families)


def find_cosets(group: PermutationGroup, families: list[Family]) -> tuple[Int32Array, bool]:
    """Return an element of each coset of the group that families generate, and whether these are all.

    The identity comes first. Shape (num_cosets, degree), int32.
    """
    limit = max(1, min(MAX_COSETS, MAX_COSET_BYTES // max(1, 4 * group.degree)))
    first = np.arange(group.degree, dtype=np.int32)
    found = {first.tobytes(): first}
    waiting = [first]
    for element in waiting:
        for generator in group.generators:
            product = _least_of_coset(generator[element], families)
            if product.tobytes() not in found:
                if len(found) == limit:
                    return np.stack(waiting), False
                found[product.tobytes()] = product
                waiting.append(product)
    return np.stack(waiting), True


def _least_of_coset(element: Int32Array, families: list[Family]) -> Int32Array:
    """Return the one element of a coset after which the blocks of each family are in the order of where they were."""
    origin = np.empty_like(element)
    origin[element] = np.arange(len(element), dtype=np.int32)
    after = np.arange(len(element), dtype=np.int32)
    for family in families:
        order = np.argsort(origin[family[:, 0]])
        after[family[order]] = family
    return after[element]


def _exchanges(group: PermutationGroup) -> Iterator[Int32Array]:
    """Give elements of order two that move little: generators, and powers of generators and of random products."""
    found: dict[bytes, Int32Array] = {}
    for element in _some_elements(group):
        power = _involution(element)
        if power is not None:
            found.setdefault(power.tobytes(), power)
    identity = np.arange(group.degree)
    yield from sorted(found.values(), key=lambda each: int((each != identity).sum()))


def _some_elements(group: PermutationGroup) -> Iterator[Int32Array]:
    yield from group.generators
    if group.is_trivial:
        return
    random = np.random.default_rng(SEED)
    current = group.generators[0]
    for _ in range(RANDOM_TRIES):
        current = group.generators[int(random.integers(len(group.generators)))][current]
        yield current


def _involution(element: Int32Array) -> Int32Array | None:
    """Return the power of an element that has order two, if there is one."""
    length = _cycle_lengths(element)
    sizes = [int(size) for size in np.unique(length) if size > 1]
    total = math.lcm(*sizes) if sizes else 1
    return None if total % 2 else _power(element, total // 2)


def _cycle_lengths(element: Int32Array) -> Int32Array:
    """Return the length of the cycle that each point is on."""
    length = np.zeros(len(element), dtype=np.int32)
    images = element.tolist()
    for point in range(len(images)):
        if not length[point]:
            cycle = [point]
            while images[cycle[-1]] != point:
                cycle.append(images[cycle[-1]])
            length[cycle] = len(cycle)
    return length


def _power(element: Int32Array, exponent: int) -> Int32Array:
    found = np.arange(len(element), dtype=np.int32)
    while exponent:
        if exponent & 1:
            found = element[found]
        element = element[element]
        exponent >>= 1
    return found


def _conjugates(element: Int32Array, group: PermutationGroup, limit: int) -> Int32Array | None:
    """Return all conjugates of an element, shape (n, degree); None if they are too many or there is no time."""
    found = {element.tobytes(): element}
    waiting = [element]
    back = inverses(np.stack(group.generators))
    for each in waiting:
        if group.deadline is not None and group.deadline.expired:
            return None
        for generator, inverse in zip(group.generators, back, strict=True):
            other = generator[each[inverse]]
            if other.tobytes() not in found:
                if len(found) == limit:
                    return None
                found[other.tobytes()] = other
                waiting.append(other)
    return np.stack(waiting)


def _decode(exchanges: Int32Array) -> list[Family] | None:
    """Return the families whose exchanges of two blocks are just these; None if they are of another kind.

    Two exchanges that share a block have only that block in common; so what the same exchanges move is a block.
    """
    moved = exchanges != np.arange(exchanges.shape[1])
    points = np.flatnonzero(moved.any(axis=0))
    _, block_of_point = np.unique(moved[:, points].T, axis=0, return_inverse=True)
    blocks = [points[block_of_point == block] for block in range(int(block_of_point.max()) + 1)]
    blocks.sort(key=lambda block: int(block[0]))
    touched = np.stack([moved[:, block[0]] for block in blocks])
    if not (touched.sum(axis=0) == 2).all():
        return None
    partner: dict[tuple[int, int], Int32Array] = {}
    for exchange, ends in zip(exchanges, touched.T, strict=True):
        one, two = np.flatnonzero(ends).tolist()
        if (one, two) in partner:
            return None
        partner[one, two] = exchange
    return _assemble(blocks, partner)


def _assemble(blocks: list[Int32Array], partner: dict[tuple[int, int], Int32Array]) -> list[Family] | None:
    """Return families in which every two blocks are exchanged place by place; None if there is anything else."""
    families: list[Family] = []
    seen: set[int] = set()
    for first in range(len(blocks)):
        if first in seen:
            continue
        members = [first, *(two for one, two in partner if one == first)]
        members.sort()
        rows = [blocks[first]] + [partner[first, other][blocks[first]] for other in members[1:]]
        # An element may also move two blocks without exchanging them.
        if not all(np.array_equal(np.sort(row), blocks[member]) for row, member in zip(rows, members, strict=True)):
            return None
        for one in range(len(members)):
            for two in range(one + 1, len(members)):
                exchange = partner.get((members[one], members[two]))
                if exchange is None or not np.array_equal(exchange[rows[one]], rows[two]):
                    return None
        seen.update(members)
        families.append(np.stack(rows).astype(np.int32))
    num_pairs = sum(math.comb(len(family), 2) for family in families)
    return families if num_pairs == len(partner) and all(len(family) > 2 for family in families) else None

"""Forms: how the kernel evaluates gates of a shape.

A *factor* is `((a ^ x) & (b ^ y)) ^ z` with literals a and b and masks x, y and z, which are all zeros or all ones for
a whole run. Two complemented literals are a factor, and so is the complement of a product of two. Masks cost next to
nothing, because values come from memory more slowly than they are combined; so a few forms are enough:

| form | value of a gate |
|---|---|
| `FACTOR` … `FACTOR + 3` | one to four factors |
| `TRIPLE` | a factor and a literal: three literals, or the frame axiom |
| `CHAIN` | a literal and the complement of a product of three |
| `WIDE` | no product holds, of any number and kind: a loop for each kind |
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.products import NUM_COMPLEMENTS, PRODUCT_SIZES

WIDE: Final = 0
FACTOR: Final = 1
TRIPLE: Final = 5
CHAIN: Final = 6

MAX_FACTORS: Final = 4
PRODUCT_MASKS: Final = (0b0000, 0b0001, 0b0000, 0b0010, 0b0011, 0b0000, 0b1000, 0b1010, 0b1011)
"""Masks of a product in a wide gate, by its kind: a literal, a factor, or a factor and a literal."""

BLOCK_WORDS: Final = 3
"""A block says of the products of one kind in a wide gate: literals of a product, masks, literals of all."""


class Forms(NamedTuple):
    """How gates of each shape are evaluated.

    Attributes:
        form: Form of each shape, shape (num_shapes,), int32.
        masks: A bit for each mask, first those of the factors; the number of words of all blocks for WIDE; shape
            (num_shapes,), int32.
        num_places: Number of places that a gate reads, shape (num_shapes,), int32.
        place_start: Where those of each shape begin in `places`, shape (num_shapes + 1,), int64. WIDE has none.
        places: Which of its literals a gate reads in turn, int32.
        block_start: Where the words of the blocks of each shape begin in `blocks`, shape (num_shapes + 1,), int64.
        blocks: Words of blocks, int32.
    """

    form: Int32Array
    masks: Int32Array
    num_places: Int32Array
    place_start: Int64Array
    places: Int32Array
    block_start: Int64Array
    blocks: Int32Array


def choose_forms(shapes: Int32Array) -> Forms:
    """Return how to evaluate gates of shapes, which have the numbers of products of each kind as rows."""
    sizes = np.array(PRODUCT_SIZES, np.int32)
    singles, pairs, triples = (shapes[:, sizes == size].sum(axis=1) for size in (1, 2, 3))
    factors = pairs + (singles + 1) // 2
    is_narrow = (triples == 0) & (factors >= 1) & (factors <= MAX_FACTORS)
    is_narrow |= (triples == 1) & (singles == 1) & (pairs == 0)
    form = np.full(len(shapes), WIDE, np.int32)
    masks = np.zeros(len(shapes), np.int32)
    num_places = (shapes * sizes).sum(axis=1).astype(np.int32)
    place_counts = np.zeros(len(shapes), np.int64)
    places: list[int] = []
    for shape in np.flatnonzero(is_narrow).tolist():
        form[shape], masks[shape], own_places = _narrow_form(shapes[shape].tolist())
        num_places[shape] = place_counts[shape] = len(own_places)
        places += own_places
    rows, kinds = np.nonzero(np.where(is_narrow[:, np.newaxis], 0, shapes))
    blocks = np.stack(
        [sizes[kinds], np.array(PRODUCT_MASKS, np.int32)[kinds], shapes[rows, kinds] * sizes[kinds]], axis=1
    )
    block_counts = BLOCK_WORDS * np.bincount(rows, minlength=len(shapes))
    masks[~is_narrow] = block_counts[~is_narrow]
    return Forms(
        form,
        masks,
        num_places,
        np.append(0, np.cumsum(place_counts)),
        np.array(places, np.int32),
        np.append(0, np.cumsum(block_counts)),
        blocks.ravel().astype(np.int32),
    )


def _narrow_form(counts: list[int]) -> tuple[int, int, list[int]]:
    """Return the form, the masks and the places of a shape that is not wide."""
    singles: list[tuple[int, int]] = []
    products: list[list[tuple[int, int]]] = []
    number = 0
    for size, complements, count in zip(PRODUCT_SIZES, NUM_COMPLEMENTS, counts, strict=True):
        for _ in range(count):
            literals = [(number + at, int(at >= size - complements)) for at in range(size)]
            number += size
            if size == 1:
                # A gate holds if the literals of its products of one do not.
                singles += [(place, 1 - mask) for place, mask in literals]
            else:
                products.append(literals)
    if products and len(products[0]) == 3:
        (a, x), (b, y), (c, z) = products[0]
        (d, last), *_ = singles
        return CHAIN, x | y << 1 | z << 3 | 1 << 4 | last << 5, [a, b, c, d]
    factors = [(a, b, x | y << 1 | 0b100) for (a, x), (b, y) in products]
    if number == 3:
        if not products:
            (a, x), (b, y) = singles[:2]
            factors = [(a, b, x | y << 1)]
        last_place, last_mask = singles[-1]
        a, b, bits = factors[0]
        return TRIPLE, bits | last_mask << 3, [a, b, last_place]
    for at in range(0, len(singles), 2):
        (a, x), (b, y) = singles[at], singles[min(at + 1, len(singles) - 1)]
        factors.append((a, b, x | y << 1))
    bits = sum(bits << 3 * at for at, (_, _, bits) in enumerate(factors))
    return FACTOR + len(factors) - 1, bits, [place for a, b, _ in factors for place in (a, b)]

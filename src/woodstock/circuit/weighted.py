"""Weighted choice: a legal move of a role, with a probability in proportion to its weight, for all lanes at once.

A weight is a sum of powers of two. A candidate is in the *plane* of each of them, and stands there for as many numbers
as the power says. So the uniform choice (`woodstock.circuit.choice`) is made among the candidates of all planes, the
highest plane first, with a sum of weights instead of a count: a group of plane p counts its legal candidates from bit p
on. What is before a group is a multiple of its power, so the bits below p never matter. Most lanes choose in the high
planes, and groups where no lane chooses cost little.

It takes the longer the more powers of two the weights have: with dozens of candidates or more about three times as long
as the uniform choice for weights to 15, or with two powers each, and five times for any weights to 255.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.choice import (
    GROUP_SIZE,
    HALF,
    LOW_HALF,
    UGROUP,
    UROLE,
    Candidates,
    add_count,
    arrange_candidates,
    choose_ranked,
    clear_lanes,
    count_group,
    legal_lanes,
    rank_in_group,
    role_sizes,
    write_lanes,
)
from woodstock.circuit.randomness import BIAS_BITS, U8, draw_below, inlined, select
from woodstock.circuit.words import (
    U0,
    U1,
    U3,
    U4,
    U7,
    WordArray,
    Words,
    differing,
    either,
    is_empty,
    load,
    spread,
    store,
    without,
)
from woodstock.common.jit import jit

MAX_WEIGHT: Final = 255
NUM_PLANES: Final = 8
MIN_BITS: Final = 12
"""Bits that a group of the highest plane counts with."""

UMIN_BITS: Final = np.uint64(MIN_BITS)
UBIAS: Final = np.uint64(BIAS_BITS)


class WeightedCandidates(NamedTuple):
    """The moves of all roles with their weights; see `weigh_candidates`.

    Attributes:
        plain: The moves.
        planes: The moves of all planes, as if these were roles: for each role eight, the highest first.
    """

    plain: Candidates
    planes: Candidates


def weigh_candidates(candidates: Candidates, weights: npt.ArrayLike) -> WeightedCandidates:
    """Return candidates with weights.

    Args:
        candidates: The moves of all roles.
        weights: A number from 1 to 255 for each candidate, in the order in which they were arranged, role by role.
    """
    given = np.asarray(weights, np.int64)
    rows = candidates.moves.reshape(-1, 2)
    members = []
    end = 0
    for first, size in zip(*role_sizes(candidates), strict=True):
        own = given[end : end + size]
        end += size
        members += [first + np.flatnonzero(own >> plane & 1) for plane in reversed(range(NUM_PLANES))]
    starts = np.concatenate([[0], np.cumsum([len(plane) for plane in members], dtype=np.int64)])
    moves = rows[np.concatenate(members)]
    planes = arrange_candidates(starts, moves[:, 0] & LOW_HALF, moves[:, 1], moves[:, 0] >> HALF)
    return WeightedCandidates(candidates, planes)


def weighted_scratch_size(weighted: WeightedCandidates, width: int) -> int:
    """Return how many numbers of working space `choose_weighted` needs for words of a width."""
    sizes = np.array(role_sizes(weighted.planes)[1]).reshape(-1, NUM_PLANES)
    groups = int((-(-sizes // GROUP_SIZE)).sum(axis=1).max(initial=0))
    size = max(role_sizes(weighted.plain)[1], default=0)
    return (groups + 3) * max(MIN_BITS, (size << NUM_PLANES).bit_length()) * width + groups


@jit
def choose_weighted(
    values: WordArray,
    weighted: WeightedCandidates,
    role: np.uint64,
    state: WordArray,
    scratch: WordArray,
    like: Words,
) -> Words:
    """Choose one legal candidate of a role in every lane, with probabilities in proportion to the weights.

    Args:
        values: The words of all slots. The words of the role's moves are written.
        weighted: The moves of all roles with their weights.
        role: Whose move to choose.
        state: State of the random words.
        scratch: Working space, shape (weighted_scratch_size(weighted, width),), uint64.
        like: Words of the width.

    Returns:
        The lanes that have a legal candidate; the others make no move.
    """
    return _choose_weighted(values, weighted, role, state, scratch, like)


@inlined
def _choose_weighted(
    values: WordArray,
    weighted: WeightedCandidates,
    role: np.uint64,
    state: WordArray,
    scratch: WordArray,
    like: Words,
) -> Words:
    """Do what `choose_weighted` does, without references to count."""
    width = np.uint64(len(like))
    plain = weighted.plain
    first, size = plain.roles[role * UROLE], plain.roles[role * UROLE + U1]
    if size == U1:
        words = legal_lanes(values, plain, first, like)
        write_lanes(values, plain, first, words, False)
        return words
    clear_lanes(values, plain, (first, first + size), like)
    limit = UMIN_BITS
    while size << U8 >> limit:
        limit += U1
    stride = limit * width
    rows = role * U8 * UROLE
    groups = U0
    for row in range(rows, rows + U8 * UROLE, UROLE):
        groups += (weighted.planes.roles[row + U1] + UGROUP - U1) // UGROUP
    kinds = (groups + U3) * stride
    at, bits = _weigh(values, weighted.planes, rows, scratch, (stride, kinds), like)
    some = spread(U0, like)
    for bit in range(bits):
        some = either(some, load(scratch, at + bit * width, like))
    if bits > U0:
        rank = at + stride
        draw_below(scratch, (at, rank), bits, bits + UBIAS, state, like)
        for bit in range(bits, UMIN_BITS):
            store(scratch, rank + bit * width, spread(U0, like))
        _choose_in_planes(values, weighted.planes, rows, scratch, (stride, kinds, rank, bits), like)
    return some


@inlined
def _weigh(
    values: WordArray,
    planes: Candidates,
    row: np.uint64,
    scratch: WordArray,
    layout: tuple[np.uint64, np.uint64],
    like: Words,
) -> tuple[np.uint64, np.uint64]:
    """Sum up the weights of the legal candidates of a role.

    The sliced sums of everything before a group and with it are written into `scratch`, one after the other, but for
    groups where nothing is legal. So is the kind of each group: the bits of its own count, and eight times those of the
    sum with it.

    Returns:
        Where the sum of all weights is, and how many bits it has.
    """
    width = np.uint64(len(like))
    stride, kinds = layout
    for bit in range(UMIN_BITS):
        store(scratch, bit * width, spread(U0, like))
    at = U0
    bits = UMIN_BITS
    plane = U8
    while plane > U0:
        plane -= U1
        skip = plane * width
        store(scratch, at + skip, spread(U0, like))
        number = planes.roles[row]
        last = number + planes.roles[row + U1]
        while number < last:
            to = at + stride
            kind = count_group(values, planes, number, scratch, to + skip, like)
            if kind > U0:
                bits = plane + add_count(scratch, at + skip, to + skip, bits - plane, like)
                at = to
            scratch[kinds] = kind + U8 * bits
            kinds += U1
            number += UGROUP
        row += UROLE
    while bits > U0 and is_empty(load(scratch, at + (bits - U1) * width, like)):
        bits -= U1
    return at, bits


@inlined
def _choose_in_planes(
    values: WordArray,
    planes: Candidates,
    row: np.uint64,
    scratch: WordArray,
    layout: tuple[np.uint64, np.uint64, np.uint64, np.uint64],
    like: Words,
) -> None:
    """Choose the candidates by the numbers drawn, in the groups where a lane chooses."""
    width = np.uint64(len(like))
    stride, kinds, rank, bits = layout
    left = rank + stride
    done = left + width * U4
    store(scratch, done, spread(U0, like))
    at = U0
    plane = U8
    while plane > U0:
        plane -= U1
        skip = plane * width
        number = planes.roles[row]
        last = number + planes.roles[row + U1]
        while number < last:
            kind = scratch[kinds] & U7
            if kind > U0:
                to = at + stride
                less = spread(U0, like)
                summed = min(scratch[kinds] // U8, bits)
                for bit in range(plane, summed):
                    total = load(scratch, to + bit * width, like)
                    less = select(differing(load(scratch, rank + bit * width, like), total), total, less)
                for bit in range(summed, bits):
                    less = without(less, load(scratch, rank + bit * width, like))
                here = without(less, load(scratch, done, like))
                store(scratch, done, less)
                if not is_empty(here):
                    rank_in_group(scratch, (at + skip, rank + skip, left), here)
                    span = (number, min(number + UGROUP, last))
                    choose_ranked(values, planes, span, kind, (scratch, left, True), like)
                at = to
            kinds += U1
            number += UGROUP
        row += UROLE

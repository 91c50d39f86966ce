"""Choice: one of the legal moves of a role, at random, for all lanes at once.

The *candidates* of a role are numbered. In each lane the legal ones are counted, a rank below this count is drawn, and
the candidate of this rank among the legal ones is chosen, without a look at single lanes:

1.  Candidates are counted in groups of 15 by carry-save adders, and what was counted up to each group is kept.
2.  The rank is the integer part of the count times a random number (`woodstock.circuit.randomness`). As many bits are
    used as the largest count of all lanes has, however many candidates there are.
3.  A lane chooses in the group where its rank is less than what was counted with it for the first time. There, the
    complement of the rank that is left is counted up by each legal candidate; the one that makes it overflow is chosen.
    The number of bits is that of the largest count in the group. Groups where no lane chooses are only cleared.

If no lane has two legal candidates, what is legal is chosen, and nothing is drawn.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.randomness import U8, draw_below, inlined, num_draws, select
from woodstock.circuit.words import (
    ALL,
    U0,
    U1,
    U2,
    U3,
    U4,
    U5,
    U6,
    U7,
    WordArray,
    Words,
    both,
    differing,
    either,
    inverse,
    is_empty,
    load,
    spread,
    store,
    without,
)
from woodstock.common.jit import jit

GROUP_SIZE: Final = 15
"""Candidates of a group: as many as four bits can count."""
MAX_BITS: Final = 16
"""Bits of a count, at most."""

UGROUP: Final = np.uint64(GROUP_SIZE)
UROLE: Final = np.uint64(2 + MAX_BITS)
U14: Final = np.uint64(14)
HALF: Final = np.uint64(32)
LOW_HALF: Final = np.uint64(0xFFFFFFFF)


class Candidates(NamedTuple):
    """The moves of all roles, as the kernel wants them; see `arrange_candidates`.

    There are few arrays, because a call of a kernel takes longer the more of them it hands over. The candidates of each
    role begin a new group, and its last group is filled up with candidates that are never legal.

    Attributes:
        roles: For each role the number of its first candidate, the number of its candidates, and for each number of
            bits that a count can have how many random bits a rank needs, shape (num_roles * (2 + MAX_BITS),), uint64.
        moves: For each candidate the place of the words that say where it is legal, plus 2 ** 32 times the place of
            those that say where it is chosen; then all ones if the first are complements, otherwise zero;
            shape (2 * n,), uint64.
    """

    roles: WordArray
    moves: WordArray


def arrange_candidates(
    role_start: npt.ArrayLike, legal_at: npt.ArrayLike, legal_flip: npt.ArrayLike, does_at: npt.ArrayLike
) -> Candidates:
    """Return the candidates of all roles, as the kernel wants them.

    Places are those of words in the values of a pass. At place 0 there must be words of ones: their complement is the
    candidate that is never legal.

    Args:
        role_start: Where the candidates of each role begin in what follows, shape (num_roles + 1,).
        legal_at: For each candidate, the place of the words that say where it is legal, shape (n,).
        legal_flip: All ones if these are complements, otherwise zero, shape (n,), uint64.
        does_at: For each candidate, the place of the words to be written, shape (n,).
    """
    starts = np.asarray(role_start, np.int64)
    sizes = np.diff(starts)
    new_starts = np.concatenate([[0], np.cumsum(-(-sizes // GROUP_SIZE) * GROUP_SIZE)])
    source = np.arange(starts[0], starts[-1])
    target = source + np.repeat(new_starts[:-1] - starts[:-1], sizes)
    moves = np.full((new_starts[-1], 2), (U0, ALL))
    moves[target, 0] = np.asarray(legal_at, np.uint64)[source] | np.asarray(does_at, np.uint64)[source] << HALF
    moves[target, 1] = np.asarray(legal_flip, np.uint64)[source]
    roles = [
        [start, size, *(num_draws(min(size, 2**bits - 1)) for bits in range(MAX_BITS))]
        for start, size in zip(new_starts.tolist(), sizes.tolist(), strict=False)
    ]
    return Candidates(np.array(roles, np.uint64).ravel(), moves.ravel())


def role_sizes(candidates: Candidates) -> tuple[list[int], list[int]]:
    """Return for each role the number of its first candidate, and how many it has."""
    rows = candidates.roles.reshape(-1, 2 + MAX_BITS)
    return rows[:, 0].tolist(), rows[:, 1].tolist()


def scratch_size(candidates: Candidates, width: int) -> int:
    """Return how many numbers of working space `choose` needs for words of a width."""
    size = max(role_sizes(candidates)[1], default=0)
    groups = -(-size // GROUP_SIZE)
    return (groups + 3) * max(8, size.bit_length()) * width + groups


@jit
def choose(
    values: WordArray, candidates: Candidates, role: np.uint64, state: WordArray, scratch: WordArray, like: Words
) -> Words:
    """Choose one legal candidate of a role in every lane, all with the same probability.

    Args:
        values: The words of all slots. The words of the role's moves are written.
        candidates: The moves of all roles.
        role: Whose move to choose.
        state: State of the random words.
        scratch: Working space, shape (scratch_size(candidates, width),), uint64.
        like: Words of the width.

    Returns:
        The lanes that have a legal candidate; the others make no move.
    """
    return _choose(values, candidates, role, state, scratch, like)


@inlined
def _choose(
    values: WordArray, candidates: Candidates, role: np.uint64, state: WordArray, scratch: WordArray, like: Words
) -> Words:
    """Do what `choose` does, without references to count."""
    width = np.uint64(len(like))
    row = role * UROLE
    first, size = candidates.roles[row], candidates.roles[row + U1]
    if size == U1:
        words = legal_lanes(values, candidates, first, like)
        write_lanes(values, candidates, first, words, False)
        return words
    limit = U8
    while size >> limit:
        limit += U1
    stride = limit * width
    kinds = ((size + U14) // UGROUP + U3) * stride
    span = (first, first + size)
    at, bits = _count(values, candidates, span, scratch, (stride, kinds), like)
    some = load(scratch, at, like)
    for bit in range(U1, bits):
        some = either(some, load(scratch, at + bit * width, like))
    if bits <= U1:
        while first < span[1]:
            write_lanes(values, candidates, first, legal_lanes(values, candidates, first, like), False)
            first += U1
        return some
    draws = candidates.roles[row + U2 + bits]
    if bits == U2 and is_empty(both(load(scratch, at, like), load(scratch, at + width, like))):
        draws = U1
    rank = at + stride
    draw_below(scratch, (at, rank), bits, draws, state, like)
    if size <= UGROUP:
        choose_ranked(values, candidates, span, bits, (scratch, rank, False), like)
    else:
        _choose_in_groups(values, candidates, span, scratch, (stride, kinds, rank, bits), like)
    return some


@inlined
def legal_lanes(values: WordArray, candidates: Candidates, number: np.uint64, like: Words) -> Words:
    """Return the lanes in which a candidate is legal."""
    at = number * U2
    return differing(load(values, candidates.moves[at] & LOW_HALF, like), spread(candidates.moves[at + U1], like))


@inlined
def write_lanes(values: WordArray, candidates: Candidates, number: np.uint64, words: Words, adding: bool) -> None:
    """Write the lanes that choose a candidate, or add them to those that have chosen it."""
    place = candidates.moves[number * U2] >> HALF
    if adding:
        words = either(words, load(values, place, words))
    store(values, place, words)


@inlined
def clear_lanes(values: WordArray, candidates: Candidates, span: tuple[np.uint64, np.uint64], like: Words) -> None:
    """Write that no lane chooses some candidates: the first, and the one after the last."""
    number, last = span
    while number < last:
        write_lanes(values, candidates, number, spread(U0, like), False)
        number += U1


@inlined
def add(first: Words, second: Words, third: Words) -> tuple[Words, Words]:
    """Return the sum and the carry of three bits."""
    partial = differing(first, second)
    return differing(partial, third), select(partial, third, first)


@inlined
def _count_seven(
    values: WordArray, candidates: Candidates, number: np.uint64, like: Words
) -> tuple[Words, Words, Words]:
    """Return how many of seven candidates are legal, three bits."""
    s1, c1 = add(
        legal_lanes(values, candidates, number, like),
        legal_lanes(values, candidates, number + U1, like),
        legal_lanes(values, candidates, number + U2, like),
    )
    s2, c2 = add(
        legal_lanes(values, candidates, number + U3, like),
        legal_lanes(values, candidates, number + U4, like),
        legal_lanes(values, candidates, number + U5, like),
    )
    bit0, c3 = add(s1, s2, legal_lanes(values, candidates, number + U6, like))
    bit1, bit2 = add(c1, c2, c3)
    return bit0, bit1, bit2


@inlined
def count_group(
    values: WordArray, candidates: Candidates, number: np.uint64, scratch: WordArray, to: np.uint64, like: Words
) -> np.uint64:
    """Write how many candidates of a group are legal, four bits.

    Returns:
        The bits of the largest count, 2, 3 or 4; 0 if nothing is legal.
    """
    width = np.uint64(len(like))
    left0, left1, left2 = _count_seven(values, candidates, number, like)
    right0, right1, right2 = _count_seven(values, candidates, number + U7, like)
    bit0, carry = add(left0, right0, legal_lanes(values, candidates, number + U14, like))
    bit1, carry = add(left1, right1, carry)
    bit2, bit3 = add(left2, right2, carry)
    store(scratch, to, bit0)
    store(scratch, to + width, bit1)
    store(scratch, to + width * U2, bit2)
    store(scratch, to + width * U3, bit3)
    if not is_empty(bit3):
        return U4
    if not is_empty(bit2):
        return U3
    return U0 if is_empty(either(bit0, bit1)) else U2


@inlined
def add_count(scratch: WordArray, at: np.uint64, to: np.uint64, bits: np.uint64, like: Words) -> np.uint64:
    """Add the count before a group to that of the group; return how many bits the largest sum has."""
    width = np.uint64(len(like))
    old = load(scratch, at, like)
    new = load(scratch, to, like)
    store(scratch, to, differing(old, new))
    bit, carry = add(load(scratch, at + width, like), load(scratch, to + width, like), both(old, new))
    store(scratch, to + width, bit)
    bit, carry = add(load(scratch, at + width * U2, like), load(scratch, to + width * U2, like), carry)
    store(scratch, to + width * U2, bit)
    bit, carry = add(load(scratch, at + width * U3, like), load(scratch, to + width * U3, like), carry)
    store(scratch, to + width * U3, bit)
    for here in range(width * U4, width * bits, width):
        old = load(scratch, at + here, like)
        store(scratch, to + here, differing(old, carry))
        carry = both(old, carry)
    if is_empty(carry):
        return bits
    store(scratch, to + width * bits, carry)
    return bits + U1


@inlined
def _count(
    values: WordArray,
    candidates: Candidates,
    span: tuple[np.uint64, np.uint64],
    scratch: WordArray,
    layout: tuple[np.uint64, np.uint64],
    like: Words,
) -> tuple[np.uint64, np.uint64]:
    """Count the legal candidates of all groups.

    The sliced counts of everything before a group and with it are written into `scratch`, one after the other, but for
    groups where nothing is legal. So is the kind of each group: the bits of its own count, and eight times those of the
    count with it.

    Returns:
        Where the count of all candidates is, and how many bits it has.
    """
    width = np.uint64(len(like))
    number, last = span
    stride, kinds = layout
    store(scratch, U0, spread(U0, like))
    store(scratch, width, spread(U0, like))
    store(scratch, width * U2, spread(U0, like))
    store(scratch, width * U3, spread(U0, like))
    at = U0
    bits = U0
    while number < last:
        to = at + stride
        kind = count_group(values, candidates, number, scratch, to, like)
        number += UGROUP
        if kind > U0:
            bits = add_count(scratch, at, to, max(bits, U4), like) if at > U0 else kind
            at = to
        scratch[kinds] = kind + U8 * max(bits, U4)
        kinds += U1
    while bits > U0 and is_empty(load(scratch, at + (bits - U1) * width, like)):
        bits -= U1
    return at, bits


@inlined
def _choose_in_groups(
    values: WordArray,
    candidates: Candidates,
    span: tuple[np.uint64, np.uint64],
    scratch: WordArray,
    layout: tuple[np.uint64, np.uint64, np.uint64, np.uint64],
    like: Words,
) -> None:
    """Choose the candidates by the ranks, in all groups."""
    width = np.uint64(len(like))
    number, last = span
    stride, kinds, rank, bits = layout
    left = rank + stride
    done = left + width * U4
    store(scratch, done, spread(U0, like))
    at = U0
    while number < last:
        stop = min(number + UGROUP, last)
        kind = scratch[kinds] & U7
        if kind > U0:
            to = at + stride
            less = spread(U0, like)
            counted = min(scratch[kinds] // U8, bits)
            for bit in range(counted):
                total = load(scratch, to + bit * width, like)
                less = select(differing(load(scratch, rank + bit * width, like), total), total, less)
            for bit in range(counted, bits):
                less = without(less, load(scratch, rank + bit * width, like))
            here = without(less, load(scratch, done, like))
            store(scratch, done, less)
            if is_empty(here):
                kind = U0
            else:
                rank_in_group(scratch, (at, rank, left), here)
            at = to
        if kind > U0:
            choose_ranked(values, candidates, (number, stop), kind, (scratch, left, False), like)
        else:
            clear_lanes(values, candidates, (number, stop), like)
        number = stop
        kinds += U1


@inlined
def rank_in_group(scratch: WordArray, place: tuple[np.uint64, np.uint64, np.uint64], here: Words) -> None:
    """Write the ranks in a group, all ones in all lanes but `here`.

    The places are those of the count before the group, of the ranks, and of what is written.
    """
    width = np.uint64(len(here))
    before, rank, left = place
    elsewhere = inverse(here)
    count = load(scratch, before, here)
    bit = load(scratch, rank, here)
    store(scratch, left, either(elsewhere, differing(bit, count)))
    borrow = without(count, bit)
    count = load(scratch, before + width, here)
    bit = differing(load(scratch, rank + width, here), count)
    store(scratch, left + width, either(elsewhere, differing(bit, borrow)))
    borrow = select(bit, count, borrow)
    count = load(scratch, before + width * U2, here)
    bit = differing(load(scratch, rank + width * U2, here), count)
    store(scratch, left + width * U2, either(elsewhere, differing(bit, borrow)))
    borrow = select(bit, count, borrow)
    bit = differing(load(scratch, rank + width * U3, here), load(scratch, before + width * U3, here))
    store(scratch, left + width * U3, either(elsewhere, differing(bit, borrow)))


@inlined
def choose_ranked(
    values: WordArray,
    candidates: Candidates,
    span: tuple[np.uint64, np.uint64],
    bits: np.uint64,
    rank: tuple[WordArray, np.uint64, bool],
    like: Words,
) -> None:
    """Choose the candidate that makes the complement of the rank overflow, when each legal one adds one to it."""
    width = np.uint64(len(like))
    number, last = span
    scratch, at, adding = rank
    if bits == U2:
        r0 = inverse(load(scratch, at, like))
        r1 = inverse(load(scratch, at + width, like))
        while number < last:
            legal = legal_lanes(values, candidates, number, like)
            c1 = both(legal, r0)
            r0 = differing(r0, legal)
            write_lanes(values, candidates, number, both(c1, r1), adding)
            r1 = differing(r1, c1)
            number += U1
    elif bits == U3:
        r0 = inverse(load(scratch, at, like))
        r1 = inverse(load(scratch, at + width, like))
        r2 = inverse(load(scratch, at + width * U2, like))
        while number < last:
            legal = legal_lanes(values, candidates, number, like)
            c1 = both(legal, r0)
            r0 = differing(r0, legal)
            c2 = both(c1, r1)
            r1 = differing(r1, c1)
            write_lanes(values, candidates, number, both(c2, r2), adding)
            r2 = differing(r2, c2)
            number += U1
    else:
        r0 = inverse(load(scratch, at, like))
        r1 = inverse(load(scratch, at + width, like))
        r2 = inverse(load(scratch, at + width * U2, like))
        r3 = inverse(load(scratch, at + width * U3, like))
        while number < last:
            legal = legal_lanes(values, candidates, number, like)
            c1 = both(legal, r0)
            r0 = differing(r0, legal)
            c2 = both(c1, r1)
            r1 = differing(r1, c1)
            c3 = both(c2, r2)
            r2 = differing(r2, c2)
            write_lanes(values, candidates, number, both(c3, r3), adding)
            r3 = differing(r3, c3)
            number += U1

"""Random words and numbers: something random for every lane at once.

Every column of words has its own generator xoshiro256+ (Blackman and Vigna, "Scrambled linear pseudorandom number
generators", ACM Transactions on Mathematical Software 47, 2021), and a lane takes the same bit of each number that its
column draws. So 64 * W lanes get one random bit each for nine vector instructions.

The state is an array of 4 * W numbers. A kernel that draws many words takes it out of the array with `begin`, calls
`output` and `advance` for each word, and puts it back with `end`; in between it stays in registers.

A number for each lane is *sliced*: an array holds the words of bit 0 of all lanes, then those of bit 1, and so on.

>>> from woodstock.circuit.randomness import seed_state
>>> seed_state(seed=1, stream=0, width=8).shape
(32,)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from woodstock.circuit.words import (
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
    load,
    spread,
    store,
)
from woodstock.common.jit import overload, register_jitable

Generator: TypeAlias = tuple[Words, Words, Words, Words]
"""The state of all columns, while words are drawn."""

STATE_WORDS: Final = 4
"""Numbers of the state of one column."""
BIAS_BITS: Final = 10
"""A number is drawn with a probability that is wrong by a factor of at most 1 ± 2 ** -BIAS_BITS."""

U8: Final = np.uint64(8)
SHIFT: Final = np.uint64(17)
ROTATION: Final = np.uint64(45)
UNROTATED: Final = np.uint64(19)

F = TypeVar("F", bound=Callable[..., Any])


def inlined(function: F) -> F:
    """Make a function part of every kernel that calls it.

    Words are handed over in registers then. Such a function does not count references either: arrays belong to the
    caller of the kernel, and the counting would cost more than the choice of a move.
    """
    decorate = register_jitable(forceinline=True, error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
    return decorate(function)


def seed_state(seed: int, stream: int, width: int) -> WordArray:
    """Return a new state, shape (4 * width,), uint64.

    Args:
        seed: What the user chose; at least 0.
        stream: Different streams of one seed are independent: one for each thread or batch of lanes; at least 0.
        width: The number of words W.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(stream,))
    state = sequence.generate_state(STATE_WORDS * width, np.uint64).astype(np.uint64)
    state[:width] |= U1  # a column of zeros would stay so
    return state


@inlined
def begin(state: WordArray, like: Words) -> Generator:
    """Take the state out of its array."""
    width = np.uint64(len(like))
    return (
        load(state, U0, like),
        load(state, width, like),
        load(state, width * U2, like),
        load(state, width * U3, like),
    )


@inlined
def end(state: WordArray, generator: Generator) -> None:
    """Put the state back into its array."""
    width = np.uint64(len(generator[0]))
    store(state, U0, generator[0])
    store(state, width, generator[1])
    store(state, width * U2, generator[2])
    store(state, width * U3, generator[3])


def output(generator: Generator) -> Words:
    """Return the random words that a state stands for: one random bit for each lane."""
    # Sums of Python's numbers, because NumPy's warn when they overflow.
    return tuple(
        np.uint64((int(first) + int(fourth)) & 0xFFFFFFFFFFFFFFFF)
        for first, fourth in zip(generator[0], generator[3], strict=True)
    )


def advance(generator: Generator) -> Generator:
    """Return the state that follows."""
    columns = [_advance_column(*column) for column in zip(*generator, strict=True)]
    first, second, third, fourth = zip(*columns, strict=True)
    return first, second, third, fourth


@inlined
def _advance_column(
    first: np.uint64, second: np.uint64, third: np.uint64, fourth: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the state of one column that follows."""
    mixed = second ^ fourth
    return (
        first ^ mixed,
        first ^ second ^ third,
        first ^ third ^ (second << SHIFT),
        (mixed << ROTATION) | (mixed >> UNROTATED),
    )


# The compiled forms, written out for every width like those of the words.


def _output_one(generator: Any) -> Any:
    return (generator[0][0] + generator[3][0],)


def _output_eight(generator: Any) -> Any:
    first, fourth = generator[0], generator[3]
    return (
        first[0] + fourth[0],
        first[1] + fourth[1],
        first[2] + fourth[2],
        first[3] + fourth[3],
        first[4] + fourth[4],
        first[5] + fourth[5],
        first[6] + fourth[6],
        first[7] + fourth[7],
    )


def _advance_one(generator: Any) -> Any:
    first, second, third, fourth = generator
    a = _advance_column(first[0], second[0], third[0], fourth[0])
    return ((a[0],), (a[1],), (a[2],), (a[3],))


def _advance_eight(generator: Any) -> Any:
    first, second, third, fourth = generator
    a = _advance_column(first[0], second[0], third[0], fourth[0])
    b = _advance_column(first[1], second[1], third[1], fourth[1])
    c = _advance_column(first[2], second[2], third[2], fourth[2])
    d = _advance_column(first[3], second[3], third[3], fourth[3])
    e = _advance_column(first[4], second[4], third[4], fourth[4])
    f = _advance_column(first[5], second[5], third[5], fourth[5])
    g = _advance_column(first[6], second[6], third[6], fourth[6])
    h = _advance_column(first[7], second[7], third[7], fourth[7])
    return (
        (a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]),
        (a[1], b[1], c[1], d[1], e[1], f[1], g[1], h[1]),
        (a[2], b[2], c[2], d[2], e[2], f[2], g[2], h[2]),
        (a[3], b[3], c[3], d[3], e[3], f[3], g[3], h[3]),
    )


def _compile_as(function: Callable[..., Any], one: Callable[..., Any], eight: Callable[..., Any]) -> None:
    """Register the compiled forms of a function of a generator."""

    def choose(generator: Any) -> Any:
        return one if len(generator[0]) == 1 else eight

    overload(function)(choose)


_compile_as(output, _output_one, _output_eight)
_compile_as(advance, _advance_one, _advance_eight)


# Numbers below a bound that differs from lane to lane: the integer part of the bound times a random number U below 1.


@cache
def num_draws(largest: int) -> int:
    """Return how many random bits U needs, so that for bounds to `largest` no number is drawn too often or too rarely.

    With n bits, a number below the bound b stands for the quotient of 2 ** n by b, rounded down or up.
    """
    if largest > 256:
        return (largest - 1).bit_length() + BIAS_BITS
    draws = 0
    while any(_is_biased(bound, draws) for bound in range(1, largest + 1)):
        draws += 1
    return draws


def _is_biased(bound: int, draws: int) -> bool:
    """Tell whether a number below a bound is drawn more or less often than `BIAS_BITS` allows."""
    numbers = 1 << draws
    rest = numbers % bound
    return rest != 0 and max(rest, bound - rest) << BIAS_BITS > numbers


@inlined
def select(where: Words, these: Words, others: Words) -> Words:
    """Return the lanes of the one where `where` is, and those of the other elsewhere."""
    # Written with exclusive ors because the vectoriser, which guesses which operands of a commutative operation belong
    # together, loses its way in conjunctions of conjunctions.
    return differing(others, both(where, differing(these, others)))


@inlined
def _add_and_halve(total: Words, drawn: Words, bound: Words, carry: Words) -> tuple[Words, Words]:
    """Add one bit of the bound where a bit was drawn; return the sum and the carry."""
    partial = differing(total, both(drawn, bound))
    return differing(partial, carry), select(partial, carry, total)


@inlined
def draw_below(
    scratch: WordArray,
    place: tuple[np.uint64, np.uint64],
    bits: np.uint64,
    draws: np.uint64,
    state: WordArray,
    like: Words,
) -> None:
    """Draw a number below a bound in every lane, all with the same probability.

    Args:
        scratch: Where the bounds are, and the numbers are written.
        place: Where the sliced bounds begin in it, and the sliced numbers. There must be room for eight bits of
            both.
        bits: How many bits the bounds have; at least 1.
        draws: How many random bits to take for each lane (`num_draws`).
        state: State of the random words.
        like: Words of the width.
    """
    width = np.uint64(len(like))
    for bit in range(bits, U8):
        store(scratch, place[0] + bit * width, spread(U0, like))
    if bits <= U4:
        _draw_below_16(scratch, place, draws, state, like)
    elif bits <= U8:
        _draw_below_256(scratch, place, draws, state, like)
    else:
        _draw_below_any(scratch, place, bits, draws, state, like)


@inlined
def _draw_below_16(
    scratch: WordArray, place: tuple[np.uint64, np.uint64], draws: np.uint64, state: WordArray, like: Words
) -> None:
    """Draw numbers below bounds of four bits, in registers."""
    width = np.uint64(len(like))
    at, to = place
    b0 = load(scratch, at, like)
    b1 = load(scratch, at + width, like)
    b2 = load(scratch, at + width * U2, like)
    b3 = load(scratch, at + width * U3, like)
    t0 = spread(U0, like)
    t1 = spread(U0, like)
    t2 = spread(U0, like)
    t3 = spread(U0, like)
    generator = begin(state, like)
    for _ in range(draws):
        drawn = output(generator)
        generator = advance(generator)
        carry = both(t0, both(drawn, b0))
        t0, carry = _add_and_halve(t1, drawn, b1, carry)
        t1, carry = _add_and_halve(t2, drawn, b2, carry)
        t2, t3 = _add_and_halve(t3, drawn, b3, carry)
    end(state, generator)
    store(scratch, to, t0)
    store(scratch, to + width, t1)
    store(scratch, to + width * U2, t2)
    store(scratch, to + width * U3, t3)


@inlined
def _draw_below_256(
    scratch: WordArray, place: tuple[np.uint64, np.uint64], draws: np.uint64, state: WordArray, like: Words
) -> None:
    """Draw numbers below bounds of eight bits, in registers."""
    width = np.uint64(len(like))
    at, to = place
    b0 = load(scratch, at, like)
    b1 = load(scratch, at + width, like)
    b2 = load(scratch, at + width * U2, like)
    b3 = load(scratch, at + width * U3, like)
    b4 = load(scratch, at + width * U4, like)
    b5 = load(scratch, at + width * U5, like)
    b6 = load(scratch, at + width * U6, like)
    b7 = load(scratch, at + width * U7, like)
    t0 = spread(U0, like)
    t1 = spread(U0, like)
    t2 = spread(U0, like)
    t3 = spread(U0, like)
    t4 = spread(U0, like)
    t5 = spread(U0, like)
    t6 = spread(U0, like)
    t7 = spread(U0, like)
    generator = begin(state, like)
    for _ in range(draws):
        drawn = output(generator)
        generator = advance(generator)
        carry = both(t0, both(drawn, b0))
        t0, carry = _add_and_halve(t1, drawn, b1, carry)
        t1, carry = _add_and_halve(t2, drawn, b2, carry)
        t2, carry = _add_and_halve(t3, drawn, b3, carry)
        t3, carry = _add_and_halve(t4, drawn, b4, carry)
        t4, carry = _add_and_halve(t5, drawn, b5, carry)
        t5, carry = _add_and_halve(t6, drawn, b6, carry)
        t6, t7 = _add_and_halve(t7, drawn, b7, carry)
    end(state, generator)
    store(scratch, to, t0)
    store(scratch, to + width, t1)
    store(scratch, to + width * U2, t2)
    store(scratch, to + width * U3, t3)
    store(scratch, to + width * U4, t4)
    store(scratch, to + width * U5, t5)
    store(scratch, to + width * U6, t6)
    store(scratch, to + width * U7, t7)


@inlined
def _draw_below_any(
    scratch: WordArray,
    place: tuple[np.uint64, np.uint64],
    bits: np.uint64,
    draws: np.uint64,
    state: WordArray,
    like: Words,
) -> None:
    """Draw numbers below bounds of any number of bits, in memory."""
    width = np.uint64(len(like))
    at, to = place
    for bit in range(bits):
        store(scratch, to + bit * width, spread(U0, like))
    generator = begin(state, like)
    for _ in range(draws):
        drawn = output(generator)
        generator = advance(generator)
        carry = both(load(scratch, to, like), both(drawn, load(scratch, at, like)))
        for bit in range(U1, bits):
            here = bit * width
            total, carry = _add_and_halve(load(scratch, to + here, like), drawn, load(scratch, at + here, like), carry)
            store(scratch, to + here - width, total)
        store(scratch, to + (bits - U1) * width, carry)
    end(state, generator)

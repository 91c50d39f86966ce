"""Words of lanes: W neighbouring 64-bit numbers of an array, as one value.

A node of a circuit holds one bit for each of 64 * W positions. Kernels handle these words as tuples of W numbers, which
the compiler keeps in vector registers (one AVX-512 register holds eight words). The *width* W is a property of the
type: kernels take the tuple `zero(width)` as an argument and are compiled once for each width that is used.

>>> from woodstock.circuit.words import WIDTHS, zero
>>> len(zero(8)), WIDTHS
(8, (1, 8))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import jit, overload

Words: TypeAlias = tuple[np.uint64, ...]
"""One bit for each lane."""
WordArray: TypeAlias = npt.NDArray[np.uint64]

WIDTHS: Final = (1, 8)
"""The widths that kernels can be compiled for."""

U0: Final = np.uint64(0)
U1: Final = np.uint64(1)
U2: Final = np.uint64(2)
U3: Final = np.uint64(3)
U4: Final = np.uint64(4)
U5: Final = np.uint64(5)
U6: Final = np.uint64(6)
U7: Final = np.uint64(7)
ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)


def zero(width: int) -> Words:
    """Return no lanes at all, as words of a width: it tells a kernel which width to work with."""
    return (U0,) * width


def aligned(size: int) -> WordArray:
    """Return zeros that begin at a cache line: a vector that lies across two lines takes twice as long."""
    space = np.zeros(size + 8, np.uint64)
    skip = -space.ctypes.data % 64 // 8
    return space[skip : skip + size]


def load(array: WordArray, at: np.uint64, like: Words) -> Words:
    """Return the words that begin at a place of an array, as many as `like` has."""
    return tuple(array[at + np.uint64(number)] for number in range(len(like)))


def store(array: WordArray, at: np.uint64, words: Words) -> None:
    """Write words into an array."""
    for number, word in enumerate(words):
        array[at + np.uint64(number)] = word


def spread(word: np.uint64, like: Words) -> Words:
    """Return one word repeated, as many times as `like` has words."""
    return (word,) * len(like)


def both(left: Words, right: Words) -> Words:
    """Return the lanes that are in both."""
    return tuple(a & b for a, b in zip(left, right, strict=True))


def either(left: Words, right: Words) -> Words:
    """Return the lanes that are in one or in both."""
    return tuple(a | b for a, b in zip(left, right, strict=True))


def without(left: Words, right: Words) -> Words:
    """Return the lanes that are in the first and not in the second."""
    return tuple(a & ~b for a, b in zip(left, right, strict=True))


def differing(left: Words, right: Words) -> Words:
    """Return the lanes that are in one, and not in both."""
    return tuple(a ^ b for a, b in zip(left, right, strict=True))


def inverse(words: Words) -> Words:
    """Return the lanes that are not in it."""
    return tuple(~a for a in words)


def is_empty(words: Words) -> bool:
    """Tell whether there is no lane in it."""
    return not any(words)


# The compiled forms. Each operation is written out for every width: the compiler turns neighbouring operations into one
# vector instruction.

Implementation: TypeAlias = Callable[..., Any]


def _compile_as(function: Implementation, one: Implementation, eight: Implementation) -> None:
    """Register the compiled forms of a function; the width of its last argument that is a tuple chooses."""

    def choose(*types: Any) -> Implementation:
        width = next((len(argument) for argument in reversed(types) if hasattr(argument, "types")), 1)
        return one if width == 1 else eight

    choose.__signature__ = inspect.signature(one)  # type: ignore[attr-defined]
    overload(function)(choose)


def _store_one(array: Any, at: Any, words: Any) -> None:
    array[at] = words[0]


def _store_eight(array: Any, at: Any, words: Any) -> None:
    array[at] = words[0]
    array[at + U1] = words[1]
    array[at + U2] = words[2]
    array[at + U3] = words[3]
    array[at + U4] = words[4]
    array[at + U5] = words[5]
    array[at + U6] = words[6]
    array[at + U7] = words[7]


_compile_as(store, _store_one, _store_eight)
_compile_as(
    load,
    lambda array, at, like: (array[at],),  # noqa: ARG005
    lambda array, at, like: (  # noqa: ARG005
        array[at],
        array[at + U1],
        array[at + U2],
        array[at + U3],
        array[at + U4],
        array[at + U5],
        array[at + U6],
        array[at + U7],
    ),
)
_compile_as(
    spread,
    lambda word, like: (word,),  # noqa: ARG005
    lambda word, like: (word, word, word, word, word, word, word, word),  # noqa: ARG005
)
_compile_as(
    both,
    lambda left, right: (left[0] & right[0],),
    lambda left, right: (
        left[0] & right[0],
        left[1] & right[1],
        left[2] & right[2],
        left[3] & right[3],
        left[4] & right[4],
        left[5] & right[5],
        left[6] & right[6],
        left[7] & right[7],
    ),
)
_compile_as(
    either,
    lambda left, right: (left[0] | right[0],),
    lambda left, right: (
        left[0] | right[0],
        left[1] | right[1],
        left[2] | right[2],
        left[3] | right[3],
        left[4] | right[4],
        left[5] | right[5],
        left[6] | right[6],
        left[7] | right[7],
    ),
)
_compile_as(
    without,
    lambda left, right: (left[0] & ~right[0],),
    lambda left, right: (
        left[0] & ~right[0],
        left[1] & ~right[1],
        left[2] & ~right[2],
        left[3] & ~right[3],
        left[4] & ~right[4],
        left[5] & ~right[5],
        left[6] & ~right[6],
        left[7] & ~right[7],
    ),
)
_compile_as(
    differing,
    lambda left, right: (left[0] ^ right[0],),
    lambda left, right: (
        left[0] ^ right[0],
        left[1] ^ right[1],
        left[2] ^ right[2],
        left[3] ^ right[3],
        left[4] ^ right[4],
        left[5] ^ right[5],
        left[6] ^ right[6],
        left[7] ^ right[7],
    ),
)
_compile_as(
    inverse,
    lambda words: (~words[0],),
    lambda words: (~words[0], ~words[1], ~words[2], ~words[3], ~words[4], ~words[5], ~words[6], ~words[7]),
)
_compile_as(
    is_empty,
    lambda words: words[0] == U0,
    lambda words: (words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]) == U0,
)


_ODD_BITS: Final = np.uint64(0x5555555555555555)
_PAIRS: Final = np.uint64(0x3333333333333333)
_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_ONES: Final = np.uint64(0x0101010101010101)
_TOP_BYTE: Final = np.uint64(56)


def count_bits(word: np.uint64) -> np.uint64:
    """Return how many bits of a word are set."""
    return np.uint64(int(word).bit_count())


def _count_bits(word: Any) -> Any:
    # The compiler recognises this form and makes one instruction of it.
    word = word - ((word >> U1) & _ODD_BITS)
    word = (word & _PAIRS) + ((word >> U2) & _PAIRS)
    word = (word + (word >> U4)) & _NIBBLES
    return (word * _ONES) >> _TOP_BYTE


_compile_as(count_bits, _count_bits, _count_bits)


def count_lanes(words: Words) -> int:
    """Return the number of lanes."""
    return sum(int(word).bit_count() for word in words)


_compile_as(
    count_lanes,
    lambda words: np.int64(count_bits(words[0])),
    lambda words: np.int64(
        (count_bits(words[0]) + count_bits(words[1]) + count_bits(words[2]) + count_bits(words[3]))
        + (count_bits(words[4]) + count_bits(words[5]) + count_bits(words[6]) + count_bits(words[7]))
    ),
)


@jit
def lowest_bit(word: np.uint64) -> np.uint64:
    """Return the number of the lowest bit that is set in a word that is not zero."""
    return count_bits((word & (~word + U1)) - U1)

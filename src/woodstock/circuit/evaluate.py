"""Evaluation: the gates of a schedule, for all lanes of a values array at once.

The *values* of a pass are one array of words: slot s holds the lanes of a node at `s * width`. Slot 0 is all ones, the
fluents and moves are written by the caller, the gates by `evaluate`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.forms import CHAIN, FACTOR, TRIPLE
from woodstock.circuit.schedule import Schedule
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
    aligned,
    both,
    differing,
    either,
    inverse,
    is_empty,
    load,
    spread,
    store,
)
from woodstock.common.jit import jit

UInt32Array = npt.NDArray[np.uint32]
U9: Final = np.uint64(9)


class Tables(NamedTuple):
    """A schedule as the kernel wants it.

    Attributes:
        program: The program of the schedule, with places in the values array instead of slots, uint32.
    """

    program: UInt32Array


def tables(schedule: Schedule, width: int) -> Tables:
    """Return a schedule as the kernel wants it, for words of a width."""
    return Tables(schedule.program * np.where(schedule.is_slot, np.uint32(width), np.uint32(1)))


def new_values(num_slots: int, width: int) -> WordArray:
    """Return values, slot 0 all ones and all others zero, aligned for vectors, shape (num_slots * width,), uint64."""
    values = aligned(num_slots * width)
    values[:width] = ALL
    return values


@jit
def evaluate(tables: Tables, first: int, end: int, values: WordArray, like: Words) -> int:  # noqa: C901 (see below)
    """Evaluate the gates of the segments `first` to `end - 1`.

    It is one kernel, because a call from one to another takes as long as ten gates.

    Returns:
        The number of rounds that loops took; 0 if there are none.
    """
    program = tables.program
    rounds = 0
    for number in range(first, end):
        segment_end = np.uint64(program[np.uint64(number) + U1])
        feedback = np.uint64(program[np.uint64(number)]) + U1
        runs = feedback + np.uint64(program[feedback - U1])
        at = feedback
        while at < runs:
            words = spread(U0 if program[at + U2] == 0 else ALL, like)
            store(values, np.uint64(program[at]), words)
            store(values, np.uint64(program[at + U1]), words)
            at += U3
        changing = True
        while changing:
            while at < segment_end:
                form = program[at]
                bits = np.uint64(program[at + U1])
                at += U3
                stop = at + np.uint64(program[at - U1])
                if form == FACTOR:
                    while at < stop:
                        store(values, np.uint64(program[at]), _factor(program, at + U1, values, bits, like))
                        at += U3
                elif form == FACTOR + 1:
                    while at < stop:
                        store(values, np.uint64(program[at]), _factors(program, at + U1, values, bits, like))
                        at += U5
                elif form == FACTOR + 2:
                    while at < stop:
                        words = _factor(program, at + U5, values, bits >> U6, like)
                        words = both(words, _factors(program, at + U1, values, bits, like))
                        store(values, np.uint64(program[at]), words)
                        at += U7
                elif form == FACTOR + 3:
                    while at < stop:
                        words = _factors(program, at + U5, values, bits >> U6, like)
                        words = both(words, _factors(program, at + U1, values, bits, like))
                        store(values, np.uint64(program[at]), words)
                        at += U9
                elif form == TRIPLE:
                    while at < stop:
                        words = _factor(program, at + U1, values, bits, like)
                        words = both(words, _literal(values, program[at + U3], bits >> U3, like))
                        store(values, np.uint64(program[at]), words)
                        at += U4
                elif form == CHAIN:
                    while at < stop:
                        words = _factor(program, at + U1, values, bits, like)
                        words = both(words, _literal(values, program[at + U3], bits >> U3, like))
                        words = differing(words, _mask(bits >> U4, like))
                        words = both(words, _literal(values, program[at + U4], bits >> U5, like))
                        store(values, np.uint64(program[at]), words)
                        at += U5
                else:
                    gates = at + bits
                    blocks = at
                    at = gates
                    while at < stop:
                        out = np.uint64(program[at])
                        at += U1
                        words = spread(U0, like)
                        block = blocks
                        while block < gates:
                            size = program[block]
                            bits = np.uint64(program[block + U1])
                            block_end = at + np.uint64(program[block + U2])
                            block += U3
                            if size == 1:
                                while at < block_end:
                                    words = either(words, _literal(values, program[at], bits, like))
                                    at += U1
                            elif size == 2:
                                while at < block_end:
                                    words = either(words, _factor(program, at, values, bits, like))
                                    at += U2
                            else:
                                while at < block_end:
                                    product = _factor(program, at, values, bits, like)
                                    product = both(product, _literal(values, program[at + U2], bits >> U3, like))
                                    words = either(words, product)
                                    at += U3
                        store(values, out, inverse(words))
            changing = False
            if feedback < runs:
                changes = spread(U0, like)
                at = feedback
                while at < runs:
                    words = load(values, np.uint64(program[at]), like)
                    copy = np.uint64(program[at + U1])
                    changes = either(changes, differing(words, load(values, copy, like)))
                    store(values, copy, words)
                    at += U3
                changing = not is_empty(changes)
                rounds += 1
    return rounds


@jit
def _mask(bits: np.uint64, like: Words) -> Words:
    """Return all lanes if the lowest bit is set, else none."""
    return spread(ALL * (bits & U1), like)


@jit
def _literal(values: WordArray, place: np.uint32, bits: np.uint64, like: Words) -> Words:
    """Return the lanes in which a literal holds."""
    return differing(load(values, np.uint64(place), like), _mask(bits, like))


@jit
def _factor(program: UInt32Array, at: np.uint64, values: WordArray, bits: np.uint64, like: Words) -> Words:
    """Return the lanes in which a factor holds; its masks are the lowest bits."""
    left = _literal(values, program[at], bits, like)
    right = _literal(values, program[at + U1], bits >> U1, like)
    return differing(both(left, right), _mask(bits >> U2, like))


@jit
def _factors(program: UInt32Array, at: np.uint64, values: WordArray, bits: np.uint64, like: Words) -> Words:
    """Return the lanes in which two factors hold."""
    return both(_factor(program, at, values, bits, like), _factor(program, at + U2, values, bits >> U3, like))

"""The choice of moves lane by lane, with the same random words as the kernels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

MASK = 2**64 - 1
BIAS = Fraction(1, 2**10)


class NaiveGenerator:
    """One generator xoshiro256+ for each column, as its authors wrote it."""

    def __init__(self, state: np.ndarray) -> None:
        width = len(state) // 4
        self.columns = [[int(state[part * width + column]) for part in range(4)] for column in range(width)]

    def draw(self) -> list[int]:
        """The next random bit of each lane."""
        words = [self._next(column) for column in self.columns]
        return [word >> bit & 1 for word in words for bit in range(64)]

    @staticmethod
    def _next(s: list[int]) -> int:
        result = (s[0] + s[3]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = ((s[3] << 45) | (s[3] >> 19)) & MASK
        return result

    def state(self) -> np.ndarray:
        return np.array([column[part] for part in range(4) for column in self.columns], np.uint64)


def draw_below(bounds: list[int], draws: int, generator: NaiveGenerator) -> list[int]:
    """A number below its bound for each lane; the first bit that is drawn is the last one of the random number."""
    random = [0] * len(bounds)
    for place in range(draws):
        for lane, bit in enumerate(generator.draw()):
            random[lane] |= bit << place
    return [bound * number >> draws for bound, number in zip(bounds, random, strict=True)]


def largest_bias(bound: int, draws: int) -> Fraction:
    """By which part the probability of a number below a bound is wrong, at most."""
    numbers = 2**draws
    frequencies = {numbers // bound, -(-numbers // bound)}
    return max(abs(Fraction(frequency * bound, numbers) - 1) for frequency in frequencies)


def enough_draws(largest: int) -> int:
    """The number of random bits that is enough for all bounds to the largest."""
    draws = 0
    while any(largest_bias(bound, draws) > BIAS for bound in range(1, largest + 1)):
        draws += 1
    return draws


def choose(legal: np.ndarray, generator: NaiveGenerator) -> list[int]:
    """The candidate of each lane, or -1 where nothing is legal; shape of `legal` (candidates, lanes), bool."""
    counts = [int(count) for count in legal.sum(axis=0)]
    most = max(counts)
    draws = 0
    if most == 2:
        draws = 1
    elif most > 2:
        # The kernel knows how many bits the largest count has, and not the count.
        draws = enough_draws(min(len(legal), 2 ** most.bit_length() - 1))
    ranks = draw_below(counts, draws, generator)
    return [int(np.flatnonzero(legal[:, lane])[rank]) if counts[lane] else -1 for lane, rank in enumerate(ranks)]


def choose_weighted(legal: np.ndarray, weights: list[int], generator: NaiveGenerator) -> list[int]:
    """The same, in proportion to weights: a candidate has a number for each unit of its weight."""
    numbers = [
        [
            candidate
            for power in (128, 64, 32, 16, 8, 4, 2, 1)
            for candidate in np.flatnonzero(legal[:, lane]).tolist()
            if weights[candidate] & power
            for _ in range(power)
        ]
        for lane in range(legal.shape[1])
    ]
    if len(weights) == 1:
        return [own[0] if own else -1 for own in numbers]
    sums = [len(own) for own in numbers]
    draws = max(sums).bit_length() + 10 if max(sums) else 0
    ranks = draw_below(sums, draws, generator)
    return [own[rank] if own else -1 for own, rank in zip(numbers, ranks, strict=True)]

"""What results of plays say: shares with their intervals, and whether two players differ.

>>> [round(end, 3) for end in wilson(8, 10)]
[0.49, 0.943]
>>> test = paired_t_test([1, 1, 0, 1, 1, 1], [0, 1, 0, 0, 1, 0])
>>> round(test.t, 3), round(test.p, 3), test.freedom
(2.236, 0.076, 5)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from woodstock.common.errors import UsageError

Z_95: Final = 1.959963984540054
LEVEL: Final = 0.05
"""What a p-value has to be below for a difference to be called significant, as in the paper."""


class Test(NamedTuple):
    """A paired t-test of two players on the same networks.

    Attributes:
        difference: Mean of the differences, first minus second.
        t: The statistic; infinite if all differences are the same, and not 0.
        freedom: Degrees of freedom.
        p: Two-sided.
    """

    difference: float
    t: float
    freedom: int
    p: float

    @property
    def is_significant(self) -> bool:
        return self.p < LEVEL


def wilson(wins: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    if not 0 <= wins <= count or count == 0:
        raise UsageError(f"expected at least one result, found {wins} wins of {count}")
    share, squared = wins / count, Z_95**2
    half = Z_95 * math.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    middle = share + squared / (2 * count)
    shrink = 1 + squared / count
    low = 0.0 if wins == 0 else (middle - half) / shrink
    high = 1.0 if wins == count else (middle + half) / shrink
    return low, high


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> Test:
    """Return whether two players differ, from their results on the same networks.

    Raises:
        UsageError: There are fewer than two pairs.
    """
    if len(first) != len(second) or len(first) < 2:
        raise UsageError(f"expected at least two pairs of results, found {len(first)} and {len(second)} results")
    count = len(first)
    differences = [one - other for one, other in zip(first, second, strict=True)]
    mean = math.fsum(differences) / count
    variance = math.fsum((difference - mean) ** 2 for difference in differences) / (count - 1)
    if variance == 0:
        return Test(mean, 0.0 if mean == 0 else math.copysign(math.inf, mean), count - 1, 1.0 if mean == 0 else 0.0)
    t = mean / math.sqrt(variance / count)
    return Test(mean, t, count - 1, student_tail(t, count - 1))


def student_tail(t: float, freedom: int) -> float:
    """Return the probability that a t-distributed number is as far from 0 as `t`, on either side.

    >>> round(student_tail(2.228, 10), 4)
    0.05
    """
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (Abramowitz & Stegun 26.5.8).

    >>> round(incomplete_beta(2, 3, 0.5), 6)
    0.6875
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) / (a * _fraction(a, b, x))


def _fraction(a: float, b: float, x: float) -> float:
    """Return 1 + d1 / (1 + d2 / (1 + …)), by Lentz's method (Thompson & Barnett 1986)."""
    tiny = 1e-300
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, 1000):
        half = step // 2
        if step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        lower = 1 / (1 + term * lower or tiny)
        upper = 1 + term / upper or tiny
        value *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            break
    return value

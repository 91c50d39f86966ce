"""What a number of matches says: means, their intervals, their standard deviation.

A result is a number from 0 to 100: the score of a match (100 a win, 50 a draw, 0 a loss), or a goal. A `Summary` of `n`
results with mean `m` and `p = m / 100` has

- **interval**: the 95 % interval of E. B. Wilson (1927) for the mean. With `z = 1.96` it is
  `(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)`. It is made for wins and losses. A draw counts as half a win and
  half a loss, and a goal as that share of a full one: no results between 0 and 100 with the same mean vary more than
  those that are all or nothing, so the interval is then wider than it need be, never narrower.
- **deviation**: the standard deviation of the mean, `s / √n`, where `s² = Σ (x - m)² / n`. Where there are only wins
  and losses that is `√(p(1-p)/n)`, the standard deviation of a percentage of wins, as the papers print it: none at
  all after 300 wins in 300 matches.
- **spread**: `s`, the standard deviation of a single result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from woodstock.common.errors import UsageError

Z_95: Final = 1.959963984540054
"""Of a normal distribution 95 % lie within so many standard deviations."""

FULL: Final = 100.0
"""The best result: a win, a full goal."""


class Interval(NamedTuple):
    """What a mean lies between, with 95 % confidence."""

    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half its width; the mean is not in the middle of it, but drawn towards 50."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Summary:
    """What some results say; see the module. Without results there is nothing but their number.

    Attributes:
        count: How many there are.
        mean: Their mean, 0 to 100.
        spread: The standard deviation of one of them.
    """

    count: int
    mean: float | None
    spread: float | None

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the mean."""
        return None if self.spread is None else self.spread / math.sqrt(self.count)

    @property
    def interval(self) -> Interval | None:
        """The Wilson interval of the mean."""
        return None if self.mean is None else wilson_interval(self.mean, self.count)

    def to_json(self) -> dict[str, object]:
        """Return plain JSON values."""
        interval = self.interval
        return {
            "count": self.count,
            "mean": self.mean,
            "interval": None if interval is None else list(interval),
            "deviation": self.deviation,
            "spread": self.spread,
        }


def summarise(results: Sequence[float]) -> Summary:
    """Return what results between 0 and 100 say.

    >>> summary = summarise([100] * 6 + [50] * 2 + [0] * 2)
    >>> summary.mean, summary.spread
    (70.0, 40.0)
    >>> round(summary.deviation, 2)
    12.65
    >>> summarise([]).mean is None
    True

    Raises:
        UsageError: A result is less than 0 or more than 100.
    """
    wrong = [result for result in results if not 0 <= result <= FULL]
    if wrong:
        raise UsageError(f"expected results from 0 to 100, found {wrong[0]}")
    if not results:
        return Summary(0, None, None)
    mean = math.fsum(results) / len(results)
    variance = math.fsum((result - mean) ** 2 for result in results) / len(results)
    return Summary(len(results), mean, math.sqrt(variance))


def wilson_interval(mean: float, count: int) -> Interval:
    """Return the 95 % interval of a mean of so many results from 0 to 100.

    Ten wins in ten matches are no proof that one wins always, and one win in ten is at least one in a hundred:

    >>> [round(end, 1) for end in wilson_interval(100, 10)]
    [72.2, 100.0]
    >>> [round(end, 2) for end in wilson_interval(10, 10)]
    [1.79, 40.42]

    Raises:
        UsageError: There are no results, or no results have this mean.
    """
    if count < 1 or not 0 <= mean <= FULL:
        raise UsageError(f"expected at least one result with a mean from 0 to 100, found {count} with {mean}")
    share = mean / FULL
    shrink = 1 + Z_95**2 / count
    middle = share + Z_95**2 / (2 * count)
    half = Z_95 * math.sqrt(share * (1 - share) / count + Z_95**2 / (4 * count**2))
    # At the ends of the scale the interval ends there too, whatever rounding makes of it.
    low = 0.0 if share == 0 else FULL * (middle - half) / shrink
    high = FULL if share == 1 else FULL * (middle + half) / shrink
    return Interval(low, high)

"""Margins: how long before its deadline something has to be done, measured from how late such things came before.

Whoever is told to be done at a certain time is done a little later: a search looks at the clock only now and then, a
process that sleeps is woken when the machine has time for it. A `Margin` keeps these *overshoots* and tells how much
time to leave, so that what follows is late in rare cases only. Nothing about the machine is assumed but a small base;
on a busy machine the margin grows at once, and shrinks again when the machine has been at rest for a while.

>>> margin = Margin(base=0.01, first=0.05)
>>> margin.seconds
0.05
>>> for _ in range(100):
...     margin.note(0.002)
>>> round(margin.seconds, 3)
0.012
>>> margin.note(0.2)
>>> round(margin.seconds, 2)
0.21
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

ENOUGH: Final = 20
"""Before so many overshoots are known, the margin is not less than its first value."""

MOST: Final = 0.5
"""The largest share of a clock that margins may take."""


class Margin:
    """A margin that is measured.

    Args:
        base: What is added to all that is measured, in seconds: for what cannot be.
        first: The least margin before enough has been measured.
        window: How many overshoots are kept, the latest ones.
        quantile: The share of them that the margin covers: 1 for all.
    """

    def __init__(self, base: float = 0.01, first: float = 0.05, window: int = 300, quantile: float = 1.0) -> None:
        self._base = base
        self._first = first
        self._quantile = quantile
        self._overshoots: deque[float] = deque(maxlen=window)

    def note(self, seconds: float) -> None:
        """Take notice that something was done so many seconds after it was to be; what came early counts as 0."""
        self._overshoots.append(max(0.0, seconds))

    @property
    def overshoot(self) -> float:
        """How late things come, at the quantile; 0 if nothing is known."""
        known = sorted(self._overshoots)
        return known[max(0, math.ceil(self._quantile * len(known)) - 1)] if known else 0.0

    @property
    def seconds(self) -> float:
        """How long before a deadline to want something, so that it comes in time."""
        measured = self._base + self.overshoot
        return measured if len(self._overshoots) >= ENOUGH else max(measured, self._first)


def usable(clock: float, margin: float) -> float:
    """Return how much of a clock to use; margins never take more than half of it.

    >>> usable(10.0, 0.1), usable(0.1, 0.3)
    (9.9, 0.05)
    """
    return max(clock - margin, clock * (1 - MOST))

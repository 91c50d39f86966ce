"""Limits on what a computation may use, and the clock that watches one of them.

>>> from woodstock.common.limits import Deadline, Limits
>>> Limits(seconds=60).bytes is None
True
>>> Deadline(None).expired
False
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from woodstock.common.errors import UsageError


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a computation may use; None stands for as much as it likes.

    Attributes:
        seconds: Time by the clock on the wall.
        bytes: Memory.
        nodes: Steps of a search or size of a result, as the computation counts them.
    """

    seconds: float | None = None
    bytes: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "bytes", "nodes"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"a limit must be greater than zero, found {name} = {value}")


class Deadline:
    """A moment after which work should stop; it starts to run when it is made."""

    __slots__ = ("_end",)

    def __init__(self, seconds: float | None) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline: never negative, infinite without one."""
        return max(0.0, self._end - time.monotonic())

    @property
    def seconds_over(self) -> float:
        """Seconds since the deadline: never negative."""
        return max(0.0, time.monotonic() - self._end)

    @property
    def expired(self) -> bool:
        return time.monotonic() >= self._end

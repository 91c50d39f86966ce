"""Threads for kernels: each is pinned to a processor of its own.

Kernels release the GIL, so threads are enough. They are pinned because a scheduler may leave two busy threads on one
processor for a long time.

>>> from woodstock.common.threads import PinnedThreads
>>> with PinnedThreads(2) as threads:
...     threads.map(lambda number: number * number, [1, 2, 3])
[1, 4, 9]
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def available_processors() -> list[int]:
    """Return the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


class PinnedThreads:
    """A number of threads that do the same to many things; with one, the calling thread does it."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._processors = available_processors()
        self._numbers = iter(range(count))
        self._pool = ThreadPoolExecutor(count, "woodstock", self._pin) if count > 1 else None

    def _pin(self) -> None:
        """Bind the calling thread to the next processor; where the system cannot do that it runs anywhere."""
        if hasattr(os, "sched_setaffinity") and self.count <= len(self._processors):
            os.sched_setaffinity(threading.get_native_id(), {self._processors[next(self._numbers)]})

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Call a function for each item; return the results in the order of the items."""
        if self._pool is None:
            return [function(item) for item in items]
        return list(self._pool.map(function, items))

    def __enter__(self) -> PinnedThreads:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

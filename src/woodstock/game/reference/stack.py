"""Room for deep chains of Python calls, given back when it is no longer needed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_CALLER = 600
"""Frames left to whoever called us, and to comparisons of nested terms."""


class Stack:
    """The recursion limit of the interpreter, raised while anybody needs that.

    The limit belongs to the whole interpreter: it is put back when the last user leaves. Calls of Python functions by
    Python functions do not use the C stack, so that a raised limit is safe for them.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._limit_before = 0

    @contextmanager
    def room(self, frames: int) -> Iterator[None]:
        """Make sure that this many calls can be nested."""
        if frames + _CALLER <= sys.getrecursionlimit():
            yield
            return
        with self._lock:
            if not self._users:
                self._limit_before = sys.getrecursionlimit()
            self._users += 1
            sys.setrecursionlimit(max(sys.getrecursionlimit(), self._limit_before + frames + _CALLER))
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    sys.setrecursionlimit(self._limit_before)


STACK = Stack()

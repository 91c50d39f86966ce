"""What is left of limits while a computation goes on in parts."""

from __future__ import annotations

from typing import Final

from woodstock.common.limits import Deadline, Limits

SHORT: Final = 1e-3
"""Seconds for what is begun when the time is over: it is to notice that itself, and end with its own status."""


class Budget:
    """Seconds and nodes that are left; the seconds run from the moment when it is made."""

    def __init__(self, limits: Limits | None) -> None:
        limits = limits or Limits()
        self._deadline = Deadline(limits.seconds)
        self._has_deadline = limits.seconds is not None
        self._nodes_left = limits.nodes

    @property
    def is_over(self) -> bool:
        return self._deadline.expired or self._nodes_left == 0

    def use(self, nodes: int) -> None:
        """Count nodes that have been visited."""
        if self._nodes_left is not None:
            self._nodes_left = max(0, self._nodes_left - nodes)

    @property
    def rest(self) -> Limits:
        """What is left, as limits of a part of the computation."""
        seconds = max(self._deadline.seconds_left, SHORT) if self._has_deadline else None
        return Limits(seconds=seconds, nodes=None if self._nodes_left is None else max(1, self._nodes_left))

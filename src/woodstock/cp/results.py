"""What a search found, and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from woodstock.cp.constraints import Int32Array


class Status(Enum):
    """How a search ended: all of it was made, or a limit was reached."""

    COMPLETE = "complete"
    LIMIT = "limit"


class Statistics(NamedTuple):
    """What a search did.

    Attributes:
        nodes: Decisions that were tried.
        failures: How often a constraint could not be satisfied.
        propagations: Events of literals and revisions of constraints.
        seconds: How long it took.
    """

    nodes: int
    failures: int
    propagations: int
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Solutions:
    """Solutions that were found.

    Attributes:
        places: The places of the values of all variables, or of those that were asked for, shape (n, num_vars), int32.
        status: Whether these are all.
        statistics: What it took.
    """

    places: Int32Array
    status: Status
    statistics: Statistics

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The best solution that was found.

    Attributes:
        places: The places of the values of all variables, shape (num_vars,), int32; None if there is no solution.
        utility: What it is worth to the player; None if there is no solution.
        status: Whether it is certain that no other one is better.
        statistics: What it took.
    """

    places: Int32Array | None
    utility: float | None
    status: Status
    statistics: Statistics

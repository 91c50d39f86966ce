"""What the parts of a planner have found out together: the best plan, and the value that no plan exceeds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final, Protocol

from woodstock.circuit.game import CircuitPosition
from woodstock.common.limits import Deadline
from woodstock.gdl.terms import GroundTerm
from woodstock.search.planning_puzzle import Moves, Puzzle

NOTHING: Final = -1.0
"""What having no plan is worth."""


@dataclass(frozen=True)
class Plan:
    """A way to the end of the match.

    Attributes:
        moves: The joint moves, from the position that was asked about to the end.
        value: What the end is worth: the goal, 0 to 1.
        is_proven: No plan is worth more.
    """

    moves: tuple[tuple[GroundTerm, ...], ...]
    value: float
    is_proven: bool


class Part(Protocol):
    """A way to look for plans; it works when its turn comes.

    Attributes:
        name: What it is called.
        is_over: It cannot find out any more.
    """

    name: str
    is_over: bool

    def restart(self, position: CircuitPosition) -> None:
        """Look for plans from another position from now on."""

    def run(self, deadline: Deadline) -> None:
        """Go on looking for plans until it is time to stop, or to say something."""


class Findings:
    """The best plan from a position, and what is known about the others.

    Attributes:
        position: Where the plan begins.
        value: What the plan is worth; NOTHING without one.
        bound: No plan is worth more.
        moves: The plan.
        positions: The positions on the way.
        finder: The name of the part that found the plan.
        found_at: When it was found, by `time.perf_counter`.
        deadline: When planning has to stop: turns are shorter.
    """

    def __init__(self, puzzle: Puzzle, position: CircuitPosition) -> None:
        self._puzzle = puzzle
        self.deadline = Deadline(None)
        self.start(position)

    def start(self, position: CircuitPosition) -> None:
        """Forget everything and begin with a position."""
        self.position = position
        self.value = NOTHING
        self.bound = self._puzzle.best_value
        self.moves: list[tuple[GroundTerm, ...]] = []
        self.positions: list[CircuitPosition] = []
        self.finder = ""
        self.found_at = 0.0

    @property
    def is_settled(self) -> bool:
        """Whether nothing better can be found."""
        return self.value >= self.bound

    def offer(self, value: float, moves: list[Moves], finder: str) -> None:
        """Take a plan if it is better than what there is."""
        if value <= self.value:
            return
        self.positions, self.moves = self._puzzle.replay(self.position, moves)
        self.value, self.finder, self.found_at = value, finder, time.perf_counter()

    def advance(self, position: CircuitPosition) -> bool:
        """Go on to the next position if the plan leads there; tell whether it does."""
        if not self.positions or self.positions[0] != position:
            return False
        self.position = position
        self.positions, self.moves = self.positions[1:], self.moves[1:]
        return True

    def limit(self, bound: float) -> None:
        """Note that no plan is worth more than that, or than the best so far."""
        self.bound = max(min(self.bound, bound), self.value)

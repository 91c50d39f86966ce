"""Planning: games of one mind, solved by a portfolio of searches that take turns.

Where one role plays and nothing is left to chance, or where several roles have the same goals in every position, one
mind may choose all moves, and a match is a path. The parts of a planner look for the best one in different ways:
`breadth` at everything, `guided` where the goal looks near, `narrow` at one requirement of the goal after the other,
`policy` by playouts that learn, `network` by constraint solving. What one of them finds all of them know.

>>> from woodstock.game.load import load_rules
>>> from woodstock.ground import ground
>>> game = CircuitGame(ground(load_rules("lights_out")))
>>> planner = Planner(game, seed=1)
>>> planner.look_at(game.initial_position())
>>> planner.run(Deadline(10))
>>> planner.plan.value, planner.plan.is_proven
(1.0, True)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.search.planning_breadth import BreadthSearch
from woodstock.search.planning_findings import NOTHING, Findings, Part, Plan
from woodstock.search.planning_guided import GuidedSearch
from woodstock.search.planning_narrow import NarrowSearch
from woodstock.search.planning_network import NetworkSearch
from woodstock.search.planning_policy import PolicySearch
from woodstock.search.planning_puzzle import KeysOf, Puzzle, is_puzzle

__all__ = ["PARTS", "Plan", "Planner", "PlanningOptions", "PlanningStatistics", "is_puzzle"]

PARTS: Final = ("policy", "breadth", "narrow", "guided", "network")
"""The parts, in the order of their first turns: after that of the first there is a plan, if the match ends at all."""
FIRST_SLICE: Final = 0.02
LONGEST_SLICE: Final = 0.5
"""Seconds of a turn, at first and later."""
GROWTH: Final = 1.3
FORGETTING: Final = 0.5
"""From move to move, how much is left of what is known about how long a part overstays."""
LATE_SECONDS: Final = 2.0
"""Networks are made after that: it takes a second before the first is solved, and most puzzles are solved by then."""


@dataclass(frozen=True)
class PlanningOptions:
    """What a planner does.

    Attributes:
        parts: The parts that take turns, of `PARTS`.
        memory: Megabytes that it may take.
    """

    parts: tuple[str, ...] = PARTS
    memory: float = 1024.0

    def __post_init__(self) -> None:
        if not self.parts or not set(self.parts) <= set(PARTS):
            raise UsageError(f"expected parts of a planner, some of {', '.join(PARTS)}, found {', '.join(self.parts)}")
        if self.memory < 1:
            raise UsageError(f"memory must be 1 or more, found {self.memory}")


@dataclass
class PlanningStatistics:
    """What a planner did since it was asked about a position that it did not expect.

    Attributes:
        seconds: How long each part had its turn.
        finder: The part that found the plan.
        found_after: Seconds of planning before the plan was found.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    finder: str = ""
    found_after: float = 0.0


class Planner:
    """Looks for the best way to the end of the match, and keeps it from move to move."""

    def __init__(
        self, game: CircuitGame, seed: int, keys_of: KeysOf | None = None, options: PlanningOptions | None = None
    ) -> None:
        """Make a planner.

        Args:
            game: The game.
            seed: What its random numbers are made from.
            keys_of: Finds keys that positions share if they are symmetric to each other.
            options: What it does.

        Raises:
            UsageError: There is chance in the game, or it is not proved that all roles have the same goals.
        """
        if not is_puzzle(game.program):
            raise UsageError("expected a game without chance in which one mind may choose all moves")
        self.game = game
        self.options = options or PlanningOptions()
        self.statistics = PlanningStatistics()
        self._puzzle = Puzzle(game, keys_of)
        self._findings = Findings(self._puzzle, game.initial_position())
        self._seed = seed
        self._parts: list[Part] | None = None
        self._slice = FIRST_SLICE
        self._turn = 0
        self._overstays: dict[str, float] = {}

    def _make_part(self, name: str) -> Part:
        """Return a part; those that keep positions share the memory."""
        searches = [part for part in self.options.parts if part in (BreadthSearch.name, GuidedSearch.name)]
        memory = self.options.memory * 2**20 / max(1, len(searches))
        if name == BreadthSearch.name:
            return BreadthSearch(self._puzzle, self._findings, memory)
        if name == GuidedSearch.name:
            return GuidedSearch(self._puzzle, self._findings, memory)
        if name == NarrowSearch.name:
            return NarrowSearch(self._puzzle, self._findings, self._seed)
        if name == PolicySearch.name:
            return PolicySearch(self._puzzle, self._findings, self._seed)
        return NetworkSearch(self._puzzle, self._findings)

    @property
    def plan(self) -> Plan | None:
        """The best plan so far from the position that was looked at last; None if there is none yet."""
        found = self._findings
        if found.value == NOTHING:
            return None
        return Plan(tuple(found.moves), found.value, found.is_settled)

    @property
    def is_over(self) -> bool:
        """Whether planning on can bring nothing new."""
        return self._findings.is_settled or (self._parts is not None and all(part.is_over for part in self._parts))

    def look_at(self, position: CircuitPosition) -> None:
        """Plan from a position from now on; if the plan leads there, the rest of it is kept."""
        found = self._findings
        if position == found.position:
            return
        self._overstays = {name: FORGETTING * seconds for name, seconds in self._overstays.items()}
        follows = found.advance(position)
        if not follows:
            found.start(position)
            self.statistics = PlanningStatistics()
        if follows and found.is_settled:
            return
        self._slice, self._turn = FIRST_SLICE, 0
        for part in self._parts or ():
            part.restart(position)

    def run(self, deadline: Deadline, report: Callable[[], None] | None = None) -> None:
        """Go on planning until the plan is proven, the time is over, or no part can find out any more.

        Args:
            deadline: When to stop; the first part has a turn in any case if there is no plan. A part has none if it
                has overstayed by more than is left: where positions are huge, it may take long to make room for more.
            report: Called after every turn.
        """
        self._findings.deadline = deadline
        if self._parts is None:
            self._parts = [self._make_part(name) for name in self.options.parts]
        is_first = self._findings.value == NOTHING
        num_passed = 0  # parts in a row that had no turn
        while not self.is_over and (is_first or not deadline.expired) and num_passed < len(self._parts):
            part = self._parts[self._turn % len(self._parts)]
            self._turn += 1
            is_long = not is_first and deadline.seconds_left < self._overstays.get(part.name, 0.0)
            is_first = False
            if part.is_over or is_long or self._is_early(part):
                num_passed += 1
                continue
            num_passed = 0
            self._take_turn(part, deadline)
            if self._turn % len(self._parts) == 0:
                self._slice = min(LONGEST_SLICE, GROWTH * self._slice)
            if report is not None:
                report()

    def _is_early(self, part: Part) -> bool:
        """Tell whether it is too early for a part that takes long to begin, while others have work."""
        others = [other for other in self._parts or () if other is not part and not other.is_over]
        spent = sum(self.statistics.seconds.values())
        return part.name == NetworkSearch.name and bool(others) and spent < LATE_SECONDS

    def _take_turn(self, part: Part, deadline: Deadline) -> None:
        """Let a part work for a slice of time."""
        seconds = self.statistics.seconds
        spent, before = sum(seconds.values()), self._findings.value
        began = time.perf_counter()
        share = Deadline(min(self._slice, deadline.seconds_left))
        part.run(share)
        self._overstays[part.name] = max(self._overstays.get(part.name, 0.0), share.seconds_over)
        seconds[part.name] = seconds.get(part.name, 0.0) + time.perf_counter() - began
        if self._findings.value > before:
            self.statistics.finder = self._findings.finder
            self.statistics.found_after = spent + self._findings.found_at - began

"""What generated code runs on: tables of answers, the position and the moves that they hold for, and the meter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from types import CodeType
from typing import Any, NoReturn

from woodstock.common.errors import LimitError
from woodstock.game.reference.limits import Limits, outgrows
from woodstock.game.reference.program import Level
from woodstock.gdl.terms import GroundTerm

CHECK_INTERVAL = 1_000
"""Steps between two looks at the clock."""
LARGE_ANSWER = 1_000
"""An answer with more rows than this is counted by its rows, any other as one."""

Describe = Callable[[int, int], str]
"""Names a goal and a rule, both by number, for a message."""


class Meter:
    """Raises `LimitError` when a question costs too much.

    Generated code counts `steps[0]` down and calls `check` when it falls below zero.
    """

    def __init__(self, limits: Limits, describe: Describe) -> None:
        self.limits = limits
        self.steps = [CHECK_INTERVAL]
        self.tables: list[dict[Any, Any]] = []
        self.large_rows = dict.fromkeys(Level, 0)
        self._describe = describe
        self._deadline = 0.0

    def start(self) -> None:
        """Start the clock of a question."""
        self._deadline = monotonic() + self.limits.seconds

    def check(self, goal: int, rule: int, held: int = 0) -> int:
        """Look at the clock and at the memory; `held` tuples are not in the tables yet.

        Returns:
            The number of steps until the next check.
        """
        if monotonic() > self._deadline:
            self._stop(goal, rule, f"takes more than {self.limits.seconds:g} seconds")
        if self.held() + held > self.limits.tuples:
            self._stop(goal, rule, f"derives more than {self.limits.tuples} tuples")
        return CHECK_INTERVAL

    def held(self) -> int:
        """Return about how many tuples the tables hold."""
        return sum(self.large_rows.values()) + sum(map(len, self.tables))

    def note_large(self, rows: int, level: Level) -> None:
        """Count the rows of a large answer."""
        self.large_rows[level] += rows

    def measure(self, term: GroundTerm, goal: int, rule: int) -> None:
        """Check the size of a term from which a larger one is about to be made."""
        bound = outgrows(term, self.limits)
        if bound:
            self._stop(goal, rule, f"makes a term of {bound}")

    def _stop(self, goal: int, rule: int, what: str) -> NoReturn:
        raise LimitError(f"{self._describe(goal, rule)} {what}")


class Store:
    """The global names of generated code, and the tables to be emptied when the position or the moves change."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.names: dict[str, Any] = {
            "steps": meter.steps,
            "check": meter.check,
            "measure": meter.measure,
            "note_large": meter.note_large,
            "fluents": frozenset(),
            "by_name": {},
            "moves": {},
        }
        self._tables: dict[Level, list[dict[Any, Any]]] = {level: [] for level in Level}
        self._index_names: list[str] = []
        self._position: frozenset[GroundTerm] = frozenset()
        self._moves: Mapping[str, GroundTerm] = {}

    def add_table(self, level: Level) -> dict[Any, Any]:
        """Return a new table of answers, which is emptied when what it depends on changes."""
        table: dict[Any, Any] = {}
        self._tables[level].append(table)
        self.meter.tables.append(table)
        return table

    def add_index(self, name: str) -> None:
        """Declare the name of an index of the position, built when it is first used."""
        self._index_names.append(name)
        self.names[name] = None

    def define(self, code: CodeType) -> None:
        """Run the definitions of some generated code."""
        exec(code, self.names)

    def load(self, position: frozenset[GroundTerm], moves: Mapping[str, GroundTerm]) -> None:
        """Make a position, and moves by role, the ones that answers are about."""
        if position is not self._position and position != self._position:
            self._load_position(position)
        if moves != self._moves:
            self._clear(Level.MOVES)
            self.names["moves"] = self._moves = moves

    def _load_position(self, position: frozenset[GroundTerm]) -> None:
        self._clear(Level.POSITION)
        self._clear(Level.MOVES)
        if self.meter.held() > self.meter.limits.tuples // 2:
            self._clear(Level.STATIC)
        names = self.names
        for name in self._index_names:
            names[name] = None
        groups: dict[tuple[Any, int], list[GroundTerm]] = {}
        for fluent in position:
            if fluent.__class__ is tuple:
                key = (fluent[0], len(fluent))
                if key in groups:
                    groups[key].append(fluent)
                else:
                    groups[key] = [fluent]
        names["fluents"] = self._position = position
        names["by_name"] = groups

    def forget(self) -> None:
        """Drop all answers, to give their memory back."""
        for level in Level:
            self._clear(level)

    def _clear(self, level: Level) -> None:
        self.meter.large_rows[level] = 0
        for table in self._tables[level]:
            table.clear()

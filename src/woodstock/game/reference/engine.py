"""The engine: a program with its compiler and its tables, ready to be asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from woodstock.common.errors import LimitError
from woodstock.game.reference.compiler import Compiler
from woodstock.game.reference.goals import BOUND, FREE, Goal
from woodstock.game.reference.limits import Limits
from woodstock.game.reference.planner import Planner
from woodstock.game.reference.program import Kind, Program
from woodstock.game.reference.runtime import Meter, Store
from woodstock.game.reference.stack import STACK
from woodstock.game.reference.statistics import Statistics
from woodstock.gdl.dependency import Relation
from woodstock.gdl.terms import GroundTerm

_FRAMES_PER_FUNCTION = 4
_NO_ROWS: tuple[GroundTerm, ...] = ()


class Engine:
    """Answers questions about one position and one joint move at a time."""

    def __init__(self, program: Program, limits: Limits, typical: Iterable[GroundTerm] = ()) -> None:
        """Make an engine.

        Args:
            program: The rules.
            limits: What one question may cost.
            typical: The fluents of a typical position, for the estimates of the planner.
        """
        self._program = program
        self._store = Store(Meter(limits, self._describe))
        self._compiler = Compiler(program, Planner(program, Statistics(program, typical)), self._store)

    def load(self, position: frozenset[GroundTerm], moves: Mapping[str, GroundTerm]) -> None:
        """Make a position, and moves by role, the ones that questions are about."""
        self._store.load(position, moves)

    def answers(self, name: Relation, modes: str, bound: Sequence[GroundTerm] = ()) -> Collection[GroundTerm]:
        """Return the answers to a goal, without the tuple around a single free argument.

        For a goal without free arguments that is one empty tuple, or nothing. The relation must be defined by rules or
        facts, if at all: `true`, `does` and `distinct` are not.

        Raises:
            LimitError: The answer takes too long, too much memory or too deep a nesting.
        """
        kind = self._program.kind(name)
        if kind is Kind.EMPTY:
            return _NO_ROWS
        if kind is Kind.FACTS:
            table: dict[Any, Any] = self._store.names[self._compiler.facts(name, modes)]
            rows: Collection[GroundTerm] = table
            if BOUND in modes:
                rows = table.get(bound[0] if len(bound) == 1 else tuple(bound), _NO_ROWS)
            return rows
        found = self._run(Goal(name, modes), bound)
        if FREE in modes:
            return found
        return ((),) if found else _NO_ROWS

    def _run(self, goal: Goal, bound: Sequence[GroundTerm]) -> Collection[GroundTerm]:
        function = self._compiler.function(goal)
        self._store.meter.start()
        try:
            with STACK.room(_FRAMES_PER_FUNCTION * self._compiler.num_functions):
                found: Collection[GroundTerm] = function(*bound)
                return found
        except LimitError:
            self._store.forget()
            raise

    def _describe(self, goal: int, rule: int) -> str:
        name, arity = self._compiler.goals[goal].relation
        if rule < 0:
            rule = self._program.clauses_of[name, arity][0].rule
        return f"{self._program.rules.where(rule)}: the relation `{name}`"

"""Relations that depend on themselves: answers passed around until there is nothing new.

The goals of one component of the dependency graph are solved together. Every goal has a table of answers; a rule that
asks for a goal of its own component does not wait but leaves a *consumer* there, the rest of the rule with what it
knows so far, which is run once for every answer that the table has or will ever get. When the agenda is empty all
tables are complete, and only then they become visible to others. So each answer meets each consumer once, left
recursion and cycles are no special case, and a chain of a million steps needs no stack. This is SLG resolution with
local scheduling (Chen and Warren, "Tabled evaluation with delaying for general logic programs", JACM 43(1), 1996)
without the delaying, which stratified rules do not need.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from woodstock.game.reference.program import Level
from woodstock.game.reference.runtime import CHECK_INTERVAL, LARGE_ANSWER, Meter

Step = Callable[[Any, Any], object]
"""Generated code: (key, table) for the rules of a new goal, (environment, answer) for the rest of a rule."""
Agenda = list[tuple[Step, Any, Any]]


class AnswerTable:
    """The answers found so far to a goal, and who wants to hear of new ones."""

    __slots__ = ("_agenda", "answers", "consumers")

    def __init__(self, agenda: Agenda) -> None:
        self.answers: dict[Any, None] = {}
        self.consumers: dict[tuple[Step, Any], None] = {}
        self._agenda = agenda

    def add(self, answer: Any) -> None:
        """Take an answer; if it is new, every consumer is to hear of it."""
        if answer not in self.answers:
            self.answers[answer] = None
            for step, environment in self.consumers:
                self._agenda.append((step, environment, answer))


class Component:
    """The goals that are solved together, with their agenda."""

    def __init__(self, meter: Meter, level: Level) -> None:
        self.agenda: Agenda = []
        self.goals: list[TabledGoal] = []
        self._meter = meter
        self._level = level

    def solve(self, goal: TabledGoal, key: Any) -> Any:
        """Return the complete answer to a goal.

        A component may be asked again while it is at work: by the negation of a goal that is stratified clause by
        clause though not relation by relation. Such a run has an agenda and tables of its own and shares only what is
        complete.
        """
        outer_agenda, self.agenda = self.agenda, []
        outer_tables = [member.open for member in self.goals]
        for member in self.goals:
            member.open = {}
        try:
            goal.ask(key, _ignore, None)
            self._run(goal)
            self._publish()
        finally:
            self.agenda = outer_agenda
            for member, tables in zip(self.goals, outer_tables, strict=True):
                member.open = tables
        return goal.done[key]

    def _run(self, goal: TabledGoal) -> None:
        agenda = self.agenda
        left = CHECK_INTERVAL
        while agenda:
            step, environment, answer = agenda.pop()
            step(environment, answer)
            left -= 1
            if left < 0:
                rule: int = getattr(step, "rule", -1)
                left = self._meter.check(goal.number, rule, self._held())

    def _held(self) -> int:
        tables = (table for goal in self.goals for table in goal.open.values())
        return len(self.agenda) + sum(1 + len(table.answers) + len(table.consumers) for table in tables)

    def _publish(self) -> None:
        for member in self.goals:
            for key, table in member.open.items():
                member.done[key] = bool(table.answers) if member.is_test else table.answers
                if len(table.answers) > LARGE_ANSWER:
                    self._meter.note_large(len(table.answers), self._level)


class TabledGoal:
    """A goal of a component: its complete tables and, during a run, the open ones."""

    def __init__(self, number: int, component: Component, done: dict[Any, Any], is_test: bool) -> None:
        self.number = number
        self.done = done
        self.is_test = is_test
        self.open: dict[Any, AnswerTable] = {}
        self.expand: Step = _ignore
        self._component = component
        component.goals.append(self)

    def ask(self, key: Any, step: Step, environment: Any) -> None:
        """Have `step(environment, answer)` run for each answer that there is or will be."""
        agenda = self._component.agenda
        done = self.done.get(key)
        if done is not None:
            if not self.is_test:
                agenda += [(step, environment, answer) for answer in done]
            elif done:
                agenda.append((step, environment, ()))
            return
        table = self.open.get(key)
        if table is None:
            table = self.open[key] = AnswerTable(agenda)
            agenda.append((self.expand, key, table))
        consumer = (step, environment)
        if consumer not in table.consumers:
            table.consumers[consumer] = None
            for answer in table.answers:
                agenda.append((step, environment, answer))

    def solve(self, key: Any) -> Any:
        """Return the complete answer for a key."""
        return self._component.solve(self, key)


def _ignore(environment: Any, answer: Any) -> None:
    """The consumer that stands for the question itself, which is answered from the complete table."""

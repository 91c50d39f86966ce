"""From goals to Python functions.

A goal number n becomes a function `fn(bound arguments)` that returns its answer and keeps it in the table `mn`: yes
or no for a test, else a dictionary whose keys are the rows. Its clauses are nested loops over the answers to their
conditions. Goals that depend on themselves are compiled for `tabling` instead; their `fn` runs the component. Of the
text of the rules generated code contains nothing but string literals made by `repr`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from woodstock.game.reference.clause_code import ClauseWriter, FunctionKind
from woodstock.game.reference.code import Code, tuple_of
from woodstock.game.reference.goals import BOUND, FREE, Goal, index_facts, select
from woodstock.game.reference.planner import Planner
from woodstock.game.reference.program import Kind, Level, Program
from woodstock.game.reference.runtime import LARGE_ANSWER, Store
from woodstock.game.reference.tabling import Component, TabledGoal
from woodstock.gdl.dependency import Relation

_LINES_AT_A_TIME = 5_000


class Compiler:
    """Compiles goals on demand, each with all that it needs.

    Attributes:
        goals: The goals by number.
        num_functions: Functions defined so far: no call can be nested more deeply than a small multiple of that.
    """

    def __init__(self, program: Program, planner: Planner, store: Store) -> None:
        self.program = program
        self.planner = planner
        self.store = store
        self.goals: list[Goal] = []
        self.num_functions = 0
        self._numbers: dict[Goal, int] = {}
        self._waiting: list[Goal] = []
        self._facts: dict[Goal, str] = {}
        self._indexes: dict[Goal, str] = {}
        self._components: dict[int, Component] = {}
        self._source: list[str] = []
        self._rule_of_step: dict[str, int] = {}

    def function(self, goal: Goal) -> Callable[..., Any]:
        """Return the function that answers a goal whose relation is defined by rules."""
        number = self.number(goal)
        if self._waiting:
            self._compile_waiting()
        function: Callable[..., Any] = self.store.names[f"f{number}"]
        return function

    def number(self, goal: Goal) -> int:
        """Return the number of a goal; a new one is compiled before it can be called."""
        number = self._numbers.get(goal)
        if number is None:
            number = self._numbers[goal] = len(self.goals)
            self.goals.append(goal)
            self._waiting.append(goal)
            table = self.store.add_table(self._level(goal))
            self.store.names[f"m{number}"] = table
            if self.program.kind(goal.relation) is Kind.RECURSIVE:
                component = self._components.setdefault(
                    self.program.graph.component_of[goal.relation], Component(self.store.meter, self._level(goal))
                )
                self.store.names[f"r{number}"] = TabledGoal(number, component, table, goal.is_test)
        return number

    def facts(self, name: Relation, modes: str) -> str:
        """Return the name of the index of a relation's facts for some modes."""
        goal = Goal(name, modes)
        variable = self._facts.get(goal)
        if variable is None:
            variable = self._facts[goal] = f"t{len(self._facts)}"
            table = index_facts(self.program.facts(name), modes)
            self.store.names[variable] = table if BOUND in modes else table.get((), {})
        return variable

    def index(self, fluent: Relation, modes: str) -> str:
        """Return an expression for the index of the fluents with a name and arity for some modes."""
        goal = Goal(fluent, modes)
        variable = self._indexes.get(goal)
        if variable is None:
            variable = self._indexes[goal] = f"i{len(self._indexes)}"
            self.store.add_index(variable)
            self._source += _index_builder(variable, fluent, modes)
        return f"(build_{variable}() if (index := {variable}) is None else index)"

    def _compile_waiting(self) -> None:
        compiled = list(self._waiting)
        while self._waiting:
            goal = self._waiting.pop()
            compiled.append(goal)
            if self.program.kind(goal.relation) is Kind.RECURSIVE:
                self._write_tabled(goal)
            else:
                self._write_plain(goal)
        self.num_functions += sum(line.startswith("def ") for line in self._source)
        for text in _pieces(self._source):
            self.store.define(compile(text, "<rules>", "exec"))
        self._source.clear()
        names = self.store.names
        for name, rule in self._rule_of_step.items():
            names[name].rule = rule
        self._rule_of_step.clear()
        for number in (self._numbers[goal] for goal in compiled):
            if f"r{number}" in names:
                names[f"r{number}"].expand = names[f"c{number}"]

    def _write_plain(self, goal: Goal) -> None:
        number = self._numbers[goal]
        params = [f"a{place}" for place in select(goal.modes, BOUND)]
        key = tuple_of(params)
        writer = ClauseWriter(self, goal, FunctionKind.TEST if goal.is_test else FunctionKind.ROWS)
        code = Code(f"def f{number}({', '.join(params)}):")
        code.count_step(f"{number}, -1")
        facts = self._fact_answers(goal, key)
        if goal.is_test:
            if facts is not None:
                code.require(facts)
                code.add(f"m{number}[{key}] = True", "return True")
                code.close()
        else:
            code.add("out = {}" if facts is None else f"out = dict.fromkeys({facts})")
        for clause in self.program.proper_clauses(goal.relation):
            writer.write(clause, code)
        if goal.is_test:
            code.add(f"m{number}[{key}] = False", "return False")
        else:
            level = self._level(goal)
            code.add(
                f"m{number}[{key}] = out",
                f"if len(out) > {LARGE_ANSWER}:",
                f"    note_large(len(out), {int(level)})",
                "return out",
            )
        self._source += code.lines + writer.helpers

    def _write_tabled(self, goal: Goal) -> None:
        number = self._numbers[goal]
        params = [f"a{place}" for place in select(goal.modes, BOUND)]
        key = tuple_of(params)
        self._source += [f"def f{number}({', '.join(params)}):", f"    return r{number}.solve({key})"]
        code = Code(f"def c{number}(key, table):")
        if params:
            code.add(f"{key} = key")
        facts = self._fact_answers(goal, "key")
        if facts is not None and goal.is_test:
            code.require(facts)
            code.add("table.add(())")
        elif facts is not None:
            code.loop("answer", facts)
            code.add("table.add(answer)")
        code.close()
        writer = ClauseWriter(self, goal, FunctionKind.TABLED)
        clauses = self.program.proper_clauses(goal.relation)
        for clause in clauses:
            writer.write(clause, code)
        code.add("return")
        self._source += code.lines + writer.helpers
        self._rule_of_step.update(writer.rule_of_step)
        self._rule_of_step[f"c{number}"] = clauses[0].rule

    def _level(self, goal: Goal) -> Level:
        return self.program.levels.get(goal.relation, Level.STATIC)

    def _fact_answers(self, goal: Goal, key: str) -> str | None:
        """Return an expression for what the ground facts among a relation's clauses answer."""
        if not self.program.facts(goal.relation):
            return None
        table = self.facts(goal.relation, goal.modes)
        if BOUND not in goal.modes:
            return table
        return f"{key} in {table}" if goal.is_test else f"{table}.get({key}, ())"


def _pieces(lines: list[str]) -> Iterator[str]:
    """Yield the definitions some thousand lines at a time: the syntax tree of a huge text takes huge memory."""
    piece: list[str] = []
    for line in lines:
        if len(piece) > _LINES_AT_A_TIME and line.startswith("def "):
            yield "\n".join(piece)
            piece.clear()
        piece.append(line)
    yield "\n".join(piece)


def _index_builder(variable: str, fluent: Relation, modes: str) -> list[str]:
    """Return the definition of the function that builds an index of the present position."""
    rows = f"by_name.get({(fluent[0], fluent[1] + 1)!r}, ())"
    key = tuple_of([f"row[{place + 1}]" for place in select(modes, BOUND)])
    answer = tuple_of([f"row[{place + 1}]" for place in select(modes, FREE)])
    code = Code(f"def build_{variable}():")
    code.add(f"global {variable}")
    if BOUND not in modes:
        code.add(f"{variable} = {{{answer}: None for row in {rows}}}", f"return {variable}")
        return code.lines
    code.add("index = {}")
    code.loop("row", rows)
    code.add(f"key = {key}")
    code.add("if key in index:", f"    index[key][{answer}] = None", "else:", f"    index[key] = {{{answer}: None}}")
    code.close()
    # Published when it is complete: an interrupt must not leave half an index behind.
    code.add(f"{variable} = index", "return index")
    return code.lines

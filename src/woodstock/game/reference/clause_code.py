"""The Python of one clause: its conditions in the planned order, as nested tests and loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from woodstock.game.reference.code import Code, exact_tuple, tuple_of
from woodstock.game.reference.goals import ANY, BOUND, FREE, Goal, modes_of, select
from woodstock.game.reference.planner import Planner, used_once
from woodstock.game.reference.program import DISTINCT, Kind, Program
from woodstock.game.reference.scope import Scope
from woodstock.gdl.dependency import Relation, relation
from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.terms import LogicVar, Term, arguments, is_ground, variables


class FunctionKind(Enum):
    """What the function of a goal does with a success."""

    TEST = "say yes"
    ROWS = "collect a row"
    TABLED = "add an answer to a table"


class Names(Protocol):
    """Where a clause finds the names of what it refers to: the compiler."""

    program: Program
    planner: Planner

    def number(self, goal: Goal) -> int:
        """Return the number of a goal."""

    def facts(self, name: Relation, modes: str) -> str:
        """Return the name of an index of a relation's facts."""

    def index(self, fluent: Relation, modes: str) -> str:
        """Return an expression for an index of the position's fluents with a name and arity."""


class _Rest(NamedTuple):
    """The rest of a clause, to be written into a function of its own."""

    literals: Sequence[Literal]
    code: Code
    scope: Scope


class ClauseWriter:
    """Writes the clauses of one goal.

    Attributes:
        helpers: Functions for the rest of a clause that could not stay in the goal's own function.
        rule_of_step: For each of them that continues a suspended clause, its rule.
    """

    def __init__(self, names: Names, goal: Goal, kind: FunctionKind) -> None:
        self._outer = names
        self._goal = goal
        self._number = names.number(goal)
        self._kind = kind
        self._params = [f"a{place}" for place in select(goal.modes, BOUND)]
        self._clause = Clause("")
        self._wanted: list[Term] = []
        self._scope = Scope()
        self._main: Code | None = None
        self._rests: list[_Rest] = []
        self._num_helpers = 0
        self.helpers: list[str] = []
        self.rule_of_step: dict[str, int] = {}

    def write(self, clause: Clause, code: Code) -> None:
        """Write a clause into the goal's function."""
        head = arguments(clause.head)
        given = [head[place] for place in select(self._goal.modes, BOUND)]
        bound = set(variables(*given))
        self._clause = clause
        self._wanted = [head[place] for place in select(self._goal.modes, FREE)]
        order = self._outer.planner.order(clause, bound, self._wanted)
        self._scope = Scope(used_once(order, bound, self._wanted))
        self._main = code
        for pattern, param in zip(given, self._params, strict=True):
            self._scope.match(pattern, param, code)
        self._body(order, code)
        code.close()
        while self._rests:
            rest = self._rests.pop()
            self._scope = rest.scope
            self._body(rest.literals, rest.code)
            rest.code.close()
            rest.code.add("return False")
            self.helpers += rest.code.lines

    def _body(self, literals: Sequence[Literal], code: Code) -> None:
        for place, literal in enumerate(literals):
            if code.is_deep:
                self._spill(literals[place:], code)
                return
            if self._is_suspended(literal):
                self._suspend(literal, literals[place + 1 :], code)
                return
            self._literal(literal, code)
        self._success(code)

    def _literal(self, literal: Literal, code: Code) -> None:
        args = arguments(literal.atom)
        if relation(literal.atom) == DISTINCT:
            left, right = (self._scope.build(arg) for arg in args)
            code.require(f"{left} {'!=' if literal.positive else '=='} {right}")
        elif not literal.positive:
            self._guard(literal.atom, code)
            code.require(f"not {self._test(literal.atom, BOUND * len(args))}")
        elif self._kind_of(literal.atom) is Kind.MOVES:
            self._moves(args, code)
        elif self._kind_of(literal.atom) is Kind.FLUENTS:
            self._fluent(args[0], code)
        else:
            self._guard(literal.atom, code)
            modes = self._modes(args)
            if FREE in modes:
                self._loop([args[place] for place in select(modes, FREE)], self._rows(literal.atom, modes), code)
            else:
                code.require(self._test(literal.atom, modes))

    def _test(self, atom: Term, modes: str) -> str:
        """Return an expression for whether an atom without `f` arguments holds."""
        args = arguments(atom)
        match self._kind_of(atom):
            case Kind.EMPTY:
                return "False"
            case Kind.FLUENTS:
                return f"({self._scope.build(args[0])} in fluents)"
            case Kind.MOVES:
                return f"(moves.get({self._scope.build(args[0])}) == {self._scope.build(args[1])})"
            case Kind.FACTS:
                table = self._outer.facts(relation(atom), modes)
                return f"({self._key(args, modes)} in {table})" if BOUND in modes else f"(len({table}) > 0)"
            case _:
                return self._call(atom, modes)

    def _rows(self, atom: Term, modes: str) -> str:
        """Return an expression for the answers to an atom with `f` arguments."""
        kind = self._kind_of(atom)
        if kind is Kind.EMPTY:
            return "()"
        if kind is Kind.FACTS:
            return self._lookup(self._outer.facts(relation(atom), modes), arguments(atom), modes)
        return self._call(atom, modes)

    def _call(self, atom: Term, modes: str) -> str:
        """Return an expression for the answer to a goal: from its table, or else computed."""
        number = self._outer.number(Goal(relation(atom), modes))
        args = arguments(atom)
        values = [self._scope.build(args[place]) for place in select(modes, BOUND)]
        return f"(f{number}({', '.join(values)}) if (found := m{number}.get({tuple_of(values)})) is None else found)"

    def _lookup(self, table: str, args: Sequence[Term], modes: str) -> str:
        return f"{table}.get({self._key(args, modes)}, ())" if BOUND in modes else table

    def _key(self, args: Sequence[Term], modes: str) -> str:
        return tuple_of([self._scope.build(args[place]) for place in select(modes, BOUND)])

    def _modes(self, args: Sequence[Term]) -> str:
        return modes_of(args, self._scope.names, self._scope.once)

    def _kind_of(self, atom: Term) -> Kind:
        return self._outer.program.kind(relation(atom))

    def _fluent(self, fluent: Term, code: Code) -> None:
        """Write a condition on the position."""
        modes = self._modes([fluent])
        if modes == BOUND:
            code.require(f"{self._scope.build(fluent)} in fluents")
        elif modes == ANY:
            code.require("fluents")
        elif isinstance(fluent, LogicVar):
            self._loop([fluent], "fluents", code)
        else:
            args = arguments(fluent)
            modes = self._modes(args)
            index = self._outer.index(relation(fluent), modes)
            if FREE in modes:
                self._loop([args[place] for place in select(modes, FREE)], self._lookup(index, args, modes), code)
            else:
                code.require(f"{self._key(args, modes)} in {index}" if BOUND in modes else index)

    def _moves(self, args: Sequence[Term], code: Code) -> None:
        """Write a condition on the moves made, which are held by role."""
        role, move = args
        modes = self._modes(args)
        build = self._scope.build
        if modes[0] != BOUND:
            self._loop(args, "moves.items()", code)
        elif modes[1] == BOUND:
            code.require(f"moves.get({build(role)}) == {build(move)}")
        else:
            name = self._scope.new_name()
            code.require(f"({name} := moves.get({build(role)})) is not None")
            self._scope.match(move, name, code)

    def _loop(self, patterns: Sequence[Term], rows: str, code: Code) -> None:
        """Write a loop over rows, each of which has a value for every pattern."""
        if code.loops:
            held = "len(out)" if self._kind is FunctionKind.ROWS else "0"
            code.count_step(f"{self._number}, {self._clause.rule}, {held}")
        self._scope.loop_vars.append(set())
        targets, matches = self._scope.targets(patterns)
        code.loop(", ".join(targets), rows)
        for pattern, target in matches:
            self._scope.match(pattern, target, code)

    def _guard(self, atom: Term, code: Code) -> None:
        """Check the parts of compound arguments where they are built, lest terms grow without end."""
        if self._kind_of(atom) not in (Kind.RULES, Kind.RECURSIVE):
            return
        compound = [arg for arg in arguments(atom) if isinstance(arg, tuple) and not is_ground(arg)]
        for var in variables(*compound):
            name = self._scope.names.get(var)
            if name is not None:
                code.add(f"if {name}.__class__ is tuple:", f"    measure({name}, {self._number}, {self._clause.rule})")

    def _success(self, code: Code) -> None:
        """Write what happens when all conditions hold."""
        if self._wanted:
            self._guard(self._clause.head, code)
        row = tuple_of([self._scope.build(term) for term in self._wanted])
        if self._kind is FunctionKind.TEST:
            self._say_yes(code)
        elif self._kind is FunctionKind.TABLED:
            code.add(f"table.add({row})")
        else:
            code.add(f"out[{row}] = None")
            wanted = set(variables(*self._wanted))
            needless = 0
            while needless < code.loops and not self._scope.loop_vars[-1 - needless] & wanted:
                needless += 1
            code.leave_loops(needless)

    def _say_yes(self, code: Code) -> None:
        if code is self._main:
            code.add(f"m{self._number}[{tuple_of(self._params)}] = True")
        code.add("return True")

    def _live(self, literals: Iterable[Literal]) -> list[LogicVar]:
        """Return the bound variables that the rest of the clause needs."""
        needed = set(variables(*self._wanted, *(literal.atom for literal in literals)))
        return [var for var in self._scope.names if var in needed]

    def _spill(self, literals: Sequence[Literal], code: Code) -> None:
        """Continue the clause in a function of its own: Python allows only so many nested blocks."""
        live = self._live(literals)
        params = [self._scope.names[var] for var in live]
        if self._kind is not FunctionKind.TEST:
            params.append("out" if self._kind is FunctionKind.ROWS else "table")
        call = f"{self._helper_name('s')}({', '.join(params)})"
        self._rests.append(_Rest(literals, Code(f"def {call}:"), self._scope.inner(live)))
        if self._kind is FunctionKind.TEST:
            code.require(call)
            self._say_yes(code)
        else:
            code.add(call)

    def _is_suspended(self, literal: Literal) -> bool:
        return (
            literal.positive
            and self._kind is FunctionKind.TABLED
            and self._outer.program.same_component(relation(literal.atom), self._goal.relation)
        )

    def _suspend(self, literal: Literal, rest: Sequence[Literal], code: Code) -> None:
        """Leave the rest of the clause as a consumer of a goal of the same component."""
        args = arguments(literal.atom)
        modes = self._modes(args)
        self._guard(literal.atom, code)
        number = self._outer.number(Goal(relation(literal.atom), modes))
        free = [args[place] for place in select(modes, FREE)]
        live = self._live([*rest, Literal(("", *free))])
        environment = exact_tuple(["table", *(self._scope.names[var] for var in live)])
        name = self._helper_name("k")
        self.rule_of_step[name] = self._clause.rule
        code.add(f"r{number}.ask({self._key(args, modes)}, {name}, {environment})")
        helper = Code(f"def {name}(environment, answer):")
        helper.add(f"{environment} = environment")
        scope = self._scope.inner(live)
        targets, matches = scope.targets(free)
        if targets:
            helper.add(f"{tuple_of(targets)} = answer")
        for pattern, target in matches:
            scope.match(pattern, target, helper)
        self._rests.append(_Rest(rest, helper, scope))

    def _helper_name(self, prefix: str) -> str:
        self._num_helpers += 1
        return f"{prefix}{self._number}_{self._num_helpers}"

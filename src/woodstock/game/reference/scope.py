"""Variables of a clause as local names of generated Python: terms taken apart and put together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from woodstock.game.reference.code import Code, exact_tuple
from woodstock.gdl.terms import LogicVar, Term, functor, iter_variables


class Scope:
    """The variables that are bound at some point of a clause, with their Python names.

    Attributes:
        names: Python name of each bound variable.
        once: Variables that occur nowhere else, so that nobody needs their value.
        loop_vars: For each open loop, the variables bound in it.
    """

    def __init__(self, once: Collection[LogicVar] = ()) -> None:
        self.names: dict[LogicVar, str] = {}
        self.once = once
        self.loop_vars: list[set[LogicVar]] = []
        self._fresh = 0

    def inner(self, live: Iterable[LogicVar]) -> Scope:
        """Return a scope that starts with some of the variables, for a function of its own."""
        scope = Scope(self.once)
        scope.names = {var: self.names[var] for var in live}
        scope._fresh = self._fresh
        return scope

    def new_name(self) -> str:
        """Return a local name that is not in use."""
        self._fresh += 1
        return f"v{self._fresh}"

    def build(self, term: Term) -> str:
        """Return an expression for a term whose variables are all bound."""
        if isinstance(term, LogicVar):
            return self.names[term]
        if isinstance(term, str):
            return repr(term)
        return exact_tuple([self.build(part) for part in term])

    def match(self, pattern: Term, value: str, code: Code) -> None:
        """Require that a value has the form of a pattern, and bind the pattern's new variables."""
        if isinstance(pattern, LogicVar) and pattern not in self.names:
            self._bind(pattern, value)
        elif isinstance(pattern, tuple) and any(var not in self.names for var in iter_variables(pattern)):
            self._match_parts(pattern, value, code)
        else:
            code.require(f"{value} == {self.build(pattern)}")

    def _match_parts(self, pattern: tuple[Term, ...], value: str, code: Code) -> None:
        name = functor(pattern)
        code.require(f"len({value}) == {len(pattern)} and {value}[0] == {name!r}")
        if len(name) == 1:
            # A constant of the same length may begin with this letter.
            code.require(f"{value}.__class__ is tuple")
        for place, part in enumerate(pattern[1:], 1):
            if not (isinstance(part, LogicVar) and part in self.once):
                inner = self.new_name()
                code.add(f"{inner} = {value}[{place}]")
                self.match(part, inner, code)

    def targets(self, patterns: Sequence[Term]) -> tuple[list[str], list[tuple[Term, str]]]:
        """Return names to assign some values to, and which of them are still to be matched with which pattern."""
        names: list[str] = []
        matches: list[tuple[Term, str]] = []
        for pattern in patterns:
            name = self.new_name()
            names.append(name)
            if isinstance(pattern, LogicVar) and pattern not in self.names:
                self._bind(pattern, name)
            else:
                matches.append((pattern, name))
        return names, matches

    def _bind(self, var: LogicVar, name: str) -> None:
        self.names[var] = name
        if self.loop_vars:
            self.loop_vars[-1].add(var)

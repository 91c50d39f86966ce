"""Writing clauses in the grounder's language.

Names of the rules become numbers, so that any character may occur in them and comparing is fast: relation number k is
the predicate `p<k>`, function number k is `f<k>`, and a constant is its number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from woodstock.gdl.dependency import Relation, relation
from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.terms import (
    GroundTerm,
    LogicVar,
    Term,
    arguments,
    functor,
    iter_variables,
    make_term,
    substitute,
    variables,
)
from woodstock.ground.others import TWO
from woodstock.ground.split import AUX, binds, bound_variables, fresh_names

RELAXED = "can "
"""Prefix of the relations of the reachability section; a space cannot occur in a name of the rules."""


class SymbolTable:
    """Numbers for names, and back."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Return the number of a name, a new one at its first use."""
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self.names)
            self.names.append(name)
        return found

    def read(self, text: str) -> tuple[GroundTerm, ...]:
        """Return the terms of a list of arguments as the grounder writes it, such as `(3,f1(4,5))`."""
        if not text:
            return ()
        codes = json.loads(_FUNCTION.sub(r"[\1,", text).replace("(", "[", 1).replace(")", "]"))
        return tuple(self._decode(code) for code in codes)

    def _decode(self, code: int | list[Any]) -> GroundTerm:
        if isinstance(code, list):
            return (self.names[code[0]], *(self._decode(part) for part in code[1:]))
        return self.names[code]


_FUNCTION = re.compile(r"f(\d+)\(")


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of the logic program that is grounded at once; `rules` are the sheet's rules that it comes from."""

    text: str
    rules: tuple[int, ...]


def relaxed(atom: Term) -> Term:
    """Return the twin of a dynamic atom in the reachability section."""
    return make_term(RELAXED + functor(atom), arguments(atom))


class Writer:
    """Writes clauses in the grounder's language."""

    def __init__(self, dynamic: frozenset[Relation]) -> None:
        self.symbols = SymbolTable()
        self.guarded: set[Relation] = set()
        self._dynamic = dynamic

    def is_fact(self, literal: Literal) -> bool:
        """Tell whether a literal binds its variables by facts."""
        return binds(literal) and not literal.name.startswith(AUX) and relation(literal.atom) not in self._dynamic

    def guard(self, literal: Literal) -> Literal:
        """Bound the variables of a literal by facts: the reachability twin of a dynamic relation."""
        name = relation(literal.atom)
        if name not in self._dynamic:
            return literal
        self.guarded.add(name)
        return Literal(relaxed(literal.atom))

    def bounded(self, clause: Clause) -> Clause:
        """Bound the variables of a count, whose own literals bind nothing."""
        if not clause.name.startswith(TWO):
            return clause
        inner = [var for var in clause.variables if var not in variables(clause.head)]
        hidden = fresh_names(inner, set(clause.variables))
        guards = [self.guard(literal) for literal in clause.body if relation(literal.atom) in self._dynamic]
        extra = tuple(Literal(substitute(literal.atom, hidden)) for literal in guards)
        return Clause(clause.head, clause.body + extra, clause.rule)

    def section(self, clauses: Sequence[Clause], is_fact: Callable[[Literal], bool]) -> Section:
        """Write clauses; `is_fact` tells which literals may be projected by the grounder."""
        rules = dict.fromkeys(clause.rule for clause in clauses if clause.rule >= 0)
        return Section("\n".join(self.clause(clause, is_fact) for clause in clauses), tuple(rules))

    def choices(self) -> str:
        """Every reachable fluent may be true, every possible move made."""
        heads: list[tuple[Term, ...]] = [("true", LogicVar("?f")), ("does", LogicVar("?r"), LogicVar("?m"))]
        return "\n".join(f"{{{self._atom(head, {})}}} :- {self._atom(relaxed(head), {})}." for head in heads)

    def clause(self, clause: Clause, is_fact: Callable[[Literal], bool]) -> str:
        """Write a clause; a variable that occurs once is written `_`, which the grounder projects out.

        Not so in literals that stay in the ground program: the projection would be made anew in every later section.
        """
        if not clause.body:
            return f"{self._atom(clause.head, {})}."
        counts: dict[LogicVar, int] = {}
        for term in (clause.head, *(literal.atom for literal in clause.body)):
            for var in iter_variables(term):
                counts[var] = counts.get(var, 0) + 1
        projected = bound_variables(literal for literal in clause.body if is_fact(literal))
        names = {var: f"V{number}" for number, var in enumerate(counts)}
        names.update({var: "_" for var, count in counts.items() if count == 1 and var in projected})
        head = self._atom(clause.head, names)
        literals = [self._literal(literal, names) for literal in clause.body]
        if clause.name.startswith(TWO):
            counted = [number for number, literal in enumerate(clause.body) if not is_fact(literal)]
            own = [var for var in variables(clause.body[counted[0]].atom) if var not in variables(clause.head)]
            tuples = ",".join(names[var] for var in own)
            literals[counted[0]] = f"2 #count {{ {tuples} : {literals[counted[0]]} }}"
        return f"{head} :- {', '.join(literals)}."

    def _literal(self, literal: Literal, names: dict[LogicVar, str]) -> str:
        if literal.name == "distinct":
            left, right = arguments(literal.atom)
            operator = "!=" if literal.positive else "="
            return f"{self._term(left, names)} {operator} {self._term(right, names)}"
        return ("" if literal.positive else "not ") + self._atom(literal.atom, names)

    def _atom(self, atom: Term, names: dict[LogicVar, str]) -> str:
        predicate = f"p{self.symbols.number(functor(atom))}"
        args = arguments(atom)
        return f"{predicate}({','.join(self._term(arg, names) for arg in args)})" if args else predicate

    def _term(self, term: Term, names: dict[LogicVar, str]) -> str:
        if isinstance(term, LogicVar):
            return names.get(term, "V" + "".join(char for char in term.name if char.isalnum()))
        number = self.symbols.number(functor(term))
        args = arguments(term)
        return f"f{number}({','.join(self._term(arg, names) for arg in args)})" if args else str(number)

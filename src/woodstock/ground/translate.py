"""From rules to a logic program that a grounder understands.

The program has three sections, grounded one after the other:

1. *static*: relations that depend neither on the position nor on the moves; they become facts;
2. *reachability*: the rules with negation of dynamic relations left out, where `true` is whatever was ever `init` or
   `next` and `does` whatever was ever `legal`; all of it is facts as well. It over-approximates what can happen;
3. *dynamic*: the rules proper, component by component, over a free choice of the reachable fluents and moves.

Names of the rules become numbers (`SymbolTable`), so that any character may occur in them and comparing is fast.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from woodstock.gdl.dependency import DependencyGraph, Relation, relation
from woodstock.gdl.rules import Clause, Literal, Rules
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
from woodstock.ground.demand import restrict
from woodstock.ground.others import TWO, rewrite_others
from woodstock.ground.split import AUX, Splitter, binds, bound_variables, fresh_names
from woodstock.ground.unfold import unfold_static
from woodstock.ground.union import join_alternatives

OUTPUTS: tuple[Relation, ...] = (("next", 1), ("legal", 2), ("terminal", 0), ("goal", 2), ("sees", 2))
"""What a game is asked for; relations that none of these needs are not grounded."""

RELAXED = "can "
"""Prefix of the relations of the reachability section; a space cannot occur in a name of the rules."""

NUM_FACT_SECTIONS = 2
"""The first sections derive nothing but facts."""

_TRUE, _DOES = ("true", 1), ("does", 2)


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


@dataclass(frozen=True, slots=True)
class LogicProgram:
    """The translation of a game.

    Attributes:
        sections: In the order in which they are to be grounded.
        symbols: The numbers of names; the predicate of relation number k is `p<k>`.
        named: Relations whose ground atoms are wanted by name.
    """

    sections: tuple[Section, ...]
    symbols: SymbolTable
    named: tuple[Relation, ...]

    def predicate(self, name: str) -> str:
        """Return what a relation is called in the program."""
        return f"p{self.symbols.number(name)}"


def translate(rules: Rules) -> LogicProgram:
    """Translate the rules of a game."""
    dynamic = DependencyGraph(rules.clauses).dynamic
    roots = frozenset([*OUTPUTS, ("init", 1), ("role", 1)])
    unfolded = unfold_static(rules.clauses, dynamic)
    needed = DependencyGraph(unfolded).reached_from(roots)
    wanted, new = rewrite_others([clause for clause in unfolded if relation(clause.head) in needed], dynamic)
    dynamic = dynamic | new | {_TRUE, _DOES}
    writer = _Writer(dynamic)
    clauses, static_needs, dynamic_needs = restrict(wanted, dynamic, roots)
    static = [clause for clause in clauses if relation(clause.head) not in dynamic]
    moving = [clause for clause in clauses if relation(clause.head) in dynamic]
    splitter = Splitter(writer.guard, writer.is_fact)
    parts = [part for clause in moving for part in splitter.split(clause)]
    proper = [writer.bounded(part) for part in join_alternatives(parts, writer.is_fact)]
    sections = [
        writer.section(_split_static([*static_needs, *static]), binds),
        writer.section(_reachability(moving, dynamic_needs, dynamic, writer.guarded), binds),
        Section(writer.choices(), ()),
        *(writer.section(part, writer.is_fact) for part in _by_component(proper)),
    ]
    named = [_TRUE, _DOES, ("init", 1), ("role", 1), *OUTPUTS]
    return LogicProgram(tuple(sections), writer.symbols, tuple(named))


def relaxed(atom: Term) -> Term:
    """Return the twin of a dynamic atom in the reachability section."""
    return make_term(RELAXED + functor(atom), arguments(atom))


def _split_static(clauses: Sequence[Clause]) -> list[Clause]:
    splitter = Splitter(prefix=AUX + "s")
    return [part for clause in clauses for part in splitter.split(clause)]


def _reachability(
    clauses: Sequence[Clause], needs: Sequence[Clause], dynamic: frozenset[Relation], guarded: set[Relation]
) -> list[Clause]:
    """Return the clauses of the reachability section: all that `next`, `legal`, the demands and the guards need."""
    loose = [_relax(clause, dynamic) for clause in (*needs, *clauses)]
    fluent, role, move = LogicVar("?f"), LogicVar("?r"), LogicVar("?m")
    follows = Clause(("true", fluent), (Literal(("next", fluent)),))
    made = Clause(("does", role, move), (Literal(("legal", role, move)), Literal(("role", role))))
    loose += [_relax(follows, dynamic), _relax(made, dynamic)]
    can_true, can_does = relaxed(("true", fluent)), relaxed(("does", role, move))
    loose.append(Clause(can_true, (Literal(("init", fluent)),)))
    roots = [relation(can_true), relation(can_does), *(relation(need.head) for need in needs)]
    roots.extend((RELAXED + name, arity) for name, arity in guarded)
    graph = DependencyGraph(loose)
    wanted = graph.reached_from(roots)
    splitter = Splitter(prefix=AUX + "r")
    kept = [clause for clause in loose if relation(clause.head) in wanted]
    return [part for clause in kept for part in splitter.split(clause)]


def _relax(clause: Clause, dynamic: frozenset[Relation]) -> Clause:
    """Forget the negated dynamic literals and rename the others."""
    body = []
    for literal in clause.body:
        if literal.name == "distinct" or relation(literal.atom) not in dynamic:
            body.append(literal)
        elif literal.positive:
            body.append(Literal(relaxed(literal.atom)))
    head = relaxed(clause.head) if relation(clause.head) in dynamic else clause.head
    return Clause(head, tuple(body), clause.rule)


def _by_component(clauses: Sequence[Clause]) -> list[list[Clause]]:
    """Group clauses so that each group uses only itself and those before it: single clauses where there is no loop."""
    graph = DependencyGraph(clauses)
    groups: list[list[Clause]] = []
    members: dict[int, list[Clause]] = {}
    for clause in clauses:
        members.setdefault(graph.component_of[relation(clause.head)], []).append(clause)
    for number in range(len(graph.components)):
        found = members.get(number, [])
        if any(graph.is_recursive(relation(clause.head)) for clause in found):
            groups.append(found)
        else:
            groups.extend([clause] for clause in found)
    return groups


class _Writer:
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
        counts: dict[LogicVar, int] = {}
        for term in (clause.head, *(literal.atom for literal in clause.body)):
            for var in iter_variables(term):
                counts[var] = counts.get(var, 0) + 1
        projected = bound_variables(literal for literal in clause.body if is_fact(literal))
        names = {var: f"V{number}" for number, var in enumerate(counts)}
        names.update({var: "_" for var, count in counts.items() if count == 1 and var in projected})
        head = self._atom(clause.head, names)
        if not clause.body:
            return f"{head}."
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

"""Estimates of how many answers a goal has, to order the conditions of a rule.

A relation is summed up, as database systems do, by its number of tuples and the number of different values of each
argument; facts and the fluents of the initial position are counted, rules are estimated from what they use. A wrong
estimate costs time, never an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from woodstock.game.reference.goals import ANY, FREE
from woodstock.game.reference.program import DISTINCT, DOES, TRUE, Kind, Program
from woodstock.gdl.dependency import Relation, relation
from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.terms import GroundTerm, LogicVar, Term, arguments

_LARGEST = 1e30
_UNKNOWN_FLUENT = 2.0
_RECURSION = 10.0


@dataclass(frozen=True, slots=True)
class Size:
    """Number of tuples, and of different values of each argument."""

    tuples: float
    values: tuple[float, ...]

    def answers(self, modes: str) -> float:
        """Return the expected number of answers to a goal with these modes."""
        bound = 1.0
        wanted = 1.0
        for values, mode in zip(self.values, modes, strict=True):
            if mode == FREE:
                wanted *= values
            elif mode != ANY:
                bound *= values
        return min(self.tuples / max(bound, 1.0), wanted)


def measure(rows: Sequence[tuple[object, ...]], arity: int) -> Size:
    """Return the size of a list of tuples."""
    return Size(float(len(rows)), tuple(float(len({row[number] for row in rows})) for number in range(arity)))


class Statistics:
    """The sizes of all relations of a program, and of the fluents by name and arity."""

    def __init__(self, program: Program, initial: Iterable[GroundTerm]) -> None:
        self._program = program
        rows: dict[Relation, list[tuple[object, ...]]] = {}
        for fluent in initial:
            rows.setdefault(relation(fluent), []).append(arguments(fluent))
        self._fluents = {name: measure(found, name[1]) for name, found in rows.items()}
        self._all_fluents = Size(float(max(1, sum(map(len, rows.values())))), (float(max(1, len(rows))),))
        self._sizes: dict[Relation, Size] = {}
        for component in program.graph.components:
            for name in component:
                self._sizes[name] = self._size(name)

    def size(self, name: Relation) -> Size:
        """Return the size of a relation."""
        return self._sizes.get(name) or Size(0.0, (0.0,) * name[1])

    def fluent_size(self, name: Relation) -> Size:
        """Return the size of the fluents with a name and arity."""
        return self._fluents.get(name) or Size(_UNKNOWN_FLUENT, (_UNKNOWN_FLUENT,) * name[1])

    def _size(self, name: Relation) -> Size:
        if name == TRUE:
            return self._all_fluents
        roles = float(max(1, len(self._program.rules.roles)))
        if name == DOES:
            return Size(roles, (roles, roles))
        facts = measure(self._program.facts(name), name[1])
        sizes = [self._clause_size(clause) for clause in self._program.proper_clauses(name)]
        tuples = facts.tuples + sum(size.tuples for size in sizes)
        values = [sum(counts) for counts in zip(facts.values, *(size.values for size in sizes), strict=True)]
        if self._program.kind(name) is Kind.RECURSIVE:
            tuples *= _RECURSION
            values = [count * _RECURSION for count in values]
        return Size(min(tuples, _LARGEST), tuple(min(count, tuples, _LARGEST) for count in values))

    def _clause_size(self, clause: Clause) -> Size:
        tuples = 1.0
        values: dict[LogicVar, float] = {}
        for literal in clause.body:
            if literal.positive and relation(literal.atom) != DISTINCT:
                args, size = self.arguments(literal)
                tuples *= size.tuples
                for arg, count in zip(args, size.values, strict=True):
                    if isinstance(arg, str):
                        tuples /= max(count, 1.0)
                    elif isinstance(arg, LogicVar):
                        if arg in values:
                            tuples /= max(values[arg], count, 1.0)
                        values[arg] = min(values.get(arg, count), count)
        tuples = min(tuples, _LARGEST)
        return Size(tuples, tuple(self._term_values(arg, values, tuples) for arg in arguments(clause.head)))

    def arguments(self, literal: Literal) -> tuple[tuple[Term, ...], Size]:
        """Return a literal's arguments and their size; those of `true` are the arguments of the fluent, if named."""
        args = arguments(literal.atom)
        if relation(literal.atom) == TRUE and not isinstance(args[0], LogicVar):
            return arguments(args[0]), self.fluent_size(relation(args[0]))
        return args, self.size(relation(literal.atom))

    @staticmethod
    def _term_values(term: Term, values: dict[LogicVar, float], tuples: float) -> float:
        if isinstance(term, LogicVar):
            return min(values.get(term, 1.0), tuples)
        if isinstance(term, str):
            return 1.0
        return tuples

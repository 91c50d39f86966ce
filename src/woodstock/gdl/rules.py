"""Rules: what a rule sheet says, freed of its syntax.

A `Rule` keeps its body as written, with `and`, `or` and `not`; `Rules.clauses` are the same rules with flat bodies, one
per way to satisfy the disjunctions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as OneOf
from typing import TypeAlias

from woodstock.common.errors import LimitError
from woodstock.gdl.source import SourceText, Span
from woodstock.gdl.terms import LogicVar, Term, functor, variables

MAX_CLAUSES_PER_RULE = 10_000
NO_SPAN = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom or its negation. Equality ignores the place in the source."""

    atom: Term
    positive: bool = True
    span: Span = field(default=NO_SPAN, compare=False, repr=False)

    @property
    def name(self) -> str:
        return functor(self.atom)

    def negated(self) -> Literal:
        return Literal(self.atom, not self.positive, self.span)


@dataclass(frozen=True, slots=True)
class Connective:
    """`and`, `or` or `not` over formulas; `not` of an atom is a `Literal` instead."""

    kind: OneOf["and", "or", "not"]
    parts: tuple[Formula, ...]
    span: Span = field(default=NO_SPAN, compare=False, repr=False)


Formula: TypeAlias = Literal | Connective


@dataclass(frozen=True, slots=True)
class Rule:
    """A head that holds if all formulas of the body do; a fact has an empty body."""

    head: Term
    body: tuple[Formula, ...] = ()
    span: Span = field(default=NO_SPAN, compare=False, repr=False)

    @property
    def name(self) -> str:
        return functor(self.head)


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule with a flat body. `rule` is the index of the rule that it comes from."""

    head: Term
    body: tuple[Literal, ...] = ()
    rule: int = field(default=-1, compare=False)

    @property
    def name(self) -> str:
        return functor(self.head)

    @property
    def variables(self) -> tuple[LogicVar, ...]:
        return variables(self.head, *(literal.atom for literal in self.body))


class Rules:
    """The rules of a game, in the order of the sheet."""

    def __init__(self, rules: Iterable[Rule], source: SourceText | None = None) -> None:
        self.rules = tuple(rules)
        self.source = source if source is not None else SourceText("")

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(self.rules)

    def __repr__(self) -> str:
        return f"Rules({len(self.rules)} rules of {self.source.name!r})"

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """Roles in the order in which the sheet states them."""
        names = (_role_of(rule) for rule in self.rules)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The rules with disjunctions multiplied out and duplicate clauses dropped."""
        flat = (clause for number, rule in enumerate(self.rules) for clause in self._flatten(rule, number))
        return tuple(dict.fromkeys(flat))

    def _flatten(self, rule: Rule, number: int) -> Iterator[Clause]:
        try:
            bodies = _disjunctive(Connective("and", rule.body), positive=True)
        except LimitError as error:
            raise LimitError(f"{self.where(number)}: {error}") from None
        for body in bodies:
            yield Clause(rule.head, tuple(dict.fromkeys(body)), number)

    def where(self, rule: int) -> str:
        """Return `file:line:column` of a rule."""
        return self.source.where(self.rules[rule].span.start)


def _role_of(rule: Rule) -> str | None:
    """Return x if the rule is the fact `(role x)`."""
    match rule:
        case Rule(head=("role", str(name)), body=()):
            return name
    return None


def _disjunctive(formula: Formula, positive: bool) -> list[tuple[Literal, ...]]:
    """Return the disjunctive normal form of a formula, or of its negation."""
    if isinstance(formula, Literal):
        return [(formula if positive else formula.negated(),)]
    if formula.kind == "not":
        return _disjunctive(Connective("and", formula.parts), not positive)
    parts = [_disjunctive(part, positive) for part in formula.parts]
    if (formula.kind == "or") == positive:
        return [body for part in parts for body in part]
    bodies: list[tuple[Literal, ...]] = [()]
    for part in parts:
        if len(bodies) * len(part) > MAX_CLAUSES_PER_RULE:
            raise LimitError(
                f"the disjunctions of this rule multiply out to more than {MAX_CLAUSES_PER_RULE} clauses;"
                " name them with a relation of their own"
            )
        bodies = [left + right for left in bodies for right in part]
    return bodies

"""A sheet under inspection: its rules side by side with the syntax tree, and the list that problems are written to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from woodstock.gdl.dependency import DependencyGraph, Relation, relation
from woodstock.gdl.diagnostics import Diagnostic, Severity
from woodstock.gdl.keywords import ARITY, RULE
from woodstock.gdl.printer import to_infix, to_kif
from woodstock.gdl.rules import Clause, Formula, Literal, Rule
from woodstock.gdl.sheet import Sheet
from woodstock.gdl.source import Span
from woodstock.gdl.syntax import Group, Node, Word
from woodstock.gdl.terms import Term

ASIDE: Final = "-aside"
"""Ending of the codes of errors in rules that no position depends on."""
_PLAYED: Final = ("role", "init", "next", "legal", "goal", "terminal", "sees")


def body_literals(rule: Rule) -> Iterator[Literal]:
    """Yield every literal of a body, with the sign that it has once the connectives around it are multiplied out."""
    for formula in rule.body:
        yield from _literals(formula, True)


def _literals(formula: Formula, positive: bool) -> Iterator[Literal]:
    if isinstance(formula, Literal):
        yield formula if positive else formula.negated()
        return
    sign = positive != (formula.kind == "not")
    for part in formula.parts:
        yield from _literals(part, sign)


class Inspection:
    """What the checks share: each works on one of these and writes its problems to it."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.source = sheet.source
        self.rules = sheet.rules.rules
        self.problems: list[Diagnostic] = list(sheet.diagnostics)
        self.is_broken = sheet.has_errors
        """Whether statements could not be read: then what seems to be missing may stand in one of them."""
        node_of = {node.span: node for node in sheet.statements}
        self.nodes: tuple[Node, ...] = tuple(node_of[rule.span] for rule in self.rules)
        """The syntax tree of each rule."""
        self._heads = tuple(head_of(node) for node in self.nodes)
        self.explained: set[str] = set()
        """Names whose problem has been reported: later checks leave them alone."""
        self.hopeless: set[int] = set()
        """Rules so wrong that further problems of theirs are only consequences."""

    def error(self, code: str, message: str, span: Span, hint: str = "") -> None:
        """Write down something that makes the sheet invalid."""
        self.problems.append(Diagnostic(Severity.ERROR, code, message, self.source, span, hint))

    def rule_error(self, number: int, code: str, message: str, span: Span, hint: str = "") -> None:
        """Write down an error of one rule; the code says so if no position depends on that rule."""
        rule = self.rules[number]
        is_needed = rule.name in _PLAYED or relation(rule.head) in self._needed
        self.error(code if is_needed else code + ASIDE, message, span, hint)

    def warning(self, code: str, message: str, span: Span, hint: str = "") -> None:
        """Write down something that is probably not meant."""
        self.problems.append(Diagnostic(Severity.WARNING, code, message, self.source, span, hint))

    @cached_property
    def literals(self) -> tuple[tuple[Literal, ...], ...]:
        """The literals of each rule's body."""
        return tuple(tuple(body_literals(rule)) for rule in self.rules)

    @cached_property
    def graph(self) -> DependencyGraph:
        """The dependency graph; clause number n stands for rule number n, whatever its disjunctions."""
        pairs = zip(self.rules, self.literals, strict=True)
        return DependencyGraph([Clause(rule.head, body, number) for number, (rule, body) in enumerate(pairs)])

    @cached_property
    def _needed(self) -> frozenset[Relation]:
        """The relations that play depends on: not `base`, `input`, and what only they need."""
        return self.graph.reached_from((name, ARITY[name]) for name in _PLAYED)

    def head_node(self, number: int) -> Node:
        """Return the syntax tree of a rule's head."""
        return self._heads[number]

    def atoms(self, number: int) -> Iterator[tuple[Term, Span]]:
        """Yield the head and every condition's atom of a rule, each with its place."""
        yield self.rules[number].head, self.head_node(number).span
        for literal in self.literals[number]:
            yield literal.atom, literal.span

    def word(self, number: int, text: str, inside: Span | None = None) -> Span:
        """Return where a name or variable first stands in a rule (within `inside`); the rule's start if nowhere."""
        part = inside or self.rules[number].span
        for word in words_within(self.nodes[number], part):
            if word.text.lower() == text:
                return word.span
        return Span(part.start, part.start + 1)

    def line(self, offset: int) -> int:
        """Return the line of a character offset."""
        return self.source.position(offset)[0]

    def show(self, term: Term) -> str:
        """Return a term as the sheet's notation writes it."""
        return to_infix(term) if self.sheet.syntax == "infix" else to_kif(term)

    def show_literal(self, literal: Literal) -> str:
        """Return a condition as the sheet's notation writes it."""
        text = self.show(literal.atom)
        if literal.positive:
            return text
        return f"~{text}" if self.sheet.syntax == "infix" else f"(not {text})"

    def example(self, name: str, *arguments: str) -> str:
        """Return an example of an atom, for a hint, as the sheet's notation writes it."""
        return self.show((name, *arguments) if arguments else name)


def words_within(node: Node, part: Span) -> Iterator[Word]:
    """Yield the words of a node that stand in a part of the text, without looking at the others."""
    if isinstance(node, Word):
        if part.start <= node.span.start < part.end:
            yield node
        return
    # The first item may be an operator, which infix notation writes after an operand; the others are in order.
    for item in node.items[:1]:
        yield from words_within(item, part)
    index = bisect_right(node.items, part.start, lo=min(1, len(node.items)), key=lambda item: item.span.end)
    while index < len(node.items) and node.items[index].span.start < part.end:
        yield from words_within(node.items[index], part)
        index += 1


def head_of(statement: Node) -> Node:
    """Return the head of a rule, or a fact itself."""
    if isinstance(statement, Group) and is_rule(statement):
        return statement.items[1]
    return statement


def body_of(statement: Node) -> tuple[Node, ...]:
    """Return the conditions of a rule; a fact has none."""
    return statement.items[2:] if isinstance(statement, Group) and is_rule(statement) else ()


def is_rule(statement: Node) -> bool:
    """Tell whether a statement is written with `<=`."""
    match statement:
        case Group(items=(Word(text=text), _, *_)):
            return text == RULE
    return False


def name_list(names: list[str], limit: int = 12) -> str:
    """Return `a`, `a and b` or `a, b and c`; of a very long list only the first names."""
    if len(names) > limit:
        names = [*names[: limit - 1], f"{len(names) - limit + 1} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

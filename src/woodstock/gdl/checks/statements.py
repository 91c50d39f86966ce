"""Statements: duplicates, rules without conditions, words outside parentheses, odd characters, and other slips."""

from __future__ import annotations

import re

from woodstock.gdl.checks.inspection import Inspection, is_rule
from woodstock.gdl.keywords import ARITY
from woodstock.gdl.rules import MAX_CLAUSES_PER_RULE, Connective, Formula, Literal, Rule
from woodstock.gdl.source import Span
from woodstock.gdl.syntax import Word, iter_words
from woodstock.gdl.terms import LogicVar, Term, is_ground

_ODD = re.compile(r"[^A-Za-z0-9_+*/<>=.:!?&~@$^#'-]")
_FOREIGN_COMMENT = re.compile(r"%|//|/\*|\*/|#|--")


def check_duplicates(inspection: Inspection) -> None:
    """Report statements that say the same as an earlier one, up to the names of variables."""
    same: dict[object, list[Rule]] = {}
    for rule in inspection.rules:
        same.setdefault(_pattern(rule), []).append(rule)
    for first, *others in same.values():
        if others:
            line = inspection.line(first.span.start)
            times = f" ({len(others) + 1} times in all)" if len(others) > 1 else ""
            what = "rule" if first.body else "fact"
            message = f"the same {what} is already stated in line {line}{times}"
            inspection.warning("duplicate", message, others[0].span)


def _pattern(rule: Rule) -> object:
    """Return a value that is equal for rules that differ in the names of their variables only."""
    numbers: dict[LogicVar, int] = {}

    def of_term(term: Term) -> object:
        if isinstance(term, LogicVar):
            return numbers.setdefault(term, len(numbers))
        return tuple(of_term(part) for part in term) if isinstance(term, tuple) else term

    def of_formula(formula: Formula) -> object:
        if isinstance(formula, Literal):
            return formula.positive, of_term(formula.atom)
        return formula.kind, tuple(of_formula(part) for part in formula.parts)

    return of_term(rule.head), tuple(of_formula(formula) for formula in rule.body)


def check_bodies_present(inspection: Inspection) -> None:
    """Report rules without conditions."""
    for number, rule in enumerate(inspection.rules):
        if not rule.body and is_rule(inspection.nodes[number]) and is_ground(rule.head):
            hint = f"write it as a fact: {inspection.show(rule.head)}"
            inspection.warning("no-body", "a rule without conditions", rule.span, hint)


def check_connectives(inspection: Inspection) -> None:
    """Report `and`, which plain GDL does not have, and disjunctions that multiply out to too many clauses."""
    for rule in inspection.rules:
        if _num_clauses(Connective("and", rule.body), True) > MAX_CLAUSES_PER_RULE:
            message = f"the disjunctions of this rule multiply out to more than {MAX_CLAUSES_PER_RULE} clauses"
            inspection.error("too-many-clauses", message, rule.span, "name them with a relation of their own")
    used = (formula for rule in inspection.rules for formula in rule.body)
    stack = list(used)
    first: Connective | None = None
    while stack:
        formula = stack.pop()
        if isinstance(formula, Connective):
            stack.extend(formula.parts)
            if formula.kind == "and" and (first is None or formula.span < first.span):
                first = formula
    if first is not None:
        hint = "other systems may not read it: conditions are joined without `and`, alternatives by rules of their own"
        inspection.warning("and", "`and` is not part of GDL", first.span, hint)


def _num_clauses(formula: Formula, positive: bool) -> int:
    """Return how many clauses a formula, or its negation, multiplies out to; numbers past the limit are cut."""
    if isinstance(formula, Literal):
        return 1
    sign = positive != (formula.kind == "not")
    parts = (_num_clauses(part, sign) for part in formula.parts)
    if (formula.kind == "or") == sign:
        return min(sum(parts), MAX_CLAUSES_PER_RULE + 1)
    product = 1
    for part in parts:
        product = min(product * part, MAX_CLAUSES_PER_RULE + 1)
    return product


def check_distinct(inspection: Inspection) -> None:
    """Report `distinct` between a term and itself."""
    for literals in inspection.literals:
        for literal in literals:
            match literal.atom:
                case ("distinct", one, two) if one == two:
                    verdict = "never holds" if literal.positive else "always holds"
                    message = f"{inspection.show_literal(literal)} {verdict}"
                    inspection.warning("constant-condition", message, literal.span)


def check_bare_words(inspection: Inspection) -> None:
    """Report words outside parentheses that no rule uses: they are read as facts, but seldom meant so."""
    if inspection.sheet.syntax != "kif":
        return
    used = {literal.name for literals in inspection.literals for literal in literals}
    line_reported = 0
    for node in inspection.sheet.statements:
        if not isinstance(node, Word) or node.text.lower() in used or node.text.lower() in ARITY:
            continue
        inspection.explained.add(node.text.lower())
        line = inspection.line(node.span.start)
        if line == line_reported:
            continue
        line_reported = line
        if _FOREIGN_COMMENT.match(node.text):
            inspection.warning("foreign-comment", "comments begin with `;` in GDL", node.span, "")
        else:
            is_infix = inspection.source.text[node.span.end : node.span.end + 1] == "("
            hint = f"in this notation a fact is ({node.text} …)" if is_infix else ""
            inspection.warning("bare-word", f"`{node.text}` stands outside parentheses", node.span, hint)


def check_characters(inspection: Inspection) -> None:
    """Report words with characters that are probably not meant to be part of a name."""
    if inspection.sheet.syntax != "kif":
        return
    reported: set[str] = set()
    number_of = {rule.span: number for number, rule in enumerate(inspection.rules)}
    for node in inspection.sheet.statements:
        for word in iter_words(node):
            odd = _ODD.search(word.text)
            if odd is None:
                continue
            if odd.group() == "," and node.span in number_of:
                inspection.hopeless.add(number_of[node.span])
            if word.text in reported or (isinstance(node, Word) and _FOREIGN_COMMENT.match(word.text)):
                continue
            reported.add(word.text)
            start = word.span.start + odd.start()
            hint = "a comma is part of the name: separate arguments by spaces" if odd.group() == "," else ""
            message = f"odd character {odd.group()!r} in the name `{word.text}`"
            inspection.warning("odd-character", message, Span(start, start + 1), hint)

"""Printers: terms and rules back to text, in KIF and in infix.

>>> from woodstock.gdl.sheet import parse_rules
>>> rules = parse_rules("(<= (next (on ?x)) (true (on ?x)) (not (does r (push ?x))))")
>>> print(rules_to_infix(rules), end="")
next(on(X)) :- true(on(X)) & ~does(r, push(X))
>>> parse_rules(rules_to_kif(rules)) == rules
True
"""

from __future__ import annotations

from collections.abc import Iterable

from woodstock.gdl.keywords import RULE
from woodstock.gdl.notation import Infix, Kif, Notation, Place
from woodstock.gdl.rules import NO_SPAN, Formula, Literal, Rule
from woodstock.gdl.syntax import Group, Node, Word
from woodstock.gdl.terms import LogicVar, Term


def to_kif(term: Term) -> str:
    """Return a term or atom in prefix notation, with single spaces.

    >>> to_kif(("cell", "1", ("f", LogicVar("?x"))))
    '(cell 1 (f ?x))'
    """
    if isinstance(term, tuple):
        return "(" + " ".join(to_kif(part) for part in term) + ")"
    return term.name if isinstance(term, LogicVar) else term


def to_infix(term: Term) -> str:
    """Return a term or atom in infix notation.

    >>> to_infix(("cell", "1", ("f", LogicVar("?x")), "++"))
    "cell(1, f(X), '++')"
    """
    return one_line(_term_node(term), Place.TERM, Infix())


def rules_to_kif(rules: Iterable[Rule]) -> str:
    """Return rules as KIF text, one to a line."""
    return _rules_text(rules, Kif())


def rules_to_infix(rules: Iterable[Rule]) -> str:
    """Return rules as infix text, one to a line."""
    return _rules_text(rules, Infix())


def one_line(node: Node, place: Place, notation: Notation) -> str:
    """Return a node of the syntax tree as text on one line."""
    if isinstance(node, Word):
        return notation.word(node, place)
    shape = notation.shape(node, place)
    texts = [one_line(part, part_place, notation) for part, part_place in shape.parts]
    first, rest = "".join(texts[:1]), shape.separator.join(texts[1:])
    return shape.opening + first + (shape.first_separator + rest if rest else "") + shape.closing


def rule_node(rule: Rule) -> Node:
    """Return the syntax tree of a rule, as if it had been read."""
    head = _term_node(rule.head)
    if not rule.body:
        return head
    return Group((_word(RULE), head, *(_formula_node(part) for part in rule.body)), NO_SPAN)


def _rules_text(rules: Iterable[Rule], notation: Notation) -> str:
    return "".join(one_line(rule_node(rule), Place.STATEMENT, notation) + "\n" for rule in rules)


def _formula_node(formula: Formula) -> Node:
    if isinstance(formula, Literal):
        atom = _term_node(formula.atom)
        return atom if formula.positive else Group((_word("not"), atom), NO_SPAN)
    return Group((_word(formula.kind), *(_formula_node(part) for part in formula.parts)), NO_SPAN)


def _term_node(term: Term) -> Node:
    if isinstance(term, tuple):
        return Group(tuple(_term_node(part) for part in term), NO_SPAN)
    return _word(term.name if isinstance(term, LogicVar) else term)


def _word(text: str) -> Word:
    return Word(text, NO_SPAN)

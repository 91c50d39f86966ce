"""The printers: what is quoted, what gets parentheses."""

from __future__ import annotations

import pytest

from woodstock.gdl.printer import rules_to_infix, rules_to_kif, to_infix, to_kif
from woodstock.gdl.rules import Connective, Literal, Rule
from woodstock.gdl.sheet import parse_rules
from woodstock.gdl.terms import LogicVar, Term


@pytest.mark.parametrize(
    ("term", "kif", "infix"),
    [
        ("x", "x", "x"),
        (LogicVar("?x"), "?x", "X"),
        (LogicVar("?movecount"), "?movecount", "Movecount"),
        (LogicVar("?1"), "?1", "?1"),
        (LogicVar("?_"), "?_", "?_"),
        (LogicVar("?_a"), "?_a", "_a"),
        (LogicVar("?"), "?", "?"),
        (LogicVar("?a,b"), "?a,b", "?'a,b'"),
        (LogicVar("?ßx"), "?ßx", "?ßx"),
        (("f", "-1", "2.5", "2nd"), "(f -1 2.5 2nd)", "f(-1, 2.5, 2nd)"),
        ("8,9", "8,9", "'8,9'"),
        ("_a", "_a", "'_a'"),
        ("it's\\", "it's\\", "'it\\'s\\\\'"),
        ("not", "not", "'not'"),
        (("not", "not"), "(not not)", "not('not')"),
        (("++", ("f", "a")), "(++ (f a))", "'++'(f(a))"),
        ("two-words", "two-words", "two-words"),
        ("trailing-", "trailing-", "'trailing-'"),
    ],
)
def test_terms(term: Term, kif: str, infix: str) -> None:
    assert to_kif(term) == kif
    assert to_infix(term) == infix


A, B, C = Literal("a"), Literal("b"), Literal("c")


@pytest.mark.parametrize(
    ("rule", "kif", "infix"),
    [
        (Rule(("p", "a")), "(p a)", "p(a)"),
        (Rule("h", (A, B.negated())), "(<= h a (not b))", "h :- a & ~b"),
        (Rule("h", (Connective("or", (A, B)),)), "(<= h (or a b))", "h :- (a | b)"),
        (
            Rule("h", (A, Connective("not", (Connective("and", (B, C)),)))),
            "(<= h a (not (and b c)))",
            "h :- a & ~(b & c)",
        ),
        (Rule("h", (Connective("and", ()), Connective("or", (A,)))), "(<= h (and) (or a))", "h :- and() & or(a)"),
        (Rule("h", (Connective("not", (A.negated(),)),)), "(<= h (not (not a)))", "h :- ~~a"),
        (Rule(("and", ("not", "p"))), "(and (not p))", "and(not(p))"),
    ],
)
def test_rules(rule: Rule, kif: str, infix: str) -> None:
    assert rules_to_kif([rule]) == kif + "\n"
    assert rules_to_infix([rule]) == infix + "\n"
    assert parse_rules(kif, "kif").rules == (rule,)
    assert parse_rules(infix, "infix").rules == (rule,)


def test_nothing_is_an_empty_text() -> None:
    assert rules_to_kif([]) == rules_to_infix([]) == ""

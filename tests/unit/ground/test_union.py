"""Alternatives are joined where they look at a part of the head's arguments only."""

from __future__ import annotations

from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.sheet import parse_rules
from woodstock.ground.split import binds
from woodstock.ground.union import join_alternatives


def is_fact(literal: Literal) -> bool:
    return binds(literal) and literal.name == "dom"


def joined(text: str) -> list[Clause]:
    return join_alternatives(parse_rules(text).clauses, is_fact)


def test_alternatives_over_one_argument_are_joined() -> None:
    found = joined(
        "(<= (h ?a ?b ?c) (true (p ?a)) (dom ?b) (dom ?c))"
        "(<= (h ?x ?y ?z) (dom ?y) (dom ?z) (true (q ?x ?w)))"
        "(<= (h ?a ?b ?c) (r ?a ?b ?c))"
    )
    assert [clause.name == "h" for clause in found] == [False, False, True, True]
    one, two, whole, _ = found
    assert one.head == two.head
    assert whole.body[0].atom == one.head
    assert {literal.name for literal in whole.body[1:]} == {"dom"}


def test_what_differs_in_its_facts_or_its_arguments_is_left_alone() -> None:
    for text in (
        "(<= (h ?a ?b ?c) (p ?a) (dom ?b) (dom ?c)) (<= (h ?a ?b ?c) (q ?b) (dom ?a) (dom ?c))",
        "(<= (h ?a ?b ?c) (p ?a) (dom ?b) (dom ?c)) (<= (h ?a ?b 1) (q ?a) (dom ?b))",
        "(<= (h ?a ?b ?c) (p ?a) (dom ?b) (dom ?c)) (<= (g ?a ?b ?c) (q ?a) (dom ?b) (dom ?c))",
        "(<= (h ?a ?b) (p ?a) (dom ?b)) (<= (h ?a ?b) (q ?a) (dom ?b))",
        "(<= (h ?a ?b ?c) (p ?d) (not (q ?a ?d)) (dom ?a) (dom ?b) (dom ?c)) (<= (h ?a ?b ?c) (r) (dom ?b) (dom ?c))",
    ):
        assert joined(text) == list(parse_rules(text).clauses)

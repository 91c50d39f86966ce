"""Splitting keeps the meaning, narrows the rules and shares what is alike."""

from __future__ import annotations

from woodstock.gdl.rules import Clause
from woodstock.gdl.sheet import parse_rules
from woodstock.gdl.terms import LogicVar, variables
from woodstock.ground.split import AUX, Splitter, fresh_names


def clauses(text: str) -> tuple[Clause, ...]:
    return parse_rules(text).clauses


def width(clause: Clause) -> int:
    return len(clause.variables)


def test_a_chain_is_cut_into_links() -> None:
    [chain] = clauses("(<= (h ?a) (p ?a ?b) (p ?b ?c) (p ?c ?d) (p ?d ?e) (q ?e))")
    parts = Splitter().split(chain)
    assert width(chain) == 5
    assert max(width(part) for part in parts) <= 3
    assert parts[-1].head == chain.head


def test_a_rule_whose_variables_all_stand_in_the_head_is_left_alone() -> None:
    [clause] = clauses("(<= (h ?a ?b ?c) (p ?a ?b) (p ?b ?c) (not (q ?a ?c)))")
    assert Splitter().split(clause) == [clause]


def test_equal_parts_are_shared() -> None:
    first, second = clauses("(<= (h ?a) (p ?a ?b) (q ?b ?c) (r ?c)) (<= (g ?x) (s ?x ?y) (q ?y ?z) (r ?z))")
    splitter = Splitter()
    assert len(splitter.split(first)) == 2
    [rest] = splitter.split(second)
    assert any(literal.name.startswith(AUX) for literal in rest.body)


def test_a_negated_literal_takes_a_guard_along() -> None:
    [clause] = clauses("(<= (h ?a) (p ?a ?b) (p ?a ?c) (dom ?d) (not (q ?c ?d)))")
    for part in Splitter().split(clause):
        bound = {var for literal in part.body if literal.positive for var in variables(literal.atom)}
        assert bound.issuperset(part.variables), f"unsafe: {part}"


def test_splitting_ends_on_a_clique() -> None:
    names = "abcdef"
    pairs = " ".join(f"(p ?{one} ?{two})" for one in names for two in names if one < two)
    [clause] = clauses(f"(<= (h ?a) {pairs})")
    assert Splitter().split(clause)[-1].head == clause.head


def test_new_names_are_taken_by_nobody() -> None:
    """An earlier step may have named a variable after another; it must not be taken for one that a guard hides."""
    taken = {LogicVar("?a"), LogicVar("?a 0"), LogicVar("?b 1")}
    first = fresh_names([LogicVar("?a"), LogicVar("?b")], taken)
    second = fresh_names([LogicVar("?a"), LogicVar("?b")], taken)
    assert first == {LogicVar("?a"): LogicVar("?a 1"), LogicVar("?b"): LogicVar("?b 0")}
    assert second == {LogicVar("?a"): LogicVar("?a 2"), LogicVar("?b"): LogicVar("?b 2")}

"""Safety: which variables are unbound, and what the messages say of them."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woodstock.gdl.checks.safety import unbound_variables
from woodstock.gdl.rules import Connective, Formula, Literal, Rule, Rules
from woodstock.gdl.terms import LogicVar, variables


@pytest.mark.parametrize(
    "rule",
    [
        "(<= (legal x (go ?a)) (succ ?a ?b))",
        "(<= (legal x (go ?a)) (succ ?a ?b) (not (true (step ?b))) (distinct ?a ?b))",
        "(<= (legal x (go ?a)) (or (succ ?a 1) (true (step ?a))))",
        "(<= (legal x (go ?a)) (or (succ ?a 1) (and (true (step ?a)) (not (succ ?a 2)))))",
        "(<= (legal x go) (or (not (true (step 1))) (and (succ ?a ?b) (distinct ?a ?b))))",
        "(<= (legal x (go ?a)) (true ?f) (true (step ?a)) (not (distinct ?f (step ?a))))",
    ],
)
def test_safe_rules_have_no_problem(check, rule: str) -> None:
    assert [problem for problem in check(rule) if problem.code == "unsafe"] == []


def test_head(only) -> None:
    problem = only("(<= (legal x (jump ?a ?b))\n    (true (step ?b)))")
    assert problem[:3] == ("1:20", "error", "unsafe")
    assert problem.message == "unsafe rule: ?a in the head: bound by no positive condition"
    assert "?a" in problem.hint


def test_all_variables_and_their_places_are_named(only) -> None:
    problem = only("(<= (legal x (go ?a))\n    (true (step ?b))\n    (not (succ ?c ?b))\n    (distinct ?b ?d))")
    assert problem.message == (
        "unsafe rule: ?a in the head, ?c in (not (succ ?c ?b)) and ?d in (distinct ?b ?d):"
        " bound by no positive condition"
    )


def test_negation_points_at_the_variable_inside_it(only) -> None:
    assert only("(<= (legal x go)\n    (not (succ 1 ?c)))").place == "2:18"


def test_distinct_and_negation_do_not_bind(only) -> None:
    assert only("(<= (legal x go) (not (succ ?a ?b)) (distinct ?a ?b))").code == "unsafe"


def test_alternatives(only) -> None:
    problem = only("(<= (legal x (go ?a)) (or (succ 1 ?a) (true (step 1))))")
    assert problem.message == "unsafe rule: ?a in the head: not bound in every alternative of the rule"


def test_role_variable_is_to_be_bound_by_role(only) -> None:
    assert only("(<= (legal ?w noop) (true (step 1)))").hint == "add the condition (role ?w): it stands for a role"


def test_misspelt_variable_is_suggested(only) -> None:
    assert only("(<= (legal x (go ?number)) (true (step ?nmuber)))").hint == "did you mean ?nmuber instead of ?number?"


def test_facts_have_no_variables(only) -> None:
    problem = only("(succ 3\n ?n)")
    assert problem[:3] == ("2:2", "error", "variable-in-fact")
    assert "?n" in problem.message


VARIABLES = tuple(LogicVar(name) for name in ("?x", "?y", "?z"))
terms = st.sampled_from(VARIABLES) | st.just("a")
literals = st.builds(
    Literal,
    st.tuples(st.sampled_from(["p", "q", "distinct"]), terms, terms),
    st.booleans(),
)
formulas = st.recursive(
    literals,
    lambda parts: st.builds(
        Connective, st.sampled_from(["and", "or", "not"]), st.lists(parts, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=8,
)


@given(st.tuples(st.just("h"), terms, terms), st.lists(formulas, max_size=3).map(tuple))
def test_a_rule_is_safe_iff_its_clauses_are(head: tuple[str, ...], body: tuple[Formula, ...]) -> None:
    rule = Rule(head, body)
    unsafe = False
    for clause in Rules([rule]).clauses:
        good = [literal for literal in clause.body if literal.positive and literal.name != "distinct"]
        bound = set(variables(*(literal.atom for literal in good)))
        needed = {*variables(clause.head)}
        needed.update(*(variables(literal.atom) for literal in clause.body if literal not in good))
        unsafe = unsafe or not needed <= bound
    assert bool(unbound_variables(rule)) == unsafe


def test_every_pair_of_signs() -> None:
    for one, two in product([True, False], repeat=2):
        nested = Connective("not", (Connective("not", (Literal(("p", VARIABLES[0]), one),)),))
        rule = Rule("h", (nested, Literal(("q", VARIABLES[0]), two)))
        assert bool(unbound_variables(rule)) == (not one and not two)

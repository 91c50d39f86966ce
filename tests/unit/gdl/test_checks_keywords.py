"""Keywords: where they stand, what they take, what they depend on."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("(true (step 1))", "keyword-head"),
        ("(<= (true (step ?n)) (succ ?n 3))", "keyword-head"),
        ("(does x (go 1))", "keyword-head"),
        ("(distinct 1 2)", "keyword-head-aside"),
        ("(not (succ 3 1))", "keyword-head-aside"),
        ("(<= (or (succ 1 3) (succ 3 1)) (succ 1 2))", "keyword-head-aside"),
        ("(<= (role y) (succ 1 2))", "role-rule"),
        ("(role (player 1))", "role-name"),
    ],
)
def test_heads(only, statement: str, code: str) -> None:
    problem = only(statement)
    assert (problem.severity, problem.code) == ("error", code)
    assert problem.place == ("1:5" if statement.startswith("(<=") else "1:1")


def test_many_facts_of_a_given_relation_are_summed_up(check) -> None:
    found = check("".join(f"(true (step {n}))\n" for n in range(9)))
    assert [problem.code for problem in found] == ["keyword-head"] * 3
    assert found[-1].message.endswith("(and 6 more such statements)")


@pytest.mark.parametrize(
    "condition",
    ["(init (step 1))", "(next (step 1))", "(not (next (step 1)))", "(base (step 1))", "(input x go)", "(sees x p)"],
)
def test_bodies(check, condition: str) -> None:
    errors = [problem for problem in check(f"(<= (sees x p)\n    {condition})") if problem.severity == "error"]
    assert [(problem.place, problem.code) for problem in errors] == [("2:5", "keyword-in-body")]


@pytest.mark.parametrize("condition", ["terminal", "(legal x (go 1))", "(goal x 0)", "(role x)", "(true (step 1))"])
def test_other_keywords_may_be_conditions(check, condition: str) -> None:
    assert check(f"(<= (sees x p) {condition})") == []


@pytest.mark.parametrize(
    ("statement", "takes"),
    [
        ("(role x y)", "`role` takes 1 argument, found 2"),
        ("(<= (legal x) (true (step 1)))", "`legal` takes 2 arguments, found 1"),
        ("(<= (terminal x) (true (step 1)))", "`terminal` takes no arguments, found 1"),
        ("(<= (goal x 1 1) (true (step 1)))", "`goal` takes 2 arguments, found 3"),
        ("(<= (legal x (go 1)) (true step 1))", "`true` takes 1 argument, found 2"),
        ("(<= (legal x (go ?n)) (succ ?n ?m) (distinct ?n))", "`distinct` takes 2 arguments, found 1"),
        ("(<= (next (step 1)) (does (go 1)))", "`does` takes 2 arguments, found 1"),
        ("init", "`init` takes 1 argument, found 0"),
    ],
)
def test_arity(check, statement: str, takes: str) -> None:
    errors = [problem for problem in check(statement) if problem.severity == "error"]
    assert [(problem.code, problem.message) for problem in errors] == [("keyword-arity", takes)]
    assert errors[0].hint.startswith("expected: ")


def test_conditions_inside_the_head_are_one_problem(only) -> None:
    problem = only("(<= (base (step ?n) (succ ?n ?m)))")
    assert (problem.code, problem.message) == ("keyword-arity-aside", "`base` takes 1 argument, found 2")
    assert "closed too late" in problem.hint


class TestDependence:
    """What is the same in every position must not depend on it."""

    @pytest.mark.parametrize("head", ["(init (step 2))", "(base (step 2))", "(input x (go 2))"])
    @pytest.mark.parametrize("condition", ["(true (step 1))", "(does x (go 1))"])
    def test_given_once(self, only, head: str, condition: str) -> None:
        problem = only(f"(<= {head}\n    {condition})")
        assert problem[:3] == ("2:5", "error", "dependence")

    @pytest.mark.parametrize("head", ["(legal x (go 2))", "(goal x 50)", "terminal"])
    def test_moves(self, only, head: str) -> None:
        assert only(f"(<= {head}\n    (does x (go 1)))").code == "dependence"

    def test_chain_is_shown(self, only) -> None:
        problem = only("(<= terminal\n    (not p))\n(<= p q)\n(<= q (does x (go 1)))\n")
        assert problem.place == "2:5"
        assert problem.message == "`terminal` must not depend on the moves (`does`): terminal -> p -> q -> does"

    def test_long_chains_are_cut(self, only) -> None:
        rules = "".join(f"(<= p{n} p{n + 1})\n" for n in range(40))
        message = only(f"(<= terminal p0)\n{rules}(<= p40 (does x (go 1)))\n").message
        assert message.endswith("-> ... -> does")

    @pytest.mark.parametrize("head", ["(next (step 2))", "(sees x (step 2))"])
    def test_next_and_sees_may_depend_on_all(self, check, head: str) -> None:
        assert check(f"(<= {head} (true (step 1)) (does x (go 1)))") == []


class TestNegation:
    """`not` holds one sentence."""

    @pytest.mark.parametrize("inside", ["(or (succ 1 2) (succ 1 3))", "(not (succ 1 2))"])
    def test_connectives_inside(self, only, inside: str) -> None:
        problem = only(f"(<= (legal x (go 1))\n    (not {inside}))")
        assert problem[:3] == ("2:5", "error", "negation")

    @pytest.mark.parametrize("negation", ["(not)", "(not (succ 1 2) (succ 1 3))"])
    def test_one_sentence(self, only, negation: str) -> None:
        problem = only(f"(<= (legal x (go 1))\n    {negation})")
        assert problem[:3] == ("2:5", "error", "not")

    def test_variable(self, only) -> None:
        assert only("(<= (legal x (go 1)) (true ?f) (not ?f))").code == "variable-as-atom"


class TestTerms:
    """Keywords inside terms."""

    @pytest.mark.parametrize("term", ["(not a)", "(or a b)", "and"])
    def test_connectives(self, only, term: str) -> None:
        problem = only(f"(<= (legal x (go {term})) (true (step 1)))")
        assert (problem.severity, problem.code) == ("error", "connective-in-term")

    def test_keyword(self, only) -> None:
        problem = only("(<= (sees x (does 1)) (true (step 1)))")
        assert problem[:3] == ("1:14", "warning", "keyword-as-name")


class TestKnowledge:
    """GDL-III."""

    @pytest.mark.parametrize("condition", ["(knows x (step 1))", "(knows (step 1))", "(not (knows x p))"])
    def test_is_refused(self, only, condition: str) -> None:
        problem = only(f"(<= (legal x (go 1))\n    {condition})")
        assert problem[:3] == ("2:5", "error", "gdl-iii")

    def test_a_relation_of_that_name_is_none(self, check) -> None:
        assert check("(knows x a)\n(<= (legal x (go 1)) (knows x a))") == []

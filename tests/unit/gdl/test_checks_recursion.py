"""Stratification and the recursion restriction."""

from __future__ import annotations

import pytest


class TestStratification:
    """No relation may depend on its own negation."""

    def test_direct(self, only) -> None:
        problem = only("(<= (legal x go) p)\n(<= p (true (step 1))\n    (not p))")
        assert problem[:3] == ("3:5", "error", "unstratified")
        assert problem.message == "p depends on its own negation: p -> not p"

    def test_the_shortest_cycle_is_named(self, only) -> None:
        text = "(<= (legal x go) p)\n(<= p (not q))\n(<= q r)\n(<= q s)\n(<= r s)\n(<= s p)\n"
        assert only(text).message == "p depends on its own negation: p -> not q -> s -> p"

    def test_negation_inside_connectives(self, only) -> None:
        assert only("(<= (legal x go) p)\n(<= p (or (true (step 1)) (not p)))").code == "unstratified"

    def test_two_negations_cancel(self, check) -> None:
        assert [problem.code for problem in check("(<= (legal x go) p)\n(<= p (not (not p)))")] == ["negation"]

    def test_further_negations_of_the_cycle_are_listed(self, only) -> None:
        problem = only("(<= (legal x go) p)\n(<= p (not q))\n(<= q (not p))\n")
        assert problem.place == "2:7"
        assert problem.hint == "further negations inside the same cycle: line 3"

    def test_each_cycle_is_reported(self, check) -> None:
        found = check("(<= (legal x go) p q)\n(<= p (not p))\n(<= q (not q))")
        assert [problem.place for problem in found] == ["2:7", "3:7"]

    def test_stratified_clause_by_clause(self, only) -> None:
        text = "(<= (goal x 50)\n    (not (goal x 100))\n    (not (goal x 0)))"
        problem = only(text)
        assert problem[:3] == ("2:5", "error", "unstratified-by-name")
        assert problem.message == "goal depends on its own negation: goal -> not goal"

    @pytest.mark.parametrize(
        "text",
        [
            "(<= (goal x 50) (not (goal x 50)))",
            "(<= (goal x ?n) (succ ?n 3) (not (goal x 100)))",
            "(<= (goal x 50) (not (goal x 60)))\n(<= (goal x 60) (or (true (step 1)) (not (goal x 50))))",
        ],
    )
    def test_not_even_clause_by_clause(self, only, text: str) -> None:
        assert only(text).code == "unstratified"

    def test_rules_aside(self, check) -> None:
        assert [problem.code for problem in check("(<= p (not p))")] == ["unstratified-aside"]

    def test_long_cycles_are_cut(self, only) -> None:
        rules = "".join(f"(<= p{n} p{(n + 1) % 50})\n" for n in range(1, 50))
        message = only(f"(<= (legal x go) p0)\n(<= p0 (not p1))\n{rules}").message
        assert message.startswith("p0 depends on its own negation: p0 -> not p1 -> p2")
        assert message.endswith("-> ... -> p0")

    @pytest.mark.parametrize(
        "text",
        [
            "(<= (legal x go) p)\n(<= p (not q))\n(<= q (true (step 1)))",
            "(<= (legal x go) (p a))\n(<= (p ?x) (p ?x ?x))\n(<= (p a b) (not (q a)))\n(q b)",
            "(<= (legal x (go ?x)) (reach ?x))\n(reach 1)\n(<= (reach ?y) (reach ?x) (succ ?x ?y))",
        ],
    )
    def test_stratified(self, check, text: str) -> None:
        assert [problem for problem in check(text) if problem.code == "unstratified"] == []


class TestRestriction:
    """Arguments of a recursive condition come from the head or from outside the cycle."""

    def test_growing_terms(self, only) -> None:
        problem = only("(<= (legal x (go ?n)) (num ?n))\n(num 0)\n(<= (num (s ?n))\n    (num ?n))\n")
        assert problem[:3] == ("4:5", "error", "recursion")
        assert "num depends on itself through (num ?n), where ?n is neither" in problem.message

    def test_mutual_recursion(self, only) -> None:
        text = "(<= (legal x (go ?n)) (even ?n))\n(even 0)\n(<= (even (s ?n)) (odd ?n))\n(<= (odd ?n) (even ?n))\n"
        assert only(text).place == "3:19"

    @pytest.mark.parametrize(
        "rule",
        [
            "(<= (num (s ?n)) (num ?n) (succ ?n ?m))",
            "(<= (num (s ?n)) (num ?n) (true (step ?n)))",
            "(<= (num ?n) (num ?n) (succ ?n ?n))",
            "(<= (num ?m) (num 0) (succ 1 ?m))",
            "(<= (num (s ?n)) (num (s ?n)) (true (step ?n)))",
            "(<= (num ?m) (or (and (num ?n) (succ ?n ?m)) (succ ?m 1)))",
        ],
    )
    def test_bounded(self, check, rule: str) -> None:
        found = check(f"(<= (legal x (go ?n)) (num ?n))\n(num 0)\n{rule}")
        assert [problem for problem in found if problem.severity == "error"] == []

    @pytest.mark.parametrize(
        "rule",
        [
            "(<= (num ?m) (num ?n) (succ 1 ?m))",
            "(<= (num (s ?n)) (num ?n) (not (succ ?n 1)))",
            "(<= (num ?m) (or (num ?n) (succ ?n 1)) (succ 1 ?m))",
        ],
    )
    def test_unbounded(self, only, rule: str) -> None:
        assert only(f"(<= (legal x (go ?n)) (num ?n))\n(num 0)\n{rule}").code == "recursion"

"""Relations, fluents and moves that are used and never made, or made and never used."""

from __future__ import annotations

import pytest


def test_undefined_relation(only) -> None:
    problem = only("(<= (legal x (go 1))\n    (blocked 1))")
    assert problem[:3] == ("2:6", "warning", "undefined")
    assert problem.message == "`blocked` with 1 argument is never defined, so this never holds"


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("(suc 1 2)", "did you mean `succ`?"),
        ("(scuc 1 2)", "did you mean `succ`?"),
        ("(ture (step 1))", "did you mean `true`?"),
        ("(distnict 1 2)", "did you mean `distinct`?"),
        ("(step 1)", "it is a fluent: ask for it by `true`"),
        ("(go 1)", "it is a move: ask for it by `does`"),
    ],
)
def test_suggestions(check, condition: str, hint: str) -> None:
    found = check(f"(<= (legal x (go 1)) {condition})")
    assert [problem.hint for problem in found if problem.code == "undefined"] == [hint]
    assert {problem.code for problem in found} <= {"undefined", "relation-and-function"}


def test_relation_that_is_defined_with_another_arity(only) -> None:
    problem = only("(<= (legal x (go 1)) (succ 1 2 3))")
    assert problem[:3] == ("1:23", "warning", "arity")
    assert problem.message == "`succ` with 3 arguments is never defined, so this never holds"
    assert problem.hint == "it is defined with 2 arguments"


def test_reported_once_for_many_uses(only) -> None:
    assert only("(<= (legal x (go 1)) (p 1))\n(<= (legal x (go 2)) (p 1))\n").place == "1:23"


def test_unused_relation(only) -> None:
    problem = only("(number 1)\n(number 2)\n")
    assert problem[:3] == ("1:2", "warning", "unused")


def test_extensions_of_servers_are_not_unused(check) -> None:
    assert check("(<= (sees_xml x (cell 1)) (true (step 1)))") == []


def test_one_slip_is_one_problem(only) -> None:
    problem = only("(<= (legal x (go ?n)) (nieghbour ?n 1))\n(neighbour 1 2)\n")
    assert (problem.code, problem.hint) == ("undefined", "did you mean `neighbour`?")


def test_undefined_fluent(only) -> None:
    problem = only("(<= (legal x (go 1))\n    (true (setp 1)))")
    assert problem[:3] == ("2:12", "warning", "undefined-fluent")
    assert problem.hint == "did you mean `step`?"


def test_undefined_move(only) -> None:
    problem = only("(<= (next (step 1)) (does x (og 1)))")
    assert (problem.code, problem.place) == ("undefined-move", "1:30")


def test_a_fluent_that_is_only_kept_is_not_made(only) -> None:
    assert only("(<= (next (flag)) (true (flag)))").code == "undefined-fluent"


@pytest.mark.parametrize(
    "text",
    [
        "(<= (next on) (not (true on)))\n(<= (legal x (go 2)) (true on))",
        "(<= (next ?f) (made ?f))\n(made on)\n(<= (legal x (go 2)) (true on))",
        "(<= (legal x ?m) (made ?m))\n(made jump)\n(<= (next (step 1)) (does x jump))",
        "(<= (next ?f) (true ?f) (does x (go 1)))",
    ],
)
def test_fluents_and_moves_that_can_be_made(check, text: str) -> None:
    assert check(text) == []


def test_nothing_is_unused_beside_a_broken_statement(check) -> None:
    assert [problem.code for problem in check("(number 1)\n(<= (legal x (go ?n)) (number ?n)\n")] == ["parentheses"]

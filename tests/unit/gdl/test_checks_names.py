"""Names: arity, double use, spelling, and slips in variables."""

from __future__ import annotations

import pytest

from woodstock.gdl.checks.suggestions import NameIndex, is_one_edit


def test_arity_of_a_relation(only) -> None:
    problem = only(
        "(<= (legal x (go ?n)) (near ?n ?m))\n(<= (legal x (go ?n)) (near ?n))\n(near 1 2)\n(near 1)\n(near 1 3)"
    )
    assert problem[:3] == ("2:24", "warning", "arity")
    assert problem.message == "the relation `near` has 1 argument here but 2 elsewhere (line 1)"


def test_arity_of_a_function(only) -> None:
    problem = only("(init (step 1 2))")
    assert (problem.code, problem.place) == ("arity", "1:8")


def test_constants_are_no_functions(check) -> None:
    assert check("(<= (legal x go) (true (step 1)))") == []


def test_name_both_bare_and_in_parentheses(only) -> None:
    problem = only("(init open)\n(<= (legal x (go 1))\n    (true (open)))\n(<= (legal x (go 2)) (not (true open)))\n")
    assert problem[:3] == ("3:12", "warning", "mixed-parentheses")
    assert problem.message == "`open` stands in parentheses here but bare in line 1"


def test_keyword_both_bare_and_in_parentheses(only) -> None:
    problem = only("(<= (terminal) (true (step 2)))\n(<= (terminal) (true (step 1)))\n")
    assert problem[:3] == ("10:5", "warning", "mixed-parentheses")
    assert problem.message == "`terminal` stands bare here but in parentheses in line 1"


def test_names_that_are_always_written_alike(check) -> None:
    assert check("(init (open))\n(<= (legal x (go 1)) (true (open)))\n") == []
    assert check("(init open)\n(<= (legal x (go 1)) (true open))\n") == []


def test_relation_and_function(only) -> None:
    problem = only("(init (succ 1 2))")
    assert problem[:3] == ("1:8", "warning", "relation-and-function")


def test_capitalisation_of_names(only) -> None:
    problem = only("(succ 3 FOUR)\n(succ four 5)\n(succ 5 four)\n")
    assert problem[:3] == ("1:9", "warning", "capitalisation")
    assert problem.message == "`FOUR` is the same name as `four` (line 2)"


def test_capitalisation_of_variables_in_one_rule(only) -> None:
    problem = only("(<= (legal x (go ?N)) (succ ?n ?M))\n(<= (legal x (go ?m)) (succ ?m 3))")
    assert (problem.place, problem.code) == ("1:29", "capitalisation")


def test_case_makes_no_difference(check) -> None:
    found = check("(ROLE Y)\n(<= (LEGAL Y (GO ?N)) (TRUE (STEP ?n)))\n(GOAL y 50)\n")
    assert {problem.code for problem in found} == {"capitalisation"}


def test_variable_slip(only) -> None:
    problem = only("(<= (legal x (go ?player)) (true (step ?player)) (succ ?plyer 2))")
    assert problem[:3] == ("1:56", "warning", "variable-slip")
    assert problem.hint == "did you mean ?player?"


@pytest.mark.parametrize("other", ["?player1", "?players", "?x", "?other"])
def test_variables_that_occur_once_on_purpose(check, other: str) -> None:
    assert check(f"(<= (legal x (go ?player)) (true (step ?player)) (succ {other} 2))") == []


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("cell", "cel", True),
        ("cell", "ceell", True),
        ("cell", "clel", True),
        ("cell", "sell", True),
        ("cell", "cell", False),
        ("cell", "lcel", False),
        ("cell", "cll2", False),
        ("row1", "row2", False),
        ("row1", "row", False),
        ("ab", "ac", False),
        ("cell", "llec", False),
        ("position", "postiion", True),
    ],
)
def test_one_edit(one: str, two: str, expected: bool) -> None:
    assert is_one_edit(one, two) == is_one_edit(two, one) == expected


def test_nearest_name() -> None:
    index = NameIndex(["terminal", "legal", "adjacent", "row1"])
    assert index.nearest("terminall") == "terminal"
    assert index.nearest("adjcaent") == "adjacent"
    assert index.nearest("adjacency") == "adjacent"
    assert index.nearest("legal") is None
    assert index.nearest("row2") is None
    assert index.nearest("zzz") is None
    assert index.nearest("x") is None


def test_index_agrees_with_comparing_all_names() -> None:
    names = ["cell", "cells", "celt", "clel", "bell", "control", "contrl"]
    for name in [*names, "cel", "ball", "controll", "ocntrol"]:
        expected = {other for other in names if other != name and is_one_edit(name, other)}
        found = NameIndex(names).one_edit(name)
        assert (found in expected) if expected else (found is None)

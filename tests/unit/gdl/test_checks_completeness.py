"""What a game must have, roles, and goal values."""

from __future__ import annotations

import pytest

from woodstock.gdl.checks import check_sheet
from woodstock.gdl.sheet import read_sheet

PARTS = {
    "role": "(role x)\n",
    "init": "(init p)\n",
    "legal": "(<= (legal x a) (true p))\n",
    "next": "(<= (next q) (does x a))\n",
    "terminal": "(<= terminal (true q))\n",
    "goal": "(goal x 100)\n",
}


def without(keyword: str) -> str:
    return "".join(text for name, text in PARTS.items() if name != keyword)


def test_complete(check) -> None:
    assert check("".join(PARTS.values()), alone=True) == []


@pytest.mark.parametrize("keyword", ["role", "legal", "terminal", "goal", "init", "next"])
def test_missing(check, keyword: str) -> None:
    found = {problem.code: problem.severity for problem in check(without(keyword), alone=True)}
    assert found.pop(f"missing-{keyword}") == ("warning" if keyword in ("init", "next") else "error")
    assert set(found) <= {"undefined-fluent"}


@pytest.mark.parametrize(
    ("wrong", "keyword"),
    [("terminall", "terminal"), ("Termnial", "terminal"), ("gaol", "goal"), ("leagl", "legal"), ("rolle", "role")],
)
def test_misspelt(check, wrong: str, keyword: str) -> None:
    text = "".join(PARTS.values()).replace(keyword, wrong)
    (problem,) = check(text, alone=True)
    assert (problem.severity, problem.code) == ("error", f"missing-{keyword}")
    assert problem.hint == f"is `{wrong.lower()}` meant to be `{keyword}`?"


def test_nothing_is_missing_that_stands_in_a_broken_statement(check) -> None:
    found = check(without("terminal") + "(<= terminal (true q)", alone=True)
    assert [problem.code for problem in found] == ["parentheses"]


@pytest.mark.parametrize("text", ["", "   \n\t", "; a comment\n"])
def test_empty_sheets(only, text: str) -> None:
    problem = only(text, alone=True)
    assert problem[:3] == ("1:1", "error", "no-statements")


@pytest.mark.parametrize("value", ["0", "7", "100", "050"])
def test_good_goals(check, value: str) -> None:
    assert check(f"(<= (goal x {value}) (true (step 1)))") == [] or value in ("0", "100")


@pytest.mark.parametrize("value", ["101", "-1", "1000", "win", "1O", "5.5", "(plus 1 2)", "9" * 10_000])
def test_bad_goals(check, value: str) -> None:
    errors = [problem for problem in check(f"(<= (goal x\n {value}) (true (step 1)))") if problem.severity == "error"]
    assert [problem.code for problem in errors] == ["goal-value"]
    assert errors[0].place == ("1:5" if value.startswith("(") else "2:2")


def test_a_variable_goal_is_left_to_play(check) -> None:
    assert check("(<= (goal x ?n) (succ ?n 3))") == []


def test_roles_without_moves_or_goals(check) -> None:
    found = check("(role y)\n")
    assert [(problem.place, problem.severity, problem.code) for problem in found] == [
        ("1:1", "warning", "role-without-goal"),
        ("1:1", "warning", "role-without-legal"),
    ]


def test_random_needs_no_goal(check) -> None:
    assert check("(role random)\n(legal random toss)\n") == []


def test_unknown_role(only) -> None:
    problem = only("(<= (legal noone (go 1)) (true (step 1)))")
    assert problem[:3] == ("1:12", "warning", "unknown-role")
    assert problem.hint == "stated roles: x"


def test_misspelt_role_is_one_problem() -> None:
    text = "".join(PARTS.values()).replace("(role x)", "(role white)").replace(" x ", " white ")
    text = text.replace("(goal white", "(goal whtie")
    (problem,) = check_sheet(read_sheet(text, "kif"))
    assert (problem.code, problem.hint) == ("unknown-role", "did you mean white?")

"""Repairs of unsafe rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from woodstock.gdl.checks import blocking, check_sheet
from woodstock.gdl.checks.safety import unbound_variables
from woodstock.gdl.repair import bind_role_variables
from woodstock.gdl.sheet import parse_rules, read_sheet


@pytest.mark.parametrize(
    ("rule", "repaired"),
    [
        ("(<= (legal ?w noop) (true idle))", "(<= (legal ?w noop) (true idle) (role ?w))"),
        ("(legal ?w noop)", "(<= (legal ?w noop) (role ?w))"),
        ("(<= (sees ?a ?m) (does ?b ?m))", "(<= (sees ?a ?m) (does ?b ?m) (role ?a))"),
        ("(<= (next p) (true q) (not (does ?r a)))", "(<= (next p) (true q) (not (does ?r a)) (role ?r))"),
        (
            "(<= (goal ?r 50) (or (won ?r) (not (lost ?r))))",
            "(<= (goal ?r 50) (or (won ?r) (not (lost ?r))) (role ?r))",
        ),
    ],
)
def test_role_variables_are_bound(rule: str, repaired: str) -> None:
    rules, (done,) = bind_role_variables(parse_rules(rule, "kif"))
    assert rules == parse_rules(repaired, "kif")
    assert unbound_variables(rules.rules[0]) == ()
    assert (done.code, done.is_error, done.span) == ("repaired", False, rules.rules[0].span)


def test_two_variables_of_one_rule() -> None:
    rules, (done,) = bind_role_variables(parse_rules("(<= (sees ?a b) (not (does ?c d)))", "kif"))
    assert unbound_variables(rules.rules[0]) == ()
    assert done.message == "repaired: the conditions (role ?a) and (role ?c) were added to this rule"


def test_repaired_sheets_can_be_checked() -> None:
    sheet = read_sheet("(role x)\n(legal ?r a)\n(<= (goal ?r ?n) (true p))\n(<= terminal (true p))", "kif")
    rules, done = bind_role_variables(sheet.rules)
    assert [problem.span for problem in done] == [rules.rules[1].span, rules.rules[2].span]
    (problem,) = blocking(check_sheet(replace(sheet, rules=rules)))
    assert "?n in the head" in problem.message


@pytest.mark.parametrize(
    "text",
    ["(<= (legal ?w noop) (role ?w))", "(<= (legal x (mark ?m)) (true p))", "(p ?x)", "(<= (legal x a) (true p))"],
)
def test_other_rules_stay_as_they_are(text: str) -> None:
    rules = parse_rules(text, "kif")
    assert bind_role_variables(rules) == (rules, ())

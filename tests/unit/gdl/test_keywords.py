"""What keywords may be applied to."""

from __future__ import annotations

import pytest

from woodstock.gdl.keywords import goal_number
from woodstock.gdl.terms import LogicVar, Term


@pytest.mark.parametrize(
    ("value", "number"),
    [("0", 0), ("7", 7), ("050", 50), ("0100", 100), ("000", 0), ("0" * 5000 + "99", 99)],
)
def test_goals(value: str, number: int) -> None:
    assert goal_number(value) == number


@pytest.mark.parametrize(
    "value", ["101", "-1", "1.5", "+5", "", "win", "9" * 5000, "٥٠", "5\n", ("f", "5"), LogicVar("?x")]
)
def test_what_is_no_goal(value: Term) -> None:
    assert goal_number(value) is None

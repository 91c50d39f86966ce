"""Arguments that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Woodstock = Callable[..., Any]

UNSAFE = "(role x) (init p) (<= (legal ?r a) (true p)) (<= (next q) (true p)) (<= terminal (true q)) (goal x 100)"


@pytest.mark.parametrize("arguments", [["info", "-"], ["perft", "-", "1"], ["play", "-"]])
def test_unbound_role_variables_are_repaired_on_demand(woodstock: Woodstock, arguments: list[str]) -> None:
    outcome = woodstock(*arguments, stdin=UNSAFE)
    assert outcome.code == 2
    assert "unsafe rule: ?r in the head" in outcome.err
    outcome = woodstock(*arguments, "--repair", stdin=UNSAFE)
    assert outcome.code == 0
    assert outcome.err == (
        "woodstock: <stdin>:1:19: warning: repaired: the condition (role ?r) was added to this rule [repaired]\n"
    )


@pytest.mark.parametrize(
    "arguments", [["info", "nim", "--seconds"], ["verify", "--seconds"], ["check", "nim", "--play"]]
)
@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "soon", ""])
def test_times_are_positive(woodstock: Woodstock, arguments: list[str], text: str) -> None:
    outcome = woodstock(*arguments, text)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"expected a positive number of seconds, found {text!r}" in outcome.err

from __future__ import annotations

import pytest

from woodstock.common.errors import LimitError, UsageError
from woodstock.game import backends
from woodstock.game.backends import build_game
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import parse_rules

RULES = parse_rules("(role x) (init p) (legal x a) (<= (next p) (true p)) (<= terminal (true p)) (goal x 100)")


def test_reference_is_the_reference_reasoner() -> None:
    assert isinstance(build_game(RULES, "reference"), ReferenceGame)


def test_unknown_backend() -> None:
    with pytest.raises(
        UsageError, match="unknown backend 'fast'; there are reference, ground, circuit, lanes1, lanes8, auto"
    ):
        build_game(RULES, "fast")


def test_auto_falls_back_with_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(rules: Rules, backend: str, grounder: object) -> None:
        raise LimitError("rule 3 explodes")

    monkeypatch.setattr(backends, "_build_on_ground", explode)
    messages: list[str] = []
    assert isinstance(build_game(RULES, "auto", messages.append), ReferenceGame)
    assert messages == ["falling back to the slower reference reasoner: rule 3 explodes"]
    with pytest.raises(LimitError, match="rule 3 explodes"):
        build_game(RULES, "ground")


def test_auto_does_not_hide_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(rules: Rules, backend: str, grounder: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(backends, "_build_on_ground", crash)
    with pytest.raises(ZeroDivisionError):
        build_game(RULES, "auto")

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from woodstock.cli import grounding
from woodstock.common.errors import LimitError
from woodstock.ground import invariants

Woodstock = Callable[..., Any]


def test_text(woodstock: Woodstock) -> None:
    outcome = woodstock("info", "tic_tac_toe", "--seconds", "60")
    assert outcome.code == 0
    lines = dict(line.split(":", 1) for line in outcome.out.splitlines())
    assert lines["game"].strip() == "Tic-tac-toe (tic_tac_toe)"
    assert lines["turn taking"].strip() == "yes (proved)"
    assert lines["constant sum"].strip() == "yes (proved)"
    assert lines["positions"].strip() == "5478 (proved)"
    assert "9 at most" in lines["length"]
    assert lines["exclusive groups"].strip() == "10 (10 exactly one) with 29 of 29 fluents"
    assert lines["latches"].strip() == "18 stay true, 9 stay false"
    assert "shared information" not in lines  # nothing is hidden


def test_whether_hidden_information_is_shared(woodstock: Woodstock) -> None:
    out = woodstock("info", "monty_hall").out
    assert "hidden information:  yes" in out
    assert "shared information:  no" in out


def test_json(woodstock: Woodstock) -> None:
    document = json.loads(woodstock("info", "nim", "--json", "--seconds", "60").out)
    assert set(document) == {"name", "title", "description", "roles", "traits", "playouts", "rules", "ground"}
    assert document["traits"]["num_players"] == {"value": 2, "proved": True, "positions": 0}
    assert document["ground"]["fluents"] > 0
    assert set(document["ground"]["moves"]) == set(document["roles"])
    assert document["rules"]["rules"] > 0
    found = document["ground"]["invariants"]
    assert set(found) == {"groups", "exactly_one", "grouped_fluents", "stays_true", "stays_false", "constant"}
    assert found["groups"] >= found["exactly_one"] > 0


def test_invariants_that_take_too_long(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(program: object, limits: object) -> None:
        raise LimitError("the proof takes too long")

    monkeypatch.setattr(invariants, "prove_invariants", give_up)
    outcome = woodstock("info", "nim")
    assert outcome.code == 0
    assert "\ninvariants:          the proof takes too long\n" in outcome.out


def test_game_that_does_not_ground(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(rules: object) -> None:
        raise LimitError("rule 3 explodes")

    monkeypatch.setattr(grounding, "ground_visibly", explode)
    outcome = woodstock("info", "nim", "--seconds", "60")
    assert outcome.code == 0
    lines = dict(line.split(":", 1) for line in outcome.out.splitlines())
    assert lines["not grounded"].strip() == "rule 3 explodes"
    assert lines["turn taking"].strip() == "yes (proved)"


def test_sheet_without_a_title(woodstock: Woodstock, tmp_path: Path) -> None:
    path = tmp_path / "mine.kif"
    path.write_text("(role x) (init p) (legal x a) (<= (next q) (true p)) (<= terminal (true q)) (goal x 100)")
    outcome = woodstock("info", str(path))
    assert outcome.out.splitlines()[0].split(":")[1].strip() == "mine (mine)"


def test_wrong_usage(woodstock: Woodstock) -> None:
    assert woodstock("info", "nosuchgame").code == 2

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from woodstock import ground
from woodstock.common.errors import LimitError

Woodstock = Callable[..., Any]


def test_text(woodstock: Woodstock) -> None:
    outcome = woodstock("info", "tictactoe", "--seconds", "60")
    assert outcome.code == 0
    lines = dict(line.split(":", 1) for line in outcome.out.splitlines())
    assert lines["game"].strip() == "Tic-tac-toe (tictactoe)"
    assert lines["turn taking"].strip() == "yes (proved)"
    assert lines["constant sum"].strip() == "yes (proved)"
    assert lines["positions"].strip() == "5478 (proved)"
    assert "9 at most" in lines["length"]


def test_json(woodstock: Woodstock) -> None:
    document = json.loads(woodstock("info", "nim", "--json", "--seconds", "60").out)
    assert set(document) == {"name", "title", "description", "roles", "traits", "playouts", "rules", "ground"}
    assert document["traits"]["num_players"] == {"value": 2, "proved": True, "positions": 0}
    assert document["ground"]["fluents"] > 0
    assert set(document["ground"]["moves"]) == set(document["roles"])
    assert document["rules"]["rules"] > 0


def test_game_that_does_not_ground(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(rules: object) -> None:
        raise LimitError("rule 3 explodes")

    monkeypatch.setattr(ground, "ground", explode)
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
    outcome = woodstock("info", "nim", "--seconds", "0")
    assert outcome.code == 2
    assert "expected --seconds to be greater than zero, found 0.0" in outcome.err

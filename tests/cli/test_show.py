from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from woodstock.games import bundled_game, game_names

Woodstock = Callable[..., Any]


def test_a_bundled_game(woodstock: Woodstock) -> None:
    outcome = woodstock("show", "tic_tac_toe")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[:2] == ["Tic-tac-toe", "roles: x, o"]
    assert "3  . . ." in outcome.out
    assert outcome.out.rstrip().endswith(bundled_game("tic_tac_toe").read_rules().decode().rstrip())


def test_without_rules(woodstock: Woodstock) -> None:
    out = woodstock("show", "tic_tac_toe", "--no-rules").out
    assert "3  . . ." in out
    assert "(role" not in out


@pytest.mark.parametrize("name", game_names())
def test_every_game_can_be_shown(woodstock: Woodstock, name: str) -> None:
    document = json.loads(woodstock("show", name, "--json").out)
    assert document["picture"].strip()
    assert document["title"] == bundled_game(name).title
    assert "(role" in document["rules"]


def test_a_sheet_of_ones_own(woodstock: Woodstock, tmp_path: Path) -> None:
    sheet = tmp_path / "coin.kif"
    sheet.write_text(
        "(role you) (init start) (legal you flip) (goal you 100)\n"
        "(<= (next done) (does you flip)) (<= terminal (true done))"
    )
    outcome = woodstock("show", str(sheet))
    assert outcome.code == 0
    assert "roles: you" in outcome.out
    assert "(legal you flip)" in outcome.out


def test_no_such_game(woodstock: Woodstock) -> None:
    outcome = woodstock("show", "tic_tac_two")
    assert outcome.code == 2
    assert "tic_tac_two" in outcome.err

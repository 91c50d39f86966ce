"""Every bundled game has a playthrough on record, and still plays like that."""

from __future__ import annotations

from pathlib import Path

import pytest

from naive.playthrough import play_through
from woodstock.games import game_names

FOLDER = Path(__file__).resolve().parent


def test_every_game_has_one_and_only_games_have() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.txt")) == sorted(game_names())


@pytest.mark.parametrize("name", game_names())
def test_the_game_plays_as_recorded(name: str) -> None:
    recorded = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert play_through(name) == recorded, f"if that is meant: python tests/playthroughs/regenerate.py {name}"

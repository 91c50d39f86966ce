from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from woodstock.games import catalogue

Woodstock = Callable[..., Any]


def test_table_has_a_line_a_game(woodstock: Woodstock) -> None:
    outcome = woodstock("games")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].split() == ["name", "title", "year", "players", "tags"]
    assert [line.split()[0] for line in lines[1:]] == [game.name for game in catalogue()]


def test_json_has_the_whole_catalogue(woodstock: Woodstock) -> None:
    games = json.loads(woodstock("games", "--json").out)
    assert [game["name"] for game in games] == [game.name for game in catalogue()]
    assert set(games[0]) == {"name", "title", "year", "players", "description", "sources", "traits", "tags"}

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
    keys = {"name", "title", "year", "players", "paper", "description", "sources", "traits", "tags", "roles"}
    assert all(set(game) == keys for game in games)
    chess = next(game for game in games if game["name"] == "chess")
    assert (chess["roles"], chess["paper"]) == (["white", "black"], "Chess")


def test_tags_choose_games(woodstock: Woodstock) -> None:
    cards = woodstock("games", "--tag", "cards").out.splitlines()[1:]
    assert "kuhn_poker" in {line.split()[0] for line in cards}
    assert all("cards" in game.tags for game in catalogue() if any(line.split()[0] == game.name for line in cards))
    both = json.loads(woodstock("games", "--tag", "cards", "--tag", "poker", "--json").out)
    assert 0 < len(both) < len(cards)


def test_a_tag_that_no_game_has(woodstock: Woodstock) -> None:
    outcome = woodstock("games", "--tag", "card")
    assert (outcome.code, outcome.out) == (2, "")
    assert "no game has the tag 'card'; did you mean 'cards'?" in outcome.err

from __future__ import annotations

import pytest

from woodstock.games import bundled_game, catalogue, game_names, is_bundled
from woodstock.gdl.sheet import parse_rules


def test_names_are_sorted_and_known() -> None:
    names = game_names()
    assert "tic_tac_toe" in names
    assert list(names) == sorted(names)
    assert all(map(is_bundled, names))
    assert [game.name for game in catalogue()] == list(names)


@pytest.mark.parametrize(
    "name", ["", "Tictactoe", "../games/tic_tac_toe", "tic_tac_toe/", "__pycache__", "x" * 5000, "a\0"]
)
def test_other_names_are_not_bundled(name: str) -> None:
    assert not is_bundled(name)
    with pytest.raises(KeyError):
        bundled_game(name)


@pytest.mark.parametrize("name", game_names())
def test_entry_and_sheet_fit(name: str) -> None:
    game = bundled_game(name)
    assert game.title
    assert game.description
    roles = parse_rules(game.read_rules().decode()).roles
    assert game.players == sum(role != "random" for role in roles)

"""Woodstock: a general game playing system.

It reads the rules of any game, written in GDL, and plays it. The names below are the ones to begin with; each stands in
its package with the rest of its subject, and is imported when it is first used.

>>> import woodstock
>>> game = woodstock.load("tic_tac_toe")
>>> len(game.start.legal_moves())
9
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from woodstock.api import LoadedGame, PlayedPosition, load
    from woodstock.common.errors import WoodstockError
    from woodstock.draw import draw_position
    from woodstock.game.ground_game import GroundGame
    from woodstock.game.load import load_rules, load_sheet
    from woodstock.game.protocol import Game
    from woodstock.game.reference import ReferenceGame
    from woodstock.gdl.checks import check_sheet
    from woodstock.gdl.sheet import parse_rules, read_sheet
    from woodstock.match import Match, MatchSetup, play_match
    from woodstock.players import Clocks, Explanation, Player, Turn, make_player

__version__ = "0.1.0.dev0"

_MODULE_OF = {
    "load": "woodstock.api",
    "LoadedGame": "woodstock.api",
    "PlayedPosition": "woodstock.api",
    "Clocks": "woodstock.players",
    "Explanation": "woodstock.players",
    "Player": "woodstock.players",
    "Turn": "woodstock.players",
    "make_player": "woodstock.players",
    "Match": "woodstock.match",
    "MatchSetup": "woodstock.match",
    "play_match": "woodstock.match",
    "Game": "woodstock.game.protocol",
    "GroundGame": "woodstock.game.ground_game",
    "ReferenceGame": "woodstock.game.reference",
    "WoodstockError": "woodstock.common.errors",
    "check_sheet": "woodstock.gdl.checks",
    "draw_position": "woodstock.draw",
    "load_rules": "woodstock.game.load",
    "load_sheet": "woodstock.game.load",
    "parse_rules": "woodstock.gdl.sheet",
    "read_sheet": "woodstock.gdl.sheet",
}

__all__ = [
    "Clocks",
    "Explanation",
    "Game",
    "GroundGame",
    "LoadedGame",
    "Match",
    "MatchSetup",
    "PlayedPosition",
    "Player",
    "ReferenceGame",
    "Turn",
    "WoodstockError",
    "check_sheet",
    "draw_position",
    "load",
    "load_rules",
    "load_sheet",
    "make_player",
    "parse_rules",
    "play_match",
    "read_sheet",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'woodstock' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

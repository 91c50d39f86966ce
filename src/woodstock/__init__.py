"""Woodstock: a general game playing system.

It reads the rules of any game, written in GDL, and plays it. The names below are the ones to begin with; each stands in
its package with the rest of its subject, and is imported when it is first used.

>>> import woodstock
>>> game = woodstock.ReferenceGame(woodstock.load_rules("tic_tac_toe"))
>>> len(game.legal_moves(game.initial_position(), role=0))
9
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from woodstock.common.errors import WoodstockError
    from woodstock.draw import draw_position
    from woodstock.game.ground_game import GroundGame
    from woodstock.game.load import load_rules, load_sheet
    from woodstock.game.protocol import Game
    from woodstock.game.reference import ReferenceGame
    from woodstock.gdl.checks import check_sheet
    from woodstock.gdl.sheet import parse_rules, read_sheet
    from woodstock.match import play_match
    from woodstock.players import make_player

__version__ = "0.1.0.dev0"

__all__ = [
    "Game",
    "GroundGame",
    "ReferenceGame",
    "WoodstockError",
    "check_sheet",
    "draw_position",
    "load_rules",
    "load_sheet",
    "make_player",
    "parse_rules",
    "play_match",
    "read_sheet",
]

_MODULE_OF = {
    "Game": "woodstock.game.protocol",
    "GroundGame": "woodstock.game.ground_game",
    "ReferenceGame": "woodstock.game.reference",
    "WoodstockError": "woodstock.common.errors",
    "check_sheet": "woodstock.gdl.checks",
    "draw_position": "woodstock.draw",
    "load_rules": "woodstock.game.load",
    "load_sheet": "woodstock.game.load",
    "make_player": "woodstock.players",
    "parse_rules": "woodstock.gdl.sheet",
    "play_match": "woodstock.match",
    "read_sheet": "woodstock.gdl.sheet",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'woodstock' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

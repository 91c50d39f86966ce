"""A game ready for the players who will play it, before any clock runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from woodstock.game.backends import AUTO, build_game
from woodstock.game.protocol import Game
from woodstock.gdl.rules import Rules
from woodstock.players.loading import prepare_game

_log = logging.getLogger(__name__)


def prepare(rules: Rules, kernels: bool, report: Callable[[str], None] = _log.warning) -> Game[Any]:
    """Return a game ready to be played.

    Args:
        rules: The rules.
        kernels: Whether somebody will search: then the kernels are loaded too, so that no player loses time with that.
        report: Called with a message if the rules do not ground, and are played more slowly.
    """
    if not kernels:
        return build_game(rules, AUTO, report)
    from woodstock.search.warm import FOR_PLAYERS, warm

    warm(names=FOR_PLAYERS)
    return prepare_game(rules, report=report)

"""The players by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Final

from woodstock.common.errors import UsageError
from woodstock.players.greedy import GreedyPlayer
from woodstock.players.protocol import Player
from woodstock.players.simple import LegalPlayer, RandomPlayer

PLAYERS: Final[dict[str, Callable[[], Player]]] = {
    "random": RandomPlayer,
    "legal": LegalPlayer,
    "greedy": GreedyPlayer,
}
"""How to make each player; this is the only place where a player is named."""


def make_player(name: str) -> Player:
    """Return a new player.

    Raises:
        UsageError: There is no player of that name.
    """
    if name not in PLAYERS:
        near = difflib.get_close_matches(name, PLAYERS, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"no player is called {name!r}{guess} (players: {', '.join(PLAYERS)})")
    return PLAYERS[name]()

"""Scouting: what a board looks like later on."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any, Final

from woodstock.game.protocol import Fluent, Game
from woodstock.game.walk import iter_playout

SCOUT_STEPS: Final = 200
"""Joint moves of all random matches together."""


def scout(game: Game[Any]) -> set[Fluent]:
    """Return fluents of some random matches: they show how large a board is that begins empty."""
    found: set[Fluent] = set()
    steps = seed = 0
    while steps < SCOUT_STEPS:
        for position, _ in islice(iter_playout(game, Random(seed)), SCOUT_STEPS - steps):
            found |= game.fluents(position)
            steps += 1
        seed += 1
    return found

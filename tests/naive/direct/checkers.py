"""Checkers with free jumps."""

from naive.direct.draughts_family import FreeCheckers

GAME = FreeCheckers("red", "black")

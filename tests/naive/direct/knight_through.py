"""Breakthrough with knights that jump forward only."""

from naive.direct.breakthrough_family import Race

GAME = Race(knights=True)

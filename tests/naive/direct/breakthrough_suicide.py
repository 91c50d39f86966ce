"""Breakthrough in which getting through is a defeat."""

from naive.direct.breakthrough_family import Race

GAME = Race(suicide=True)

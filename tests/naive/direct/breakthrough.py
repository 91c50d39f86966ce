"""Breakthrough on eight by eight squares."""

from naive.direct.breakthrough_family import Race

GAME = Race()

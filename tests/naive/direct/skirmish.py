"""Skirmish with points for captures."""

from naive.direct.skirmish_family import Skirmish

GAME = Skirmish()

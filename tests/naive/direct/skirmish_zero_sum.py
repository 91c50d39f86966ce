"""Skirmish in which whoever captures more wins."""

from naive.direct.skirmish_family import ZeroSumSkirmish

GAME = ZeroSumSkirmish()

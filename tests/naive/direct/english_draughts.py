"""English draughts."""

from naive.direct.draughts_family import EnglishDraughts

GAME = EnglishDraughts("black", "white")

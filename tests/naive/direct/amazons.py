"""The Game of the Amazons."""

from naive.direct.amazons_family import Amazons

GAME = Amazons()

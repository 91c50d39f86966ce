"""The Game of the Amazons on a torus."""

from naive.direct.amazons_family import Amazons

GAME = Amazons(torus=True)

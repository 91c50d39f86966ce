"""Reversi as it was played before Othello."""

from naive.direct.othello_family import Othello

GAME = Othello(free_opening=True)

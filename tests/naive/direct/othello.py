"""Othello."""

from naive.direct.othello_family import Othello

GAME = Othello()

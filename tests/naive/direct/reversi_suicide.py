"""Othello in which the fewest discs win."""

from naive.direct.othello_family import Othello

GAME = Othello(most_wins=False)

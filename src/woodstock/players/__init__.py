"""Players: programs that take a seat in a match.

- **Player**: what the referee talks to: `start`, then `choose` at every turn, then `finish`.
- **Turn**: what a player is told before it moves: its legal moves, its percepts, the position if nothing is hidden.
- **PLAYERS**: the players by name; `make_player` makes one.

>>> from woodstock.players import PLAYERS, make_player
>>> sorted(PLAYERS)
['greedy', 'legal', 'random']
>>> make_player("legal")
LegalPlayer()
"""

from woodstock.players.greedy import GreedyPlayer
from woodstock.players.protocol import Player, Turn
from woodstock.players.registry import PLAYERS, make_player
from woodstock.players.simple import LegalPlayer, RandomPlayer

__all__ = ["Player", "Turn", "PLAYERS", "make_player", "GreedyPlayer", "LegalPlayer", "RandomPlayer"]

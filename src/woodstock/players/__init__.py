"""Players: programs that take a seat in a match.

- **Player**: what a referee talks to: `start`, then `choose` and `observe` at every turn, then `stop`.
- **Seat**, **Turn**, **Event**: what it is told before the first move, before each move, and after each move.
- **Clocks**: how long it may think.
- **Explanation**: why it chose a move, with a **Candidate** for each move that it looked at.
- **make_player**: makes a player from its *spec*, a name with options: `uct:exploration=0.7,threads=2`.

>>> from woodstock.players import make_player, player_names
>>> {"greedy", "legal", "random"} <= set(player_names())
True
>>> make_player("legal")
LegalPlayer()
"""

from woodstock.players.greedy import GreedyPlayer
from woodstock.players.protocol import Clocks, Event, Player, Seat, Turn
from woodstock.players.registry import make_player, player_names
from woodstock.players.simple import LegalPlayer, RandomPlayer
from woodstock.search.explanation import Candidate, Explanation

__all__ = [
    "Player",
    "Seat",
    "Turn",
    "Event",
    "Clocks",
    "Candidate",
    "Explanation",
    "make_player",
    "player_names",
    "GreedyPlayer",
    "LegalPlayer",
    "RandomPlayer",
]

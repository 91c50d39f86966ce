"""The front room: games, positions and matches for those who write Python, in sentences.

- **load**: a game by its name, its path or its rules.
- **LoadedGame**: a game to look at and to play: its `start`, playouts, matches.
- **PlayedPosition**: a position with the way that led there: `legal_moves`, `play`, `undo`, `playouts`, `ask`.
- **PlayoutSummary**: what came of random playouts.

>>> import woodstock
>>> game = woodstock.load("tic_tac_toe")
>>> position = game.start.play("place 2 2").play("place 1 1")
>>> print(position)
3  . . .
2  . x .
1  o . .
   1 2 3
turn: x
>>> position.to_move, len(position.legal_moves())
(('x',), 7)
>>> position.undo() == game.start.play("place 2 2")
True
"""

from woodstock.api.game import LoadedGame, PlayoutSummary, load
from woodstock.api.position import PlayedPosition

__all__ = ["load", "LoadedGame", "PlayedPosition", "PlayoutSummary"]

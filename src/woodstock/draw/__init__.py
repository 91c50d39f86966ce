"""Drawings: any position of any game, as text.

- **Board**: fluents of one name that read as squares and what stands on them, such as `(cell 1 3 x)`.
- **draw_position**: the boards of a position, then all its other fluents by name.
- **scout**: fluents of other positions, which show how large a board is that begins empty.

The first coordinate runs from left to right, the second from bottom to top, and both are written at the edge.

>>> from woodstock.draw import draw_position
>>> print(draw_position([("cell", "1", "1", "x"), ("cell", "1", "2", "b"), ("cell", "2", "1", "b"),
...                      ("cell", "2", "2", "o"), ("control", "x")]))
2  . o
1  x .
   1 2
control: x
"""

from woodstock.draw.board import Board, find_boards
from woodstock.draw.scouting import scout
from woodstock.draw.text import draw_position

__all__ = ["Board", "find_boards", "draw_position", "scout"]

"""What every package may use, and nothing of games.

- **WoodstockError**: the root of all errors that are meant for the user; `UsageError` and `LimitError` are two of them.
- **Limits**, **Deadline**: how much a computation may use, and the clock that watches it.
- **progress**: a bar on the terminal while something takes long.

>>> from woodstock.common import UsageError, WoodstockError
>>> try:
...     raise UsageError("there is no game 'tictactow'; did you mean tic_tac_toe?")
... except WoodstockError as error:
...     print(error)
there is no game 'tictactow'; did you mean tic_tac_toe?
"""

from woodstock.common.errors import LimitError, UsageError, WoodstockError
from woodstock.common.limits import Deadline, Limits
from woodstock.common.progress import Bar, progress

__all__ = ["WoodstockError", "UsageError", "LimitError", "Limits", "Deadline", "progress", "Bar"]

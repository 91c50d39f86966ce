"""Board games as quantified networks: hex, and lines of three, for the side that wants to connect or to make a line.

Two sides take cells in turn until the board is full. The existential side wins if it then has all cells of one of the
winning sets: in *hex* those of a shortest way from top to bottom, in *lines* a row, a column or a diagonal. (The other
side only hinders: in hex that is the whole game, in lines it is the "weak" game.)

A move of the universal side is a universal variable that may name a cell that is taken; so it is followed by a variable
`taken`, which must be the cell that was named if it was free. If it was not, the existential side chooses the cell for
the other side: so it does not pay to name such a cell. The last variable tells which winning set it is.

>>> print(board_game(BoardGame("lines", 2)))
∃move1 ∀move2 ∃taken2 move3 ∀move4 ∃taken4 set, 26 constraints
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Clauses, Table
from woodstock.cp.network import Network
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of

Cells = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoardGame:
    """Of a board game.

    Attributes:
        kind: `hex` or `lines`.
        size: Cells along a side, 1 to 3; more have too many winning sets, and too many plays.
        universal_first: Whether the universal side begins.
    """

    kind: str = "hex"
    size: int = 3
    universal_first: bool = False

    def __post_init__(self) -> None:
        if self.kind not in WINNING_SETS:
            raise UsageError(f"expected a board game, one of {' '.join(WINNING_SETS)}, found {self.kind!r}")
        if not 1 <= self.size <= 3:
            raise UsageError(f"expected a board of 1 to 3 cells along a side, found {self.size}")


def board_game(game: BoardGame) -> QuantifiedNetwork:
    """Return a board game as a network."""
    cells = range(game.size * game.size)
    network = Network()
    universal: list[bool] = []
    taken: list[int] = []
    own: list[int] = []
    clauses: list[list[int]] = []
    for number in cells:
        is_universal = (number % 2 == 0) == game.universal_first
        move = network.add_var(f"move{number + 1}", _names(game.size))
        universal.append(is_universal)
        cell = move
        if is_universal:
            cell = network.add_var(f"taken{number + 1}", _names(game.size))
            universal.append(False)
            for place in cells:
                equal = [_literal(network, var, place) for var in (cell, *taken)]
                clauses.append([_literal(network, move, place) ^ 1, *equal])
        else:
            own.append(cell)
        network.add(*(Table((other, cell), [(c, c) for c in cells], is_allowed=False) for other in taken))
        taken.append(cell)
    sets = list(WINNING_SETS[game.kind](game.size))
    chosen = network.add_var("set", range(1, len(sets) + 1))
    universal.append(False)
    for number, winning in enumerate(sets):
        is_other = _literal(network, chosen, number) ^ 1
        clauses += [[is_other, *(_literal(network, var, place) for var in own)] for place in winning]
    starts = np.cumsum([0, *map(len, clauses)]).astype(np.int64)
    network.add(Clauses(starts, np.array([literal for clause in clauses for literal in clause], np.int32)))
    side = "second" if game.universal_first else "first"
    return QuantifiedNetwork(network, blocks_of(universal), f"{game.kind}-{game.size}-{side}")


def _literal(network: Network, var: int, place: int) -> int:
    return 2 * (network.first_choices[var] + place)


def _names(size: int) -> list[str]:
    return [f"{'abc'[column]}{row + 1}" for row in range(size) for column in range(size)]


def _lines(size: int) -> Iterator[Cells]:
    """Yield rows, columns and diagonals."""
    for index in range(size):
        yield tuple(index * size + other for other in range(size))
        yield tuple(other * size + index for other in range(size))
    yield tuple(index * (size + 1) for index in range(size))
    yield tuple((index + 1) * (size - 1) for index in range(size))


def _ways(size: int) -> Iterator[Cells]:
    """Yield the sets of cells of hex that connect the first row with the last one and hold no smaller such set."""
    found: list[set[int]] = []
    for count in range(size, size * size + 1):
        for cells in combinations(range(size * size), count):
            if not any(way <= set(cells) for way in found) and _connects(set(cells), size):
                found.append(set(cells))
                yield cells


def _connects(cells: set[int], size: int) -> bool:
    reached = {cell for cell in cells if cell < size}
    waiting = list(reached)
    while waiting:
        row, column = divmod(waiting.pop(), size)
        for down, right in ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)):
            near = (row + down) * size + column + right
            if 0 <= row + down < size and 0 <= column + right < size and near in cells and near not in reached:
                reached.add(near)
                waiting.append(near)
    return any(cell >= size * (size - 1) for cell in reached)


WINNING_SETS: Final[dict[str, Callable[[int], Iterator[Cells]]]] = {"hex": _ways, "lines": _lines}
"""The winning sets of each kind of board game, by the size of the board."""

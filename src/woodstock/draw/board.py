"""Boards: finding squares, coordinates and pieces among the fluents of a position.

Nothing in the rules says what a board is. Fluents of one name are read as squares of a board if two neighbouring
arguments count or are letters of the alphabet, others say what stands there, and no square holds two things:

- `(cell 1 3 x)`, `(cell a 8 black rook)`: the content comes last, and what comes before the coordinates tells boards
  apart;
- `(at robot 2 5)`: the content comes first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from woodstock.game.protocol import Fluent
from woodstock.gdl.terms import GroundTerm

MIN_SQUARES = 4
MAX_SIDE = 60
"""Beyond this many rows or columns the coordinates are hardly those of a board."""

MAX_BOARDS = 16
"""More boards than this of one name are no boards."""

Compound: TypeAlias = tuple[GroundTerm, ...]

_COUNTED = re.compile(r"([a-z_]*?)(-?\d{1,9})")


class Layout(NamedTuple):
    """How a fluent reads as a square: its coordinates stand at `column` and the place after it.

    Attributes:
        column: Place of the first coordinate.
        board: Places of what tells boards apart.
        content: Places of what stands on the square.
    """

    column: int
    board: range
    content: range


@dataclass(frozen=True, slots=True)
class Board:
    """A board as it stands in a position.

    Attributes:
        name: Name of its fluents, with the arguments that tell several boards of that name apart.
        columns: All first coordinates, in order.
        rows: All second coordinates, in order.
        content: What stands on each square, by column and row.
        vocabulary: Everything that is known to stand on some square at some time.
        fluents: The fluents that the board shows.
    """

    name: GroundTerm
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    content: Mapping[tuple[GroundTerm, ...], GroundTerm]
    vocabulary: frozenset[GroundTerm]
    fluents: frozenset[Fluent]


def find_boards(fluents: Iterable[Fluent], known: Iterable[Fluent] = ()) -> list[Board]:
    """Return the boards of a position.

    Args:
        fluents: What is true in the position.
        known: Fluents of other positions; they tell of squares that are empty in this one.
    """
    here = frozenset(fluents)
    by_name: dict[tuple[str, int], list[Compound]] = defaultdict(list)
    for fluent in here | frozenset(known):
        if isinstance(fluent, tuple) and isinstance(fluent[0], str) and len(fluent) >= 4:
            by_name[fluent[0], len(fluent)].append(fluent)
    boards: list[Board] = []
    for _, squares in sorted(by_name.items()):
        for layout in _layouts(len(squares[0])):
            found = _boards_of(squares, here, layout)
            if found:
                boards += found
                break
    return boards


def _layouts(length: int) -> list[Layout]:
    """Return the ways to read a fluent of so many words, name included, as a square: the usual one first."""
    content_last = [Layout(place, range(1, place), range(place + 2, length)) for place in range(1, length - 2)]
    return [*content_last, Layout(length - 2, range(0), range(1, length - 2))]


def _boards_of(squares: list[Compound], here: frozenset[Fluent], layout: Layout) -> list[Board]:
    """Read all fluents of one name as boards, or return none if one of them is not a square."""
    groups: dict[Compound, list[Compound]] = defaultdict(list)
    for square in squares:
        groups[(square[0], *(square[place] for place in layout.board))].append(square)
    if len(groups) > MAX_BOARDS:
        return []
    boards = [_board(name, groups[name], here, layout) for name in sorted(groups, key=repr)]
    return [board for board in boards if board] if all(boards) else []


def _board(name: Compound, squares: list[Compound], here: frozenset[Fluent], layout: Layout) -> Board | None:
    coordinates = {square: square[layout.column : layout.column + 2] for square in squares}
    columns = order_coordinates(column for column, _ in coordinates.values())
    rows = order_coordinates(row for _, row in coordinates.values())
    if columns is None or rows is None or len(set(coordinates.values())) < MIN_SQUARES:
        return None
    contents = {square: _join(tuple(square[place] for place in layout.content)) for square in squares}
    shown = [square for square in squares if square in here]
    content = {coordinates[square]: contents[square] for square in shown}
    if len(content) < len(shown):
        return None
    return Board(_join(name), columns, rows, content, frozenset(contents.values()), frozenset(shown))


def _join(words: Compound) -> GroundTerm:
    """Return words as one term."""
    return words if len(words) > 1 else words[0]


def order_coordinates(values: Iterable[GroundTerm]) -> tuple[str, ...] | None:
    """Return coordinates in order without duplicates, or None if they do not look like coordinates.

    >>> order_coordinates(["10", "9", "9"])
    ('9', '10')
    >>> order_coordinates(["c", "a"])
    ('a', 'c')
    >>> order_coordinates(["white", "black"]) is None
    True
    """
    distinct = set(values)
    words = [value for value in distinct if isinstance(value, str)]
    if len(words) < len(distinct) or not 2 <= len(words) <= MAX_SIDE:
        return None
    if all(len(word) == 1 and word.isalpha() for word in words):
        return tuple(sorted(words))
    matches = [_COUNTED.fullmatch(word) for word in words]
    numbers = {match.group(): int(match.group(2)) for match in matches if match}
    prefixes = {match.group(1) for match in matches if match}
    if len(numbers) < len(words) or len(prefixes) > 1:
        return None
    return tuple(sorted(numbers, key=lambda word: (numbers[word], word)))

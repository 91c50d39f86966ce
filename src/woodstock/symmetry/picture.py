"""Orbits drawn on a board: as letters in a text, as colours in an SVG file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from woodstock.gdl.terms import GroundTerm

Square = tuple[str, str]
LETTERS: Final = ascii_lowercase + ascii_uppercase
MIXED: Final = -1
"""Marks a square with moves of several orbits."""
_SIDE: Final = 40
_STYLE: Final = 'font-family="sans-serif" font-size="14" text-anchor="middle"'


@dataclass(frozen=True, slots=True)
class OrbitPicture:
    """A board and the orbit that marks each of its squares.

    Attributes:
        columns: First coordinates, from left to right.
        rows: Second coordinates, from bottom to top.
        orbits: Number of the orbit on a square, or MIXED; squares without one are left empty.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    orbits: Mapping[Square, int]


def make_picture(
    columns: Sequence[str], rows: Sequence[str], orbits: Iterable[Iterable[GroundTerm]]
) -> OrbitPicture | None:
    """Mark the squares of a board with the orbits of moves; None if no move names a square.

    A move marks the last square that it names; one that names but a column marks the top of it.
    """
    marks: dict[Square, int] = {}
    for number, moves in enumerate(orbits):
        for move in moves:
            square = _square_of(move, columns, rows)
            if square is not None:
                marks[square] = number if marks.get(square, number) == number else MIXED
    return OrbitPicture(tuple(columns), tuple(rows), marks) if marks else None


def _square_of(move: GroundTerm, columns: Sequence[str], rows: Sequence[str]) -> Square | None:
    words = move[1:] if isinstance(move, tuple) else ()
    pairs = [(one, other) for one, other in pairwise(words) if one in columns and other in rows]
    if pairs:
        return str(pairs[-1][0]), str(pairs[-1][1])
    if len(words) == 1 and words[0] in columns:
        return str(words[0]), rows[-1]
    return None


def letter(orbit: int) -> str:
    """Return the letter of an orbit; there are some for the first ones only."""
    if orbit == MIXED:
        return "+"
    return LETTERS[orbit] if orbit < len(LETTERS) else "*"


def draw_text(picture: OrbitPicture) -> str:
    """Draw a picture with a letter for each orbit."""
    width = max(map(len, picture.columns))
    margin = max(map(len, picture.rows))
    lines = []
    for row in reversed(picture.rows):
        marks = [picture.orbits.get((column, row)) for column in picture.columns]
        cells = ["." if mark is None else letter(mark) for mark in marks]
        lines.append(f"{row:<{margin}}  " + " ".join(cell.ljust(width) for cell in cells).rstrip())
    lines.append(" " * (margin + 2) + " ".join(column.ljust(width) for column in picture.columns).rstrip())
    return "\n".join(lines)


def draw_svg(picture: OrbitPicture, title: str) -> str:
    """Draw a picture as an SVG document with a colour for each orbit."""
    width, height = (len(picture.columns) + 2) * _SIDE, (len(picture.rows) + 2) * _SIDE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {_STYLE}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    num_orbits = max(picture.orbits.values(), default=0) + 1
    for across, column in enumerate(picture.columns, 1):
        for down, row in enumerate(reversed(picture.rows), 1):
            mark = picture.orbits.get((column, row))
            fill = "white" if mark is None else _colour(mark, num_orbits)
            x, y = across * _SIDE, down * _SIDE
            parts.append(f'<rect x="{x}" y="{y}" width="{_SIDE}" height="{_SIDE}" fill="{fill}" stroke="black"/>')
            if mark is not None:
                parts.append(_text(x + _SIDE / 2, y + _SIDE / 2 + 5, letter(mark)))
    for across, column in enumerate(picture.columns, 1):
        parts.append(_text((across + 0.5) * _SIDE, height - _SIDE / 2, column))
    for down, row in enumerate(reversed(picture.rows), 1):
        parts.append(_text(_SIDE / 2, (down + 0.5) * _SIDE + 5, row))
    return "\n".join([*parts, "</svg>", ""])


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{escape(text)}</text>'


def _colour(orbit: int, num_orbits: int) -> str:
    """Return a light colour; neighbouring numbers are far apart on the circle of hues."""
    if orbit == MIXED:
        return "#dddddd"
    hue = orbit * 137.508 % 360 if num_orbits > 6 else orbit * 360 / num_orbits
    return f"hsl({hue:.0f} 75% 72%)"

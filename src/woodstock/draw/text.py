"""Positions as text."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from woodstock.draw.board import Board, find_boards
from woodstock.game.protocol import Fluent
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm, functor

WIDTH: Final = 100
MAX_LISTED: Final = 60
"""How many fluents of one name are listed."""
MAX_CELL: Final = 9
"""How many characters of a piece's name are shown."""
BLANKS: Final = frozenset({"b", "blank", "empty", "e", "free", "none", "nil", "vacant"})
"""What rule sheets write on a square with nothing on it."""


def draw_position(fluents: Iterable[Fluent], known: Iterable[Fluent] = ()) -> str:
    """Return a drawing of a position: its boards, then every other fluent.

    Args:
        fluents: What is true in the position.
        known: Fluents of other positions of the match, so that a board keeps its size when squares are empty.
    """
    here = frozenset(fluents)
    boards = find_boards(here, known)
    shown = {fluent for board in boards for fluent in board.fluents}
    titled = len(boards) > 1
    parts = [_draw_board(board, titled) for board in boards]
    parts += _list_fluents(here - shown)
    return "\n".join(parts) if parts else "(nothing is true here)"


def _draw_board(board: Board, titled: bool) -> str:
    cells = {place: _cell(content) for place, content in board.content.items()}
    absent = " " if BLANKS & board.vocabulary else "."
    width = max(map(len, (*map(_cell, board.vocabulary), *board.columns)))
    margin = max(map(len, board.rows))
    lines = [f"{to_kif(board.name)}:"] if titled else []
    for row in reversed(board.rows):
        squares = (cells.get((column, row), absent).rjust(width) for column in board.columns)
        lines.append(f"{row.rjust(margin)}  {' '.join(squares)}".rstrip())
    lines.append(" " * margin + "  " + " ".join(column.rjust(width) for column in board.columns))
    return "\n".join(lines)


def _cell(content: GroundTerm) -> str:
    if content in BLANKS:
        return "."
    words = to_kif(content).replace("(", " ").replace(")", " ").split()
    text = "/".join(words)
    if len(text) <= MAX_CELL:
        return text
    if len(words) == 1:
        return text[: MAX_CELL - 1] + "…"
    share = max(1, (MAX_CELL + 1) // len(words) - 1)
    return "/".join(word[:share] for word in words)


def _list_fluents(fluents: Iterable[Fluent]) -> list[str]:
    """Return the fluents in one paragraph a name; those without arguments come last, together."""
    by_name: dict[str, list[str]] = defaultdict(list)
    plain: list[str] = []
    for fluent in fluents:
        if isinstance(fluent, tuple):
            by_name[functor(fluent)].append(" ".join(to_kif(part) for part in fluent[1:]))
        else:
            plain.append(fluent)
    lines = [_paragraph(f"{name}: ", texts) for name, texts in sorted(by_name.items())]
    return lines + ([_paragraph("true: ", plain)] if plain else [])


def _paragraph(title: str, texts: list[str]) -> str:
    listed = sorted(texts, key=_natural)[:MAX_LISTED]
    if len(texts) > len(listed):
        listed.append(f"… {len(texts) - len(listed)} more")
    return textwrap.fill(title + ", ".join(listed), WIDTH, subsequent_indent="  ", break_long_words=False)


def _natural(text: str) -> list[tuple[int, str, str]]:
    """Return a key that sorts numbers by value, however long they are, and before them all other words."""
    return [
        (len(digits), digits, word) if word.isdecimal() else (-1, word, word)
        for word in text.split()
        for digits in [word.lstrip("0")]
    ]

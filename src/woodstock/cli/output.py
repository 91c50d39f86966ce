"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Sequence


def print_json(value: object) -> None:
    """Print one JSON document on stdout."""
    print(json.dumps(value, indent=2))


def print_note(message: str) -> None:
    """Print something worth knowing on stderr, where it does not mix with the answer."""
    print(f"woodstock: {message}", file=sys.stderr)


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "game"), count(2, "game")
    ('1 game', '2 games')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()) -> None:
    """Print rows in aligned columns under their headers.

    >>> print_table(["game", "positions"], [["tic_tac_toe", "5478"], ["nim", "120"]], right=[1])
    game       positions
    tic_tac_toe       5478
    nim              120

    Args:
        headers: One word a column.
        rows: The cells, as many in each row as there are headers.
        right: Indices of the columns that are aligned to the right, as numbers are.
    """
    lines = [tuple(headers), *(tuple(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join(cells).rstrip())

"""Families: fluents of a relation that agree in one of their arguments.

The men of a side wherever they stand, say, or whatever stands in a row. What one of them is worth says something about
the others: that a queen is worth having is learnt from some squares, and need not be learnt again for each.
"""

from __future__ import annotations

from collections.abc import Sequence

from woodstock.gdl.terms import GroundTerm

Family = tuple[int, ...]
"""Numbers of fluents in their order."""


def find_families(fluents: Sequence[GroundTerm]) -> list[Family]:
    """Return the families of fluents, each once; the fluents of a relation with one argument are a family, too.

    >>> find_families((("cell", "1", "king"), ("cell", "2", "king"), ("cell", "2", "rook"), ("step", "7"), "over"))
    [(0, 1), (1, 2)]
    """
    members: dict[tuple[object, ...], list[int]] = {}
    for number, fluent in enumerate(fluents):
        if isinstance(fluent, tuple):
            name, *arguments = fluent
            values = enumerate(arguments) if len(arguments) > 1 else ((0, None),)
            for place, value in values:
                members.setdefault((name, len(arguments), place, value), []).append(number)
    found = dict.fromkeys(tuple(each) for each in members.values() if len(each) > 1)
    return list(found)

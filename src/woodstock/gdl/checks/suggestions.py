"""Names that look like a name: what a misspelt word may have been meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property

_MAX_LENGTH = 40
"""Longer names are not looked at: their index entries would be too many."""
_MAX_POOL = 300
"""The slower search for distant likenesses is made among so many names at most,"""
_MAX_SEARCHES = 200
"""and so many times."""


class NameIndex:
    """Finds names that differ by one edit: a letter more, less, other or exchanged with its neighbour.

    Two such names share a form with one letter deleted; so every name is filed under all these forms, and looking one
    up takes the same time among few names and many. Failing that, the most similar of a small pool is looked for.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(dict.fromkeys(names))
        self._num_searches = 0

    @cached_property
    def _filed(self) -> dict[str, list[str]]:
        filed: dict[str, list[str]] = {}
        for name in self._names:
            for form in _forms(name):
                filed.setdefault(form, []).append(name)
        return filed

    def nearest(self, name: str) -> str | None:
        """Return the name most like another one, or None if nothing is like it."""
        return self.one_edit(name) or self._most_similar(name)

    def one_edit(self, name: str) -> str | None:
        """Return a name that is one slip of the hand away, or None if there is none."""
        for form in _forms(name):
            for candidate in self._filed.get(form, ())[:10]:
                if candidate != name and is_one_edit(name, candidate):
                    return candidate
        return None

    def _most_similar(self, name: str) -> str | None:
        if (
            len(name) < 3
            or len(self._names) > _MAX_POOL
            or len(name) > _MAX_LENGTH
            or self._num_searches >= _MAX_SEARCHES
        ):
            return None
        self._num_searches += 1
        pool = [other for other in self._names if other != name and _digits(other) == _digits(name)]
        return next(iter(get_close_matches(name, pool, n=1, cutoff=0.8)), None)


def is_one_edit(one: str, two: str) -> bool:
    """Tell whether two names differ by one plain slip of the hand; `x1` and `x2`, or `a` and `b`, do not.

    >>> is_one_edit("terminal", "termnial"), is_one_edit("row1", "row2"), is_one_edit("cell", "cells")
    (True, False, True)
    """
    if min(len(one), len(two)) < 3 or _digits(one) != _digits(two):
        return False
    start = 0
    while start < min(len(one), len(two)) and one[start] == two[start]:
        start += 1
    rest_one, rest_two = one[start:], two[start:]
    if len(one) == len(two):
        exchanged = rest_one[1:2] + rest_one[:1] + rest_one[2:]
        return bool(rest_one) and (rest_one[1:] == rest_two[1:] or exchanged == rest_two)
    return rest_one[1:] == rest_two or rest_one == rest_two[1:]


def _digits(name: str) -> str:
    return "".join(char for char in name if char.isdigit())


def _forms(name: str) -> Iterator[str]:
    if len(name) <= _MAX_LENGTH:
        yield name
        for place in range(len(name)):
            yield name[:place] + name[place + 1 :]

"""Terms as other programs send them: read with care, for nobody knows what they send.

Reading never recurses and ends at the first thing that is wrong, so neither the size nor the depth of a text hurts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from woodstock.common.errors import WoodstockError
from woodstock.gdl.source import SourceText, Span
from woodstock.gdl.syntax import MAX_DEPTH
from woodstock.gdl.terms import GroundTerm

_TOKEN: Final = re.compile(r'(?P<comment>;[^\r\n]*)|(?P<bracket>[()])|(?P<word>"[^"]*"|[^\s();"\ufeff]+|")')
_BRACKET: Final = re.compile(r"[()]|;[^\r\n]*")
_DEEPEST: Final = MAX_DEPTH + 2
"""As deep as a rule may nest, inside of the list of rules inside of a message."""
_EXCERPT: Final = 40
"""So many characters of a text are shown in an error."""


class ProtocolError(WoodstockError):
    """A message or a reply that cannot be understood."""


def excerpt(text: str) -> str:
    """Return the beginning of a text, on one line and in quotes.

    >>> excerpt("(play    m1)")
    "'(play m1)'"
    """
    line = " ".join(text[: 2 * _EXCERPT].split())
    return repr(line if len(line) <= _EXCERPT and len(text) <= 2 * _EXCERPT else f"{line[:_EXCERPT]}…")


def split_items(text: str, part: Span) -> Iterator[Span]:
    """Yield where the words and the lists of a part of a text stand, without looking into the lists.

    Raises:
        ProtocolError: A parenthesis has no partner.
    """
    offset = part.start
    while token := _TOKEN.search(text, offset, part.end):
        if token.group() == ")":
            raise ProtocolError(f"closing parenthesis without an opening one at {_place(text, token.start())}")
        offset = _end_of_list(text, token.start(), part.end) if token.group() == "(" else token.end()
        if token.lastgroup != "comment":
            yield Span(token.start(), offset)


def is_list(text: str, item: Span) -> bool:
    """Tell whether an item of a text is a list."""
    return text[item.start] == "("


def inside(item: Span) -> Span:
    """Return what stands between the parentheses of a list."""
    return Span(item.start + 1, item.end - 1)


def read_terms(text: str, part: Span) -> tuple[GroundTerm, ...]:
    """Return the terms that stand in a part of a text, in lower case; `(f)` is `f`.

    Raises:
        ProtocolError: A parenthesis has no partner, a list is empty or begins with a list, they nest too deep, or
            there is a variable.
    """
    open_lists: list[list[GroundTerm]] = [[]]
    for token in _TOKEN.finditer(text, part.start, part.end):
        if token.lastgroup == "word":
            if token.group().startswith("?"):
                raise ProtocolError(f"expected a term without variables, found {token.group()!r}")
            open_lists[-1].append(token.group().lower())
        elif token.group() == "(":
            open_lists.append([])
            if len(open_lists) > MAX_DEPTH:
                raise ProtocolError(f"nested deeper than {MAX_DEPTH} parentheses at {_place(text, token.start())}")
        elif token.group() == ")":
            items = open_lists.pop()
            if not open_lists:
                raise ProtocolError(f"closing parenthesis without an opening one at {_place(text, token.start())}")
            if not items or not isinstance(items[0], str):
                found = "nothing" if not items else "a list"
                place = _place(text, token.start())
                raise ProtocolError(f"expected a name after the parenthesis that is closed at {place}, found {found}")
            open_lists[-1].append(tuple(items) if len(items) > 1 else items[0])
    if len(open_lists) > 1:
        raise ProtocolError(f"a parenthesis is never closed in {excerpt(text[part.start : part.end])}")
    return tuple(open_lists[0])


def _end_of_list(text: str, start: int, end: int) -> int:
    """Return where the list ends that begins at `start`."""
    depth = 0
    for token in _BRACKET.finditer(text, start, end):
        if token.group() == "(":
            depth += 1
            if depth > _DEEPEST:
                raise ProtocolError(f"nested deeper than {_DEEPEST} parentheses at {_place(text, token.start())}")
        elif token.group() == ")":
            depth -= 1
            if depth == 0:
                return token.end()
    raise ProtocolError(f"the parenthesis at {_place(text, start)} is never closed")


def _place(text: str, offset: int) -> str:
    line, column = SourceText(text).position(offset)
    return f"{line}:{column}"

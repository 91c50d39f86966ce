"""Rule text with positions: where a character stands, which line it is on."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\r|\n")


class Span(NamedTuple):
    """A half-open range of character offsets in a `SourceText`."""

    start: int
    end: int


class SourceText:
    """The text of a rule sheet and the name that messages give it.

    Lines end with LF, CRLF or a lone CR; lines and columns count from 1.
    """

    def __init__(self, text: str, name: str = "<text>") -> None:
        self.text = text
        self.name = name

    def __repr__(self) -> str:
        return f"SourceText({self.name!r}, {len(self.text)} characters)"

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Return (line, column) of a character offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line_span(self, number: int) -> Span:
        """Return where a line stands, without its end."""
        starts = self._line_starts
        start, end = starts[number - 1], starts[number] if number < len(starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def line(self, number: int) -> str:
        """Return the text of a line without its end."""
        start, end = self.line_span(number)
        return self.text[start:end]

    def where(self, offset: int) -> str:
        """Return `name:line:column` of an offset."""
        line, column = self.position(offset)
        return f"{self.name}:{line}:{column}"

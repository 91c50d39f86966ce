"""How a problem is shown: the line, cut around the place if it is long, and a caret under it."""

from __future__ import annotations

import pytest

from woodstock.gdl.diagnostics import Diagnostic, Severity
from woodstock.gdl.source import SourceText, Span


def shown(text: str, start: int, end: int, hint: str = "") -> list[str]:
    source = SourceText(text, "game.kif")
    return Diagnostic(Severity.ERROR, "code", "message", source, Span(start, end), hint).render().split("\n")


def test_line_caret_and_hint() -> None:
    assert shown("(role x)\n(init p)\n", 10, 14, "do this") == [
        "game.kif:2:2: error: message [code]",
        "    (init p)",
        "     ^~~~",
        "    hint: do this",
    ]


def test_a_span_of_several_lines_is_marked_in_the_first() -> None:
    assert shown("(p\nq)", 0, 6)[1:] == ["    (p", "    ^~"]


def test_the_end_of_the_text_can_be_marked() -> None:
    assert shown("(p", 2, 2)[1:] == ["    (p", "      ^"]


@pytest.mark.parametrize("start", [0, 1, 50, 500, 950, 998, 999])
def test_a_long_line_is_cut_around_the_place(start: int) -> None:
    letters = "".join(chr(ord("a") + number % 26) for number in range(1000))
    _, line, caret = shown(f"first\n{letters}\nlast", 6 + start, 7 + start)
    assert len(line) <= 4 + 102
    assert line[caret.index("^")] == letters[start]
    cut = line[4:].strip("…")
    assert cut in letters
    assert line[4:].startswith("…") == (not letters.startswith(cut))
    assert line.endswith("…") == (not letters.endswith(cut))


def test_characters_that_a_terminal_would_obey_are_not_printed() -> None:
    assert shown("(p\x1b[31m q)", 0, 1)[1] == "    (p [31m q)"

"""Places in a text: lines and columns count from 1, whatever ends the lines."""

from __future__ import annotations

import pytest

from woodstock.gdl.source import SourceText


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_positions_with_every_line_end(end: str) -> None:
    source = SourceText(f"ab{end}{end}cde", "game.kif")
    last = source.text.index("e")
    assert source.position(0) == (1, 1)
    assert source.position(1) == (1, 2)
    assert source.position(last) == (3, 3)
    assert [source.line(number) for number in (1, 2, 3)] == ["ab", "", "cde"]
    assert source.where(last) == "game.kif:3:3"


def test_the_end_of_the_text_has_a_position() -> None:
    assert SourceText("").position(0) == (1, 1)
    assert SourceText("a\n").position(2) == (2, 1)
    assert SourceText("a\n").line(2) == ""


def test_only_real_line_ends_count() -> None:
    source = SourceText("a\x0bb\x0cc\u2028d")
    assert source.position(len(source.text) - 1) == (1, 7)


def test_repr_is_short() -> None:
    assert repr(SourceText("x" * 5000, "big.kif")) == "SourceText('big.kif', 5000 characters)"

"""Public sheets in both notations: printing, formatting and converting lose neither rules nor comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from woodstock.gdl.formatter import format_sheet
from woodstock.gdl.infix import looks_like_infix
from woodstock.gdl.printer import rules_to_infix, rules_to_kif
from woodstock.gdl.sheet import Sheet, Syntax, decode, read_sheet
from woodstock.gdl.source import SourceText
from woodstock.gdl.syntax import Comment

LARGEST = 5_000
"""Bytes of a sheet; larger ones show nothing new and take long."""


@pytest.fixture(scope="module")
def sources(corpus: Path) -> list[SourceText]:
    paths = sorted((corpus / "games").glob("*.kif")) + sorted((corpus / "malformed").iterdir())
    return [decode(path.read_bytes(), path.name) for path in paths]


@pytest.fixture(scope="module")
def sheets(sources: list[SourceText]) -> list[Sheet]:
    found = (read_sheet(source) for source in sources if len(source.text) <= LARGEST)
    good = [sheet for sheet in found if not sheet.has_errors]
    assert len(good) > 100
    return good


def bodies(comments: tuple[Comment, ...]) -> list[str]:
    return [comment.text.lstrip(";%").rstrip() for comment in comments]


def test_all_are_recognised_as_kif(sources: list[SourceText]) -> None:
    assert [source.name for source in sources if looks_like_infix(source.text)] == []


def test_printing_and_reading(sheets: list[Sheet]) -> None:
    for sheet in sheets:
        assert read_sheet(rules_to_kif(sheet.rules), "kif").rules == sheet.rules, sheet.source.name
        again = read_sheet(rules_to_infix(sheet.rules), "infix")
        assert again.rules == sheet.rules, sheet.source.name
        assert again.diagnostics == (), sheet.source.name


@pytest.mark.parametrize("syntax", ["kif", "infix"])
def test_formatting(sheets: list[Sheet], syntax: Syntax) -> None:
    for sheet in sheets:
        text = format_sheet(sheet, syntax)
        again = read_sheet(text, syntax)
        assert again.rules == sheet.rules, sheet.source.name
        assert bodies(again.comments) == bodies(sheet.comments), sheet.source.name
        assert format_sheet(again) == text, sheet.source.name

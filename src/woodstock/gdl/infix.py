"""The reader of the infix notation (HRF): `next(control(o)) :- true(control(x))`."""

from __future__ import annotations

from woodstock.gdl.kif import Report
from woodstock.gdl.source import SourceText
from woodstock.gdl.syntax import Comment, Node


def looks_like_infix(text: str) -> bool:
    raise NotImplementedError


def read_infix(source: SourceText, report: Report) -> tuple[tuple[Node, ...], tuple[Comment, ...]]:
    raise NotImplementedError

"""The reader of KIF, the prefix syntax of GDL: `(<= (next (control o)) (true (control x)))`."""

from __future__ import annotations

import re
from collections.abc import Callable

from woodstock.gdl.source import SourceText, Span
from woodstock.gdl.syntax import MAX_DEPTH, Comment, Group, Node, Word

_TOKEN = re.compile(r"(?P<comment>;[^\r\n]*)|(?P<bracket>[()])|(?P<word>[^\s();]+)")

Report = Callable[[str, str, Span, str], None]
"""Called with code, message, span and hint of each syntax error."""


def read_kif(source: SourceText, report: Report) -> tuple[tuple[Node, ...], tuple[Comment, ...]]:
    """Read prefix text into statements and comments; every syntax error is reported and skipped.

    A rule can only begin in the first column of a line in nearly every sheet, so a `(<=` found there inside an open
    statement tells where a closing parenthesis was forgotten.
    """
    statements: list[Node] = []
    comments: list[Comment] = []
    open_groups: list[tuple[int, list[Node]]] = []
    skipped_depth = 0
    for match in _TOKEN.finditer(source.text):
        span = Span(*match.span())
        text = match.group()
        if match.lastgroup == "comment":
            comments.append(Comment(text, span))
        elif match.lastgroup == "word":
            word = Word(text, span)
            (open_groups[-1][1] if open_groups else statements).append(word)
        elif text == "(":
            if len(open_groups) >= MAX_DEPTH:
                if skipped_depth == 0:
                    report("nesting", f"nested deeper than {MAX_DEPTH} parentheses", span, "")
                skipped_depth += 1
                continue
            if open_groups and _starts_rule(source.text, span.start):
                _report_unclosed(open_groups[0][0], report)
                open_groups.clear()
            open_groups.append((span.start, []))
        elif skipped_depth:
            skipped_depth -= 1
        elif not open_groups:
            report("parentheses", "closing parenthesis without an opening one", span, "remove it")
        else:
            start, items = open_groups.pop()
            group = Group(tuple(items), Span(start, span.end))
            (open_groups[-1][1] if open_groups else statements).append(group)
    if open_groups:
        _report_unclosed(open_groups[0][0], report)
    return tuple(statements), tuple(comments)


_RULE_START = re.compile(r"\(\s*<=(?=[\s(])")


def _starts_rule(text: str, offset: int) -> bool:
    """Tell whether a rule begins here at the start of a line: `<=` cannot stand inside a statement."""
    at_line_start = offset == 0 or text[offset - 1] in "\r\n"
    return at_line_start and _RULE_START.match(text, offset) is not None


def _report_unclosed(start: int, report: Report) -> None:
    report(
        "parentheses",
        "opening parenthesis is never closed",
        Span(start, start + 1),
        "a closing parenthesis is missing in this statement",
    )

"""The words and marks of the infix notation."""

from __future__ import annotations

import re
from typing import NamedTuple

from woodstock.gdl.keywords import RULE
from woodstock.gdl.kif import Report
from woodstock.gdl.source import Span
from woodstock.gdl.syntax import Comment

_NAME = r"\w+(?:-+\w+)*"
_NUMBER = r"-?\d+(?:\.\d+)?(?!\w)"
_QUOTED = r"'(?:[^'\\\r\n]|\\[^\r\n])*'" + r'|"(?:[^"\\\r\n]|\\[^\r\n])*"'
_TOKEN = re.compile(
    rf"(?P<space>[\s\ufeff]+)|(?P<comment>%[^\r\n]*)|(?P<variable>\?(?:{_QUOTED}|{_NAME})?)|(?P<quoted>{_QUOTED})"
    rf"|(?P<number>{_NUMBER})|(?P<name>{_NAME})|(?P<mark>:-|\\\+|[(),&|~.])|(?P<other>.)",
    re.DOTALL,
)
_PLAIN_NAME = re.compile(_NAME)
_PLAIN_CONSTANT = re.compile(f"{_NUMBER}|{_NAME}")
_UNWRITABLE = re.compile(r"[\s();\ufeff]")


def is_plain_constant(text: str) -> bool:
    """Tell whether a constant consists of characters that need no quotes."""
    return _PLAIN_CONSTANT.fullmatch(text) is not None


def is_plain_name(text: str) -> bool:
    """Tell whether the name of a variable, without its `?`, needs no quotes."""
    return _PLAIN_NAME.fullmatch(text) is not None


def is_variable_name(text: str) -> bool:
    """Tell whether an unquoted name is a variable."""
    return text[:1] == "_" or text[:1].isupper()


class Token(NamedTuple):
    """A word, a mark or the end of the text.

    Attributes:
        kind: `variable`, `quoted`, `number`, `name`, `mark`, `other` or `end`.
        text: As the syntax tree has it: a variable with its `?`, a quoted constant without its quotes.
        span: Where it stands.
        column: Characters before it on its line.
        opens_line: Whether it is the first token of its line.
    """

    kind: str
    text: str
    span: Span
    column: int
    opens_line: bool

    @property
    def is_word(self) -> bool:
        return self.kind not in ("mark", "other", "end")


class Lexer:
    """Cuts the text into tokens and comments."""

    def __init__(self, text: str, report: Report) -> None:
        self._text = text
        self._report = report
        self.comments: list[Comment] = []

    def tokens(self) -> list[Token]:
        """Return the tokens, closed by one of kind `end`."""
        found: list[Token] = []
        line_start = 0
        opens_line = True
        for match in _TOKEN.finditer(self._text):
            kind, raw, span = str(match.lastgroup), match.group(), Span(*match.span())
            if kind == "comment":
                self.comments.append(Comment(raw, span))
            elif kind == "space":
                newline = max(raw.rfind("\n"), raw.rfind("\r"))
                if newline >= 0:
                    line_start, opens_line = span.start + newline + 1, True
            else:
                text = self._word(kind, raw, span)
                if kind == "name" and is_variable_name(raw):
                    kind = "variable"
                found.append(Token(kind, text, span, span.start - line_start, opens_line))
                opens_line = False
        size = len(self._text)
        found.append(Token("end", "", Span(max(0, size - 1), size), -1, True))
        return _number_anonymous(found)

    def _word(self, kind: str, raw: str, span: Span) -> str:
        if kind == "name":
            return "?" + raw if is_variable_name(raw) else raw
        if kind == "quoted":
            text = _unquote(raw)
            if text.startswith("?") or text == RULE:
                self._report("quoted", f"{raw} cannot be the name of a constant", span, "")
                return "quoted"
            return self._checked(text, raw, span)
        if kind == "variable" and raw[1:2] in ("'", '"'):
            return "?" + self._checked(_unquote(raw[1:]), raw, span)
        return raw

    def _checked(self, text: str, raw: str, span: Span) -> str:
        """Return the text inside quotes if it can be written in KIF, where nothing is quoted."""
        if text and not _UNWRITABLE.search(text):
            return text
        what = "is empty" if not text else "has a space, a parenthesis or a semicolon in it"
        self._report("quoted", f"the quoted name {raw} {what}", span, "no word of GDL can")
        return "quoted"


def _unquote(raw: str) -> str:
    return re.sub(r"\\(.)", r"\1", raw[1:-1])


def _number_anonymous(tokens: list[Token]) -> list[Token]:
    """Give each `_` a variable of its own, with a name that the sheet does not use."""
    if not any(token.text == "?_" and token.span.end - token.span.start == 1 for token in tokens):
        return tokens
    used = {token.text.lower() for token in tokens if token.kind == "variable"}
    fresh = (name for number in range(1, len(tokens) + len(used) + 1) if (name := f"?_{number}") not in used)
    return [
        token._replace(text=next(fresh)) if token.text == "?_" and token.span.end - token.span.start == 1 else token
        for token in tokens
    ]

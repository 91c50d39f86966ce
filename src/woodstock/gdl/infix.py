r"""The reader of the infix notation (HRF): `next(control(o)) :- true(control(x))`.

The notation of the Stanford lectures, and the Prolog-like dialect with it:

* `p(a, Y)`, `~p(Y)`, `q(Y) :- p(a, Y) & p(Y, c)`, `(p(X) | q(X))`; a comma is as good as `&`, and `not p`, `not(p)` and
  `\+ p` as `~p`;
* names that start with a capital or `_` are variables, `_` alone a new one each time; `?x` is a variable too;
* a constant that is neither a name nor a number is quoted: `'++'`, `'8,9'`, with `\'` and `\\` inside;
* `%` starts a comment; a statement ends with a full stop or where the next one begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NoReturn

from woodstock.gdl.infix_tokens import Lexer, Token
from woodstock.gdl.keywords import CONNECTIVES, RULE
from woodstock.gdl.kif import Report
from woodstock.gdl.source import SourceText, Span
from woodstock.gdl.syntax import MAX_DEPTH, Comment, Group, Node, Word

_BLANK = re.compile(r"(?:[\s\ufeff]|[;%][^\r\n]*)*+")
_TELLTALE = re.compile(r"[;%][^\r\n]*|(?P<infix>:-|(?<![\w-])[^\W\d][\w-]*\(|['~]\()|(?P<kif>\()")

_NEGATIONS: Final = frozenset({"~", "\\+"})
_HINTS: Final = {
    ";": "a comment starts with % and alternatives are joined by |",
    "'": "the quote is not closed on its line",
    '"': "the quote is not closed on its line",
    "/": "a comment starts with %",
    "#": "a comment starts with %",
    "\\": "write distinct(X, Y)",
    "=": "write distinct(X, Y) or ~distinct(X, Y)",
    "!": "write ~ for not",
    "<": "write head :- conditions",
}


def looks_like_infix(text: str) -> bool:
    """Tell the notation of a sheet by its first statement: in infix the name stands before the parenthesis."""
    blank = _BLANK.match(text)
    start = blank.end() if blank else 0
    if start == len(text):
        return text.lstrip("\ufeff").lstrip().startswith("%")
    if text[start] in "()":
        return False
    for match in _TELLTALE.finditer(text, start):
        if match.lastgroup:
            return match.lastgroup == "infix"
    return False


def read_infix(source: SourceText, report: Report) -> tuple[tuple[Node, ...], tuple[Comment, ...]]:
    """Read infix text into statements and comments; every syntax error is reported.

    After an error the reader goes on behind the next full stop, or at the next line that begins no further right than
    the broken statement.
    """
    lexer = Lexer(source.text, report)
    parser = _Parser(lexer.tokens(), report)
    return tuple(parser.statements()), tuple(lexer.comments)


class _SyntaxError(Exception):
    """The statement cannot be read; the error has been reported."""


class _Parser:
    """Builds statements from tokens by recursive descent, no deeper than `MAX_DEPTH`."""

    def __init__(self, tokens: list[Token], report: Report) -> None:
        self._tokens = tokens
        self._report = report
        self._next = 0

    def statements(self) -> Iterator[Node]:
        """Yield every statement that can be read."""
        while self._token.kind != "end":
            start = self._next
            try:
                statement = self._statement()
            except _SyntaxError:
                self._recover(start)
                continue
            if _height(statement) > MAX_DEPTH:
                self._report_nesting(statement.span)
            else:
                yield statement

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _at(self, *marks: str) -> bool:
        return self._token.kind == "mark" and self._token.text in marks

    def _take(self) -> Token:
        token = self._token
        self._next += 1
        return token

    def _recover(self, start: int) -> None:
        """Go to where the next statement probably begins."""
        column = self._tokens[start].column
        self._next = max(self._next, start + 1)
        while self._token.kind != "end":
            if self._at("."):
                self._next += 1
                return
            if self._token.opens_line and self._token.column <= column:
                return
            self._next += 1

    def _statement(self) -> Node:
        first = self._token
        if not first.is_word:
            self._fail("a fact or a rule")
        if first.kind == "variable":
            self._fail("a fact or a rule", "a name that starts with a capital or _ is a variable; quote a constant")
        head = self._term(1)
        statement = head
        if self._at(":-"):
            arrow = self._take()
            body = self._disjunction(2)
            statement = Group((Word(RULE, arrow.span), head, *body), Span(head.span.start, body[-1].span.end))
        if self._at("."):
            self._next += 1
        elif self._token.kind != "end" and not self._token.is_word:
            expected = "`:-` or the next statement" if statement is head else "`&`, `|` or the next statement"
            self._fail(expected)
        return statement

    def _disjunction(self, depth: int, comma: bool = True) -> tuple[Node, ...]:
        """Read `a & b | c …`; return the conjuncts of a plain conjunction, or the one disjunction."""
        alternatives = [self._conjunction(depth, comma)]
        bars = []
        while self._at("|"):
            bars.append(self._take())
            alternatives.append(self._conjunction(depth, comma))
        if not bars:
            return alternatives[0]
        return (_connective("or", bars[0], [_conjunction_node(parts) for parts in alternatives]),)

    def _conjunction(self, depth: int, comma: bool) -> tuple[Node, ...]:
        parts = [self._condition(depth)]
        while self._at("&") or (comma and self._at(",")):
            self._next += 1
            parts.append(self._condition(depth))
        return tuple(parts)

    def _condition(self, depth: int) -> Node:
        token = self._token
        if self._at("("):
            self._check_depth(depth)
            self._next += 1
            node = _conjunction_node(self._disjunction(depth + 1))
            self._close("`&`, `|` or `)`")
            return node
        if self._at(*_NEGATIONS) or self._is_spelt_negation():
            self._check_depth(depth)
            self._next += 1
            part = self._condition(depth + 1)
            return Group((Word("not", token.span), part), Span(token.span.start, part.span.end))
        if token.text.lower() in CONNECTIVES and self._is_call():
            return self._call(depth, as_formulas=True)
        return self._term(depth)

    def _is_spelt_negation(self) -> bool:
        """Tell whether a bare `not` stands before a condition."""
        token, after = self._token, self._tokens[min(self._next + 1, len(self._tokens) - 1)]
        if token.kind != "name" or token.text.lower() != "not" or self._is_call():
            return False
        return after.is_word or (after.kind == "mark" and after.text in ("(", *_NEGATIONS))

    def _is_call(self) -> bool:
        """Tell whether an opening parenthesis follows the word at once."""
        if not self._token.is_word:
            return False
        after = self._tokens[self._next + 1]
        return after.kind == "mark" and after.text == "(" and after.span.start == self._token.span.end

    def _term(self, depth: int) -> Node:
        if not self._token.is_word:
            self._fail("a name, a number or a variable")
        if self._is_call():
            return self._call(depth, as_formulas=False)
        token = self._take()
        if self._at("(") and not self._token.opens_line:
            self._fail("no space before the parenthesis", "the arguments follow the name at once")
        return Word(token.text, token.span)

    def _call(self, depth: int, as_formulas: bool) -> Group:
        """Read `name(…)`; the arguments of a connective are formulas, all others terms."""
        self._check_depth(depth)
        name = self._take()
        self._next += 1
        items: list[Node] = [Word(name.text, name.span)]
        if not self._at(")"):
            items.append(self._argument(depth + 1, as_formulas))
            while self._at(","):
                self._next += 1
                items.append(self._argument(depth + 1, as_formulas))
        end = self._close("`,` or `)`")
        return Group(tuple(items), Span(name.span.start, end))

    def _argument(self, depth: int, as_formulas: bool) -> Node:
        return _conjunction_node(self._disjunction(depth, comma=False)) if as_formulas else self._term(depth)

    def _close(self, expected: str) -> int:
        if not self._at(")"):
            self._fail(expected)
        return self._take().span.end

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._report_nesting(self._token.span)
            raise _SyntaxError

    def _report_nesting(self, span: Span) -> None:
        self._report("nesting", f"nested deeper than {MAX_DEPTH} parentheses", span, "")

    def _fail(self, expected: str, hint: str = "") -> NoReturn:
        token = self._token
        found = "the end of the text" if token.kind == "end" else repr(token.text)
        if token.kind == "variable":
            found = f"the variable {token.text[1:]}"
        self._report("syntax", f"expected {expected}, found {found}", token.span, hint or _HINTS.get(token.text, ""))
        raise _SyntaxError


def _connective(kind: str, mark: Token, parts: list[Node]) -> Group:
    return Group((Word(kind, mark.span), *parts), Span(parts[0].span.start, parts[-1].span.end))


def _conjunction_node(parts: tuple[Node, ...]) -> Node:
    """Return the one condition, or the `and` of several; its sign gets the place between the first two."""
    if len(parts) == 1:
        return parts[0]
    between = Span(parts[0].span.end, parts[1].span.start)
    return Group((Word("and", between), *parts), Span(parts[0].span.start, parts[-1].span.end))


def _height(node: Node) -> int:
    """Return how deep the parentheses of a node would nest in KIF."""
    if isinstance(node, Word):
        return 0
    return 1 + max((_height(item) for item in node.items), default=0)

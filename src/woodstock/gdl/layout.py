"""Layout: a statement with the comments inside it, spread over lines.

A group that fits on a line is written on one; otherwise, and where a comment stands between its parts, each part gets a
line of its own. Comments keep their order and stay with the part that they stood before or behind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from woodstock.gdl.keywords import RULE
from woodstock.gdl.notation import Kif, Notation, Place, Shape, operator, parts_of
from woodstock.gdl.printer import one_line
from woodstock.gdl.source import SourceText
from woodstock.gdl.syntax import Comment, Group, Node

WIDTH = 100
"""Longest line that the formatter writes if it can be helped; comments are left as they are."""


@dataclass(slots=True)
class Line:
    """A line of output: code, a comment or both."""

    indent: int
    code: str
    comment: str = ""

    def text(self) -> str:
        return " " * self.indent + " ".join(part for part in (self.code, self.comment) if part)


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment behind a part: on the same line, or on its own."""

    text: str
    is_trailing: bool


@dataclass(slots=True)
class Part:
    """A node with its comments.

    Attributes:
        node: The node.
        place: What it is in its statement.
        parts: Its own parts, if a comment stands among them; else empty.
        before: Comments before it, each on a line of its own.
        after: Comments behind it.
        closing: Comments behind its last part, before its closing parenthesis.
        is_spread: Whether each condition of this rule has its own line, however short the rule is.
    """

    node: Node
    place: Place
    parts: list[Part] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[Remark] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)
    is_spread: bool = False

    @property
    def has_comments(self) -> bool:
        return bool(self.before or self.after or self.closing or self.parts)


class Attachment:
    """Finds the part that each comment inside a statement belongs to."""

    def __init__(self, source: SourceText, notation: Notation, source_mark: str) -> None:
        """Prepare for a source, whose comments begin with `source_mark`, and the notation that will be written."""
        self._source = source
        self._notation = notation
        self._source_mark = source_mark

    def statement(self, node: Node, comments: Sequence[Comment]) -> Part:
        """Return a statement with the comments inside it."""
        part = self._attach(node, Place.STATEMENT, comments)
        part.is_spread = operator(node, Place.STATEMENT) == RULE and not self._is_on_one_line(node)
        return part

    def text(self, comment: Comment) -> str:
        """Return a comment with the mark of the notation that is written."""
        body = comment.text.lstrip(self._source_mark)
        marks = len(comment.text) - len(body)
        return (self._notation.comment_mark * marks + body).rstrip()

    def is_behind(self, comment: Comment, node: Node) -> bool:
        """Tell whether a comment begins on the line on which a node ends."""
        return self._line(comment.span.start) == self._line(node.span.end - 1)

    def _attach(self, node: Node, place: Place, comments: Sequence[Comment]) -> Part:
        part = Part(node, place)
        if not comments or not isinstance(node, Group):
            return part
        parts, part.closing = self._distribute(parts_of(node, place), comments)
        if not parts:
            part.before, part.closing = part.closing, []
            return part
        self._lift(part, parts)
        if part.closing or any(inner.has_comments for inner in parts):
            part.parts = parts
        return part

    def _distribute(
        self, nodes: Sequence[tuple[Node, Place]], comments: Sequence[Comment]
    ) -> tuple[list[Part], list[str]]:
        """Give each comment to the node that it is in, behind or before; return the rest as those behind the last."""
        parts: list[Part] = []
        rest = deque(comments)
        for node, place in nodes:
            before = self._put_behind(parts, take_until(rest, node.span.start))
            part = self._attach(node, place, take_until(rest, node.span.end))
            part.before[:0] = before
            parts.append(part)
        return parts, self._put_behind(parts, list(rest))

    def _put_behind(self, parts: list[Part], comments: list[Comment]) -> list[str]:
        """Give the first of some comments to the last part if it stands on that part's line; return the others."""
        if parts and comments and self.is_behind(comments[0], parts[-1].node):
            parts[-1].after.append(Remark(self.text(comments[0]), is_trailing=True))
            del comments[0]
        return [self.text(comment) for comment in comments]

    def _lift(self, part: Part, parts: list[Part]) -> None:
        """Move comments before the first part and behind the last one out of the group, where they read as well."""
        part.before, parts[0].before = parts[0].before, []
        for inner, following in pairwise(parts):
            following.before[:0] = _take_surplus(inner)
        is_open_ended = not isinstance(self._notation, Kif) and operator(part.node, part.place) != ""
        if is_open_ended:
            parts[-1].after += [Remark(text, is_trailing=False) for text in part.closing]
            part.closing = []
        if part.closing:
            part.closing[:0] = _take_surplus(parts[-1])
        else:
            part.after, parts[-1].after = parts[-1].after, []

    def _is_on_one_line(self, node: Node) -> bool:
        return self._line(node.span.start) == self._line(node.span.end - 1)

    def _line(self, offset: int) -> int:
        return self._source.position(offset)[0]


def take_until(comments: deque[Comment], offset: int) -> list[Comment]:
    """Remove and return the comments that begin before an offset."""
    taken: list[Comment] = []
    while comments and comments[0].span.start < offset:
        taken.append(comments.popleft())
    return taken


def _take_surplus(part: Part) -> list[str]:
    """Remove and return the comments behind a part that need lines of their own."""
    kept = 1 if part.after and part.after[0].is_trailing else 0
    surplus = [remark.text for remark in part.after[kept:]]
    del part.after[kept:]
    return surplus


def lay_out(part: Part, notation: Notation, column: int = 0, tail: str = "") -> list[Line]:
    """Return the lines of a part and its comments; `tail` follows its last word at once."""
    lines = [Line(column, "", text) for text in part.before]
    lines += _code_lines(part, notation, column, tail)
    for remark in part.after:
        if remark.is_trailing and not lines[-1].comment:
            lines[-1].comment = remark.text
        else:
            lines.append(Line(column, "", remark.text))
    return lines


def _code_lines(part: Part, notation: Notation, column: int, tail: str) -> list[Line]:
    node = part.node
    text = one_line(node, part.place, notation)
    fits = column + len(text) + len(tail) <= WIDTH
    if not part.parts and not part.closing and ((fits and not part.is_spread) or not isinstance(node, Group)):
        return [Line(column, text + tail)]
    if not isinstance(node, Group) or len(node.items) < 2:
        return [Line(column, text + tail)]
    return _spread(part, notation.shape(node, part.place), notation, column, tail)


def _spread(part: Part, shape: Shape, notation: Notation, column: int, tail: str) -> list[Line]:
    """Write each part of a group on a line of its own, the first one behind the opening."""
    parts = part.parts or [Part(node, place) for node, place in shape.parts]
    inner = column + shape.indent
    end = shape.closing + tail
    lines: list[Line] = []
    for number, child in enumerate(parts):
        if number + 1 < len(parts):
            child_tail = (shape.separator if number else shape.first_separator).rstrip()
        else:
            child_tail = "" if part.closing else end
        if number:
            lines += lay_out(child, notation, inner, child_tail)
        else:
            first = lay_out(child, notation, column + len(shape.opening), child_tail)
            first[0] = Line(column, shape.opening + first[0].code, first[0].comment)
            lines += first
    lines += [Line(inner, "", text) for text in part.closing]
    if part.closing:
        lines.append(Line(inner, end))
    return lines

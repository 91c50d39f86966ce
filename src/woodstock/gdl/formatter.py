"""The formatter: a rule sheet in one layout, with its comments, in its own notation or in the other.

A rule that was written on one line stays on one if it fits; otherwise each condition gets its own line. Facts that
share a line in KIF go on sharing it. Blank lines stay, one at a time. Words are spelt as they were written.

>>> from woodstock.gdl.sheet import read_sheet
>>> print(format_sheet(read_sheet('''(<= (q ?x) ; why
... (p ?x)(r ?x ) )''')), end="")
(<= (q ?x) ; why
    (p ?x)
    (r ?x))
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from woodstock.gdl.diagnostics import GdlError
from woodstock.gdl.keywords import RULE
from woodstock.gdl.layout import WIDTH, Attachment, Line, Part, Remark, lay_out, take_until
from woodstock.gdl.notation import Infix, Kif, Notation, Place, operator
from woodstock.gdl.sheet import Sheet, Syntax
from woodstock.gdl.source import Span
from woodstock.gdl.syntax import Comment


def format_sheet(sheet: Sheet, syntax: Syntax | None = None) -> str:
    """Return the text of a sheet, laid out anew; `syntax` asks for a notation other than the sheet's.

    Formatting a formatted sheet changes nothing.

    Raises:
        GdlError: The sheet has syntax errors; what they stand in cannot be written down.
    """
    if sheet.has_errors:
        raise GdlError(sheet.diagnostics)
    return _Formatter(sheet, syntax or sheet.syntax).text()


@dataclass(slots=True)
class _Entry:
    """A statement with its comments, or a comment between statements, and the source that it covers."""

    content: Part | str
    span: Span

    def is_fact(self) -> bool:
        return isinstance(self.content, Part) and operator(self.content.node, Place.STATEMENT) != RULE


class _Formatter:
    """Writes the entries of a sheet one after the other."""

    def __init__(self, sheet: Sheet, syntax: Syntax) -> None:
        self._sheet = sheet
        is_infix = sheet.syntax == "infix"
        self._notation: Notation = Kif(is_infix) if syntax == "kif" else Infix(sheet.source if is_infix else None)
        self._attachment = Attachment(sheet.source, self._notation, "%" if is_infix else ";")
        # In infix a full stop may be all that tells two facts on a line apart, and it is not written.
        self._may_share_lines = syntax == "kif"

    def text(self) -> str:
        lines: list[Line] = []
        block: list[Line] = []
        previous: _Entry | None = None
        for entry in self._entries():
            before, block = block, self._lines(entry)
            if previous is not None and self._lines_between(previous, entry) > 1:
                lines.append(Line(0, ""))
            if previous is not None and self._can_share(previous, entry) and _fit_together(before, block):
                # The joined line is what the next fact may follow.
                block = [Line(0, f"{before[0].code} {block[0].code}", block[0].comment)]
                lines.pop()
            lines += block
            previous = entry
        return "".join(line.text() + "\n" for line in lines)

    def _entries(self) -> list[_Entry]:
        """Return the statements and the comments between them in the order of the text."""
        entries: list[_Entry] = []
        comments = deque(self._sheet.comments)
        for node in self._sheet.statements:
            self._add_comments(entries, take_until(comments, node.span.start))
            inside = take_until(comments, node.span.end)
            entries.append(_Entry(self._attachment.statement(node, inside), node.span))
        self._add_comments(entries, list(comments))
        return entries

    def _add_comments(self, entries: list[_Entry], comments: list[Comment]) -> None:
        """Add comments: the first one to the statement on whose last line it stands, the others as entries."""
        for comment in comments:
            content = entries[-1].content if entries else ""
            if isinstance(content, Part) and self._attachment.is_behind(comment, content.node):
                content.after.append(Remark(self._attachment.text(comment), is_trailing=True))
                entries[-1].span = Span(entries[-1].span.start, comment.span.end)
            else:
                entries.append(_Entry(self._attachment.text(comment), comment.span))

    def _lines(self, entry: _Entry) -> list[Line]:
        if isinstance(entry.content, Part):
            return lay_out(entry.content, self._notation)
        return [Line(0, "", entry.content)]

    def _lines_between(self, entry: _Entry, following: _Entry) -> int:
        source = self._sheet.source
        return source.position(following.span.start)[0] - source.position(entry.span.end - 1)[0]

    def _can_share(self, entry: _Entry, following: _Entry) -> bool:
        """Tell whether two facts stand on one line of the source."""
        are_facts = entry.is_fact() and following.is_fact()
        return self._may_share_lines and are_facts and self._lines_between(entry, following) == 0


def _fit_together(first: list[Line], second: list[Line]) -> bool:
    if len(first) != 1 or len(second) != 1 or first[0].comment:
        return False
    return len(first[0].code) + 1 + len(second[0].code) <= WIDTH

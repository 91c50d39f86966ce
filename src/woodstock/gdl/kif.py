"""The reader of KIF, the prefix syntax of GDL: `(<= (next (control o)) (true (control x)))`.

Parentheses that do not match are reported where they probably went wrong, and reading goes on with the next statement.
Three things tell where that is: `(<=` cannot stand inside a statement, a fact has no variables, and a line that is
indented less than a parenthesis of an earlier line is not inside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from woodstock.gdl.source import SourceText, Span
from woodstock.gdl.syntax import MAX_DEPTH, Comment, Group, Node, Word

_TOKEN = re.compile(r"(?P<comment>;[^\r\n]*)|(?P<bracket>[()])|(?P<word>[^\s();\ufeff]+)")
_RULE_START = re.compile(r"\(\s*<=(?=[\s()])")
_CONDITION_START = re.compile(r"\(\s*(?:true|does|not|or|and|distinct)(?=[\s()])", re.IGNORECASE)
_LINE_WITH_GROUP = re.compile(r"[\r\n][ \t]*(\()")
_VARIABLE = re.compile(r"(?<![^\s()])\?")
_FACT_NAMES = frozenset({"role", "init", "next", "base", "input", "sees"})
"""What cannot be a condition."""
_MAX_LOOK_BACK = 50
"""So many statements before a superfluous parenthesis are looked at for the rule that was closed too early."""

Report = Callable[[str, str, Span, str], None]
"""Called with code, message, span and hint of each syntax error."""


def read_kif(source: SourceText, report: Report) -> tuple[tuple[Node, ...], tuple[Comment, ...]]:
    """Read prefix text into statements and comments; every syntax error is reported and skipped."""
    reader = _Reader(source, report)
    reader.read(Span(0, len(source.text)))
    return tuple(reader.statements), tuple(reader.comments)


@dataclass(slots=True)
class _Reader:
    """The statements read so far and the groups that are still open."""

    source: SourceText
    report: Report
    statements: list[Node] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    open_groups: list[tuple[int, list[Node]]] = field(default_factory=list)
    skipped_depth: int = 0
    stray: Span | None = None
    """The closing parentheses without an opening one that were met last, with nothing in between."""

    def read(self, part: Span) -> None:
        """Read a part of the text."""
        for match in _TOKEN.finditer(self.source.text, part.start, part.end):
            span = Span(*match.span())
            if match.lastgroup == "comment":
                self.comments.append(Comment(match.group(), span))
            elif match.lastgroup == "word":
                self._add(Word(match.group(), span))
            elif match.group() == "(":
                self._open(span)
            else:
                self._close(span)
        if self.open_groups:
            self._give_up(part.end)
        self._report_stray()

    def _add(self, node: Node) -> None:
        if self.open_groups:
            self.open_groups[-1][1].append(node)
        else:
            self._report_stray()
            self.statements.append(node)

    def _open(self, span: Span) -> None:
        if self.open_groups and _RULE_START.match(self.source.text, span.start):
            self._give_up(span.start)
        if len(self.open_groups) < MAX_DEPTH:
            self.open_groups.append((span.start, []))
            return
        if self.skipped_depth == 0:
            self.report("nesting", f"nested deeper than {MAX_DEPTH} parentheses", span, "")
        self.skipped_depth += 1

    def _close(self, span: Span) -> None:
        if self.skipped_depth:
            self.skipped_depth -= 1
        elif self.open_groups:
            start, items = self.open_groups.pop()
            self._add(Group(tuple(items), Span(start, span.end)))
        elif self.stray is not None:
            self.stray = Span(self.stray.start, span.end)
        elif not self._reopen(span):
            self.stray = span

    def _report_stray(self) -> None:
        """Report the superfluous parentheses met last."""
        if self.stray is None:
            return
        count = self.source.text.count(")", *self.stray)
        what = "closing parenthesis" if count == 1 else f"{count} closing parentheses"
        self.report("parentheses", f"{what} without an opening one", self.stray, "" if count > 1 else "remove it")
        self.stray = None

    def _give_up(self, end: int) -> None:
        """Report the statement that is still open at `end`; the facts that it has swallowed are read again."""
        statement = Span(self.open_groups[0][0], end)
        self.open_groups.clear()
        self.skipped_depth = 0
        pieces = _split(self.source, statement)
        broken = [piece for piece in pieces if not _is_balanced(self.source.text, piece)]
        if len(broken) != 1:
            pieces = broken = [statement]
        for piece in pieces:
            if piece in broken:
                _report_unclosed(self.source, piece, self.report)
            else:
                facts = _Reader(self.source, self.report)
                facts.read(piece)
                self.statements.extend(facts.statements)

    def _reopen(self, span: Span) -> bool:
        """Take what follows a rule back into it if the rule seems to have been closed too early; report that."""
        earliest = max(0, len(self.statements) - _MAX_LOOK_BACK)
        first = len(self.statements) - 1
        while first > earliest and not _is_rule(self.statements[first]):
            first -= 1
        if first < earliest:
            return False
        rule, rest = self.statements[first], self.statements[first + 1 :]
        columns = [self.source.position(node.span.start)[1] for node in (rule, *rest)]
        if not isinstance(rule, Group) or not _is_rule(rule) or not rest or min(columns[1:]) <= columns[0]:
            return False
        if any(_name(node) in _FACT_NAMES for node in rest):
            return False
        wrong = rule.span.end - 1
        line, column = self.source.position(span.start)
        message = f"this parenthesis closes the rule too early: it goes on, and is closed again in line {line}"
        self.report("parentheses", message, Span(wrong, wrong + 1), f"remove it, or the one at {line}:{column}")
        self.statements[first:] = [Group((*rule.items, *rest), Span(rule.span.start, span.end))]
        return True


def _name(node: Node) -> str:
    """Return the first word of a group in lower case, or a word itself."""
    if isinstance(node, Group):
        return _name(node.items[0]) if node.items and isinstance(node.items[0], Word) else ""
    return node.text.lower()


def _is_rule(node: Node) -> bool:
    return isinstance(node, Group) and _name(node) == "<="


def _split(source: SourceText, statement: Span) -> list[Span]:
    """Cut an unclosed statement where facts seem to begin: on a line of their own, as far left as the statement."""
    column = source.position(statement.start)[1]
    cuts = [statement.start]
    for match in _LINE_WITH_GROUP.finditer(source.text, statement.start, statement.end):
        start = match.start(1)
        if source.position(start)[1] <= column and not _CONDITION_START.match(source.text, start):
            cuts.append(start)
    pieces = [Span(*pair) for pair in zip(cuts, [*cuts[1:], statement.end], strict=True)]
    facts = pieces[1:]
    has_variables = any(_VARIABLE.search(_without_comments(source.text[fact.start : fact.end])) for fact in facts)
    return [statement] if has_variables else pieces


def _without_comments(text: str) -> str:
    return re.sub(r";[^\r\n]*", "", text)


def _is_balanced(text: str, part: Span) -> bool:
    depth = 0
    for match in _TOKEN.finditer(text, part.start, part.end):
        if match.lastgroup == "bracket":
            depth += 1 if match.group() == "(" else -1
            if depth < 0:
                return False
    return depth == 0


def _report_unclosed(source: SourceText, statement: Span, report: Report) -> None:
    """Report a statement with an unclosed parenthesis: the one that the indentation shows to be wrong, or the first."""
    open_at: list[int] = []
    line = last_end = 0
    for match in _TOKEN.finditer(source.text, statement.start, statement.end):
        if match.lastgroup == "comment":
            continue
        token_line, column = source.position(match.start())
        if token_line > line and len(open_at) > 1 and match.group() != ")":
            suspects = (start for start in open_at[1:] if source.position(start)[1] >= column)
            suspect = next(suspects, None)
            if suspect is not None:
                _report_missing(source, suspect, last_end, report)
                return
        line, last_end = token_line, match.end()
        if match.group() == "(":
            open_at.append(match.start())
        elif match.group() == ")":
            open_at.pop()
    _report_missing(source, statement.start, last_end, report, len(open_at))


def _report_missing(source: SourceText, start: int, end: int, report: Report, count: int = 1) -> None:
    line, column = source.position(end)
    missing = "a closing parenthesis seems" if count == 1 else f"{count} closing parentheses seem"
    hint = f"{missing} to be missing at {line}:{column}"
    report("parentheses", "opening parenthesis is never closed", Span(start, start + 1), hint)

"""A rule sheet: from bytes to rules, with everything that went wrong on the way.

>>> from woodstock.gdl.sheet import read_sheet
>>> sheet = read_sheet("(role x) (<= (legal x noop) (true (control x)))")
>>> sheet.rules.rules[1].head
('legal', 'x', 'noop')
>>> sheet.diagnostics
()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeVar

from woodstock.gdl.diagnostics import Diagnostic, GdlError, Severity
from woodstock.gdl.infix import looks_like_infix, read_infix
from woodstock.gdl.keywords import RULE
from woodstock.gdl.kif import read_kif
from woodstock.gdl.rules import Connective, Formula, Literal, Rule, Rules
from woodstock.gdl.source import SourceText, Span
from woodstock.gdl.syntax import Comment, Group, Node, Word
from woodstock.gdl.terms import LogicVar, Term

Syntax = OneOf["kif", "infix"]
_Part = TypeVar("_Part")

MAX_SYNTAX_ERRORS = 1000
"""More are not listed: so many are only met in a file that is no rule sheet at all."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A rule sheet as read: the syntax tree, the rules that could be made of it, and the problems met.

    Attributes:
        source: The text.
        syntax: The notation that the text is written in.
        statements: The syntax tree, one node a statement.
        comments: All comments, in order.
        rules: The well-formed statements as rules.
        diagnostics: What was wrong with the syntax; the checks add theirs later.
    """

    source: SourceText
    syntax: Syntax
    statements: tuple[Node, ...]
    comments: tuple[Comment, ...]
    rules: Rules
    diagnostics: tuple[Diagnostic, ...]

    @property
    def has_errors(self) -> bool:
        return any(problem.is_error for problem in self.diagnostics)


def decode(data: bytes, name: str = "<text>") -> SourceText:
    """Decode a sheet: UTF-8 with or without a byte order mark, or else Latin-1 as old sheets have it."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return SourceText(text, name)


def read_sheet(source: SourceText | str, syntax: Syntax | None = None) -> Sheet:
    """Read a rule sheet in either notation; without `syntax` the text itself tells which."""
    if isinstance(source, str):
        source = SourceText(source)
    problems: list[Diagnostic] = []

    def report(code: str, message: str, span: Span, hint: str) -> None:
        if len(problems) < MAX_SYNTAX_ERRORS:
            problems.append(Diagnostic(Severity.ERROR, code, message, source, span, hint))

    if "\0" in source.text:
        offset = source.text.index("\0")
        report("binary", "this is not text: it has a zero byte", Span(offset, offset + 1), "")
        return Sheet(source, "kif", (), (), Rules((), source), tuple(problems))
    if syntax is None:
        syntax = "infix" if looks_like_infix(source.text) else "kif"
    reader = read_infix if syntax == "infix" else read_kif
    statements, comments = reader(source, report)
    builder = _RuleBuilder(source, problems)
    rules = Rules((rule for node in statements if (rule := builder.rule(node)) is not None), source)
    problems.sort(key=lambda problem: problem.span)
    return Sheet(source, syntax, statements, comments, rules, tuple(problems))


def parse_rules(source: SourceText | str, syntax: Syntax | None = None) -> Rules:
    """Return the rules of a sheet.

    Raises:
        GdlError: The text has syntax errors; the error lists them all.
    """
    sheet = read_sheet(source, syntax)
    if sheet.has_errors:
        raise GdlError(sheet.diagnostics)
    return sheet.rules


class _MalformedError(Exception):
    """A statement that is no rule; the diagnostic has been recorded."""


class _RuleBuilder:
    """Turns statements of the syntax tree into rules."""

    def __init__(self, source: SourceText, problems: list[Diagnostic]) -> None:
        self._source = source
        self._problems = problems

    def rule(self, node: Node) -> Rule | None:
        """Return the rule that a statement states, or None after a diagnostic."""
        try:
            if isinstance(node, Word):
                if node.text.startswith("?") or node.text == RULE:
                    raise self._error("statement", f"expected a fact or a rule, found {node.text!r}", node.span)
                return Rule(node.text.lower(), (), node.span)
            if node.items and isinstance(node.items[0], Word) and node.items[0].text == RULE:
                if len(node.items) == 1:
                    raise self._error("empty-rule", "a rule needs a head", node.span, "(<= head condition …)")
                return self._rule(node)
            return Rule(self._atom(node), (), node.span)
        except _MalformedError:
            return None

    def _rule(self, node: Group) -> Rule | None:
        """Return the rule that a group with `<=` states; all its parts are looked at, even after an error."""
        head = self._attempt(self._atom, node.items[1])
        parts = [self._attempt(self._formula, part) for part in node.items[2:]]
        body = tuple(part for part in parts if part is not None)
        return Rule(head, body, node.span) if head is not None and len(body) == len(parts) else None

    def _attempt(self, parse: Callable[[Node], _Part], node: Node) -> _Part | None:
        try:
            return parse(node)
        except _MalformedError:
            return None

    def _formula(self, node: Node) -> Formula:
        kind = _connective(node)
        if kind is None or not isinstance(node, Group):
            return Literal(self._atom(node), True, node.span)
        parts = tuple(self._formula(part) for part in node.items[1:])
        if kind == "not":
            if len(parts) != 1:
                raise self._error("not", f"`not` takes one condition, found {len(parts)}", node.span)
            if isinstance(parts[0], Literal) and parts[0].positive:
                return Literal(parts[0].atom, False, node.span)
        if kind == "or" and not parts:
            raise self._error("empty-or", "an `or` without alternatives is never true", node.span)
        return Connective(kind, parts, node.span)

    def _atom(self, node: Node) -> Term:
        term = self._term(node)
        if isinstance(term, LogicVar):
            raise self._error("variable-as-atom", f"expected a relation, found the variable {term.name}", node.span)
        return term

    def _term(self, node: Node) -> Term:
        if isinstance(node, Word):
            text = node.text.lower()
            if text == RULE:
                raise self._error("nested-rule", "a rule inside a statement", node.span, "is a `)` missing before it?")
            return LogicVar(text) if text.startswith("?") else text
        if not node.items:
            raise self._error("empty-list", "an empty list `()` means nothing here", node.span)
        head = node.items[0]
        if isinstance(head, Group):
            raise self._error(
                "list-as-name", "expected a name after the parenthesis, found a list", node.span, "remove one `(`…`)`"
            )
        if head.text.startswith("?"):
            raise self._error(
                "variable-as-name",
                f"the variable {head.text} cannot name a relation or function",
                head.span,
                f"name the function: (f {head.text} …)",
            )
        name = self._term(head)
        args = tuple(self._term(item) for item in node.items[1:])
        return (name, *args) if args else name

    def _error(self, code: str, message: str, span: Span, hint: str = "") -> _MalformedError:
        if len(self._problems) < MAX_SYNTAX_ERRORS:
            self._problems.append(Diagnostic(Severity.ERROR, code, message, self._source, span, hint))
        return _MalformedError()


def _connective(node: Node) -> OneOf["and", "or", "not"] | None:
    """Return the connective that a group begins with."""
    if isinstance(node, Group) and node.items and isinstance(node.items[0], Word):
        match node.items[0].text.lower():
            case ("and" | "or" | "not") as kind:
                return kind
    return None

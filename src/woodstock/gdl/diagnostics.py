"""What the readers and checks have to say about a rule sheet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from woodstock.common.errors import WoodstockError
from woodstock.gdl.source import SourceText, Span

_LINE_WIDTH = 100
"""So many characters of a long line are shown."""


class Severity(Enum):
    """How bad a problem is: an error makes the sheet invalid, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem of a rule sheet, with the place where it stands.

    Attributes:
        severity: Error or warning.
        code: Short stable name of the check, such as `unsafe-variable`.
        message: What is wrong, in one sentence.
        source: The text that `span` refers to.
        span: Where the problem is.
        hint: What to do about it, or an empty string.
    """

    severity: Severity
    code: str
    message: str
    source: SourceText
    span: Span
    hint: str = ""

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def headline(self) -> str:
        """Return `file:line:column: error: message [code]`."""
        where = self.source.where(self.span.start)
        return f"{where}: {self.severity.value}: {self.message} [{self.code}]"

    def render(self) -> str:
        """Return the headline, the offending line with a caret, and the hint."""
        line, caret = self._excerpt()
        length = max(1, min(self.span.end - self.span.start, len(line) - caret))
        parts = [self.headline(), f"    {line}", f"    {' ' * caret}^{'~' * (length - 1)}"]
        if self.hint:
            parts.append(f"    hint: {self.hint}")
        return "\n".join(parts)

    def _excerpt(self) -> tuple[str, int]:
        """Return the line, a long one cut around the problem, and where in it the problem starts."""
        number, _ = self.source.position(self.span.start)
        line = self.source.line_span(number)
        start = max(line.start, min(self.span.start - _LINE_WIDTH // 3, line.end - _LINE_WIDTH))
        end = min(line.end, start + _LINE_WIDTH)
        text = "".join(char if char.isprintable() else " " for char in self.source.text[start:end])
        head, tail = "…" if start > line.start else "", "…" if end < line.end else ""
        return head + text + tail, self.span.start - start + len(head)


class GdlError(WoodstockError):
    """A rule sheet that cannot be used; carries every diagnostic found in it."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        errors = [problem for problem in self.diagnostics if problem.is_error]
        super().__init__("\n".join(problem.render() for problem in errors or self.diagnostics))

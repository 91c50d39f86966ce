"""What the readers and checks have to say about a rule sheet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from woodstock.common.errors import WoodstockError
from woodstock.gdl.source import SourceText, Span


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
        line_number, column = self.source.position(self.span.start)
        raw = self.source.line(line_number)
        line, caret = _clip(raw, column)
        length = max(1, min(self.span.end - self.span.start, len(raw) - column + 1))
        marker = "^" + "~" * (min(length, max(1, len(line) - caret)) - 1)
        parts = [self.headline(), f"    {line}", f"    {' ' * caret}{marker}"]
        if self.hint:
            parts.append(f"    hint: {self.hint}")
        return "\n".join(parts)


def _clip(raw: str, column: int, width: int = 100) -> tuple[str, int]:
    """Cut a long line around a column; return the cut line and the caret's place in it."""
    clean = "".join(char if char.isprintable() else " " for char in raw)
    caret = column - 1
    if len(clean) <= width:
        return clean, caret
    start = max(0, min(caret - width // 3, len(clean) - width))
    cut = clean[start : start + width]
    head, tail = "…" if start else "", "…" if start + width < len(clean) else ""
    return head + cut + tail, caret - start + len(head)


class GdlError(WoodstockError):
    """A rule sheet that cannot be used; carries every diagnostic found in it."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        errors = [problem for problem in self.diagnostics if problem.is_error]
        super().__init__("\n".join(problem.render() for problem in errors or self.diagnostics))

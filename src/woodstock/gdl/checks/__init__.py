"""The static checker: everything that is wrong with a rule sheet, at once.

>>> from woodstock.gdl.checks import check_sheet
>>> from woodstock.gdl.sheet import read_sheet
>>> sheet = read_sheet("(role x) (init p) (legal x a) (<= (next ?f) (true p)) (<= terminal (true q)) (goal x 100)")
>>> [problem.code for problem in check_sheet(sheet)]
['unsafe']

An *error* makes a sheet invalid, a *warning* points at something that is probably not meant. Among the errors,
`blocking` picks those that leave the sheet without a defined meaning; the others only break a rule of the language, and
such sheets can be played all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from woodstock.gdl.checks import (
    completeness,
    keyword_use,
    names,
    recursion,
    relations,
    safety,
    statements,
    stratification,
)
from woodstock.gdl.checks.inspection import ASIDE, Inspection
from woodstock.gdl.diagnostics import Diagnostic
from woodstock.gdl.sheet import Sheet
from woodstock.gdl.source import Span

_CHECKS: Final[tuple[Callable[[Inspection], None], ...]] = (
    keyword_use.check_heads,
    keyword_use.check_bodies,
    keyword_use.check_arity,
    keyword_use.check_negations,
    keyword_use.check_terms,
    keyword_use.check_knowledge,
    keyword_use.check_dependence,
    safety.check_safety,
    stratification.check_stratification,
    recursion.check_recursion,
    statements.check_duplicates,
    statements.check_bodies_present,
    statements.check_connectives,
    statements.check_distinct,
    statements.check_bare_words,
    statements.check_characters,
    completeness.check_missing,
    completeness.check_roles,
    completeness.check_goal_values,
    relations.check_relations,
    names.check_arities,
    names.check_parentheses,
    names.check_capitalisation,
    names.check_variables,
)
"""All checks; later ones leave alone the names that earlier ones have explained."""

_MAX_MESSAGE: Final = 500
"""Characters of a message, or of a hint, that are shown."""

FORBIDDEN_ONLY: Final = frozenset(
    {
        "connective-in-term",
        "dependence",
        "goal-value",
        "keyword-in-body",
        "missing-goal",
        "missing-legal",
        "missing-terminal",
        "negation",
        "recursion",
        "unstratified-by-name",
    }
)
"""Codes of errors that break a rule of the language and leave the meaning of the sheet clear.

Errors in rules that no position depends on, such as those of `base`, do so too: their codes end in `-aside`.
"""

QUIRKS: Final = frozenset({"and", "arity", "mixed-parentheses"})
"""Codes of warnings about what reasoners are known to take differently."""


def check_sheet(sheet: Sheet) -> tuple[Diagnostic, ...]:
    """Return every problem of a sheet, those met while reading it included, in the order of the text."""
    inspection = Inspection(sheet)
    if not sheet.statements:
        if not sheet.has_errors:
            inspection.error("no-statements", "there is nothing in this sheet: no rule and no fact", Span(0, 0))
        return tuple(inspection.problems)
    for check in _CHECKS:
        check(inspection)
    unique = dict.fromkeys(map(_shortened, inspection.problems))
    return tuple(sorted(unique, key=lambda problem: (problem.span.start, problem.severity.value, problem.code)))


def _shortened(problem: Diagnostic) -> Diagnostic:
    """Return a problem whose message and hint are of a length that can be read, whatever terms they quote."""
    if max(len(problem.message), len(problem.hint)) <= _MAX_MESSAGE:
        return problem
    return replace(problem, message=_cut(problem.message), hint=_cut(problem.hint))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_MESSAGE else text[:_MAX_MESSAGE] + "…"


def blocking(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the errors that leave a sheet without a defined meaning: no reasoner should play it."""
    errors = (problem for problem in diagnostics if problem.is_error)
    return tuple(
        problem for problem in errors if problem.code not in FORBIDDEN_ONLY and not problem.code.endswith(ASIDE)
    )

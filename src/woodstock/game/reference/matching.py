"""Patterns against ground terms, for questions asked from outside."""

from __future__ import annotations

from woodstock.gdl.terms import GroundTerm, LogicVar, Term


def match(pattern: Term, term: GroundTerm) -> dict[LogicVar, GroundTerm] | None:
    """Return what the variables of a pattern must be for it to become the term, or None.

    >>> match(("cell", LogicVar("?x"), "b"), ("cell", "1", "b"))
    {LogicVar('?x'): '1'}
    """
    found: dict[LogicVar, GroundTerm] = {}
    rest: list[tuple[Term, GroundTerm]] = [(pattern, term)]
    while rest:
        part, value = rest.pop()
        if isinstance(part, LogicVar):
            if found.setdefault(part, value) != value:
                return None
        elif isinstance(part, str) or isinstance(value, str):
            if part != value:
                return None
        elif len(part) != len(value):
            return None
        else:
            rest += zip(part, value, strict=True)
    return found

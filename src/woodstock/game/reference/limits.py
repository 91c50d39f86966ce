"""How much the reference reasoner may do to answer one question, and how big its terms may grow."""

from __future__ import annotations

from dataclasses import dataclass

from woodstock.gdl.terms import GroundTerm


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question may cost; past any of these a `LimitError` is raised.

    Attributes:
        seconds: Wall-clock time of one question, such as the legal moves of a role.
        tuples: Derived tuples held at a time: the memory that a question may take.
        term_depth: Nesting of a derived term. Python itself compares nested tuples recursively.
        term_size: Symbols of a derived term, written out.
    """

    seconds: float = 60.0
    tuples: int = 5_000_000
    term_depth: int = 200
    term_size: int = 20_000


def outgrows(term: GroundTerm, limits: Limits) -> str:
    """Return which bound a term passes, in words, or an empty string.

    The term is walked without recursion and no further than the limit: `(f ?x ?x)`, applied forty times, is a small
    object in memory but a term of 2⁴⁰ symbols to anything that walks or hashes it.
    """
    symbols = 0
    level = [term]
    for _ in range(limits.term_depth):
        symbols += len(level)
        if symbols > limits.term_size:
            return f"more than {limits.term_size} symbols"
        level = [part for item in level if item.__class__ is tuple for part in item]
        if not level:
            return ""
    return f"more than {limits.term_depth} levels"

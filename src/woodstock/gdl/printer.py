"""Printers: terms and rules back to text, in KIF and in infix."""

from __future__ import annotations

from woodstock.gdl.terms import LogicVar, Term


def to_kif(term: Term) -> str:
    """Return a term or atom in prefix notation, with single spaces.

    >>> to_kif(("cell", "1", ("f", LogicVar("?x"))))
    '(cell 1 (f ?x))'
    """
    if isinstance(term, tuple):
        return "(" + " ".join(to_kif(part) for part in term) + ")"
    return term.name if isinstance(term, LogicVar) else term

"""Symbol lists: terms as the programs of ggp.org write them, `( mark 1 1 )`.

>>> read_term("( MARK 1 (f x))")
('mark', '1', ('f', 'x'))
>>> read_list("( ( cell 1 1 b ) over )")
(('cell', '1', '1', 'b'), 'over')
"""

from __future__ import annotations

from woodstock.gdl.source import Span
from woodstock.gdl.terms import GroundTerm
from woodstock.match.expressions import ProtocolError, excerpt, inside, is_list, read_terms, split_items


def write_symbols(term: GroundTerm) -> str:
    """Return a term with a space on both sides of every parenthesis.

    >>> write_symbols(("cell", "1", ("f", "x"), "b"))
    '( cell 1 ( f x ) b )'
    """
    return term if isinstance(term, str) else f"( {' '.join(map(write_symbols, term))} )"


def write_list(terms: tuple[GroundTerm, ...]) -> str:
    """Return terms as a list, which may be empty.

    >>> write_list((("control", "x"), "over")), write_list(())
    ('( ( control x ) over )', '( )')
    """
    return " ".join(("(", *map(write_symbols, terms), ")"))


def read_term(text: str) -> GroundTerm:
    """Return the term that a text stands for, whatever its spacing and case.

    Raises:
        ProtocolError: It is none.
    """
    terms = read_terms(text, Span(0, len(text)))
    if len(terms) != 1:
        raise ProtocolError(f"expected one term, found {excerpt(text)}")
    return terms[0]


def read_list(text: str) -> tuple[GroundTerm, ...]:
    """Return the terms of a list in parentheses, whatever its spacing and case.

    Raises:
        ProtocolError: It is none.
    """
    items = list(split_items(text, Span(0, len(text))))
    if len(items) != 1 or not is_list(text, items[0]):
        raise ProtocolError(f"expected a list in parentheses, found {excerpt(text)}")
    return read_terms(text, inside(items[0]))

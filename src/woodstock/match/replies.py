"""The replies of the GGP protocol: what a player answers, from text and to text.

>>> from woodstock.match.replies import read_info, read_move, write_info
>>> read_move('(MARK 2 2) (explanation "the middle")')
('mark', '2', '2')
>>> read_info(write_info("Woodstock", "available"))["status"]
'available'
"""

from __future__ import annotations

import re
from typing import Final

from woodstock.game.protocol import Move
from woodstock.gdl.source import Span
from woodstock.gdl.terms import GroundTerm
from woodstock.match.expressions import ProtocolError, excerpt, inside, is_list, read_terms, split_items
from woodstock.match.symbols import write_symbols

READY: Final = "ready"
BUSY: Final = "busy"
DONE: Final = "done"
ABORTED: Final = "aborted"
NOTHING: Final = "nil"
AVAILABLE: Final = "available"

MAX_CHARACTERS: Final = 2**20
"""Longer replies are refused unread."""

_REMARKS: Final = ("explanation", "taunt")
"""What some players add to a move."""
_NOT_IN_WORDS: Final = re.compile(r"[\s();\"\ufeff]+")


def read_word(text: str) -> str:
    """Return a reply of one word, in lower case: `ready`, `busy`, `done` and the like.

    Raises:
        ProtocolError: It is something else.
    """
    terms = _read(text)
    if len(terms) != 1 or not isinstance(terms[0], str):
        raise ProtocolError(f"expected one word, found {excerpt(text)}")
    return terms[0]


def read_move(text: str) -> Move:
    """Return the move that a player replies; an explanation and a taunt behind it are left out.

    Raises:
        ProtocolError: There is no move, or something else behind it.
    """
    terms = _read(text)
    remarks = [term for term in terms[1:] if isinstance(term, tuple) and term[0] in _REMARKS]
    if not terms or len(remarks) < len(terms) - 1:
        raise ProtocolError(f"expected a move, found {excerpt(text) if text.strip() else 'nothing'}")
    return terms[0]


def read_info(text: str) -> dict[str, str]:
    """Return what a player says of itself: `status` at least, by name.

    A single word is the status.

    Raises:
        ProtocolError: It is no such reply.
    """
    if len(text) > MAX_CHARACTERS:
        raise ProtocolError(f"expected a reply, found {len(text)} characters")
    items = list(split_items(text, Span(0, len(text))))
    if len(items) != 1:
        raise ProtocolError(f"expected a list of pairs, found {excerpt(text) if text.strip() else 'nothing'}")
    if not is_list(text, items[0]):
        return {"status": read_word(text)}
    parts = list(split_items(text, inside(items[0])))
    if len(parts) == 1 and not is_list(text, parts[0]):
        return {"status": read_word(text)}
    found: dict[str, str] = {}
    for part in parts:
        words = text[part.start : part.end].strip("()").split(None, 1)
        if is_list(text, part) and words:
            found[words[0].lower()] = words[1].strip() if len(words) > 1 else ""
    if "status" not in found:
        raise ProtocolError(f"expected a status, found {excerpt(text)}")
    return {**found, "status": found["status"].lower()}


def write_info(name: str, status: str, **more: str) -> str:
    """Return what a player says of itself.

    >>> write_info("My player", "busy", species="alien")
    '( ( name My_player ) ( status busy ) ( species alien ) )'
    """
    pairs = {"name": name, "status": status, **more}
    return "( " + " ".join(f"( {key} {as_word(value)} )" for key, value in pairs.items()) + " )"


def write_move(move: Move) -> str:
    """Return a move as ggp-base writes it."""
    return write_symbols(move)


def as_word(text: str) -> str:
    """Return a text as one word, which needs no quotes anywhere.

    >>> as_word("a (small) player")
    'a_small_player'
    """
    return _NOT_IN_WORDS.sub("_", text).strip("_") or "_"


def _read(text: str) -> tuple[GroundTerm, ...]:
    if len(text) > MAX_CHARACTERS:
        raise ProtocolError(f"expected a reply, found {len(text)} characters")
    return read_terms(text, Span(0, len(text)))

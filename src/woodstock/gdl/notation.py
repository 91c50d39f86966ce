"""The two notations as data: how a node of the syntax tree is spelt in KIF and in infix.

A `Shape` says what stands before, between and behind the parts of a group. On one line or on many: the printers and the
formatter write the same shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from woodstock.gdl.infix_tokens import is_plain_constant, is_plain_name, is_variable_name
from woodstock.gdl.keywords import CONNECTIVES, RULE
from woodstock.gdl.source import SourceText
from woodstock.gdl.syntax import Group, Node, Word


class Place(Enum):
    """What a node is in its statement; the same words mean different things in different places."""

    STATEMENT = "statement"
    CONDITION = "condition"
    TERM = "term"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Shape:
    """How a group is written.

    Attributes:
        opening: What stands before the first part.
        parts: The parts, in the order of the text, with the place that each is in.
        first_separator: What stands between the first and the second part.
        separator: What stands between two later parts.
        closing: What stands behind the last part.
        indent: Where all parts but the first begin, on lines of their own, counted from the start of the group.
    """

    opening: str
    parts: tuple[tuple[Node, Place], ...]
    first_separator: str
    separator: str
    closing: str
    indent: int


class Notation(Protocol):
    """A way to write rules."""

    comment_mark: str

    def word(self, word: Word, place: Place) -> str:
        """Return a word as it is written."""

    def shape(self, group: Group, place: Place) -> Shape:
        """Return how a group is written."""


def operator(node: Node, place: Place) -> str:
    """Return `<=`, `and`, `or` or `not` if that is what a group is in its place, else an empty string."""
    if isinstance(node, Group) and node.items and isinstance(node.items[0], Word):
        name = node.items[0].text.lower()
        if (place is Place.STATEMENT and name == RULE) or (place is Place.CONDITION and name in CONNECTIVES):
            return name
    return ""


def parts_of(group: Group, place: Place) -> tuple[tuple[Node, Place], ...]:
    """Return the parts of a group without its operator, and the place that each is in."""
    kind = operator(group, place)
    if kind == RULE:
        head, *body = group.items[1:]
        return ((head, Place.TERM), *((part, Place.CONDITION) for part in body))
    if kind:
        return tuple((part, Place.CONDITION) for part in group.items[1:])
    name, *args = group.items
    return ((name, Place.NAME if args else Place.TERM), *((arg, Place.TERM) for arg in args))


class Kif:
    """The prefix notation: `(<= (next (control o)) (true (control x)))`."""

    comment_mark = ";"

    def __init__(self, is_from_infix: bool = False) -> None:
        """Write words as the syntax tree has them, or variables as is usual in KIF if it was read from infix."""
        self._is_from_infix = is_from_infix

    def word(self, word: Word, place: Place) -> str:
        """Return a word; it needs no quotes anywhere."""
        return _small_variable(word.text) if self._is_from_infix else word.text

    def shape(self, group: Group, place: Place) -> Shape:
        """Return how a group is written: a list in parentheses."""
        parts = parts_of(group, place)
        if not operator(group, place):
            return Shape("(", parts, " ", " ", ")", 2)
        head = group.items[0]
        opening = f"({head.text}" if isinstance(head, Word) else "("
        opening += " " if parts else ""
        return Shape(opening, parts, " ", " ", ")", len(opening))


class Infix:
    """The infix notation: `next(control(o)) :- true(control(x))`."""

    comment_mark = "%"

    def __init__(self, source: SourceText | None = None) -> None:
        """Write words anew, or as `source` has them if the syntax tree was read from that infix text."""
        self._source = source

    def word(self, word: Word, place: Place) -> str:
        """Return a word, quoted where it would be read as something else."""
        if self._source is not None:
            return self._source.text[word.span.start : word.span.end]
        if place is Place.NAME and word.text.lower() in CONNECTIVES:
            return word.text.lower()
        return infix_word(word.text)

    def shape(self, group: Group, place: Place) -> Shape:
        """Return how a group is written: as a rule, with signs between its parts, or as a name with arguments."""
        kind = operator(group, place)
        parts = parts_of(group, place)
        if kind == RULE:
            return Shape("", parts, " :- ", " & ", "", 4)
        if kind == "not" and len(parts) == 1:
            return Shape("~", parts, "", "", "", 1)
        if kind in ("and", "or") and len(parts) > 1:
            sign = " & " if kind == "and" else " | "
            return Shape("(", parts, sign, sign, ")", 1)
        if kind:
            return Shape(f"{kind}(", parts, ", ", ", ", ")", 2)
        return Shape("", parts, "(", ", ", ")", 2) if len(parts) > 1 else Shape("", parts, "", "", "", 0)


def infix_word(text: str) -> str:
    """Return a constant or variable of the syntax tree as infix has it."""
    if text.startswith("?"):
        return _infix_variable(text)
    if is_plain_constant(text) and text.lower() not in CONNECTIVES:
        if not is_variable_name(text):
            return text
        if not is_variable_name(text.lower()):
            return text.lower()
    return _quoted(text)


def _infix_variable(text: str) -> str:
    name = text[1:]
    if not name:
        return "?"
    if not is_plain_name(name):
        return "?" + _quoted(name)
    capital = name[0].upper() + name[1:]
    is_same = is_variable_name(capital) and is_plain_name(capital) and capital.lower() == name.lower()
    # `_` alone would be read as a new variable each time.
    return capital if is_same and capital != "_" else text


def _small_variable(text: str) -> str:
    """Return a variable without the capital that it had to have in infix: `?moveCount` for `MoveCount`."""
    if not text.startswith("?"):
        return text
    small = text.lower() if text.isupper() else text[:2].lower() + text[2:]
    return small if small.lower() == text.lower() else text


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

"""The syntax tree that both readers build: words and groups, each with its place in the source.

The infix reader builds the same tree as the prefix reader: `p(a,Y)` becomes the group `p a ?Y`, `h :- b` the group
`<= h b`. All that follows (rules, checks, formatter) knows one tree only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from woodstock.gdl.source import Span

MAX_DEPTH = 100
"""Deepest nesting that the readers accept; what comes after them may recurse."""


@dataclass(frozen=True, slots=True)
class Word:
    """A constant, a variable (`?x`) or an operator, as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """A parenthesised list of nodes."""

    items: tuple[Node, ...]
    span: Span


Node: TypeAlias = Word | Group


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as written, with its mark."""

    text: str
    span: Span


def iter_words(node: Node) -> Iterator[Word]:
    """Yield the words of a node, left to right."""
    if isinstance(node, Word):
        yield node
    else:
        for item in node.items:
            yield from iter_words(item)

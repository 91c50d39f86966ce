"""Terms: the words of GDL.

A constant is a lower-case `str`, a compound term a `tuple` whose first item is the function's name, and a logic
variable a `LogicVar`. So a ground term, such as a fluent or a move, is a plain, hashable Python value:

>>> from woodstock.gdl.terms import LogicVar, is_ground, variables
>>> move = ("mark", "1", "1")
>>> is_ground(move)
True
>>> variables(("cell", LogicVar("?x"), LogicVar("?y"), "b"))
(LogicVar('?x'), LogicVar('?y'))

Atoms have the same form: `"terminal"`, `("legal", LogicVar("?r"), "noop")`. A tuple has at least two items: `(f)` is
`f`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias


class LogicVar:
    """A variable of the rules. Its name starts with `?` and is lower case."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"LogicVar({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogicVar) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __lt__(self, other: LogicVar) -> bool:
        return self.name < other.name


Term: TypeAlias = "str | LogicVar | tuple[Term, ...]"
"""Any term; an atom has the same form."""

GroundTerm: TypeAlias = "str | tuple[GroundTerm, ...]"
"""A term without variables: what fluents, moves and percepts are."""


def make_term(name: str, args: tuple[Term, ...] = ()) -> Term:
    """Return `name` applied to `args`; without arguments that is the constant itself."""
    return (name, *args) if args else name


def functor(term: Term) -> str:
    """Return the name of a constant, a compound term or an atom."""
    head = term[0] if isinstance(term, tuple) else term
    if not isinstance(head, str):
        raise TypeError(f"no functor in {term!r}")
    return head


def arguments(term: Term) -> tuple[Term, ...]:
    """Return the arguments of a compound term or atom; none for a constant or variable."""
    return term[1:] if isinstance(term, tuple) else ()


def arity(term: Term) -> int:
    """Return the number of arguments."""
    return len(term) - 1 if isinstance(term, tuple) else 0


def iter_variables(term: Term) -> Iterator[LogicVar]:
    """Yield every occurrence of a variable, left to right."""
    if isinstance(term, LogicVar):
        yield term
    elif isinstance(term, tuple):
        for arg in term[1:]:
            yield from iter_variables(arg)


def variables(*terms: Term) -> tuple[LogicVar, ...]:
    """Return the distinct variables of some terms in order of first occurrence."""
    return tuple(dict.fromkeys(var for term in terms for var in iter_variables(term)))


def is_ground(term: Term) -> bool:
    """Tell whether a term has no variable."""
    if isinstance(term, tuple):
        return all(is_ground(arg) for arg in term[1:])
    return isinstance(term, str)


def substitute(term: Term, binding: Mapping[LogicVar, Term]) -> Term:
    """Replace variables by what `binding` gives them; others stay."""
    if isinstance(term, LogicVar):
        return binding.get(term, term)
    if isinstance(term, tuple):
        return (term[0], *(substitute(arg, binding) for arg in term[1:]))
    return term

"""Goals: a relation together with what is known of its arguments when it is asked for.

Each argument has a *mode*: `b`, bound to a ground term; `f`, free and wanted; `e`, free and only asked to exist. A goal
whose modes have no `f` is answered by yes or no, any other by the distinct tuples of its `f` arguments; a single `f`
argument stands for itself, without a tuple around it. Keys, made of the `b` arguments, are treated alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from woodstock.gdl.dependency import Relation
from woodstock.gdl.terms import LogicVar, Term, iter_variables

BOUND, FREE, ANY = "b", "f", "e"


@dataclass(frozen=True, slots=True)
class Goal:
    """A relation and the modes of its arguments, one letter each."""

    relation: Relation
    modes: str

    def __str__(self) -> str:
        return f"{self.relation[0]}/{self.modes}"

    @property
    def is_test(self) -> bool:
        """Whether the answer is yes or no."""
        return FREE not in self.modes


def modes_of(args: Sequence[Term], bound: Collection[LogicVar], once: Collection[LogicVar]) -> str:
    """Return the modes of some arguments when `bound` are known and the variables `once` occur nowhere else."""
    return "".join(_mode(arg, bound, once) for arg in args)


def _mode(arg: Term, bound: Collection[LogicVar], once: Collection[LogicVar]) -> str:
    if all(var in bound for var in iter_variables(arg)):
        return BOUND
    return ANY if isinstance(arg, LogicVar) and arg in once else FREE


def select(modes: str, mode: str) -> list[int]:
    """Return the argument numbers that have a mode."""
    return [number for number, letter in enumerate(modes) if letter == mode]


def picker(numbers: Sequence[int]) -> Callable[[tuple[Term, ...]], Term | tuple[Term, ...]]:
    """Return a function that takes some arguments from a tuple: the argument itself if it is one, else a tuple."""
    if len(numbers) == 1:
        (number,) = numbers
        return lambda row: row[number]
    return lambda row: tuple(row[number] for number in numbers)


Rows = dict[object, None]
"""Distinct answers in the order in which they were found."""


def index_facts(rows: Iterable[tuple[Term, ...]], modes: str) -> dict[object, Rows]:
    """Return the rows by key, each key with its distinct answers."""
    key_of, answer_of = picker(select(modes, BOUND)), picker(select(modes, FREE))
    table: dict[object, Rows] = {}
    for row in rows:
        table.setdefault(key_of(row), {})[answer_of(row)] = None
    return table

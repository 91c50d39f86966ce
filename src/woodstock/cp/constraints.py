"""The kinds of constraints that a network may hold: each says what is allowed, none how it is propagated.

Variables, choices and literals are numbers; `woodstock.cp.network` says which. Kinds of which there may be hundreds of
thousands (`Clauses`, `Gates`) hold many constraints in a few arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Table:
    """The allowed combinations of values, or the forbidden ones.

    Attributes:
        scope: Variables, each once.
        tuples: Places of values in the domains, shape (n, len(scope)), int32; anything that becomes such an array.
        is_allowed: Whether the tuples are the allowed ones; else they are forbidden.
    """

    scope: tuple[int, ...]
    tuples: Int32Array | Sequence[Sequence[int]]
    is_allowed: bool = True


@dataclass(frozen=True, eq=False)
class Clauses:
    """Disjunctions of literals, each of which is a constraint.

    Attributes:
        start: Where each clause begins in `data`, shape (n + 1,), int64.
        data: Literals, int32.
    """

    start: Int64Array
    data: Int32Array


@dataclass(frozen=True, eq=False)
class Gates:
    """Literals that equal conjunctions of others; each is a constraint. A disjunction is a gate of complements.

    Attributes:
        outs: The literal that equals each conjunction, shape (n,), int32.
        start: Where the literals of each conjunction begin in `data`, shape (n + 1,), int64.
        data: Literals, int32.
    """

    outs: Int32Array
    start: Int64Array
    data: Int32Array


@dataclass(frozen=True, eq=False)
class OneHot:
    """Exactly one of these literals holds, or at most one.

    Attributes:
        literals: Literals of different variables.
        exactly: Whether one has to hold.
    """

    literals: tuple[int, ...]
    exactly: bool = True


@dataclass(frozen=True, eq=False)
class Channel:
    """A variable and a literal for each of its values, which holds if and only if the variable has that value.

    Attributes:
        var: The variable.
        literals: A literal for each value of the domain, of other variables.
    """

    var: int
    literals: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Linear:
    """A bounded sum: `low <= sum of weights of the literals that hold <= high`.

    Attributes:
        literals: Literals.
        weights: A whole number for each.
        low: The least that the sum may be.
        high: The most that it may be.
    """

    literals: tuple[int, ...]
    weights: tuple[int, ...]
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class Founded:
    """Atoms that hold only if they can be derived: what Clark's completion misses where rules form a positive loop.

    Each rule derives its head once all literals of its body hold. An atom that no rule derives from literals that may
    hold, without going round in a circle, is false. (That a rule whose body holds makes its head hold is for `Gates` or
    `Clauses` to say.)

    Attributes:
        heads: The literal that each rule derives, shape (n,), int32.
        start: Where the body of each rule begins in `data`, shape (n + 1,), int64.
        data: Literals, int32. Those that are the head of a rule here are to be derived first; the others are given.
    """

    heads: Int32Array
    start: Int64Array
    data: Int32Array


@dataclass(frozen=True, eq=False)
class Predicate:
    """What a function says about the values of some variables; it is asked when all of them but one are known.

    Attributes:
        scope: Variables, each once.
        holds: Given the values in the order of the scope, tells whether they are allowed.
        name: How messages call it.
    """

    scope: tuple[int, ...]
    holds: Callable[..., bool]
    name: str = "predicate"


@dataclass(frozen=True, eq=False)
class Utility:
    """A soft constraint: what each player gets for a combination of values.

    Attributes:
        scope: Variables, each once.
        tuples: Places of values in the domains, shape (n, len(scope)), int32; other combinations give nothing.
        utilities: What each player gets for each of them, numbers in [0, 1], shape (n, num_players), float64.
    """

    scope: tuple[int, ...]
    tuples: Int32Array | Sequence[Sequence[int]]
    utilities: FloatArray | Sequence[Sequence[float]]


Constraint = Table | Clauses | Gates | OneHot | Channel | Linear | Founded | Predicate
"""A hard constraint, or several of one kind."""

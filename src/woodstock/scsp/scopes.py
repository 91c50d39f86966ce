"""Which constraints mention which variables, and networks with some of the constraints of another.

An entry of a network may hold many constraints (`Clauses`, `Gates`); its *rows* are the single ones. Networks made
here have the variables of the one that they are made from, with the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.cp.constraints import (
    Channel,
    Clauses,
    Constraint,
    Founded,
    Gates,
    Int32Array,
    Int64Array,
    Linear,
    OneHot,
    Predicate,
    Table,
    Utility,
)
from woodstock.cp.network import Network

BoolArray = npt.NDArray[np.bool_]

NO_SCOPE: Final = -1
"""What is said of a constraint that mentions no variable."""


def highest(network: Network, entry: Constraint | Utility, of_var: Int32Array) -> Int32Array:
    """Return the highest number of a variable in the scope of each row of an entry; NO_SCOPE if a row has none.

    Args:
        network: The network of the entry.
        entry: A constraint, or many.
        of_var: A number for each variable, shape (num_vars,), int32.

    Returns:
        One number for each row, int32; one for all if the entry is a single constraint.
    """
    found = np.full(count_rows(entry), NO_SCOPE, np.int32)
    rows, variables = mentions(network, entry)
    np.maximum.at(found, rows, of_var[variables])
    return found


def mentions(network: Network, entry: Constraint | Utility) -> tuple[Int64Array, Int64Array]:
    """Return the pairs of a row of an entry and a variable that it mentions, as two arrays, int64."""
    match entry:
        case Table() | Predicate() | Utility():
            return _one_row(np.array(entry.scope, np.int64))
        case Channel():
            return _one_row(np.append(vars_of_literals(network, entry.literals), entry.var))
        case OneHot() | Linear():
            return _one_row(vars_of_literals(network, entry.literals))
        case Founded():
            return _one_row(vars_of_literals(network, np.concatenate([entry.heads, entry.data])))
        case Clauses():
            return _rows_of_literals(entry.start), vars_of_literals(network, entry.data)
        case Gates():
            rows = np.concatenate([_rows_of_literals(entry.start), np.arange(len(entry.outs))])
            return rows, vars_of_literals(network, np.concatenate([entry.data, entry.outs]))


def vars_of_literals(network: Network, literals: Int32Array | Iterable[int]) -> Int64Array:
    """Return the variables of literals, int64."""
    choices = np.asarray(literals, np.int64) >> 1
    return np.searchsorted(network.first_choices, choices, side="right") - 1


def count_rows(entry: Constraint | Utility) -> int:
    """Return how many rows an entry has."""
    return len(entry.start) - 1 if isinstance(entry, Clauses | Gates) else 1


def select_rows(entry: Constraint, selected: BoolArray) -> Constraint | None:
    """Return an entry with some of its rows; None if there are none.

    Args:
        entry: A constraint, or many.
        selected: Which rows are wanted, shape (num_rows,), bool.
    """
    if not selected.any():
        return None
    if selected.all() or not isinstance(entry, Clauses | Gates):
        return entry
    kept = np.repeat(selected, np.diff(entry.start))
    start = np.concatenate([[0], np.cumsum(np.diff(entry.start)[selected])]).astype(np.int64)
    if isinstance(entry, Gates):
        return Gates(entry.outs[selected], start, entry.data[kept])
    return Clauses(start, entry.data[kept])


def same_variables(network: Network, entries: Iterable[Constraint | Utility | None]) -> Network:
    """Return a network with the variables of another and constraints of its own; entries that are None are left out."""
    made = Network(list(network.names), list(network.domains), list(network.first_choices))
    made.add(*(entry for entry in entries if entry is not None))
    return made


def _one_row(variables: Int64Array) -> tuple[Int64Array, Int64Array]:
    return np.zeros(len(variables), np.int64), variables


def _rows_of_literals(start: Int64Array) -> Int64Array:
    """Return the row of each literal."""
    return np.repeat(np.arange(len(start) - 1), np.diff(start))

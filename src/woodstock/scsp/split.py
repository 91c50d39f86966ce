"""A one-stage network divided into the part that chance has no share in, and the part that it has.

In a one-stage network all decisions are made before chance draws; decisions that follow are *later* ones, such as the
fluents of the next position, and there are no draws after them. N' has the constraints between the decisions alone, N''
those that mention a stochastic variable or a later one (Koriche, Lagrue, Piette, Tabary: General Game Playing with
Stochastic CSP, Constraints 21, 2016, section 4.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Constraint, Gates, Int64Array
from woodstock.cp.network import Network
from woodstock.scsp.scopes import BoolArray, highest, mentions, same_variables, select_rows, vars_of_literals
from woodstock.scsp.stochastic import StochasticNetwork


@dataclass(frozen=True, eq=False)
class Split:
    """The two parts of a one-stage network.

    Attributes:
        decisions: Decision variables before the draw.
        chances: Stochastic variables.
        later: Decision variables after the draw.
        scope: The decisions that N'' or a probability table mentions, those first that no gate defines.
        decision_part: N'.
        stochastic_part: N''.
    """

    decisions: tuple[int, ...]
    chances: tuple[int, ...]
    later: tuple[int, ...]
    scope: tuple[int, ...]
    decision_part: Network
    stochastic_part: Network

    @cached_property
    def decision_columns(self) -> Int64Array:
        """The variables `decisions` as an index, int64; there may be tens of thousands."""
        return np.array(self.decisions, np.int64)

    @cached_property
    def chance_columns(self) -> Int64Array:
        """The variables `chances` as an index, int64."""
        return np.array(self.chances, np.int64)

    @cached_property
    def later_columns(self) -> Int64Array:
        """The variables `later` as an index, int64."""
        return np.array(self.later, np.int64)


def split_network(network: StochasticNetwork) -> Split:
    """Divide a one-stage network.

    N'' also gets the gates that define decisions which it mentions, such as a view relation of a game that depends on
    the moves: without them it would try both values of each.

    Raises:
        UsageError: Chance draws again after a later decision.
    """
    stages = network.stages
    if len(stages) > 2 or (len(stages) == 2 and stages[1].chances):
        raise UsageError(f"expected a network of one stage, found {len(stages)} stages")
    later = stages[1].decisions if len(stages) == 2 else ()
    base = network.network
    is_after = np.zeros(base.num_vars, np.int32)
    is_after[[*stages[0].chances, *later]] = 1
    touched = [highest(base, entry, is_after) > 0 for entry in base.constraints]
    in_scope = np.zeros(base.num_vars, np.bool_)
    for table in network.tables:
        in_scope[list(table.scope)] = True
    for entry, rows in zip(base.constraints, touched, strict=True):
        _mark(base, entry, rows, in_scope)
    definitions, is_defined = _definitions(base, touched, in_scope)
    found = [var for var in stages[0].decisions if in_scope[var]]
    return Split(
        stages[0].decisions,
        stages[0].chances,
        later,
        tuple(sorted(found, key=lambda var: bool(is_defined[var]))),
        same_variables(base, map(select_rows, base.constraints, (~rows for rows in touched))),
        same_variables(base, [*map(select_rows, base.constraints, touched), *definitions]),
    )


def _mark(network: Network, entry: Constraint, selected: BoolArray, marked: BoolArray) -> None:
    """Mark the variables that some rows of an entry mention."""
    rows, variables = mentions(network, entry)
    marked[variables[selected[rows]]] = True


def _definitions(
    network: Network, touched: list[BoolArray], in_scope: BoolArray
) -> tuple[list[Constraint | None], BoolArray]:
    """Return the gates whose output N'' mentions, those whose output they mention, and so on.

    Args:
        network: The network.
        touched: For each entry, which of its rows are in N'' anyway.
        in_scope: The variables that N'' mentions, shape (num_vars,), bool; those of the gates are added.

    Returns:
        Gates, and the variables that they define, shape (num_vars,), bool.
    """
    is_defined = np.zeros(network.num_vars, np.bool_)
    found: list[Constraint | None] = []
    entries = zip(network.constraints, touched, strict=True)
    gates = [(entry, ~rows) for entry, rows in entries if isinstance(entry, Gates)]
    outs_of = [vars_of_literals(network, entry.outs) for entry, _ in gates]
    size = -1
    while size < len(found):
        size = len(found)
        for (entry, left), outs in zip(gates, outs_of, strict=True):
            new = in_scope[outs] & left
            if new.any():
                left[new] = False
                is_defined[outs[new]] = True
                _mark(network, entry, new, in_scope)
                found.append(select_rows(entry, new))
    return found, is_defined

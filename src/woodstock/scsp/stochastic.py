"""Stochastic constraint networks: variables in an order, some of which chance decides.

A stochastic network is N = (V, Y, D, C, P, θ) (Koriche, Lagrue, Piette, Tabary: General Game Playing with Stochastic
CSP, Constraints 21, 2016, definitions 2 and 3). Domains and constraints, hard ones and soft ones, are those of a
`woodstock.cp.Network`; here are the order V, a probability table P for each stochastic variable of Y, and for each
player the threshold θ that its expected utility has to reach.

A *stage* is a run of decision variables and the stochastic variables that follow them.

>>> from woodstock.scsp.chance import uniform
>>> network = Network()
>>> x, coin, guess = (network.add_var(name, ("heads", "tails")) for name in ("x", "coin", "guess"))
>>> stochastic = StochasticNetwork(network, (uniform(network, coin),))
>>> [(stage.decisions, stage.chances) for stage in stochastic.stages]
[((0,), (1,)), ((2,), ())]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Int32Array, Utility
from woodstock.cp.network import Network
from woodstock.scsp.chance import ChanceTable, Number, as_fraction
from woodstock.scsp.scopes import NO_SCOPE, highest, same_variables


class Stage(NamedTuple):
    """Decisions, and what chance draws after them.

    Attributes:
        decisions: Decision variables, in order.
        chances: Stochastic variables after them, in order; none in a last stage that ends with decisions.
    """

    decisions: tuple[int, ...]
    chances: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class StochasticNetwork:
    """A stochastic constraint network.

    Attributes:
        network: Domains, hard constraints and soft ones.
        tables: A probability table for each stochastic variable; all other variables are decisions.
        order: Variables in the order in which they are decided; all of them in the order of their numbers if it is
            not given. Variables outside it are not part of the problem, and no constraint may mention them.
        threshold: What each player has to expect at least, a number in [0, 1]; nothing if it is not given.
    """

    network: Network
    tables: tuple[ChanceTable, ...] = ()
    order: tuple[int, ...] = ()
    threshold: tuple[Number, ...] = field(default=())

    def __post_init__(self) -> None:
        order = self.order or tuple(range(self.network.num_vars))
        threshold = tuple(map(as_fraction, self.threshold)) or (Fraction(0),) * self._players_of_utilities(default=1)
        # The dataclass is frozen for its users; what they may leave out is filled in here.
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "threshold", threshold)
        num_vars = self.network.num_vars
        if len(set(order)) != len(order) or not set(order) <= set(range(num_vars)):
            raise UsageError(f"expected an order of different variables from 0 to {num_vars - 1}, found {order}")
        problems = [*self._problems_of_tables(), *self._problems_of_scopes(), *self._problems_of_players()]
        if problems:
            raise UsageError("; ".join(problems))

    @property
    def num_players(self) -> int:
        return len(self.threshold)

    @cached_property
    def hard_part(self) -> Network:
        """The network without its soft constraints."""
        return same_variables(self.network, self.network.constraints)

    @cached_property
    def table_of(self) -> dict[int, ChanceTable]:
        """The table of each stochastic variable."""
        return {table.var: table for table in self.tables}

    @cached_property
    def position_of(self) -> Int32Array:
        """How early each variable is decided, and NO_SCOPE for those outside the order, shape (num_vars,), int32."""
        positions = np.full(self.network.num_vars, NO_SCOPE, np.int32)
        positions[list(self.order)] = np.arange(len(self.order))
        return positions

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The stages, in order."""
        stages: list[tuple[list[int], list[int]]] = [([], [])]
        for var in self.order:
            if var in self.table_of:
                stages[-1][1].append(var)
                continue
            if stages[-1][1]:
                stages.append(([], []))
            stages[-1][0].append(var)
        return tuple(Stage(tuple(decisions), tuple(chances)) for decisions, chances in stages)

    def utility(self, places: Int32Array) -> tuple[Fraction, ...]:
        """Return what each player gets for a complete assignment, the sum over all soft constraints.

        Args:
            places: The place of each variable's value, shape (num_vars,), int32.
        """
        total = [Fraction(0)] * self.num_players
        for scope, utilities in self._utilities:
            found = utilities.get(tuple(places[scope].tolist()))
            if found is not None:
                total = [sum(pair, Fraction(0)) for pair in zip(total, found, strict=True)]
        return tuple(total)

    @cached_property
    def _utilities(self) -> list[tuple[list[int], dict[tuple[int, ...], tuple[Fraction, ...]]]]:
        return [(list(utility.scope), _rows_of(utility)) for utility in self.network.utilities]

    def _players_of_utilities(self, default: int) -> int:
        for utility in self.network.utilities:
            for row in utility.utilities:
                return len(row)
        return default

    def _problems_of_tables(self) -> list[str]:
        names = self.network.names
        problems = []
        if len(self.table_of) != len(self.tables):
            problems.append("a stochastic variable has two tables")
        for table in self.tables:
            problems += table.problems(self.network)
            late = [names[var] for var in table.scope if not 0 <= self.position_of[var] < self.position_of[table.var]]
            if self.position_of[table.var] == NO_SCOPE:
                problems.append(f"{names[table.var]} has a table but is outside the order")
            elif late:
                problems.append(f"the table of {names[table.var]} depends on {', '.join(late)}, not decided before it")
        return problems

    def _problems_of_scopes(self) -> list[str]:
        outside = (self.position_of == NO_SCOPE).astype(np.int32)
        entries = [*self.network.constraints, *self.network.utilities]
        if any((highest(self.network, entry, outside) > 0).any() for entry in entries):
            return ["a constraint mentions a variable outside the order"]
        return []

    def _problems_of_players(self) -> list[str]:
        problems = []
        if not all(0 <= threshold <= 1 for threshold in self.threshold):
            problems.append(f"expected thresholds in [0, 1], found {', '.join(map(str, self.threshold))}")
        widths = {len(row) for utility in self.network.utilities for row in utility.utilities}
        if widths - {self.num_players}:
            problems.append(f"expected utilities for {self.num_players} players, found rows of {sorted(widths)}")
        return problems


def _rows_of(utility: Utility) -> dict[tuple[int, ...], tuple[Fraction, ...]]:
    """Return what each tuple of a soft constraint gives."""
    return {
        tuple(map(int, row)): tuple(as_fraction(float(number)) for number in numbers)
        for row, numbers in zip(utility.tuples, utility.utilities, strict=True)
    }

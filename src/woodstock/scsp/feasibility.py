"""Forward checking for one-stage stochastic networks: all decisions that hold whatever chance draws.

The search assigns the decisions of N'' one after the other. Each assignment removes values of the stochastic variables;
once so much of their probability is gone that the required satisfaction is out of reach, the branch is given up: the
product over the stochastic variables of the probability that is left is a bound for it (Balafoutis and Stergiou,
"Algorithms for Stochastic CSPs", CP 2006, section 3; they return the best satisfaction, this returns all decisions that
reach the required one). What it finds is one hard constraint over the decisions, the *feasibility constraint*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from woodstock.cp.constraints import Int32Array, Table
from woodstock.cp.solver import Solver, Status
from woodstock.scsp.budget import Budget
from woodstock.scsp.split import Split
from woodstock.scsp.stochastic import StochasticNetwork


class Outcome(NamedTuple):
    """What chance may draw after some decisions.

    Attributes:
        probability: How likely it is.
        drawn: The place of each stochastic variable's value.
        later: The places of the later decisions' values, a row for each way to make them, shape (n, num_later), int32.
    """

    probability: Fraction
    drawn: tuple[int, ...]
    later: Int32Array


@dataclass(frozen=True, eq=False)
class Feasibility:
    """The decisions that hold whatever chance draws.

    Attributes:
        settled: Decision variables that have one value only.
        settled_places: The places of these values, shape (len(settled),), int32.
        scope: The other decision variables.
        tuples: Places of their values, shape (n, len(scope)), int32.
        outcomes: For each row of `tuples` what chance may draw.
        status: Whether the search ended by itself; if not, rows may be missing.
        nodes: Assignments that were tried.
    """

    settled: tuple[int, ...]
    settled_places: Int32Array
    scope: tuple[int, ...]
    tuples: Int32Array
    outcomes: tuple[tuple[Outcome, ...], ...]
    status: Status
    nodes: int

    @property
    def constraint(self) -> Table:
        """The feasibility constraint, over all decisions."""
        settled = np.broadcast_to(self.settled_places, (len(self.tuples), len(self.settled)))
        return Table(self.settled + self.scope, np.concatenate([settled, self.tuples], axis=1))


def find_feasible(
    network: StochasticNetwork,
    split: Split,
    solver: Solver,
    satisfaction: Fraction = Fraction(1),
    budget: Budget | None = None,
) -> Feasibility:
    """Return all decisions of N'' after which its constraints hold with at least some probability.

    Args:
        network: The stochastic network.
        split: Its parts.
        solver: A solver of N'', at a node where all variables outside N'' have one value; it stays there.
        satisfaction: The probability.
        budget: When to give up; an assignment is a node.
    """
    return _ForwardChecking(network, split, solver, satisfaction, budget or Budget(None)).run()


class _OutOfBudgetError(Exception):
    """Ends a search whose limits are reached; it never leaves this module."""


class _ForwardChecking:
    """The search; see the module."""

    def __init__(
        self, network: StochasticNetwork, split: Split, solver: Solver, satisfaction: Fraction, budget: Budget
    ) -> None:
        self._split = split
        self._solver = solver
        self._budget = budget
        self._satisfaction = satisfaction
        self._tables = [network.table_of[var] for var in split.chances]
        self._places = np.zeros(network.network.num_vars, np.int32)
        self._open: list[int] = []
        self._settled: list[int] = []
        self._known_after: list[float] = []
        self._distributions: list[Mapping[int, Fraction]] = [{} for _ in self._tables]
        self._drawn: list[Outcome] = []
        self._lost = Fraction(0)
        self._found: list[tuple[int, ...]] = []
        self._outcomes: list[tuple[Outcome, ...]] = []
        self._nodes = 0

    def run(self) -> Feasibility:
        """Search from the node at which the solver is."""
        status = Status.COMPLETE
        self._solver.push()
        try:
            if self._begin():
                self._search(0)
        except _OutOfBudgetError:
            status = Status.LIMIT
        finally:
            self._solver.pop()
        tuples = np.array(self._found, np.int32).reshape(len(self._found), len(self._open))
        return Feasibility(
            tuple(self._settled),
            self._places[self._settled],
            tuple(self._open),
            tuples,
            tuple(self._outcomes),
            status,
            self._nodes,
        )

    def _begin(self) -> bool:
        """Find the open decisions, and after how many of them each distribution is known; propagate."""
        if not self._solver.propagate():
            self._open = list(self._split.scope)
            return False
        for var in self._split.scope:
            domain = self._solver.domain(var)
            self._places[var] = domain[0]
            (self._settled if len(domain) == 1 else self._open).append(var)
        after = {var: number + 1 for number, var in enumerate(self._open)}
        after.update(dict.fromkeys(self._settled, 0))
        # A table that depends on another draw is never known before that.
        self._known_after = [max((after.get(var, np.inf) for var in table.scope), default=0) for table in self._tables]
        # For forward checking a variable with one value left is not assigned yet.
        return self._solver.fix(self._settled, self._places[self._settled])

    def _search(self, first: int) -> None:
        """Try all values of the open decisions from one on."""
        if not self._may_suffice(first):
            return
        if first == len(self._open):
            self._add_decisions()
            return
        var = self._open[first]
        for place in self._solver.domain(var):
            self._count_node()
            self._solver.push()
            try:
                if self._solver.assign(var, place):
                    self._places[var] = place
                    self._search(first + 1)
            finally:
                self._solver.pop()

    def _may_suffice(self, first: int) -> bool:
        """Tell whether the required satisfaction is still in reach when the decisions before one are made."""
        bound = Fraction(1)
        for number, (var, known_after) in enumerate(zip(self._split.chances, self._known_after, strict=True)):
            if known_after == first:
                self._distributions[number] = self._tables[number].distribution(self._places)
            if known_after <= first:
                left = (self._distributions[number].get(place, Fraction(0)) for place in self._solver.domain(var))
                bound *= sum(left, Fraction(0))
        return bound >= self._satisfaction

    def _add_decisions(self) -> None:
        """Let chance draw after the decisions; if enough of the draws hold, the decisions are feasible."""
        self._drawn = []
        self._lost = Fraction(0)
        self._draw((), Fraction(1))
        if 1 - self._lost >= self._satisfaction:
            self._found.append(tuple(self._places[self._open].tolist()))
            self._outcomes.append(tuple(self._drawn))

    def _draw(self, drawn: tuple[int, ...], probability: Fraction) -> None:
        """Draw the next stochastic variable after some others, unless too much is lost already."""
        if len(drawn) == len(self._tables):
            later = self._later_rows()
            if len(later):
                self._drawn.append(Outcome(probability, drawn, later))
            else:
                self._lost += probability
            return
        table = self._tables[len(drawn)]
        distribution = table.distribution(self._places)
        if not distribution:
            self._lost += probability
        for place in sorted(distribution):
            if 1 - self._lost < self._satisfaction:
                return
            share = probability * distribution[place]
            self._count_node()
            self._solver.push()
            try:
                if self._solver.assign(table.var, place):
                    self._places[table.var] = place
                    self._draw((*drawn, place), share)
                else:
                    self._lost += share
            finally:
                self._solver.pop()

    def _later_rows(self) -> Int32Array:
        """Return all ways to make the later decisions, shape (n, num_later), int32."""
        if not self._split.later:
            return np.zeros((1, 0), np.int32)
        found = self._solver.enumerate(self._budget.rest)
        self._budget.use(found.statistics.nodes)
        if found.status is not Status.COMPLETE:
            raise _OutOfBudgetError
        return found.places[:, self._split.later_columns]

    def _count_node(self) -> None:
        if self._budget.is_over:
            raise _OutOfBudgetError
        self._budget.use(1)
        self._nodes += 1

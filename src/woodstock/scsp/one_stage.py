"""One-stage networks solved as the papers do: the stochastic part first, then all decisions by MAC.

N is divided into N' and N''. Forward checking on N'' finds the decisions that hold whatever chance draws; they are the
feasibility constraint of N', whose solutions MAC (or FC) enumerates (Koriche, Lagrue, Piette, Tabary: General Game
Playing with Stochastic CSP, Constraints 21, 2016, section 4.2).

>>> from woodstock.cp.constraints import Predicate
>>> from woodstock.cp.network import Network
>>> from woodstock.scsp.chance import uniform
>>> network = Network()
>>> x, y = network.add_var("x", (1, 2, 3)), network.add_var("y", (0, 1, 2))
>>> network.add(Predicate((x, y), lambda x, y: x + y > 1))
>>> stage = OneStage(StochasticNetwork(network, (uniform(network, y),)))
>>> [network.domains[x][place] for place in stage.solve().decisions[:, 0]]
[2, 3]
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.limits import Limits
from woodstock.cp.consistency import make_singleton_consistent
from woodstock.cp.constraints import Int32Array, Int64Array
from woodstock.cp.network import Network
from woodstock.cp.preprocess import preprocess
from woodstock.cp.solver import Numbers, Solver, Status, Strength
from woodstock.scsp.budget import Budget
from woodstock.scsp.feasibility import Feasibility, Outcome, find_feasible
from woodstock.scsp.scopes import BoolArray
from woodstock.scsp.solutions import OneStageSolutions
from woodstock.scsp.split import split_network
from woodstock.scsp.stochastic import StochasticNetwork


class OneStage:
    """A one-stage network, compiled once and solved for any values of some decisions."""

    def __init__(
        self,
        network: StochasticNetwork,
        *,
        strength: Strength = Strength.MAC,
        satisfaction: Fraction = Fraction(1),
        prepares: bool = False,
    ) -> None:
        """Compile a network.

        Args:
            network: The network.
            strength: How much is propagated when decisions are enumerated.
            satisfaction: The probability with which the hard constraints have to hold after the decisions.
            prepares: Whether to preprocess the parts and make N' singleton arc consistent, for all values of the
                decisions at once; this takes a try for each value.
        """
        if not 0 < satisfaction <= 1:
            raise UsageError(f"expected a satisfaction above 0 and not above 1, found {satisfaction}")
        self.network = network
        self.split = split_network(network)
        self.strength = strength
        self.satisfaction = satisfaction
        self.prepares = prepares
        self._decisions = frozenset(self.split.decisions)
        self._is_decision = _marks(network, self.split.decisions)
        self._is_in_scope = _marks(network, self.split.scope)
        self._whole = self._solver_of(network.hard_part, network.order, strength)

    @cached_property
    def _decision(self) -> Solver:
        """A solver of N'."""
        solver = self._solver_of(self.split.decision_part, self.split.decisions, self.strength)
        if self.prepares:
            make_singleton_consistent(solver)
        return solver

    @cached_property
    def _stochastic(self) -> Solver:
        """A solver of N''."""
        variables = (*self.split.scope, *self.split.chances, *self.split.later)
        return self._solver_of(self.split.stochastic_part, variables, Strength.MAC)

    def _solver_of(self, part: Network, variables: tuple[int, ...], strength: Strength) -> Solver:
        """Return a solver of a part, in which the variables that are not in it have some value."""
        solver = Solver(preprocess(part).network if self.prepares else part, strength=strength)
        others = np.setdiff1d(np.arange(part.num_vars), variables)
        solver.fix(others, np.zeros(len(others), np.int64))
        return solver

    def solve(
        self,
        variables: Numbers = (),
        places: Numbers = (),
        limits: Limits | Budget | None = None,
        *,
        context: Solver | None = None,
    ) -> OneStageSolutions:
        """Return all decisions that are feasible when some of them are given, and what may follow each.

        Args:
            variables: Decision variables whose values are given, such as the fluents of a position.
            places: The places of these values.
            limits: When to give up; a budget is used up by what is done.
            context: A solver of a larger network with the same variables; values of decisions that it has removed are
                not tried.
        """
        given, values = np.asarray(variables, np.int64), np.asarray(places, np.int64)
        if not self._is_decision[given].all():
            raise UsageError("expected values of decisions that are made before the draw")
        budget = limits if isinstance(limits, Budget) else Budget(limits)
        self._whole.push()
        try:
            if not (self._whole.fix(given, values) and self._whole.propagate() and self._narrow(self._whole, context)):
                return self._solutions([], [], None, Status.COMPLETE)
            drawn = self._certain_draws()
            if drawn is not None:
                return self._solve_without_chance(drawn, budget)
            return self._solve_with_chance(given, values, budget)
        finally:
            self._whole.pop()

    def _narrow(self, solver: Solver, other: Solver | None) -> bool:
        """Remove the values of decisions that another solver has removed; tell whether both are consistent."""
        if other is None:
            return True
        if other.is_failed:
            return False
        for var in self._decisions.intersection(solver.open_vars):
            kept = other.domain(var)
            for place in solver.domain(var):
                if place not in kept and not solver.remove(var, place):
                    return False
        return not solver.is_failed

    def _certain_draws(self) -> tuple[int, ...] | None:
        """Return the places of the stochastic variables' values if only one draw is possible, else None."""
        known = np.zeros(self.network.network.num_vars, np.int32)
        drawn: list[int] = []
        for var in self.split.chances:
            table = self.network.table_of[var]
            decided = [other for other in table.scope if other not in self.split.chances]
            domains = [self._whole.domain(other) for other in decided]
            if any(len(domain) != 1 for domain in domains):
                return None
            known[decided] = [domain[0] for domain in domains]
            distribution = table.distribution(known)
            if len(distribution) != 1:
                return None
            drawn += distribution
            known[var] = drawn[-1]
        return tuple(drawn)

    def _solve_without_chance(self, drawn: tuple[int, ...], budget: Budget) -> OneStageSolutions:
        """Enumerate the solutions of the whole network, in which only one draw is possible."""
        if not self._whole.fix(self.split.chances, drawn):
            return self._solutions([], [], None, Status.COMPLETE)
        found = self._whole.enumerate(budget.rest)
        budget.use(found.statistics.nodes)
        later = found.places[:, self.split.later_columns]
        rows_of: dict[bytes, list[int]] = {}
        for number, row in enumerate(found.places[:, self.split.decision_columns]):
            rows_of.setdefault(row.tobytes(), []).append(number)
        decisions = [np.frombuffer(row, np.int32) for row in rows_of]
        outcomes = [(Outcome(Fraction(1), drawn, later[numbers]),) for numbers in rows_of.values()]
        return self._solutions(decisions, outcomes, None, found.status)

    def _solve_with_chance(self, given: Int64Array, values: Int64Array, budget: Budget) -> OneStageSolutions:
        """Solve N'' and N' for given values of some decisions; what the whole network forbids needs no try in them."""
        in_scope = self._is_in_scope[given]
        self._stochastic.push()
        self._decision.push()
        try:
            self._stochastic.fix(given[in_scope], values[in_scope])
            self._decision.fix(given, values)
            if not self._narrow(self._stochastic, self._whole) or not self._narrow(self._decision, self._whole):
                return self._solutions([], [], None, Status.COMPLETE)
            found = find_feasible(self.network, self.split, self._stochastic, self.satisfaction, budget)
            return self._join(found, budget)
        finally:
            self._decision.pop()
            self._stochastic.pop()

    def _join(self, feasibility: Feasibility, budget: Budget) -> OneStageSolutions:
        """Enumerate the solutions of N' with the feasibility constraint.

        The search branches on the tuples of that constraint first. It is not added to N' as a table because N' would
        have to be compiled again for every position.
        """
        decisions: list[Int32Array] = []
        outcomes: list[tuple[Outcome, ...]] = []
        status = feasibility.status
        self._decision.fix(feasibility.settled, feasibility.settled_places)
        for row, after in zip(feasibility.tuples, feasibility.outcomes, strict=True):
            self._decision.push()
            if self._decision.fix(feasibility.scope, row):
                found = self._decision.enumerate(budget.rest)
                budget.use(found.statistics.nodes)
                decisions.extend(found.places[:, self.split.decision_columns])
                outcomes.extend([after] * len(found))
                status = found.status if status is Status.COMPLETE else status
            self._decision.pop()
        return self._solutions(decisions, outcomes, feasibility, status)

    def _solutions(
        self,
        decisions: list[Int32Array],
        outcomes: Sequence[tuple[Outcome, ...]],
        feasibility: Feasibility | None,
        status: Status,
    ) -> OneStageSolutions:
        rows = np.array(decisions, np.int32).reshape(len(decisions), len(self.split.decisions))
        return OneStageSolutions(self.network, self.split, rows, tuple(outcomes), feasibility, status)


def _marks(network: StochasticNetwork, variables: tuple[int, ...]) -> BoolArray:
    """Return which variables are some given ones, shape (num_vars,), bool."""
    marks = np.zeros(network.network.num_vars, np.bool_)
    marks[list(variables)] = True
    return marks

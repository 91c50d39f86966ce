"""All feasible policies of a network, or the best ones, by exact search over its variables in their order.

The search assigns one variable after the other and propagates; a stochastic variable is given each value that may be
drawn, and a policy needs a continuation for all of them. There are doubly exponentially many policies, so this is for
small networks; `woodstock.scsp.sequence` solves larger ones stage by stage.

>>> from woodstock.cp.constraints import Utility
>>> from woodstock.cp.network import Network
>>> from woodstock.scsp.chance import uniform
>>> network = Network()
>>> coin, guess = (network.add_var(name, ("heads", "tails")) for name in ("coin", "guess"))
>>> network.add(Utility((coin, guess), [(0, 0), (1, 1)], [[1.0], [1.0]]))
>>> stochastic = StochasticNetwork(network, (uniform(network, coin),))
>>> len(feasible_policies(stochastic).found)
4
>>> best_policy(stochastic).found[0].utilities
(Fraction(1, 1),)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.limits import Limits
from woodstock.cp.solver import Solver, Status
from woodstock.scsp.budget import Budget
from woodstock.scsp.policy import Policy
from woodstock.scsp.stochastic import StochasticNetwork
from woodstock.scsp.valued import Keep, Policies, Valued, combine, keep_best, keep_undominated, reaches


def feasible_policies(network: StochasticNetwork, limits: Limits | None = None) -> Policies:
    """Return all feasible policies."""
    return ExactSearch(network, list, limits).run()


def solution_policies(network: StochasticNetwork, limits: Limits | None = None) -> Policies:
    """Return all feasible policies from which each player expects at least its threshold."""
    feasible = feasible_policies(network, limits)
    return Policies(tuple(policy for policy in feasible.found if reaches(network, policy.utilities)), feasible.status)


def undominated_policies(network: StochasticNetwork, limits: Limits | None = None) -> Policies:
    """Return a feasible policy for each combination of expected utilities that no other one exceeds.

    There is a solution if and only if one of them is a solution.
    """
    return ExactSearch(network, keep_undominated, limits).run()


def best_policy(network: StochasticNetwork, player: int = 0, limits: Limits | None = None) -> Policies:
    """Return a feasible policy from which a player expects most; none if there is no feasible one."""
    if not 0 <= player < network.num_players:
        raise UsageError(f"expected a player from 0 to {network.num_players - 1}, found {player}")
    return ExactSearch(network, keep_best(player), limits).run()


class _OutOfBudgetError(Exception):
    """Ends a search whose limits are reached; it never leaves this module."""


class ExactSearch:
    """A depth-first search over the variables of a network in their order."""

    def __init__(self, network: StochasticNetwork, keep: Keep, limits: Limits | None = None) -> None:
        self._network = network
        self._keep = keep
        self._solver = Solver(network.hard_part)
        self._places = np.zeros(network.network.num_vars, np.int32)
        self._budget = Budget(limits)

    def run(self) -> Policies:
        """Search the whole network."""
        try:
            found = self._policies(0) if self._solver.propagate() else []
        except _OutOfBudgetError:
            return Policies((), Status.LIMIT)
        return Policies(tuple(found), Status.COMPLETE)

    def _policies(self, first: int) -> list[Valued]:
        """Return policies for the variables from a position of the order on, given the values of those before."""
        found: list[Valued] = []
        for last in self._decide(first):
            decisions = list(self._network.order[first:last])
            made = tuple(self._places[decisions].tolist())
            if last == len(self._network.order):
                found.append(Valued(self._network.utility(self._places), Policy(made)))
            else:
                found += self._draw(last, made)
        return self._keep(found)

    def _decide(self, first: int) -> Iterator[int]:
        """Yield, for all values of the decisions from a position on, the position of the next stochastic variable.

        The solver is at the node of these values when it is yielded.
        """
        position = first
        while position < len(self._network.order) and self._network.order[position] not in self._network.table_of:
            var = self._network.order[position]
            domain = self._solver.domain(var)
            if len(domain) > 1:
                for place in domain:
                    if self._enter(var, place):
                        self._places[var] = place
                        yield from self._decide(position + 1)
                    self._solver.pop()
                return
            self._places[var] = domain[0]
            position += 1
        yield position

    def _draw(self, position: int, made: tuple[int, ...]) -> Iterator[Valued]:
        """Yield policies that have just made decisions, before a stochastic variable is drawn."""
        var = self._network.order[position]
        distribution = self._network.table_of[var].distribution(self._places)
        branches: list[list[tuple[int, Valued]]] = []
        for place in sorted(distribution):
            continuations: list[Valued] = []
            if self._enter(var, place):
                self._places[var] = place
                continuations = self._policies(position + 1)
            self._solver.pop()
            if not continuations:
                return
            branches.append([(place, continuation) for continuation in continuations])
        if branches:
            yield from combine(made, [distribution[place] for place in sorted(distribution)], branches)

    def _enter(self, var: int, place: int) -> bool:
        """Go to the child node in which a variable has a value; return whether propagation finds no contradiction."""
        if self._budget.is_over:
            raise _OutOfBudgetError
        self._budget.use(1)
        self._solver.push()
        return self._solver.assign(var, place)

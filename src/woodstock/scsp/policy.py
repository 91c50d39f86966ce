"""Policies: what is decided, for everything that chance may draw.

A policy is a tree over the variables in their order: a decision has one child, a stochastic variable has one for each
value that may be drawn. Here the decisions between two stochastic variables are one node: a `Policy` holds the places
of all decisions up to the next stochastic variable, and a branch for each place that this may take.

>>> from woodstock.cp.constraints import Table, Utility
>>> from woodstock.cp.network import Network
>>> from woodstock.scsp.chance import uniform
>>> from woodstock.scsp.stochastic import StochasticNetwork
>>> network = Network()
>>> coin, guess = (network.add_var(name, ("heads", "tails")) for name in ("coin", "guess"))
>>> network.add(Utility((coin, guess), [(0, 0), (1, 1)], [[1.0], [1.0]]))
>>> stochastic = StochasticNetwork(network, (uniform(network, coin),), threshold=(1,))
>>> evaluator = PolicyEvaluator(stochastic)
>>> always_heads = Policy((), ((0, Policy((0,))), (1, Policy((0,)))))
>>> evaluator.expected_utility(always_heads), evaluator.is_solution(always_heads)
((Fraction(1, 2),), False)
>>> seen = Policy((), ((0, Policy((0,))), (1, Policy((1,)))))
>>> evaluator.is_solution(seen)
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Int32Array
from woodstock.cp.solver import Solver
from woodstock.scsp.stochastic import StochasticNetwork


@dataclass(frozen=True, slots=True)
class Policy:
    """A tree of decisions.

    Attributes:
        places: The place of each decision variable's value, up to the next stochastic variable.
        branches: For each place that this variable may take, in rising order, how to go on; none at the end.
    """

    places: tuple[int, ...]
    branches: tuple[tuple[int, Policy], ...] = ()


class Path(NamedTuple):
    """A way from the root of a policy to a leaf.

    Attributes:
        places: The place of each variable's value, shape (num_vars,), int32.
        probability: How likely it is that chance draws this way.
    """

    places: Int32Array
    probability: Fraction


def paths(network: StochasticNetwork, policy: Policy) -> Iterator[Path]:
    """Yield the paths of a policy.

    Raises:
        UsageError: It is no policy of the network: a decision is missing, or a value that may be drawn.
    """
    places = np.zeros(network.network.num_vars, np.int32)
    yield from _paths(network, policy, 0, Path(places, Fraction(1)))


def _paths(network: StochasticNetwork, policy: Policy, first: int, prefix: Path) -> Iterator[Path]:
    """Yield the paths that begin with some values, of the variables before a position of the order."""
    last = first
    while last < len(network.order) and network.order[last] not in network.table_of:
        last += 1
    decisions = network.order[first:last]
    if len(decisions) != len(policy.places):
        raise UsageError(f"expected places of {len(decisions)} decisions, found {policy.places}")
    places = prefix.places.copy()
    places[list(decisions)] = policy.places
    if last == len(network.order):
        if policy.branches:
            raise UsageError(f"expected the end of a policy, found {len(policy.branches)} branches")
        yield Path(places, prefix.probability)
        return
    chance = network.order[last]
    distribution = network.table_of[chance].distribution(places)
    check_branches(network, chance, policy, distribution)
    for place, child in policy.branches:
        places[chance] = place
        yield from _paths(network, child, last + 1, Path(places, prefix.probability * distribution[place]))


def check_branches(network: StochasticNetwork, chance: int, policy: Policy, wanted: Mapping[int, Fraction]) -> None:
    """Complain unless a policy has a branch for each value that a stochastic variable may take.

    Args:
        network: The network.
        chance: The stochastic variable.
        policy: What is decided before it is drawn.
        wanted: The probability of each place that may be drawn.
    """
    names, domain = network.network.names, network.network.domains[chance]
    if not wanted:
        raise UsageError(f"the decisions lead to values for which {names[chance]} has no distribution")
    found = [place for place, _ in policy.branches]
    if found != sorted(wanted):
        shown = [domain[place] for place in sorted(wanted)]
        raise UsageError(f"expected a branch for each of {shown} of {names[chance]}, found places {found}")


class PolicyEvaluator:
    """Tells what policies of a network are worth, exactly."""

    def __init__(self, network: StochasticNetwork) -> None:
        self.network = network
        self._solver = Solver(network.hard_part)
        self._order = np.array(network.order, np.int32)

    def holds(self, places: Int32Array) -> bool:
        """Tell whether a complete assignment keeps to all hard constraints.

        Args:
            places: The place of each variable's value, shape (num_vars,), int32.
        """
        self._solver.push()
        held = self._solver.fix(self._order, places[self._order])
        self._solver.pop()
        return held

    def satisfaction(self, policy: Policy) -> Fraction:
        """Return the probability that no hard constraint is broken."""
        return sum((path.probability for path in paths(self.network, policy) if self.holds(path.places)), Fraction(0))

    def expected_utility(self, policy: Policy) -> tuple[Fraction, ...]:
        """Return what each player expects from the soft constraints."""
        total = [Fraction(0)] * self.network.num_players
        for path in paths(self.network, policy):
            for player, utility in enumerate(self.network.utility(path.places)):
                total[player] += path.probability * utility
        return tuple(total)

    def is_feasible(self, policy: Policy) -> bool:
        """Tell whether no hard constraint is broken on any path."""
        return all(self.holds(path.places) for path in paths(self.network, policy))

    def is_solution(self, policy: Policy) -> bool:
        """Tell whether a policy is feasible and each player expects as much as its threshold."""
        expected = zip(self.expected_utility(policy), self.network.threshold, strict=True)
        return all(utility >= threshold for utility, threshold in expected) and self.is_feasible(policy)


def policy_lines(network: StochasticNetwork, policy: Policy) -> list[str]:
    """Return a policy in words, a line for each value that is decided or drawn."""
    return list(_lines(network, policy, 0, ""))


def _lines(network: StochasticNetwork, policy: Policy, first: int, indent: str) -> Iterator[str]:
    names, domains = network.network.names, network.network.domains
    after = first + len(policy.places)
    for var, place in zip(network.order[first:after], policy.places, strict=True):
        yield f"{indent}{names[var]} = {domains[var][place]}"
    for place, child in policy.branches:
        chance = network.order[after]
        yield f"{indent}if {names[chance]} = {domains[chance][place]}:"
        yield from _lines(network, child, after + 1, indent + "  ")

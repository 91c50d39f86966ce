"""Exact search for policies against trying all of them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from naive.stochastic import Valued, random_stochastic, relation
from naive.stochastic import feasible_policies as naive_policies
from woodstock.common.errors import UsageError
from woodstock.common.limits import Limits
from woodstock.cp.network import Network
from woodstock.cp.solver import Status
from woodstock.scsp.chance import uniform
from woodstock.scsp.exact import best_policy, feasible_policies, solution_policies, undominated_policies
from woodstock.scsp.policy import Policy
from woodstock.scsp.stochastic import StochasticNetwork
from woodstock.scsp.valued import Policies

NUM_NETWORKS = 80


def pairs(policies: Policies) -> set[Valued]:
    assert policies.status is Status.COMPLETE
    found = {(policy.utilities, policy.policy) for policy in policies.found}
    assert len(found) == len(policies.found)
    return found


def front(policies: set[Valued]) -> set[tuple[Fraction, ...]]:
    """Return the utilities that no other ones exceed."""
    utilities = {utility for utility, _ in policies}
    return {
        mine
        for mine in utilities
        if not any(other != mine and all(a >= b for a, b in zip(other, mine, strict=True)) for other in utilities)
    }


def test_all_feasible_policies_are_found() -> None:
    rng = random.Random(1)
    sizes = []
    for _ in range(NUM_NETWORKS):
        network = random_stochastic(rng, most_policies=1000)
        expected = naive_policies(network)
        assert pairs(feasible_policies(network)) == expected
        sizes.append(len(expected))
    assert sum(size > 0 for size in sizes) > NUM_NETWORKS // 6
    assert max(sizes) > 20


def test_solutions_and_best_policies() -> None:
    rng = random.Random(2)
    num_solved = 0
    for _ in range(NUM_NETWORKS):
        network = random_stochastic(rng, most_policies=500)
        expected = naive_policies(network)
        reach = {
            (utility, policy)
            for utility, policy in expected
            if all(a >= b for a, b in zip(utility, network.threshold, strict=True))
        }
        assert pairs(solution_policies(network)) == reach
        undominated = pairs(undominated_policies(network))
        assert undominated <= expected
        assert {utility for utility, _ in undominated} == front(expected)
        for player in range(2):
            best = pairs(best_policy(network, player))
            assert best <= expected
            most = {max(utility[player] for utility, _ in expected)} if expected else set()
            assert {utility[player] for utility, _ in best} == most
        num_solved += bool(reach)
    assert num_solved > 5


def test_chance_that_has_no_distribution_makes_a_policy_impossible() -> None:
    network = Network()
    x, y = network.add_vars("xy")
    stochastic = StochasticNetwork(network, (uniform(network, y, [network.literal(x)] * 2),))
    end = Policy(())
    assert [found.policy for found in feasible_policies(stochastic).found] == [Policy((1,), ((0, end), (1, end)))]


def test_a_network_without_solutions_has_no_policy() -> None:
    network = Network()
    x, y = network.add_vars("xy")
    network.add(relation(network, (x, y), lambda x, y: False))
    assert feasible_policies(StochasticNetwork(network, (uniform(network, y),))) == Policies((), Status.COMPLETE)
    assert best_policy(StochasticNetwork(network)).found == ()


def test_limits_end_a_search_with_a_status() -> None:
    network = Network()
    network.add_vars("abcd", range(3))
    stochastic = StochasticNetwork(network)
    assert feasible_policies(stochastic, Limits(nodes=20)) == Policies((), Status.LIMIT)
    assert feasible_policies(stochastic, Limits(seconds=1e-9)).status is Status.LIMIT
    assert len(feasible_policies(stochastic).found) == 3**4


def test_there_must_be_such_a_player() -> None:
    network = Network()
    network.add_var("x")
    with pytest.raises(UsageError, match="player from 0 to 0, found 1"):
        best_policy(StochasticNetwork(network), player=1)

"""Policies: their paths, and what they are worth."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from naive.networks import brute_force
from naive.stochastic import all_policies, evaluate, leaves, random_stochastic, relation, reward
from woodstock.common.errors import UsageError
from woodstock.cp.network import Network
from woodstock.scsp.chance import ProbabilityTable, unconditional, uniform
from woodstock.scsp.policy import Policy, PolicyEvaluator, paths, policy_lines
from woodstock.scsp.stochastic import StochasticNetwork

END = Policy(())


def umbrella() -> StochasticNetwork:
    """Whether to take an umbrella, before it rains or not."""
    network = Network()
    take, weather = network.add_var("take", ("no", "yes")), network.add_var("weather", ("dry", "wet", "snow"))
    shoes = network.add_var("shoes", ("light", "heavy"))
    network.add(relation(network, (weather, shoes), lambda weather, shoes: weather != "snow" or shoes == "heavy"))
    network.add(reward(network, (take, weather), lambda take, weather: (take == "yes") == (weather == "wet")))
    odds = [Fraction(1, 4), Fraction(3, 4), Fraction(0)]
    return StochasticNetwork(network, (unconditional(weather, odds),), threshold=(0.5,))


def test_a_policy_has_a_branch_for_each_value_that_may_be_drawn() -> None:
    network = umbrella()
    policy = Policy((1,), ((0, Policy((0,))), (1, Policy((1,)))))
    assert [(path.places.tolist(), path.probability) for path in paths(network, policy)] == [
        ([1, 0, 0], Fraction(1, 4)),
        ([1, 1, 1], Fraction(3, 4)),
    ]
    assert policy_lines(network, policy) == [
        "take = yes",
        "if weather = dry:",
        "  shoes = light",
        "if weather = wet:",
        "  shoes = heavy",
    ]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Policy(()), "places of 1 decisions"),
        (Policy((1,)), "a branch for each of ['dry', 'wet'] of weather"),
        (Policy((1,), ((0, Policy((0,))),)), "found places [0]"),
        (Policy((1,), ((1, Policy((0,))), (0, Policy((0,))))), "found places [1, 0]"),
        (Policy((1,), ((0, Policy((0,))), (1, Policy((0,))), (2, Policy((1,))))), "found places [0, 1, 2]"),
        (Policy((1,), ((0, END), (1, END))), "places of 1 decisions, found ()"),
        (Policy((1,), ((0, Policy((0,), ((0, END),))), (1, Policy((0,))))), "the end of a policy"),
    ],
)
def test_what_is_no_policy_of_the_network_is_refused(policy: Policy, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        list(paths(umbrella(), policy))
    assert words in str(raised.value)


def test_a_policy_must_not_lead_to_what_has_no_distribution() -> None:
    network = Network()
    network.add_vars("xy")
    stochastic = StochasticNetwork(network, (ProbabilityTable(1, (0,), [(1,)], [(1, 0)]),))
    assert len(list(paths(stochastic, Policy((1,), ((0, END),))))) == 1
    with pytest.raises(UsageError, match="y has no distribution"):
        list(paths(stochastic, Policy((0,), ((0, END),))))


def test_values_that_are_never_drawn_do_not_count() -> None:
    # The constraint would be broken by snow, which has the probability 0.
    evaluator = PolicyEvaluator(umbrella())
    policy = Policy((1,), ((0, Policy((0,))), (1, Policy((0,)))))
    assert evaluator.is_feasible(policy)
    assert evaluator.expected_utility(policy) == (Fraction(3, 4),)
    assert evaluator.is_solution(policy)
    without = Policy((0,), policy.branches)
    assert evaluator.expected_utility(without) == (Fraction(1, 4),)
    assert not evaluator.is_solution(without)


def test_a_policy_that_reaches_the_threshold_but_breaks_a_constraint_is_no_solution() -> None:
    network = Network()
    x, y = network.add_vars("xy")
    network.add(relation(network, (x, y), lambda x, y: x or not y))
    network.add(reward(network, (x,), lambda x: not x))
    evaluator = PolicyEvaluator(StochasticNetwork(network, (uniform(network, y),), threshold=(1,)))
    policy = Policy((0,), ((0, END), (1, END)))
    assert evaluator.expected_utility(policy) == (Fraction(1),)
    assert evaluator.satisfaction(policy) == Fraction(1, 2)
    assert not evaluator.is_feasible(policy)
    assert not evaluator.is_solution(policy)


def test_random_policies_are_worth_what_trying_all_says() -> None:
    rng = random.Random(21)
    counts = {True: 0, False: 0}
    for _ in range(40):
        network = random_stochastic(rng, most_policies=300)
        solutions = brute_force(network.network)
        evaluator = PolicyEvaluator(network)
        policies = all_policies(network)
        for policy in rng.sample(policies, min(6, len(policies))):
            expected, satisfied = evaluate(network, policy, solutions)
            assert [(tuple(path.places.tolist()), path.probability) for path in paths(network, policy)] == list(
                leaves(network, policy)
            )
            assert evaluator.expected_utility(policy) == expected
            assert evaluator.satisfaction(policy) == satisfied
            assert evaluator.is_feasible(policy) == (satisfied == 1)
            reaches = all(a >= b for a, b in zip(expected, network.threshold, strict=True))
            assert evaluator.is_solution(policy) == (satisfied == 1 and reaches)
            counts[satisfied == 1] += 1
    assert min(counts.values()) > 10

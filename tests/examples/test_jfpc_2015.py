"""The worked examples of "Résolution de SCSP avec borne de confiance pour les jeux de stratégie" (JFPC 2015)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from naive.stochastic import relation, reward
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver, Strength
from woodstock.scsp.chance import uniform
from woodstock.scsp.exact import feasible_policies, solution_policies
from woodstock.scsp.feasibility import find_feasible
from woodstock.scsp.one_stage import OneStage
from woodstock.scsp.policy import Policy, PolicyEvaluator
from woodstock.scsp.split import split_network
from woodstock.scsp.stochastic import StochasticNetwork

THETA = Fraction(7, 10)


@pytest.fixture(scope="module")
def first() -> StochasticNetwork:
    """Example 1: decisions x1 and x2 and a uniform y over {0, 1, 2}; c_h: x1 = x2; c_s: 1 if x1 + y >= 1; θ = 1/2."""
    network = Network()
    x1, x2, y = (network.add_var(name, (0, 1, 2)) for name in ("x1", "x2", "y"))
    network.add(relation(network, (x1, x2), lambda x1, x2: x1 == x2))
    network.add(reward(network, (x1, y), lambda x1, y: x1 + y >= 1))
    return StochasticNetwork(network, (uniform(network, y),), threshold=(Fraction(1, 2),))


@pytest.fixture(scope="module")
def second() -> StochasticNetwork:
    """Example 2: x over {1, 2, 3}, y and z over {0, 1, 2}; c1: x + y > 1, c2: y + z > 1, c3: x = z."""
    network = Network()
    x, z, y = network.add_var("x", (1, 2, 3)), network.add_var("z", (0, 1, 2)), network.add_var("y", (0, 1, 2))
    network.add(
        relation(network, (x, y), lambda x, y: x + y > 1),
        relation(network, (y, z), lambda y, z: y + z > 1),
        relation(network, (x, z), lambda x, z: x == z),
    )
    return StochasticNetwork(network, (uniform(network, y),))


def values(network: StochasticNetwork, scope: tuple[int, ...], rows: object) -> set[tuple[object, ...]]:
    domains = [network.network.domains[var] for var in scope]
    return {tuple(domain[place] for domain, place in zip(domains, row, strict=True)) for row in rows.tolist()}  # type: ignore[attr-defined]


def test_example_1_the_policy_of_figure_1_is_a_solution_of_utility_two_thirds(first: StochasticNetwork) -> None:
    # "satisfait la contrainte évaluée c_s avec une utilité espérée de 2/3 >= θ": of all policies that keep to c_h only
    # x1 = x2 = 0 has that utility, for y = 0 fails and y = 1 and y = 2 do not.
    policy = Policy((0, 0), tuple((place, Policy(())) for place in range(3)))
    evaluator = PolicyEvaluator(first)
    assert evaluator.is_feasible(policy)
    assert evaluator.expected_utility(policy) == (Fraction(2, 3),)
    assert evaluator.is_solution(policy)
    with_that_utility = [found for found in feasible_policies(first).found if found.utilities == (Fraction(2, 3),)]
    assert [found.policy for found in with_that_utility] == [policy]


def test_example_1_has_the_other_solutions_that_keep_to_the_hard_constraint(first: StochasticNetwork) -> None:
    found = solution_policies(first).found
    assert {policy.policy.places: policy.utilities for policy in found} == {
        (0, 0): (Fraction(2, 3),),
        (1, 1): (Fraction(1),),
        (2, 2): (Fraction(1),),
    }
    assert not PolicyEvaluator(first).is_feasible(Policy((0, 1), tuple((place, Policy(())) for place in range(3))))


def test_example_1_is_solved_as_one_stage(first: StochasticNetwork) -> None:
    solutions = OneStage(first).solve()
    found = {policy for row in range(len(solutions)) for policy in solutions.policies(row)}
    assert found == set(feasible_policies(first).found)


def test_example_2_is_divided_into_c3_and_the_constraints_with_y(second: StochasticNetwork) -> None:
    # "la partie CSP P' est donnée par les deux variables de décision x et z et la contrainte c3. La partie µSCSP P''
    # est donnée par les trois variables x, y, z et les contraintes c1 et c2."
    split = split_network(second)
    c1, c2, c3 = second.network.constraints
    assert split.decision_part.constraints == [c3]
    assert split.stochastic_part.constraints == [c1, c2]
    assert (split.decisions, split.chances, split.scope) == ((0, 1), (2,), (0, 1))


@pytest.mark.parametrize("satisfaction", [THETA, Fraction(1)])
@pytest.mark.parametrize("strength", Strength)
def test_example_2_forward_checking_finds_two_policies(
    second: StochasticNetwork, satisfaction: Fraction, strength: Strength
) -> None:
    # "L'algorithme FC retourne […] les politiques (x = 2; z = 2) et (x = 3; z = 2). La satisfaction associée pour ces
    # politiques est de 1." The constraint c_s is then printed as "x = z = 2 | x = z = 3", which cannot be meant: 3 is
    # no value of z. Its tuples are those of the two policies.
    split = split_network(second)
    found = find_feasible(second, split, Solver(split.stochastic_part, strength=strength), satisfaction)
    constraint = found.constraint
    assert values(second, constraint.scope, constraint.tuples) == {(2, 2), (3, 2)}  # (x, z), if x comes first
    assert constraint.scope == (0, 1)
    assert [sum(outcome.probability for outcome in outcomes) for outcomes in found.outcomes] == [1, 1]


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize("satisfaction", [THETA, Fraction(1)])
def test_example_2_has_one_solution(second: StochasticNetwork, strength: Strength, satisfaction: Fraction) -> None:
    # "L'algorithme MAC retourne pour ce problème la solution" in which both x and z are 2.
    solutions = OneStage(second, strength=strength, satisfaction=satisfaction).solve()
    assert values(second, solutions.split.decisions, solutions.decisions) == {(2, 2)}
    assert solutions.satisfaction(0) == 1


def test_example_2_the_feasibility_constraint_added_to_the_csp_gives_that_solution(second: StochasticNetwork) -> None:
    split = split_network(second)
    found = find_feasible(second, split, Solver(split.stochastic_part), THETA)
    network = split.decision_part
    network.add(found.constraint)
    solver = Solver(network)
    rows = solver.enumerate(columns=split.decisions)
    assert values(second, split.decisions, rows.places) == {(2, 2)}


def test_example_2_its_threshold_is_what_two_of_three_draws_do_not_reach(second: StochasticNetwork) -> None:
    # x = 1 keeps to c1 for y = 1 and y = 2, which has the probability 2/3 < 7/10; z = 1 does the same with c2.
    split = split_network(second)
    less = find_feasible(second, split, Solver(split.stochastic_part), Fraction(2, 3))
    found = values(second, (0, 1), less.constraint.tuples)
    assert found == {(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)}

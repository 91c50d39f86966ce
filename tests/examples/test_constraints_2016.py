"""The worked examples of "General Game Playing with Stochastic CSP" (Constraints 21, 2016)."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from naive.stochastic import relation, reward
from woodstock.cp.constraints import Table
from woodstock.cp.network import BOOLEANS, Network
from woodstock.cp.solver import Solver, Strength
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import ground
from woodstock.scsp.chance import ProbabilityTable, uniform
from woodstock.scsp.exact import feasible_policies, solution_policies
from woodstock.scsp.feasibility import find_feasible
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.one_stage import OneStage
from woodstock.scsp.policy import Policy, PolicyEvaluator
from woodstock.scsp.sequence import StageSequence
from woodstock.scsp.split import split_network
from woodstock.scsp.stochastic import StochasticNetwork

HALF = Fraction(1, 2)
HEADS, TAILS, UNSET = "H", "T", "U"

# Example 1, Fig. 1. GDL has no `alleq`, so the winning position is spelt out, and rewards are 0 and 100 for 0 and 1.
MATCHING_PENNIES = """
(role alice) (role bob) (role random)
(side tails) (side heads)
(init (coin alice unset)) (init (coin bob unset)) (init (coin random unset))
(init (control alice)) (init (control bob))
(<= (legal ?p (choose ?x)) (true (control ?p)) (side ?x))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (coin ?p ?x)) (does ?p (choose ?x)) (side ?x))
(<= (next (coin ?p ?x)) (does ?p noop) (true (coin ?p ?x)))
(<= (next (control random)) (true (control alice)))
(<= terminal (not (true (coin alice unset))) (not (true (coin random unset))) (not (true (coin bob unset))))
(<= has_won (true (coin alice ?x)) (true (coin bob ?x)) (true (coin random ?x)) (side ?x))
(<= (goal alice 100) has_won) (<= (goal alice 0) (not has_won))
(<= (goal bob 100) has_won) (<= (goal bob 0) (not has_won))
"""


@pytest.fixture(scope="module")
def pennies() -> StochasticNetwork:
    """Example 2: what alice and bob lay in the first round stays in the second, in which the third coin is flipped."""
    network = Network()
    x1a, x1b = network.add_vars(("x1,a", "x1,b"), (HEADS, TAILS))
    y1 = network.add_var("y1", (UNSET,))
    x2a, x2b = network.add_vars(("x2,a", "x2,b"), (HEADS, TAILS))
    y2 = network.add_var("y2", (HEADS, TAILS))
    network.add(
        *(relation(network, scope, lambda first, second: first == second) for scope in ((x1a, x2a), (x1b, x2b)))
    )
    network.add(reward(network, (x2a, x2b, y2), lambda a, b, y: a == b == y, num_players=2))
    tables = (uniform(network, y1), uniform(network, y2))
    return StochasticNetwork(network, tables, threshold=(HALF, HALF))


def same_side(place: int) -> Policy:
    """Return the policy in which alice and bob lay the same side and leave it."""
    end = Policy((place, place), ((0, Policy(())), (1, Policy(()))))
    return Policy((place, place), ((0, end),))


def test_example_2_has_two_stages(pennies: StochasticNetwork) -> None:
    # "The network is defined over the tuple of variables x1,a, x1,b, y1, x2,a, x2,b, y2"
    assert [(stage.decisions, stage.chances) for stage in pennies.stages] == [((0, 1), (2,)), ((3, 4), (5,))]


@pytest.mark.parametrize("place", [0, 1])
def test_example_2_the_policy_is_a_solution_of_utility_one_half(pennies: StochasticNetwork, place: int) -> None:
    # "it is consistent with both c_a and c_b, and satisfies c_s with an expected utility of 1/2 = θ" (Fig. 2 (b) shows
    # one such policy; whichever side it is, the other one is a solution for the same reason).
    evaluator = PolicyEvaluator(pennies)
    policy = same_side(place)
    assert evaluator.is_feasible(policy)
    assert evaluator.expected_utility(policy) == (HALF, HALF)
    assert evaluator.is_solution(policy)


def test_example_2_has_no_other_solution(pennies: StochasticNetwork) -> None:
    solutions = solution_policies(pennies).found
    assert {found.policy for found in solutions} == {same_side(0), same_side(1)}
    feasible = feasible_policies(pennies).found
    assert sorted(found.utilities for found in feasible) == [(0, 0), (0, 0), (HALF, HALF), (HALF, HALF)]


def test_example_2_is_solved_as_a_sequence_of_one_stage_networks(pennies: StochasticNetwork) -> None:
    sequence = StageSequence(pennies)
    assert sequence.num_stages == 2
    assert set(sequence.feasible_policies().found) == set(feasible_policies(pennies).found)
    assert sequence.best_policy(player=1).found[0].utilities == (HALF, HALF)


@pytest.mark.parametrize("strength", Strength)
def test_examples_1_and_2_the_rules_give_the_same_utility(strength: Strength) -> None:
    game = GameNetwork(ground(parse_rules(MATCHING_PENNIES), use_cache=False), horizon=2, with_outcome=True)
    network = game.network
    network.add(game.position_clauses(game.initial_position()))
    stochastic = game.stochastic(threshold=(HALF, HALF))
    found = StageSequence(stochastic, strength=strength).undominated_policies().found
    assert [policy.utilities for policy in found] == [(HALF, HALF)]
    assert PolicyEvaluator(stochastic).is_solution(found[0].policy)


def figure_3() -> StochasticNetwork:
    """Return the µSCSP of Fig. 3, whose goal constraint is omitted there; players are a, b and r."""
    network = Network()
    coins = network.add_vars([f"coin t,{player}" for player in "abr"], (HEADS, TAILS, UNSET))
    terminal = network.add_var("terminal t")
    controls = network.add_vars([f"control t,{player}" for player in "abr"], BOOLEANS)
    chooses = network.add_vars([f"choose t,{player}" for player in "abr"], ("heads", "tails", "noop"))
    next_coins = network.add_vars([f"coin t+1,{player}" for player in "abr"], (HEADS, TAILS, UNSET))
    next_controls = network.add_vars([f"control t+1,{player}" for player in "abr"], BOOLEANS)
    network.add(relation(network, (*coins, terminal), lambda *row: row[3] == (UNSET not in row[:3])))
    laid = {("U", "noop"): "U", ("H", "noop"): "H", ("T", "noop"): "T", ("U", "heads"): "H", ("U", "tails"): "T"}
    for player in range(3):
        network.add(
            relation(network, (controls[player], chooses[player]), lambda control, move: control == (move != "noop")),
            relation(network, (controls[player], next_controls[player]), lambda now, after: now != after),
            relation(
                network,
                (coins[player], chooses[player], next_coins[player]),
                lambda coin, move, after: laid.get((coin, move)) == after,
            ),
        )
    flip = ProbabilityTable(chooses[2], (controls[2],), [(0,), (1,)], [(0, 0, 1), (HALF, HALF, 0)])
    return StochasticNetwork(network, (flip,))


def position(network: Network, coins: str, control: str) -> tuple[list[int], list[int]]:
    """Return the variables of a position of Fig. 3, and the places of their values."""
    variables = [network.names.index(f"coin t,{player}") for player in "abr"]
    places = [(HEADS, TAILS, UNSET).index(coin) for coin in coins]
    variables += [network.names.index(f"control t,{player}") for player in "abr"]
    return variables, [*places, *(int(player in control) for player in "abr")]


def test_figure_3_in_the_first_round_both_choose_and_chance_does_nothing() -> None:
    stage = OneStage(figure_3())
    network = stage.network.network
    solutions = stage.solve(*position(network, "UUU", "ab"))
    found = [network.values(path.places.tolist()) for row in range(len(solutions)) for path in solutions.paths(row)]
    assert len(found) == len(solutions) == 4
    assert {(row["choose t,a"], row["choose t,b"]) for row in found} == set(
        itertools.product(("heads", "tails"), repeat=2)
    )
    for row in found:
        assert row["choose t,r"] == "noop"
        assert row["terminal t"] is False
        assert row["coin t+1,a"] == ("H" if row["choose t,a"] == "heads" else "T")
        assert [row[f"control t+1,{player}"] for player in "abr"] == [False, False, True]


def test_figure_3_in_the_second_round_chance_flips_and_both_sides_are_equally_likely() -> None:
    stage = OneStage(figure_3())
    network = stage.network.network
    solutions = stage.solve(*position(network, "HHU", "r"))
    assert len(solutions) == 1
    found = [(network.values(path.places.tolist()), path.probability) for path in solutions.paths(0)]
    assert {(row["choose t,r"], row["coin t+1,r"], share) for row, share in found} == {
        ("heads", "H", HALF),
        ("tails", "T", HALF),
    }
    # The figure turns the control of every player round in each round. In the rules nobody has it after the second
    # round, and here alice and bob have it again; that is of no consequence, for by then the match is over.
    assert all([row[f"control t+1,{player}"] for player in "abr"] == [True, True, False] for row, _ in found)
    after = stage.solve(*position(network, "HHT", ""))
    assert all(network.values(path.places.tolist())["terminal t"] for path in after.paths(0))


# Example 3. The text gives the domains, θ = 3/4, a uniform y, that N'' has the constraints c1 and c2, that the relation
# of the feasibility constraint is {(2, 1), (2, 2)}, and that (x1 = 2, x2 = 2) is the only solution of {c3, c_s}. What
# c1, c2 and c3 are stands in Fig. 4 (a) alone, a picture that the text does not spell out. As y has three values that
# are equally likely, a satisfaction of 3/4 is one of 1: so if c1 is about x1 and y and c2 about x2 and y, only x1 = 2
# goes with all values of y in c1, and x2 = 1 and x2 = 2 do in c2. The tests go through all constraints of which that is
# true.

X1, X2, Y = (1, 2, 3), (0, 1, 2), (0, 1, 2)
INCOMPLETE = [rows for size in range(3) for rows in itertools.combinations(range(3), size)]
"""All sets of values of y but the one that has all."""


def example_3(of_1: tuple[int, ...], of_3: tuple[int, ...], of_0: tuple[int, ...]) -> StochasticNetwork:
    """Return the network in which c1 and c2 allow the given values of y for x1 = 1, x1 = 3 and x2 = 0."""
    network = Network()
    x1, x2, y = network.add_var("x1", X1), network.add_var("x2", X2), network.add_var("y", Y)
    allowed_1 = {1: of_1, 2: Y, 3: of_3}
    allowed_2 = {0: of_0, 1: Y, 2: Y}
    network.add(
        relation(network, (x1, y), lambda x1, y: y in allowed_1[x1]),
        relation(network, (x2, y), lambda x2, y: y in allowed_2[x2]),
        relation(network, (x1, x2), lambda x1, x2: x1 == x2),
    )
    return StochasticNetwork(network, (uniform(network, y),))


@pytest.mark.parametrize("of_1", INCOMPLETE)
@pytest.mark.parametrize("of_3", INCOMPLETE)
def test_example_3_forward_checking_gives_the_feasibility_constraint(
    of_1: tuple[int, ...], of_3: tuple[int, ...]
) -> None:
    for of_0 in INCOMPLETE:
        network = example_3(of_1, of_3, of_0)
        split = split_network(network)
        assert split.stochastic_part.constraints == network.network.constraints[:2]
        found = find_feasible(network, split, Solver(split.stochastic_part), Fraction(3, 4)).constraint
        rows = np.asarray(found.tuples)[:, np.argsort(found.scope)].tolist()
        assert sorted((X1[a], X2[b]) for a, b in rows) == [(2, 1), (2, 2)]


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize("of_0", INCOMPLETE)
def test_example_3_has_one_solution(of_0: tuple[int, ...], strength: Strength) -> None:
    network = example_3((1, 2), (0,), of_0)
    solutions = OneStage(network, strength=strength, satisfaction=Fraction(3, 4)).solve()
    assert [(X1[a], X2[b]) for a, b in solutions.decisions.tolist()] == [(2, 2)]
    # "the unique solution policy of N is π1": its three leaves hold, each with a third of the probability.
    (policy,) = solutions.policies(0)
    assert policy.policy == Policy((1, 2), tuple((place, Policy(())) for place in range(3)))
    assert PolicyEvaluator(network).satisfaction(policy.policy) == 1


def test_example_3_does_not_depend_on_which_constraint_leaves_only_that_pair() -> None:
    # c3 may be any relation between x1 and x2 that has (2, 2) and not (2, 1).
    others = [(x1, x2) for x1 in range(3) for x2 in range(3) if (x1, x2) not in {(1, 1), (1, 2)}]
    split = split_network(example_3((), (), ()))
    c_s = find_feasible(example_3((), (), ()), split, Solver(split.stochastic_part)).constraint
    for kept in (others, others[:3], []):
        network = Network()
        network.add_var("x1", X1)
        network.add_var("x2", X2)
        network.add(Table((0, 1), [*kept, (1, 2)]), c_s)
        assert Solver(network).enumerate().places.tolist() == [[1, 2]]

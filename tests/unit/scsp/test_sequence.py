"""Networks of several stages, solved stage by stage."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from naive.networks import brute_force
from naive.stochastic import feasible_policies as naive_policies
from naive.stochastic import random_stochastic, relation, reward
from woodstock.common.errors import UsageError
from woodstock.common.limits import Limits
from woodstock.cp.constraints import Clauses
from woodstock.cp.network import Network
from woodstock.cp.solver import Status, Strength
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.scsp.chance import uniform
from woodstock.scsp.exact import best_policy, undominated_policies
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.sequence import StageSequence, split_stages
from woodstock.scsp.stochastic import StochasticNetwork


def test_the_constraints_of_all_stages_are_those_of_the_network() -> None:
    rng = random.Random(4)
    num_stages = []
    for number in range(30):
        network = random_stochastic(rng, least_stages=1 + number % 3)
        parts = split_stages(network)
        together = Network(list(network.network.names), list(network.network.domains), network.network.first_choices)
        for stage_number, part in enumerate(parts):
            together.add(*part.network.constraints, *part.network.utilities)
            stage = network.stages[stage_number]
            own = (*stage.decisions, *stage.chances)
            assert part.order[len(part.order) - len(own) :] == own
            assert {table.var for table in part.tables} == set(stage.chances)
        assert together.num_constraints == network.network.num_constraints
        assert len(together.utilities) == len(network.network.utilities)
        assert brute_force(together) == brute_force(network.network)
        num_stages.append(len(parts))
    assert max(num_stages) > 2


def test_a_constraint_that_mentions_nothing_belongs_to_the_first_stage() -> None:
    network = Network()
    network.add_vars("abcd")
    network.add(Clauses(np.zeros(2, np.int64), np.zeros(0, np.int32)))
    stochastic = StochasticNetwork(network, (uniform(network, 1), uniform(network, 3)))
    assert [part.network.num_constraints for part in split_stages(stochastic)] == [1, 0]
    assert StageSequence(stochastic).feasible_policies().found == ()


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize("prepares", [False, True])
def test_the_policies_are_those_that_trying_all_finds(strength: Strength, prepares: bool) -> None:
    rng = random.Random(5)
    num_feasible = 0
    for number in range(24):
        network = random_stochastic(rng, most_policies=1000, least_stages=1 + number % 3)
        expected = naive_policies(network)
        sequence = StageSequence(network, strength=strength, prepares=prepares)
        found = sequence.feasible_policies()
        assert found.status is Status.COMPLETE
        assert len(found.found) == len(set(found.found))
        assert {(policy.utilities, policy.policy) for policy in found.found} == expected
        num_feasible += bool(expected)
    assert num_feasible > 4


def test_the_best_policies_are_those_of_exact_search() -> None:
    rng = random.Random(6)
    for number in range(24):
        network = random_stochastic(rng, least_stages=1 + number % 3)
        sequence = StageSequence(network)
        for player in range(2):
            ours, theirs = sequence.best_policy(player).found, best_policy(network, player).found
            assert [policy.utilities[player] for policy in ours] == [policy.utilities[player] for policy in theirs]
        front = {policy.utilities for policy in undominated_policies(network).found}
        assert {policy.utilities for policy in sequence.undominated_policies().found} == front


def walk(num_stages: int) -> StochasticNetwork:
    """Return a walk on ten places: in each stage a step that is chosen, and one that is drawn."""
    network = Network()
    place = network.add_var("place 0", range(10))
    network.add(relation(network, (place,), lambda here: here == 5))
    tables = []
    for stage in range(1, num_stages + 1):
        step = network.add_var(f"step {stage}", (-1, 1))
        gust = network.add_var(f"gust {stage}", (-1, 0, 1))
        after = network.add_var(f"place {stage}", range(10))
        network.add(
            relation(network, (place, step, gust, after), lambda here, a, b, there: (here + a + b) % 10 == there)
        )
        tables.append(uniform(network, gust))
        place = after
    network.add(reward(network, (place,), lambda there: there == 0))
    return StochasticNetwork(network, tuple(tables))


def test_what_follows_is_solved_once_for_each_position() -> None:
    # There are 6 ** 12 ways, but ten positions in each stage.
    sequence = StageSequence(walk(12))
    found = sequence.best_policy()
    assert found.status is Status.COMPLETE
    values = np.zeros(10)
    values[0] = 1
    for _ in range(12):
        values = np.max(
            [np.mean([np.roll(values, -step - gust) for gust in (-1, 0, 1)], axis=0) for step in (-1, 1)], axis=0
        )
    assert float(found.found[0].utilities[0]) == pytest.approx(values[5])


def test_limits_end_it_with_a_status() -> None:
    sequence = StageSequence(walk(3))
    assert sequence.best_policy(limits=Limits(nodes=5)).status is Status.LIMIT
    assert sequence.best_policy(limits=Limits(seconds=1e-9)).status is Status.LIMIT
    assert sequence.best_policy(limits=Limits(nodes=10**6, seconds=600)).status is Status.COMPLETE


def test_there_must_be_such_a_player() -> None:
    with pytest.raises(UsageError, match="player from 0 to 0, found 1"):
        StageSequence(walk(1)).best_policy(1)


def test_who_sees_where_the_car_is_hidden_always_wins() -> None:
    # A policy depends on all that is drawn, also on what the rules of this game hide from the guest.
    game = GameNetwork(ground(load_rules("monty_hall"), use_cache=False), horizon=4, with_outcome=True)
    game.network.add(game.position_clauses(game.initial_position()))
    found = StageSequence(game.stochastic()).best_policy().found
    assert found[0].utilities == (Fraction(1),)

"""Stochastic networks: all policies by trying everything, and a source of random small networks."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from naive.networks import KINDS, Places, brute_force, random_network
from woodstock.cp.constraints import Table, Utility
from woodstock.cp.network import Network
from woodstock.scsp.chance import ChanceTable, ProbabilityTable, uniform
from woodstock.scsp.policy import Policy
from woodstock.scsp.stochastic import StochasticNetwork

Valued = tuple[tuple[Fraction, ...], Policy]


def all_policies(network: StochasticNetwork, position: int = 0, given: dict[int, int] | None = None) -> list[Policy]:
    """Return every tree of decisions from a position of the order on, whether it keeps to constraints or not."""
    given = given or {}
    if position == len(network.order):
        return [Policy(())]
    var = network.order[position]
    if var not in network.table_of:
        return [
            Policy((place, *rest.places), rest.branches)
            for place in range(len(network.network.domains[var]))
            for rest in all_policies(network, position + 1, {**given, var: place})
        ]
    drawn = sorted(distribution(network, var, given))
    children = [
        [(place, child) for child in all_policies(network, position + 1, {**given, var: place})] for place in drawn
    ]
    return [Policy((), branches) for branches in itertools.product(*children)] if drawn else []


def distribution(network: StochasticNetwork, var: int, given: dict[int, int]) -> dict[int, Fraction]:
    places = np.array([given.get(other, 0) for other in range(network.network.num_vars)], np.int32)
    return dict(network.table_of[var].distribution(places))


def leaves(network: StochasticNetwork, policy: Policy) -> Iterator[tuple[Places, Fraction]]:
    """Yield the place of each variable's value at each leaf, 0 outside the order, and its probability."""

    def walk(policy: Policy, given: dict[int, int], probability: Fraction) -> Iterator[tuple[Places, Fraction]]:
        after = len(given) + len(policy.places)
        given = given | dict(zip(network.order[len(given) : after], policy.places, strict=True))
        if after == len(network.order):
            yield tuple(given.get(var, 0) for var in range(network.network.num_vars)), probability
        for place, child in policy.branches:
            var = network.order[after]
            yield from walk(child, given | {var: place}, probability * distribution(network, var, given)[place])

    yield from walk(policy, {}, Fraction(1))


def utility(network: StochasticNetwork, places: Places) -> tuple[Fraction, ...]:
    """Return the sum of what the soft constraints give; their numbers are read as hundredths."""
    total = [Fraction(0)] * network.num_players
    for soft in network.network.utilities:
        for row, numbers in zip(soft.tuples, soft.utilities, strict=True):
            if all(places[var] == place for var, place in zip(soft.scope, row, strict=True)):
                total = [a + Fraction(round(100 * b), 100) for a, b in zip(total, numbers, strict=True)]
    return tuple(total)


def evaluate(
    network: StochasticNetwork, policy: Policy, solutions: set[Places]
) -> tuple[tuple[Fraction, ...], Fraction]:
    """Return what each player expects from a policy, and the probability that no constraint is broken.

    Args:
        network: The network.
        policy: The policy.
        solutions: All solutions of the hard constraints.
    """
    expected = [Fraction(0)] * network.num_players
    satisfied = Fraction(0)
    for places, probability in leaves(network, policy):
        expected = [a + probability * b for a, b in zip(expected, utility(network, places), strict=True)]
        satisfied += probability * (places in solutions)
    return tuple(expected), satisfied


def feasible_policies(network: StochasticNetwork) -> set[Valued]:
    """Return all feasible policies with what each player expects from them."""
    solutions = brute_force(network.network)
    found = set()
    for policy in all_policies(network):
        expected, satisfied = evaluate(network, policy, solutions)
        if satisfied == 1:
            found.add((expected, policy))
    return found


def count_policies(network: StochasticNetwork) -> int:
    """Return a bound on the number of policies: every stochastic value may be drawn."""
    count = 1
    for var in reversed(network.order):
        size = len(network.network.domains[var])
        count = count**size if var in network.table_of else count * size
        if count > 10**9:
            return count
    return count


def random_stochastic(
    rng: random.Random, *, kinds: Sequence[str] = KINDS, most_policies: int = 2000, least_stages: int = 1
) -> StochasticNetwork:
    """Return a random network for two players with at most so many policies and at least so many stages."""
    num_players = 2
    while True:
        network = random_network(rng, kinds, largest=300)
        order = list(range(network.num_vars))
        rng.shuffle(order)
        chances = [var for var in order if rng.random() < 0.4]
        tables = tuple(random_table(rng, network, order, var) for var in chances)
        for _ in range(rng.randint(0, 2)):
            network.add(random_utility(rng, network, num_players))
        threshold = tuple(Fraction(rng.randint(0, 10), 10) for _ in range(num_players))
        stochastic = StochasticNetwork(network, tables, tuple(order), threshold)
        if count_policies(stochastic) <= most_policies and len(stochastic.stages) >= least_stages:
            return stochastic


def random_one_stage(
    rng: random.Random, *, kinds: Sequence[str] = KINDS, most_policies: int = 2000
) -> StochasticNetwork:
    """Return a random network of one stage, after which there may be some more decisions."""
    while True:
        network = random_stochastic(rng, kinds=kinds, most_policies=most_policies)
        stages = network.stages
        if len(stages) == 1 or (len(stages) == 2 and not stages[1].chances):
            return network


def random_table(rng: random.Random, network: Network, order: list[int], var: int) -> ChanceTable:
    before = order[: order.index(var)]
    size = len(network.domains[var])
    if before and rng.random() < 0.5:
        drawn = rng.choices(before, k=size)
        literals = [
            network.literal(other, rng.choice(network.domains[other]), holds=rng.random() < 0.6) for other in drawn
        ]
        return uniform(network, var, literals)
    scope = tuple(rng.sample(before, rng.randint(0, min(2, len(before)))))
    rows = list(itertools.product(*(range(len(network.domains[other])) for other in scope)))
    kept = [row for row in rows if rng.random() < 0.9] or rows
    return ProbabilityTable(var, scope, kept, [random_distribution(rng, size) for _ in kept])


def random_distribution(rng: random.Random, size: int) -> list[Fraction]:
    weights = [rng.choice((0, 1, 1, 2)) for _ in range(size)]
    if not any(weights):
        weights[rng.randrange(size)] = 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def random_utility(rng: random.Random, network: Network, num_players: int) -> Utility:
    scope = tuple(rng.sample(range(network.num_vars), rng.randint(1, min(3, network.num_vars))))
    rows = [
        row for row in itertools.product(*(range(len(network.domains[var])) for var in scope)) if rng.random() < 0.6
    ]
    return Utility(scope, rows, [[rng.randint(0, 100) / 100 for _ in range(num_players)] for _ in rows])


def relation(network: Network, scope: tuple[int, ...], holds: Callable[..., bool]) -> Table:
    """Return the table of all combinations of values of which something holds."""
    domains = [list(enumerate(network.domains[var])) for var in scope]
    rows = [row for row in itertools.product(*domains) if holds(*(value for _, value in row))]
    return Table(scope, np.array([[place for place, _ in row] for row in rows], np.int32).reshape(-1, len(scope)))


def reward(network: Network, scope: tuple[int, ...], holds: Callable[..., bool], num_players: int = 1) -> Utility:
    """Return the soft constraint that gives 1 to every player if something holds, and 0 otherwise."""
    rows = relation(network, scope, holds).tuples
    return Utility(scope, rows, np.ones((len(rows), num_players)))


def satisfactions(network: StochasticNetwork) -> dict[Places, Fraction]:
    """Return, for all decisions of a one-stage network, the probability that something later keeps to the constraints.

    The decisions are places of values in the order of the first stage.
    """
    solutions = brute_force(network.network)
    first = network.stages[0]
    chances = first.chances
    found = {}
    for places in itertools.product(*(range(len(network.network.domains[var])) for var in first.decisions)):
        given = dict(zip(first.decisions, places, strict=True))
        total = Fraction(0)
        for drawn in itertools.product(*(range(len(network.network.domains[var])) for var in chances)):
            values = given | dict(zip(chances, drawn, strict=True))
            probability = Fraction(1)
            for var in chances:
                probability *= distribution(network, var, values).get(values[var], Fraction(0))
            holds = any(all(row[var] == place for var, place in values.items()) for row in solutions)
            total += probability * holds
        found[places] = total
    return found

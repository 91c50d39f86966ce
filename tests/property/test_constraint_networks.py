"""The solver on random networks: laws of propagation, searches from any node, and the way back."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from naive.networks import Places, RandomNetworks, brute_force, random_network
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Limits
from woodstock.cp.examination import examine
from woodstock.cp.harness import Consistency, draw_trial, subject_of
from woodstock.cp.network import Network
from woodstock.cp.orders import Strength, ValueOrder, VariableOrder
from woodstock.cp.solver import Solver, Status

PROFILE = settings()
EXAMPLES = PROFILE.max_examples // 10 if JIT_DISABLED else PROFILE.max_examples

fuzz = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
randoms = st.randoms(use_true_random=False)
strengths = st.sampled_from(Strength)


CLAIMS = {
    "allowed": Consistency.GAC,
    "forbidden": Consistency.GAC,
    "one-hot": Consistency.GAC,
    "linear": Consistency.FORWARD_CHECKING,
    "predicate": Consistency.FORWARD_CHECKING,
}
"""What the propagators of these kinds say about themselves, whatever their literals."""


def check_laws(network: Network, rng: random.Random, strength: Strength, claim: Consistency) -> None:
    """Make a random trial of a network as the harness does, which knows its solutions."""
    note(str(network.constraints))
    solutions = brute_force(network)
    places = [{value: place for place, value in enumerate(domain)} for domain in network.domains]

    def is_solution(values: Sequence[object]) -> bool:
        return tuple(known[value] for known, value in zip(places, values, strict=True)) in solutions

    subject = subject_of("network", network, is_solution, claim, strength)
    fault = examine(subject, draw_trial(subject, rng))
    assert fault is None, fault.words


@fuzz
@given(randoms, strengths)
def test_propagation_obeys_its_laws(rng: random.Random, strength: Strength) -> None:
    """Nothing is lost, what is no solution fails, propagation is monotone and idempotent, and one can go back."""
    check_laws(random_network(rng, largest=100), rng, strength, Consistency.NONE)


@fuzz
@given(randoms, strengths, st.sampled_from(sorted(CLAIMS)))
def test_constraints_are_as_consistent_as_they_claim(rng: random.Random, strength: Strength, kind: str) -> None:
    network = RandomNetworks(rng, (kind,), largest=100).draw(num_constraints=1)
    claim = CLAIMS[kind] if strength is Strength.MAC else Consistency.FORWARD_CHECKING
    check_laws(network, rng, strength, claim)


def wander(solver: Solver, rng: random.Random) -> list[Places]:
    """Go down and up at random; return which places are left of each variable by the decisions that were made."""
    allowed = [[tuple(range(len(domain))) for domain in solver.network.domains]]
    for _ in range(rng.randint(0, 6)):
        if (rng.random() < 0.3 or solver.is_failed) and solver.level:
            solver.pop()
            allowed.pop()
        elif not solver.is_failed:
            var = rng.randrange(solver.network.num_vars)
            place = rng.choice(solver.domain(var))
            solver.push()
            allowed.append(list(allowed[-1]))
            if rng.random() < 0.5:
                solver.assign(var, place)
                allowed[-1][var] = (place,)
            else:
                solver.remove(var, place)
                allowed[-1][var] = tuple(other for other in allowed[-1][var] if other != place)
    return allowed[-1]


def state(solver: Solver) -> tuple[object, ...]:
    """Return everything that can be seen of a node."""
    domains = tuple(solver.domain(var) for var in range(solver.network.num_vars))
    return domains, solver.open_vars, solver.is_failed, solver.level


def below(network: Network, allowed: list[Places]) -> set[Places]:
    """Return the solutions in which each variable has one of its places."""
    return {row for row in brute_force(network) if all(p in kept for p, kept in zip(row, allowed, strict=True))}


@fuzz
@given(randoms, strengths, st.sampled_from(VariableOrder), st.sampled_from(ValueOrder))
def test_a_search_from_any_node_and_back(
    rng: random.Random, strength: Strength, variables: VariableOrder, values: ValueOrder
) -> None:
    network = random_network(rng, largest=100)
    note(str(network.constraints))
    solver = Solver(network, strength=strength, variable_order=variables, value_order=values)
    expected = below(network, wander(solver, rng))
    before = state(solver)
    for _ in range(2):
        found = [tuple(row) for row in solver.enumerate().places.tolist()]
        assert sorted(found) == sorted(expected)
        assert state(solver) == before
    one_by_one = [tuple(row.tolist()) for row in solver.solutions()]
    assert sorted(one_by_one) == sorted(expected)
    assert state(solver) == before
    while solver.level:
        solver.pop()
    assert state(solver) == state(Solver(network, strength=strength))


@fuzz
@given(randoms, strengths, st.integers(1, 30))
def test_a_search_that_ends_early(rng: random.Random, strength: Strength, nodes: int) -> None:
    network = random_network(rng, largest=100)
    note(str(network.constraints))
    solver = Solver(network, strength=strength, variable_order=VariableOrder.STATIC)
    everything = solver.enumerate()
    before = state(solver)
    part = solver.enumerate(Limits(nodes=nodes))
    assert part.statistics.nodes <= nodes
    assert part.places.tolist() == everything.places[: len(part)].tolist()
    if part.status is Status.COMPLETE:
        assert len(part) == len(everything)
    else:
        assert everything.statistics.nodes > nodes
    some = solver.enumerate(max_solutions=2)
    assert some.places.tolist() == everything.places[:2].tolist()
    iterator = solver.solutions()
    first = next(iterator, None)
    iterator.close()  # type: ignore[attr-defined]
    assert (first is None) == (len(everything) == 0)
    assert state(solver) == before
    assert solver.enumerate().places.tolist() == everything.places.tolist()

"""Common parts of gates: the same values with fewer reads."""

from __future__ import annotations

import numpy as np
import pytest

from naive.groups import no_groups, random_groups, random_inputs
from naive.network import literal_value, make_network, network_values, random_network
from woodstock.circuit.network import Network
from woodstock.circuit.sharing import FEW, MIN_USES, share
from woodstock.common.jit import JIT_DISABLED

NUM_NETWORKS = 10 if JIT_DISABLED else 100


def outputs_of(network: Network, inputs: np.ndarray) -> list[list[bool]]:
    values = network_values(network, inputs[1:].tolist())
    return [[literal_value(values, literal) for literal in output.tolist()] for output in network.outputs]


@pytest.mark.parametrize("seed", range(NUM_NETWORKS))
def test_values_stay_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = random_network(rng, int(rng.integers(1, 80)), loop_chance=float(rng.choice([0, 0.1, 0.4])))
    groups = random_groups(rng, 1, network.num_inputs)
    shared = share(network, groups)
    assert shared.num_edges <= network.num_edges
    for _ in range(6):
        inputs = random_inputs(rng, groups)
        assert outputs_of(shared, inputs) == outputs_of(network, inputs)


@pytest.mark.parametrize("seed", range(NUM_NETWORKS // 5))
@pytest.mark.parametrize("size", [4, 9, FEW, FEW + 1, 60])
def test_gates_with_much_in_common(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    num_fluents = size + 8
    base = 2 * (1 + rng.permutation(num_fluents)[: size - 1]) + rng.integers(0, 2, size - 1)
    gates = [
        sorted({*rng.choice(base, max(2, size - 2), replace=False).tolist(), 2 * int(rng.integers(1, num_fluents + 1))})
        for _ in range(20)
    ]
    first = 1 + num_fluents + 1
    network = make_network(num_fluents, 1, gates, [2 * (first + number) for number in range(20)])
    groups = no_groups(network.num_inputs)
    shared = share(network, groups)
    assert shared.num_edges < network.num_edges
    for _ in range(6):
        inputs = random_inputs(rng, groups)
        inputs[1:] = rng.random(len(inputs) - 1) < 0.9
        inputs[(base >> 1)[(base & 1) == 1]] ^= rng.random() < 0.9
        assert outputs_of(shared, inputs) == outputs_of(network, inputs)


def test_a_pair_that_few_gates_have_stays_where_it_is() -> None:
    for times, is_shared in ((MIN_USES - 1, False), (MIN_USES, True)):
        gates = [[2, 4, 2 * (3 + number)] for number in range(times)]
        network = make_network(10, 1, gates, [2 * (12 + number) for number in range(times)])
        shared = share(network, no_groups(12))
        assert (shared.num_gates == times + 1) == is_shared
        assert (shared.num_edges < network.num_edges) == is_shared

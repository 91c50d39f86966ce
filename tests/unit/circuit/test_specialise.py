"""Networks with fixed inputs: the same values, with fewer gates."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from naive.groups import inputs_like, no_groups, random_groups, random_inputs
from naive.network import literal_value, make_network, network_values, random_network
from woodstock.circuit.builder import NO_GROUP
from woodstock.circuit.network import FALSE, TRUE, Network
from woodstock.circuit.specialise import count_uses, specialise, without_fixed
from woodstock.common.jit import JIT_DISABLED

NUM_NETWORKS = 15 if JIT_DISABLED else 150


def free(network: Network) -> np.ndarray:
    return 2 * np.arange(network.num_inputs, dtype=np.int32)


def outputs_of(network: Network, inputs: np.ndarray) -> list[list[bool]]:
    values = network_values(network, inputs[1:].tolist())
    return [[literal_value(values, literal) for literal in output.tolist()] for output in network.outputs]


@pytest.mark.parametrize("seed", range(NUM_NETWORKS))
def test_values_stay_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = random_network(rng, int(rng.integers(1, 80)), loop_chance=float(rng.choice([0, 0.1, 0.4])))
    groups = random_groups(rng, 1, network.num_inputs)
    known = random_inputs(rng, groups)
    is_fixed = rng.random(network.num_inputs) < rng.choice([0, 0.3, 0.8])
    is_fixed[0] = False
    fixed = np.where(is_fixed, np.where(known, TRUE, FALSE), free(network)).astype(np.int32)
    made = specialise(network, groups, fixed)
    for _ in range(8):
        inputs = inputs_like(rng, groups, known, is_fixed)
        assert outputs_of(made, inputs) == outputs_of(network, inputs)
    assert not np.isin(made.gate_data >> 1, np.flatnonzero(is_fixed)).any()
    again = specialise(made, groups, fixed)
    for _ in range(3):
        inputs = inputs_like(rng, groups, known, is_fixed)
        assert outputs_of(again, inputs) == outputs_of(network, inputs)


def test_what_nothing_needs_is_gone() -> None:
    network = make_network(3, 1, [[2, 4], [6, 8], [10, 4]], [10])
    made = specialise(network, no_groups(5), free(network))
    assert made.num_gates == 1
    assert made.gate_data.tolist() == [2, 4]


def test_a_gate_that_is_used_once_becomes_part_of_its_user() -> None:
    network = make_network(3, 1, [[2, 4], [10, 6], [12, 9]], [14])
    made = specialise(network, no_groups(5), free(network))
    assert made.num_gates == 1
    assert made.gate_data.tolist() == [2, 4, 6, 9]


@pytest.mark.parametrize("times", [2047, 2048, 2049, 3000, 4096])
def test_a_node_may_be_used_thousands_of_times(times: int) -> None:
    # Gate 0 says "f0 and f1"; all others ask that it does not hold.
    num_fluents = 100
    others = list(combinations(range(3, 1 + num_fluents), 2))[:times]
    node = 1 + num_fluents + 1
    gates = [[2, 4], *([2 * node + 1, 2 * one, 2 * two] for one, two in others)]
    network = make_network(num_fluents, 1, gates, [2 * (node + 1 + number) for number in range(times)])
    assert (count_uses(network) >= 0).all()
    made = specialise(network, no_groups(network.num_inputs), free(network))
    inputs = np.ones(network.num_inputs, np.bool_)
    for holds in (True, False):
        inputs[1] = holds
        assert outputs_of(made, inputs)[3] == [not holds] * times


def test_groups_of_what_is_not_fixed() -> None:
    rng = np.random.default_rng(0)
    groups = random_groups(rng, 1, 30)
    fixed = 2 * np.arange(30, dtype=np.int32)
    member = int(groups.data[0])
    for value, is_exact in ((FALSE, groups.is_exact[0]), (TRUE, False)):
        fixed[member] = value
        left = without_fixed(groups, fixed)
        assert left.of_node[member] == NO_GROUP
        assert member not in left.data
        assert left.start[1] == groups.start[1] - 1
        assert left.is_exact[0] == is_exact

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from naive.network import literal_value, make_network, network_values, random_network
from woodstock.circuit.compound import compound
from woodstock.circuit.evaluate import evaluate, new_values, tables
from woodstock.circuit.network import Network
from woodstock.circuit.products import NUM_COMPLEMENTS, PRODUCT_SIZES
from woodstock.circuit.schedule import Schedule, schedule
from woodstock.circuit.words import ALL, WIDTHS, WordArray, zero


def cones_of(network: Network) -> list[np.ndarray]:
    """The outputs as an engine asks for them."""
    return [np.append(network.legal, np.int32(network.terminal)), network.next, network.percepts, network.goals]


def read_literals(plan: Schedule, values: WordArray, literals: np.ndarray, width: int) -> np.ndarray:
    """The words of literals, shape (n, width)."""
    words = values.reshape(-1, width)[plan.slot_of_node[literals >> 1]]
    return words ^ np.where(literals & 1, ALL, 0).astype(np.uint64)[:, np.newaxis]


def read_lane(words: np.ndarray, lane: int) -> list[bool]:
    """One lane of words of shape (n, width)."""
    return (words[:, lane // 64] >> np.uint64(lane % 64) & np.uint64(1)).astype(bool).tolist()


def run_pass(network: Network, plan: Schedule, cones: list[np.ndarray], inputs: np.ndarray) -> list[np.ndarray]:
    """The outputs of each cone, read right after it; moves are written after the first."""
    width = inputs.shape[1]
    program = tables(plan, width)
    values = new_values(plan.num_slots, width)
    slots = values.reshape(-1, width)
    slots[1 : 1 + network.num_fluents] = inputs[: network.num_fluents]
    found = []
    for number, cone in enumerate(cones):
        evaluate(program, int(plan.cone_segment[number]), int(plan.cone_segment[number + 1]), values, zero(width))
        found.append(read_literals(plan, values, cone, width))
        slots[1 : network.num_inputs] = inputs
    np.testing.assert_array_equal(slots[0], ALL)
    return found


def random_inputs(network: Network, width: int, random: np.random.Generator) -> np.ndarray:
    """Random words for the fluents and moves, shape (num_inputs - 1, width), uint64."""
    inputs = random.integers(0, 2**64, (network.num_inputs - 1, width), np.uint64)
    # Lanes in which little holds, and lanes in which most does: loops take longer there.
    other = random.integers(0, 2**64, (network.num_inputs - 1, width), np.uint64)
    return np.where(
        np.arange(width) % 3 == 0, inputs & other, np.where(np.arange(width) % 3 == 1, inputs, inputs | other)
    )


def assert_right(network: Network, found: list[np.ndarray], cones: list[np.ndarray], inputs: np.ndarray) -> None:
    """Compare some lanes with the interpreter."""
    for lane in np.random.default_rng(1).integers(0, 64 * inputs.shape[1], 4).tolist():
        values = network_values(network, read_lane(inputs, lane))
        for words, cone in zip(found, cones, strict=True):
            assert read_lane(words, lane) == [literal_value(values, literal) for literal in cone.tolist()]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("loop_chance", [0.0, 0.1, 0.6])
def test_random_networks(width: int, loop_chance: float) -> None:
    random = np.random.default_rng(7)
    for size in [0, 1, 2, 5, 10, 20, 40, 80, 160]:
        for chunk in [1, 6, 512]:
            network = random_network(random, size, loop_chance)
            cones = cones_of(network)
            plan = schedule(network, cones, [int(random.integers(number, 4)) for number in range(4)], chunk)
            inputs = random_inputs(network, width, random)
            assert_right(network, run_pass(network, plan, cones, inputs), cones, inputs)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_small_shape(width: int) -> None:
    # All gates of up to five products of up to two kinds, each alone in its network, over the same inputs.
    random = np.random.default_rng(3)
    kinds = list(enumerate(zip(PRODUCT_SIZES, NUM_COMPLEMENTS, strict=True)))
    gates: list[list[int]] = []
    outputs = []
    num_fluents = 12
    for (first, second), (many, few) in product(
        product(kinds, kinds), [(1, 0), (2, 0), (1, 1), (3, 2), (4, 0), (5, 0)]
    ):
        outer = []
        for (_, (size, complements)), count in ((first, many), (second, few)):
            for _ in range(count):
                nodes = random.integers(1, 1 + num_fluents, size)
                literals = [int(2 * node + (at >= size - complements)) for at, node in enumerate(nodes)]
                if size == 1:
                    outer.append(literals[0] ^ 1)
                else:
                    outer.append(2 * (1 + num_fluents + len(gates)) + 1)
                    gates.append(literals)
        outputs.append(2 * (1 + num_fluents + len(gates)))
        gates.append(outer)
    network = make_network(num_fluents, 0, gates, outputs)
    cones = [network.goals]
    assert len(compound(network, cones).number) == len(outputs)
    inputs = random_inputs(network, width, random)
    found = run_pass(network, schedule(network, cones), cones, inputs)
    assert_right(network, found, cones, inputs)


@pytest.mark.parametrize("size", [5, 8, 9, 40, 300])
def test_wide_gates(size: int) -> None:
    random = np.random.default_rng(size)
    num_fluents = 400
    for positive in {0, 1, size // 2, size}:
        literals = 2 * random.permutation(np.arange(1, 1 + num_fluents))[:size] + (np.arange(size) >= positive)
        network = make_network(num_fluents, 0, [literals.tolist()], [2 * (1 + num_fluents), 2 * (1 + num_fluents) + 1])
        inputs = np.full((num_fluents, 1), ALL)
        holding = np.zeros(num_fluents, np.bool_)
        holding[literals[:positive] // 2 - 1] = True
        inputs[:, 0] = np.where(holding, ALL, 0)
        # In lane n the n-th literal is wrong, from lane 60 on none is.
        for lane in range(min(size, 60)):
            inputs[literals[lane] // 2 - 1] ^= np.uint64(1 << lane)
        right = np.uint64((2**64 - 1) ^ (2 ** min(size, 60) - 1))
        found = run_pass(network, schedule(network, [network.goals]), [network.goals], inputs)
        assert found[0].ravel().tolist() == [right, ~right]


def test_rounds_of_a_loop_are_counted() -> None:
    # A chain in which each gate reads the next one: news travel one gate a round.
    size = 20
    first = 2
    gates = [[2 * (first + number + 1)] if number + 1 < size else [2, 2 * first] for number in range(size)]
    chain = make_network(1, 0, gates, [2 * first])
    network = Network(
        **{
            **vars(chain),
            "gate_loop": np.zeros(size, np.int32),
            "starts_true": np.ones(size, np.bool_),
        }
    )
    plan = schedule(network, [network.goals])
    values = new_values(plan.num_slots, 1)
    assert evaluate(tables(plan, 1), 0, 1, values, zero(1)) == size
    assert read_literals(plan, values, network.goals, 1).tolist() == [[0]]
    values[1] = ALL
    assert evaluate(tables(plan, 1), 0, 1, values, zero(1)) == 1
    assert read_literals(plan, values, network.goals, 1).tolist() == [[ALL]]


@pytest.mark.parametrize("width", WIDTHS)
def test_new_values_are_aligned(width: int) -> None:
    values = new_values(5, width)
    assert values.ctypes.data % 64 == 0
    assert values.tolist() == [2**64 - 1] * width + [0] * 4 * width

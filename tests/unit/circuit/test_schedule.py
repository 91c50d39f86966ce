from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from naive.network import make_network, random_network
from woodstock.circuit.compound import compound
from woodstock.circuit.forms import CHAIN, FACTOR, TRIPLE, WIDE, choose_forms
from woodstock.circuit.network import NO_LOOP, Network
from woodstock.circuit.schedule import Schedule, schedule
from woodstock.circuit.slots import NO_SLOT


class Run(NamedTuple):
    segment: int
    form: int
    gates: list[list[int]]


def read_program(plan: Schedule) -> list[Run]:
    """The runs of a program, each gate as its own slot and those that it reads."""
    places = {FACTOR: 2, FACTOR + 1: 4, FACTOR + 2: 6, FACTOR + 3: 8, TRIPLE: 3, CHAIN: 4}
    words = plan.program.tolist()
    runs = []
    num_segments = int(plan.cone_segment[-1])
    for segment in range(num_segments):
        at = words[segment]
        at += 1 + words[at]
        while at < words[segment + 1]:
            form, masks, length = words[at : at + 3]
            at += 3
            end = at + length
            size = places.get(form, 0)
            if form == WIDE:
                size = sum(words[at + 2 : at + masks : 3])
                at += masks
            gates = [words[gate : gate + 1 + size] for gate in range(at, end, 1 + size)]
            assert plan.is_slot[at:end].all()
            runs.append(Run(segment, form, gates))
            at = end
    assert words[num_segments] == len(words)
    return runs


def random_cones(network: Network) -> list[np.ndarray]:
    return [np.append(network.legal, np.int32(network.terminal)), network.next, network.goals]


def test_counters_and_slots() -> None:
    random = np.random.default_rng(5)
    for size in [0, 3, 30, 300]:
        network = random_network(random, size)
        cones = random_cones(network)
        plan = schedule(network, cones)
        runs = read_program(plan)
        assert plan.num_runs == len(runs)
        assert (
            plan.num_gates
            == sum(len(run.gates) for run in runs)
            == np.count_nonzero(plan.slot_of_node[network.num_inputs :] >= 0)
        )
        assert plan.num_edges == sum(len(gate) - 1 for run in runs for gate in run.gates)
        assert plan.slot_of_node[: network.num_inputs].tolist() == list(range(network.num_inputs))
        assert plan.slot_of_node.max() < plan.num_slots
        for cone in cones:
            slots = plan.slot_of_node[cone >> 1]
            assert (slots != NO_SLOT).all()
            # Outputs that must stay readable have slots of their own.
            assert len(set(slots.tolist())) == len(set((cone >> 1).tolist()))
        for run in runs:
            assert all(gate[0] >= network.num_inputs for gate in run.gates)


def test_gates_that_no_output_needs_are_dropped() -> None:
    # Node 4 is an output, nodes 3 and 5 are not read.
    network = make_network(2, 0, [[2, 4], [2, 5], [3, 6]], [8])
    plan = schedule(network, [network.goals])
    assert plan.slot_of_node.tolist() == [0, 1, 2, NO_SLOT, 3, NO_SLOT]
    assert (plan.num_gates, plan.num_edges, plan.num_runs, plan.num_slots) == (1, 2, 1, 4)


def test_outputs_may_be_constants_and_inputs() -> None:
    network = make_network(2, 1, [], [0, 1, 2, 5, 5])
    plan = schedule(network, [network.goals, np.zeros(0, np.int32)])
    assert (plan.num_gates, plan.num_slots) == (0, 4)
    assert plan.cone_segment.tolist() == [0, 0, 0]


def test_the_frame_axiom_is_one_gate() -> None:
    # Fluents: set 1, old 2, clear 3.
    network = make_network(3, 0, [[4, 7], [3, 9]], [11])
    plan = schedule(network, [network.goals])
    ((_, form, gates),) = read_program(plan)
    assert form == TRIPLE
    assert [gate[0] for gate in gates] == [4]
    assert sorted(gates[0][1:]) == [1, 2, 3]


def test_a_gate_with_two_readers_is_stored() -> None:
    network = make_network(3, 0, [[2, 4], [6, 9], [7, 8]], [10, 12])
    assert compound(network, [network.goals]).number.tolist() == [0, 1, 2]


def test_a_gate_goes_to_the_first_cone_that_needs_it() -> None:
    # Gate 0 (node 3) is read by gates 1 and 2; gate 3 is for the last cone only.
    network = make_network(2, 0, [[2, 4], [6, 2], [7, 3], [2, 5]], [])
    cones = [np.array([8], np.int32), np.array([10], np.int32), np.array([8, 12], np.int32)]
    plan = schedule(network, cones)
    assert plan.cone_segment.tolist() == [0, 1, 2, 3]
    segments = [
        [gate[0] for run in read_program(plan) if run.segment == number for gate in run.gates] for number in range(3)
    ]
    assert segments == [
        plan.slot_of_node[[3, 4]].tolist(),
        plan.slot_of_node[[5]].tolist(),
        plan.slot_of_node[[6]].tolist(),
    ]


def test_slots_of_outputs_are_free_after_the_cone_that_needs_them() -> None:
    gates = [[2 * (1 + number), 2 * (2 + number)] for number in range(20)]
    network = make_network(21, 0, gates, [])
    first, second = np.arange(44, 64, 2, dtype=np.int32), np.arange(64, 84, 2, dtype=np.int32)
    assert schedule(network, [first, second]).num_slots == 22 + 20
    assert schedule(network, [first, second], [0, 1]).num_slots == 22 + 10
    # What the second cone has as well is needed as long as that cone says.
    assert schedule(network, [first, np.append(second, first[0])], [0, 1]).num_slots == 22 + 11


def test_slots_are_used_again() -> None:
    # A chain in which every gate is read twice, so that none is taken in.
    gates = [[2, 4]] + [[2 * (number + 2), 5 if number % 2 else 4, 2 * (number + 2)] for number in range(1, 50)]
    network = make_network(2, 0, gates, [2 * 52])
    plan = schedule(network, [network.goals])
    assert (plan.num_gates, plan.num_slots) == (50, 4)


def test_runs_have_one_shape_and_are_few() -> None:
    # Pairs of layers of two shapes: as many runs as layers if the layers are not torn.
    width, depth = 30, 6
    gates: list[list[int]] = []
    first = 1 + width
    for layer in range(depth):
        before = 1 if layer == 0 else first + (layer - 1) * width
        for number in range(width):
            a, b = before + number, before + (number + 1) % width
            gates.append([2 * a, 2 * b] if layer % 2 else [2 * a, 2 * b, 2 * (1 + number)])
    network = make_network(width, 0, gates, [2 * (first + width * depth - 1 - number) for number in range(width)])
    plan = schedule(network, [network.goals])
    assert plan.num_runs == depth
    assert schedule(network, [network.goals], chunk=20).num_runs > depth


@pytest.mark.parametrize(("num_loops", "segments"), [(2, 2), (60, 4)])
def test_loops_that_do_not_wait_for_each_other_are_joined(num_loops: int, segments: int) -> None:
    # Each loop is ten gates in a ring; one gate reads them all.
    size = 10
    node = 2
    gates = [
        [2, 2 * (node + size * loop + (number + 1) % size), 2 * (node + size * loop + (number + 2) % size)]
        for loop in range(num_loops)
        for number in range(size)
    ]
    gates.append([2 * (node + size * loop) for loop in range(num_loops)])
    rings = make_network(1, 0, gates, [2 * (node + size * num_loops)])
    loop = np.append(np.repeat(np.arange(num_loops), size), NO_LOOP).astype(np.int32)
    network = Network(**{**vars(rings), "gate_loop": loop, "starts_true": loop != NO_LOOP})
    plan = schedule(network, [network.goals])
    assert plan.cone_segment[-1] == segments


def test_forms_of_shapes() -> None:
    shapes = np.zeros((8, 9), np.int32)
    shapes[0, 0] = 2
    shapes[1, 0:2] = 2
    shapes[2, 1] = 5
    shapes[3, 2] = 4
    shapes[4, [0, 3]] = 1
    shapes[5, [1, 6]] = 1
    shapes[6, 0] = 9
    forms = choose_forms(shapes)
    assert forms.form.tolist() == [FACTOR, FACTOR + 1, FACTOR + 2, FACTOR + 3, TRIPLE, CHAIN, WIDE, WIDE]
    # A literal that has no partner is its own.
    assert forms.num_places.tolist() == [2, 4, 6, 8, 3, 4, 9, 0]
    assert forms.blocks.tolist() == [1, 0, 9]
    assert forms.masks[6:].tolist() == [3, 0]

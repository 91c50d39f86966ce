"""Schedules: in which order the gates of a network are evaluated, and where their values are kept.

The outputs that are asked for together make a *cone*: the gates that they need and that no earlier cone has. Gates of
one *shape* (see `woodstock.circuit.products`) are put together into *runs*, because a processor hurries through a run
and stumbles at its end. Runs make *segments*: a segment is evaluated once, or, if it is a loop, again and again until
nothing changes. The value of a node is kept in a *slot*, which another gate gets after its last reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.compound import compound
from woodstock.circuit.forms import WIDE, Forms, choose_forms
from woodstock.circuit.network import BoolArray, Int32Array, Network
from woodstock.circuit.order import NO_GATE, Order, order_gates
from woodstock.circuit.products import Gates
from woodstock.circuit.slots import NO_SLOT, Slots, assign_slots
from woodstock.common.jit import jit

CHUNK: Final = 512
"""How many neighbouring gates may change places to make runs."""

RUN_WORDS: Final = 3
FEEDBACK_WORDS: Final = 3


@dataclass(frozen=True, eq=False)
class Schedule:
    """A network made ready for evaluation.

    The program begins with the places of the segments in it, and of their end. A segment is the number of words about
    loop gates that are read before they are evaluated; of each its slot, the slot of a copy and its first value; then
    runs. A run is its form, its masks and the number of words that follow: blocks if it is wide, then of each gate its
    own slot and those that it reads (see `woodstock.circuit.forms`).

    Attributes:
        num_slots: Number of slots of a values array.
        slot_of_node: Slot of each node, its number for the constant, fluents and moves, NO_SLOT for gates that are not
            kept, shape (num_nodes,), int32. Every output has a slot.
        program: What to do, uint32.
        is_slot: Which words of the program are slots, shape (len(program),), bool.
        cone_segment: Where the segments of each cone begin, and their number, shape (num_cones + 1,), int32.
        num_gates: Number of gates that are stored.
        num_edges: Number of values that they read.
        num_runs: Number of runs.
    """

    num_slots: int
    slot_of_node: Int32Array
    program: npt.NDArray[np.uint32]
    is_slot: BoolArray
    cone_segment: Int32Array
    num_gates: int
    num_edges: int
    num_runs: int


def schedule(
    network: Network, cones: Sequence[Int32Array], needed: Sequence[int] | None = None, chunk: int = CHUNK
) -> Schedule:
    """Order the gates of a network and give them slots.

    A pass evaluates the cones in order. It may leave out a cone if it leaves out all later ones that share gates with
    it. Inputs may be written before the first cone that depends on them.

    Args:
        network: The network.
        cones: The output literals of each cone.
        needed: For each cone the last cone during which its outputs must stay readable; the last of all if None. An
            output that several cones have stays readable as long as one of them asks for.
        chunk: How many neighbouring gates may change places to make runs.
    """
    gates = compound(network, cones)
    num_gates = len(gates.number)
    gate_of = np.full(network.num_inputs + network.num_gates, NO_GATE, np.int32)
    gate_of[network.num_inputs + gates.number] = np.arange(num_gates, dtype=np.int32)
    outputs = [gate_of[cone >> 1] for cone in cones]
    outputs = [found[found != NO_GATE] for found in outputs]
    order = order_gates(gates, np.concatenate([*outputs, np.zeros(0, np.int32)]), len(cones), chunk)
    last = np.zeros(num_gates, np.int32)
    for number, found in enumerate(outputs):
        until = len(cones) if needed is None else needed[number] + 1
        last[found] = np.maximum(last[found], order.segment_start[order.cone_segment[until]])
    slots, num_slots = assign_slots(gates, order, last)
    slots.feedback[:, 2] = network.starts_true[gates.number[slots.feedback[:, 2]]]
    slot_of_node = np.where(gate_of == NO_GATE, NO_SLOT, slots.of_node[network.num_inputs + gate_of])
    slot_of_node[: network.num_inputs] = slots.of_node[: network.num_inputs]
    forms = choose_forms(gates.shapes)
    begins = _find_runs(gates, order)
    program, is_slot = _make_program(gates, order, slots, forms, begins)
    return Schedule(
        num_slots=num_slots,
        slot_of_node=slot_of_node.astype(np.int32),
        program=program,
        is_slot=is_slot,
        cone_segment=order.cone_segment,
        num_gates=num_gates,
        num_edges=int(forms.num_places[gates.shape].sum()),
        num_runs=int(np.count_nonzero(begins)),
    )


def _find_runs(gates: Gates, order: Order) -> BoolArray:
    """Return where runs begin in the order."""
    shape = gates.shape[order.gates]
    begins = np.ones(len(shape), np.bool_)
    begins[1:] = shape[1:] != shape[:-1]
    begins[order.segment_start[:-1]] = True
    return begins


class _Program(NamedTuple):
    """See `Schedule`."""

    words: npt.NDArray[np.uint32]
    is_slot: BoolArray


def _make_program(gates: Gates, order: Order, slots: Slots, forms: Forms, begins: BoolArray) -> _Program:
    """Return the program of a schedule; runs begin at some places of the order."""
    shape = gates.shape[order.gates]
    num_segments = len(order.is_loop)
    run_words = RUN_WORDS + np.diff(forms.block_start)
    size = 1 + 2 * num_segments + FEEDBACK_WORDS * len(slots.feedback)
    size += int(run_words[shape[begins]].sum()) + len(shape) + int(forms.num_places[shape].sum())
    program = _Program(np.zeros(size, np.uint32), np.zeros(size, np.bool_))
    _write_program(gates, order, slots, forms, begins, program)
    return program


@jit
def _write_program(
    gates: Gates, order: Order, slots: Slots, forms: Forms, begins: BoolArray, program: _Program
) -> None:
    """Write a program; see `Schedule`."""
    words, is_slot = program
    num_segments = len(order.is_loop)
    to = num_segments + 1
    run = to
    for segment in range(num_segments):
        words[segment] = to
        first = slots.feedback_start[segment]
        end = slots.feedback_start[segment + 1]
        words[to] = FEEDBACK_WORDS * (end - first)
        to += 1
        for number in range(first, end):
            for column in range(FEEDBACK_WORDS):
                words[to] = slots.feedback[number, column]
                is_slot[to] = column < 2
                to += 1
        for at in range(order.segment_start[segment], order.segment_start[segment + 1]):
            gate = order.gates[at]
            shape = gates.shape[gate]
            if begins[at]:
                words[to] = forms.form[shape]
                words[to + 1] = forms.masks[shape]
                to += RUN_WORDS
                run = to
                for block in range(forms.block_start[shape], forms.block_start[shape + 1]):
                    words[to] = forms.blocks[block]
                    to += 1
            words[to] = slots.of_node[gates.num_inputs + gate]
            is_slot[to] = True
            to += 1
            for number in range(forms.num_places[shape]):
                place = number
                if forms.form[shape] != WIDE:
                    place = forms.places[forms.place_start[shape] + number]
                words[to] = slots.of_node[gates.data[gates.start[gate] + place] >> 1]
                is_slot[to] = True
                to += 1
            words[run - 1] = to - run
    words[num_segments] = to

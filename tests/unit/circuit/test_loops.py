"""Loops: stand-ins become what they are, and the gates of the network stand in order."""

from __future__ import annotations

import numpy as np
import pytest

from naive.groups import no_groups
from naive.network import literal_value, network_values
from naive.small_games import make_program
from woodstock.circuit.builder import make_builder
from woodstock.circuit.loops import make_loops, open_stand_in, resolve
from woodstock.circuit.network import FALSE, NO_LOOP, TRUE
from woodstock.circuit.specialise import no_facts, specialise
from woodstock.circuit.translate import make_groups, translate
from woodstock.ground.evaluation import Evaluator, holds


def test_stand_ins_lead_to_what_they_are() -> None:
    loops = make_loops(make_builder(no_groups(5), no_facts(0), 100), 4)
    first, second, third, fourth = (open_stand_in(loops, number, True) for number in range(4))
    loops.alias[:] = second ^ 1, 6, fourth, third
    assert resolve(loops, 4) == 4
    assert resolve(loops, first) == 7
    assert resolve(loops, first ^ 1) == 6
    # Two that lead to each other and nowhere else never hold …
    assert resolve(loops, third) == FALSE
    assert resolve(loops, third ^ 1) == TRUE
    # … unless they begin as true.
    loops.rises[:] = False
    assert resolve(loops, third) == TRUE


CASES = {
    # The member that comes last needs no other, and others need it.
    "a member without a loop behind its users": [
        (4, [10, 12]),
        (4, [2, 10]),
        (5, [8]),
        (5, [12, 2]),
        (6, [2, 4]),
        (6, [3, 5, 8]),
    ],
    "two loops, one behind the other": [(4, [10]), (4, [2]), (5, [8, 4]), (6, [14, 9]), (6, [8]), (7, [12, 11])],
    "a loop of one": [(4, [8, 2]), (4, [4])],
    "a loop around a disjunction": [(4, [10]), (4, [2]), (5, [8, 12]), (6, [8]), (6, [4]), (6, [10, 2])],
}


@pytest.mark.parametrize("name", CASES)
def test_small_loops(name: str) -> None:
    program = make_program(2, 1, CASES[name], [4, 5] if len(CASES[name]) > 2 else [4, 4])
    network = translate(program)
    free = 2 * np.arange(network.num_inputs, dtype=np.int32)
    again = specialise(network, make_groups(program, ()), free)
    for made in (network, again):
        for gate, loop in enumerate(made.gate_loop.tolist()):
            for literal in made.gate_data[made.gate_start[gate] : made.gate_start[gate + 1]].tolist():
                other = (literal >> 1) - made.num_inputs
                assert other < gate or (loop != NO_LOOP and made.gate_loop[other] == loop)
        for fluents in ([], [0], [1], [0, 1]):
            before = Evaluator(program).position(fluents)
            values = network_values(made, [0 in fluents, 1 in fluents, False])
            found = [literal_value(values, literal) for literal in made.goals.tolist()]
            assert found == holds(before, program.goals.atoms).tolist()


def test_gates_that_fall() -> None:
    # Atom 4 needs itself or f0; atom 5 is its complement, and 6 a loop that needs the complement of a lower one.
    program = make_program(2, 1, [(4, [8, 4]), (4, [2]), (5, [9]), (6, [10, 12]), (6, [10, 4])], [5, 6])
    network = translate(program)
    for fluents in ([], [0], [1], [0, 1]):
        before = Evaluator(program).position(fluents)
        values = network_values(network, [0 in fluents, 1 in fluents, False])
        found = [literal_value(values, literal) for literal in network.goals.tolist()]
        assert found == holds(before, program.goals.atoms).tolist()

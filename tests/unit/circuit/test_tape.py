"""Tapes: the plans of all phases, one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from naive.network import literal_value, network_values
from naive.small_games import ALL_GAMES, program_of, random_game
from woodstock.circuit.circuit import GOALS, NEXT, NUM_CONES, Circuit
from woodstock.circuit.evaluate import evaluate
from woodstock.circuit.runner import Runner
from woodstock.circuit.tape import Places, Tape
from woodstock.circuit.words import ALL, aligned, zero
from woodstock.common.jit import JIT_DISABLED
from woodstock.ground import GroundProgram

NUM_PROGRAMS = 3 if JIT_DISABLED else 60
widths = pytest.mark.parametrize("width", [1, 8])


def read(places: Places, values: np.ndarray, phase: int, width: int) -> list[list[bool]]:
    """Return for each entry of a phase the lanes in which it holds."""
    found = []
    for number in range(places.start[phase], places.start[phase + 1]):
        at = int(places.at[number])
        words = values[at : at + width] ^ places.flip[number]
        found.append([bool(int(words[lane >> 6]) >> (lane & 63) & 1) for lane in range(64 * width)])
    return found


def check(program: GroundProgram, width: int, rng: np.random.Generator) -> None:
    circuit = Circuit(program)
    tape: Tape = Runner(circuit, width).tape
    assert tape.num_fluents == program.num_fluents
    assert tape.first_move == (1 + program.num_fluents) * width
    for phase, plan in enumerate(circuit.phases):
        network = plan.network
        inputs = rng.random((64 * width, network.num_inputs - 1)) < 0.5
        # Exactly one move of each role is made, as the plan takes for granted.
        inputs[:, program.num_fluents :] = False
        for candidates in plan.candidates:
            if len(candidates):
                inputs[np.arange(64 * width), program.num_fluents + rng.choice(candidates, 64 * width)] = True
        values = aligned(tape.num_slots * width)
        values[:width] = ALL
        slots = values[width : network.num_inputs * width].reshape(-1, width)
        for lane in range(64 * width):
            slots[:, lane >> 6] |= inputs[lane].astype(np.uint64) << np.uint64(lane & 63)
        at = phase * (NUM_CONES + 1)
        evaluate(tape.tables, int(tape.cones[at]), int(tape.cones[at + NEXT]), values, zero(width))
        # Later cones may use the slot again.
        is_over = read(tape.terminal, values, phase, width)
        evaluate(tape.tables, int(tape.cones[at + NEXT]), int(tape.cones[at + GOALS + 1]), values, zero(width))
        lanes = rng.choice(64 * width, 5, replace=False).tolist()
        wanted = {lane: network_values(network, inputs[lane].tolist()) for lane in lanes}
        by_gate = network.next[network.next >> 1 >= network.num_inputs]
        for found, literals in (
            (is_over, np.array([network.terminal])),
            (
                read(tape.goals, values, phase, width),
                network.goals[[int(str(term)) != 0 for term in program.goals.terms]],
            ),
            (read(tape.copied, values, phase, width), by_gate),
        ):
            assert len(found) == len(literals)
            for row, literal in zip(found, literals.tolist(), strict=True):
                assert all(row[lane] == literal_value(wanted[lane], literal) for lane in lanes)
        assert tape.choices[phase + 1] - tape.choices[phase] == sum(len(moves) > 1 for moves in plan.candidates)


@widths
@pytest.mark.parametrize("name", ["step_counter", "capture", "simultaneous", "stuck"])
def test_written_games(name: str, width: int) -> None:
    check(program_of(ALL_GAMES[name]), width, np.random.default_rng(0))


@widths
@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_random_programs(seed: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    check(random_game(rng), width, rng)


def test_every_fluent_that_changes_is_written_once() -> None:
    for name in ALL_GAMES:
        program = program_of(ALL_GAMES[name])
        runner = Runner(Circuit(program), 8)
        tape = runner.tape
        for phase, plan in enumerate(runner.circuit.phases):
            copied = tape.copied_to[tape.copied.start[phase] : tape.copied.start[phase + 1]]
            moved = tape.moved_to[tape.moved.start[phase] : tape.moved.start[phase + 1]]
            changing = 1 + np.flatnonzero(plan.network.next != 2 * (1 + np.arange(program.num_fluents)))
            assert sorted([*copied.tolist(), *moved.tolist()]) == (8 * changing).tolist()


def test_moves_know_their_roles() -> None:
    program = program_of(ALL_GAMES["simultaneous"])
    tape = Runner(Circuit(program), 8).tape
    assert tape.role_of_move.tolist() == [0, 0, 0, 1, 1, 2, 2]
    # Goals of nothing are left out.
    assert sorted(set(tape.goal_value.tolist())) == [10, 25, 60, 100]
    assert sorted(tape.goal_role.tolist()) == [0, 0, 1, 1]

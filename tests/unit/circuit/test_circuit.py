"""Circuits: plans of phases, moves to choose from, and the phase of a position."""

from __future__ import annotations

import numpy as np
import pytest

from naive.exclusion import all_steps
from naive.network import literal_value, network_values
from naive.small_games import ALL_GAMES, CAPTURE, ENDLESS, STEP_COUNTER, program_of, random_game
from woodstock.circuit.circuit import NO_PHASE, NUM_CONES, Circuit, Plan
from woodstock.circuit.packing import pack
from woodstock.common.jit import JIT_DISABLED
from woodstock.ground import GroundProgram
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.program import NO_ATOM

NUM_PROGRAMS = 8 if JIT_DISABLED else 100


def check_plan(program: GroundProgram, plan: Plan, position: list[int], moves: list[int]) -> None:
    """Compare a plan with the evaluator in a position that is not terminal, for legal moves."""
    before = Evaluator(program).position(position)
    after = Evaluator(program).after(before, moves)
    inputs = np.zeros(plan.network.num_inputs - 1, np.bool_)
    inputs[position] = True
    inputs[[program.num_fluents + move for move in moves]] = True
    values = network_values(plan.network, inputs.tolist())
    for literals, wanted in (
        (plan.network.legal, holds(before, program.legal_atom)),
        (plan.network.goals, holds(before, program.goals.atoms)),
        (np.array([plan.network.terminal]), holds(before, np.array([program.terminal_atom]))),
        (plan.network.next, holds(after, program.next_atom)),
    ):
        assert [literal_value(values, literal) for literal in literals.tolist()] == wanted.tolist()
    for first, end, candidates in zip(program.move_start, program.move_start[1:], plan.candidates, strict=False):
        legal = first + np.flatnonzero(holds(before, program.legal_atom[first:end]))
        assert set(legal.tolist()) <= set(candidates.tolist())


def check(program: GroundProgram, most: int) -> None:
    circuit = Circuit(program)
    first = 1 + program.num_fluents
    for step in all_steps(program, most=most):
        moves = np.flatnonzero(step.atoms[first : first + program.num_moves]).tolist()
        bits = np.zeros((1, program.num_fluents), np.bool_)
        bits[0, list(step.before)] = True
        phase = int(circuit.phases_of(pack(bits))[0])
        assert phase != NO_PHASE
        for plan in (circuit.phases[phase], circuit.general):
            check_plan(program, plan, sorted(step.before), moves)


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_plans_of_random_programs(seed: int) -> None:
    check(random_game(np.random.default_rng(seed)), 20)


@pytest.mark.parametrize("name", ALL_GAMES)
def test_plans_of_written_games(name: str) -> None:
    check(program_of(ALL_GAMES[name]), 40)


def test_phases_are_smaller_and_know_who_moves() -> None:
    program = program_of(CAPTURE)
    circuit = Circuit(program)
    assert circuit.num_phases == len(circuit.phases) == 2
    for phase, plan in enumerate(circuit.phases):
        counts = [len(moves) for moves in plan.candidates]
        assert counts == ([6, 1] if phase == 0 else [1, 6])
        assert plan.schedule.num_edges < circuit.general.schedule.num_edges
        assert len(plan.schedule.cone_segment) == NUM_CONES + 1
    assert [len(moves) for moves in circuit.general.candidates] == [7, 7]
    assert circuit.num_gates == sum(plan.schedule.num_gates for plan in circuit.phases) // 2
    assert circuit.num_edges == sum(plan.schedule.num_edges for plan in circuit.phases) // 2
    assert circuit.seconds >= 0


def test_a_game_without_a_clock_has_one_phase() -> None:
    program = program_of(ENDLESS)
    assert program.terminal_atom == NO_ATOM
    circuit = Circuit(program)
    assert circuit.clock is None
    assert circuit.num_phases == 1
    assert circuit.phases_of(pack(np.array([[False], [True]]))).tolist() == [0, 0]


def test_odd_positions_are_of_no_phase() -> None:
    program = program_of(STEP_COUNTER)
    circuit = Circuit(program)
    bits = np.zeros((5, program.num_fluents), np.bool_)
    for row, fluents in enumerate(
        [
            [("control", "a"), ("step", "0")],
            [("control", "b"), ("step", "0")],
            [("control", "a"), ("control", "b"), ("step", "0")],
            [("step", "0")],
            [("control", "b"), ("step", "3")],
        ]
    ):
        bits[row, [program.fluent_index[fluent] for fluent in fluents]] = True
    assert circuit.phases_of(pack(bits)).tolist() == [0, 1, NO_PHASE, NO_PHASE, NO_PHASE]
    assert circuit.phases_of(pack(bits)[:0]).tolist() == []


def test_compilation_tells_how_far_it_is() -> None:
    parts: list[int] = []
    circuit = Circuit(program_of(STEP_COUNTER), lambda: parts.append(1))
    assert len(parts) == 3 + circuit.num_phases

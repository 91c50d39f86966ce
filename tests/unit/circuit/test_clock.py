"""Clocks: turns that alternate are found, whatever depends on moves is not."""

from __future__ import annotations

import numpy as np
import pytest

from naive.small_games import (
    CAPTURE,
    ENDLESS,
    FREE_CONTROL,
    SIMULTANEOUS,
    STEP_COUNTER,
    THREE_IN_TURN,
    program_of,
    random_game,
)
from woodstock.circuit.clock import MAX_PHASES, Clock, find_clock
from woodstock.circuit.translate import translate
from woodstock.common.jit import JIT_DISABLED
from woodstock.game.load import load_rules
from woodstock.gdl.printer import to_kif
from woodstock.ground import GroundProgram, ground
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.program import NO_ATOM


def clock_of(program: GroundProgram) -> Clock | None:
    return find_clock(translate(program, assume_legal=True), program.initial)


def texts(program: GroundProgram, clock: Clock) -> list[set[str]]:
    """Return the fluents that hold in each phase."""
    return [{to_kif(program.fluents[fluent]) for fluent in clock.fluents[phase]} for phase in clock.phases]


def test_two_roles_in_turn() -> None:
    program = program_of(CAPTURE)
    clock = clock_of(program)
    assert clock is not None
    assert texts(program, clock) == [{"(control a)"}, {"(control b)"}]
    assert clock.next_phase.tolist() == [1, 0]


def test_three_roles_in_turn() -> None:
    program = program_of(THREE_IN_TURN)
    clock = clock_of(program)
    assert clock is not None
    assert texts(program, clock) == [{"(control a)"}, {"(control b)"}, {"(control c)"}]
    assert clock.next_phase.tolist() == [1, 2, 0]


def test_a_counter_that_depends_on_the_turn_is_left_out() -> None:
    program = program_of(STEP_COUNTER)
    clock = clock_of(program)
    assert clock is not None
    assert texts(program, clock) == [{"(control a)"}, {"(control b)"}]


@pytest.mark.parametrize("text", [FREE_CONTROL, ENDLESS, SIMULTANEOUS])
def test_what_depends_on_moves_is_no_clock(text: str) -> None:
    assert clock_of(program_of(text)) is None


@pytest.mark.parametrize("length", [2, 5, MAX_PHASES, MAX_PHASES + 1])
def test_rings_up_to_a_length(length: int) -> None:
    ring = " ".join(f"(after {number} {(number + 1) % length})" for number in range(length))
    text = f"""(role a) (legal a x) (legal a y) {ring} (init (hand 0))
    (<= (next (hand ?n)) (true (hand ?m)) (after ?m ?n)) (<= (next mark) (does a x)) (<= (goal a 1) (true mark))"""
    clock = clock_of(program_of(text))
    assert (clock is None) == (length > MAX_PHASES)
    if clock is not None:
        assert clock.num_phases == length
        assert clock.phases.sum(axis=1).tolist() == [1] * length


def test_two_rings_turn_together() -> None:
    text = """(role a) (legal a x) (legal a y) (after2 0 1) (after2 1 0) (after3 0 1) (after3 1 2) (after3 2 0)
    (init (two 0)) (init (three 0)) (<= (next (two ?n)) (true (two ?m)) (after2 ?m ?n))
    (<= (next (three ?n)) (true (three ?m)) (after3 ?m ?n)) (<= (next mark) (does a x)) (<= (goal a 1) (true mark))"""
    clock = clock_of(program_of(text))
    assert clock is not None
    assert clock.num_phases == 6


def test_what_comes_before_the_circle_is_no_clock() -> None:
    text = """(role a) (legal a x) (legal a y) (after s 0) (after 0 1) (after 1 0) (init (hand s))
    (<= (next (hand ?n)) (true (hand ?m)) (after ?m ?n)) (<= (next mark) (does a x)) (<= (goal a 1) (true mark))"""
    assert clock_of(program_of(text)) is None


def follow(program: GroundProgram, clock: Clock, rng: np.random.Generator, steps: int) -> None:
    """Play at random and look whether the clock is right."""
    evaluator = Evaluator(program)
    fluents, phase = program.initial, 0
    for _ in range(steps):
        assert np.array_equal(fluents[clock.fluents], clock.phases[phase])
        values = evaluator.position(np.flatnonzero(fluents).tolist())
        legal = np.flatnonzero(holds(values, program.legal_atom))
        bounds = zip(program.move_start, program.move_start[1:], strict=False)
        choices = [legal[(legal >= first) & (legal < end)] for first, end in bounds]
        if (program.terminal_atom != NO_ATOM and values[2 * program.terminal_atom]) or not all(map(len, choices)):
            return
        fluents = holds(evaluator.after(values, [int(rng.choice(moves)) for moves in choices]), program.next_atom)
        phase = int(clock.next_phase[phase])


@pytest.mark.parametrize("name", ["tic_tac_toe", "nim", "connect_four", "hex_small", "breakthrough_small", "atari_go"])
def test_bundled_games_of_turns(name: str) -> None:
    program = ground(load_rules(name))
    clock = clock_of(program)
    assert clock is not None
    assert clock.num_phases == 2
    follow(program, clock, np.random.default_rng(0), 6 if JIT_DISABLED else 40)


def test_clocks_of_random_programs_are_right() -> None:
    found = 0
    for seed in range(40 if JIT_DISABLED else 400):
        rng = np.random.default_rng(seed)
        program = random_game(rng)
        clock = clock_of(program)
        if clock is not None:
            found += 1
            assert 1 < clock.num_phases <= MAX_PHASES
            follow(program, clock, rng, 20)
    assert found > 0 or JIT_DISABLED

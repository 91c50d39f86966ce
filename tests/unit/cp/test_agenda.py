"""The agenda: what waits, in which order, and that nothing waits twice."""

from __future__ import annotations

import numpy as np

from woodstock.cp.agenda import Agenda, clear_agenda, next_constraint, note_change, queue_constraint, queue_listeners
from woodstock.cp.registers import NUM_CHANGED, NUM_REGISTERS, QUEUE_SIZE


def new_agenda(num_constraints: int, num_vars: int) -> tuple[Agenda, np.ndarray]:
    agenda = Agenda(
        queue=np.zeros(num_constraints + 1, np.int32),
        is_queued=np.zeros(num_constraints, np.uint8),
        changed=np.zeros(num_vars, np.int32),
        is_changed=np.zeros(num_vars, np.uint8),
        hints=np.zeros(0, np.int32),
        weights=np.ones(num_vars),
    )
    return agenda, np.zeros(NUM_REGISTERS, np.int64)


def drain(agenda: Agenda, registers: np.ndarray) -> list[int]:
    found = []
    while registers[QUEUE_SIZE] > 0:
        found.append(next_constraint(agenda, registers))
    return found


def test_first_come_first_served_and_each_once() -> None:
    agenda, registers = new_agenda(4, 1)
    for constraint in (2, 0, 2, 3, 0):
        queue_constraint(agenda, registers, constraint)
    assert next_constraint(agenda, registers) == 2
    queue_constraint(agenda, registers, 2)
    assert drain(agenda, registers) == [0, 3, 2]


def test_the_ring_goes_round() -> None:
    agenda, registers = new_agenda(3, 1)
    random = np.random.default_rng(1)
    expected: list[int] = []
    for constraint in random.integers(3, size=300).tolist():
        if random.random() < 0.5 and expected:
            assert next_constraint(agenda, registers) == expected.pop(0)
        queue_constraint(agenda, registers, constraint)
        if constraint not in expected:
            expected.append(constraint)
        assert registers[QUEUE_SIZE] == len(expected) == agenda.is_queued.sum()


def test_listeners_are_queued_for_what_has_changed() -> None:
    agenda, registers = new_agenda(5, 3)
    listener_start, listeners = np.array([0, 2, 3, 5], np.int32), np.array([4, 1, 0, 1, 3], np.int32)
    for var in (2, 0, 2):
        note_change(agenda, registers, var)
    queue_listeners(agenda, registers, listener_start, listeners)
    assert registers[NUM_CHANGED] == agenda.is_changed.sum() == 0
    assert drain(agenda, registers) == [1, 3, 4]


def test_everything_is_forgotten() -> None:
    agenda, registers = new_agenda(5, 3)
    queue_constraint(agenda, registers, 4)
    note_change(agenda, registers, 1)
    clear_agenda(agenda, registers)
    assert registers[QUEUE_SIZE] == registers[NUM_CHANGED] == 0
    assert not agenda.is_queued.any()
    assert not agenda.is_changed.any()

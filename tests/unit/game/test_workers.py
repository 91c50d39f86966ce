from __future__ import annotations

import os

import pytest

from woodstock.game.workers import Lost, run_tasks

# Workers import what they call, so a task is Python text and the function is the built-in that evaluates it.
PID = "__import__('os').getpid()"
SLEEP = "__import__('time').sleep(600)"
DIE = "__import__('os').kill(__import__('os').getpid(), 9)"


def test_all_tasks_are_done_by_several_processes() -> None:
    results = dict(run_tasks(eval, [f"({n} ** 2, {PID})" for n in range(6)], 2))
    assert {index: found[0] for index, found in results.items()} == {n: n * n for n in range(6)}
    processes = {found[1] for found in results.values()}
    assert os.getpid() not in processes
    assert 1 <= len(processes) <= 2


def test_lost_tasks_do_not_hold_up_the_others() -> None:
    results = dict(run_tasks(eval, [DIE, "1 // 0", "3", "exit(5)", "4"], 1))
    assert results == {
        0: Lost("its process died (exit code -9)"),
        1: Lost("ZeroDivisionError: integer division or modulo by zero"),
        2: 3,
        3: Lost("its process died (exit code 5)"),
        4: 4,
    }


def test_tasks_that_take_too_long_are_given_up() -> None:
    assert dict(run_tasks(eval, [SLEEP, SLEEP, SLEEP], 2, seconds=0.5)) == dict.fromkeys(
        range(3), Lost("given up after 0.5 s")
    )


def test_workers_end_when_nobody_waits_for_them() -> None:
    results = run_tasks(eval, [PID, SLEEP], 2)
    _, pid = next(results)
    results.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_no_tasks() -> None:
    assert list(run_tasks(eval, [], 4)) == []

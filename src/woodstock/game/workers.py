"""Worker processes: a list of tasks done by several processes, none of which can hold up or bring down the others.

A task that takes too long, or that kills its process, is given up and the process replaced. Workers are spawned, not
forked, so threads and open files of the caller are no danger; they ignore Ctrl-C, and end when the caller does.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, TypeVar

from woodstock.common.limits import Deadline

T = TypeVar("T")
R = TypeVar("R")

_GRACE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Lost:
    """A task without a result, and why."""

    reason: str


def run_tasks(
    function: Callable[[T], R], tasks: Sequence[T], num_workers: int, seconds: float | None = None
) -> Iterator[tuple[int, R | Lost]]:
    """Yield the index of each task and what the function returns for it, as they are done.

    Args:
        function: A function of a module; like tasks and results it must pickle. What it raises loses the task.
        tasks: What to do.
        num_workers: Number of processes.
        seconds: Limit on the time of one task, by the clock on the wall.
    """
    waiting = deque(enumerate(tasks))
    idle: list[_Worker[T, R]] = []
    busy: list[_Worker[T, R]] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < max(1, num_workers):
                worker = idle.pop() if idle else _Worker(function)
                busy.append(worker)
                worker.begin(*waiting.popleft(), seconds)
            soonest = min(worker.deadline.seconds_left for worker in busy)
            wait([worker.connection for worker in busy], None if soonest == inf else soonest)
            for worker in [worker for worker in busy if worker.is_done]:
                busy.remove(worker)
                result = worker.finish()
                if worker.is_usable:
                    idle.append(worker)
                yield worker.index, result
    finally:
        for worker in (*idle, *busy):
            worker.close()


class _Worker(Generic[T, R]):
    """One process and the task that it is at."""

    def __init__(self, function: Callable[[T], R]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, far_end = context.Pipe()
        # Not a daemon: such a process may have no children, and grounding needs one.
        self._process: SpawnProcess = context.Process(target=_work, args=(far_end, function))
        _start_deaf(self._process)
        far_end.close()
        self.index = -1
        self.is_usable = True
        self.deadline = Deadline(None)
        self._seconds: float | None = None

    def begin(self, index: int, task: T, seconds: float | None) -> None:
        self.index = index
        self._seconds = seconds
        self.deadline = Deadline(seconds)
        try:
            self.connection.send(task)
        except OSError:
            self.is_usable = False

    @property
    def is_done(self) -> bool:
        return not self.is_usable or self.connection.poll() or self.deadline.expired

    def finish(self) -> R | Lost:
        """Return the result of the task; without one the process ends."""
        if self.is_usable and self.connection.poll():
            try:
                result: R | Lost = self.connection.recv()
                return result
            except (EOFError, OSError):
                self._process.join(_GRACE_SECONDS)
                reason = f"its process died (exit code {self._process.exitcode})"
        elif self.deadline.expired:
            reason = f"given up after {self._seconds:g} s"
        else:
            reason = "its process died"
        self.is_usable = False
        self.close()
        return Lost(reason)

    def close(self) -> None:
        self.connection.close()
        self._process.terminate()
        self._process.join(_GRACE_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


def _start_deaf(process: SpawnProcess) -> None:
    """Start a process that Ctrl-C does not reach, not even while it is still importing: the caller ends it."""
    # The tracker, once it runs, leaves the signal mask alone; starting it would clear the mask.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(connection: Connection, function: Callable[[Any], Any]) -> None:
    """Do tasks until the other end closes."""
    threading.Thread(target=_end_with_caller, daemon=True).start()
    try:
        while True:
            task = connection.recv()
            try:
                result = function(task)
            except Exception as error:  # noqa: BLE001 (the caller is told, and decides)
                result = Lost(f"{type(error).__name__}: {error}")
            connection.send(result)
    except (EOFError, OSError):
        return


def _end_with_caller() -> None:
    """End this process when the caller's is gone, however it went and whatever is being done here."""
    caller = multiprocessing.parent_process()
    if caller is not None:
        caller.join()
        os._exit(1)

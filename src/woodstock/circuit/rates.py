"""Rates: how fast playouts from the first position are made, and what they tell about the game.

Threads play for some time, each with lanes and random numbers of its own, and no lane waits for another's end. What is
under way when the time is over is played to its end and counted in the means: else long playouts would be missed.
Rates are those of the time itself, in which a playout that is under way counts with the share of its moves made.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.lanes import MOVES, PLAYED, STEP, Queue
from woodstock.circuit.network import Int64Array
from woodstock.circuit.packing import pack
from woodstock.circuit.runner import HORIZON, Runner, drive, make_queue
from woodstock.common.limits import Deadline
from woodstock.common.threads import PinnedThreads

WITHOUT_END: Final = 1 << 60
"""Playouts asked for: more than there is ever time for."""
REPORT_SECONDS: Final = 0.2
"""How often a thread looks whether it has to stop, and the first one tells how far all are."""
NORMAL_95: Final = 1.959964
"""A normal variable is within so many standard deviations of its mean with a probability of 95 %."""


@dataclass(frozen=True)
class Trial:
    """Playouts to be made.

    Attributes:
        seconds: For how long.
        threads: On how many threads.
        seed: Of the random numbers; at least 0.
        horizon: Most joint moves of a playout; at least 1.
    """

    seconds: float
    threads: int = 1
    seed: int = 0
    horizon: int = HORIZON


class Progress(NamedTuple):
    """How far all threads are: seconds since the beginning, playouts that ended, joint moves."""

    seconds: float
    playouts: int
    steps: int


class Estimate(NamedTuple):
    """A mean, and how far to either side its 95 % confidence interval goes; None if that is unknown."""

    mean: float
    error: float | None


@dataclass(frozen=True, eq=False)
class Rates:
    """What was measured.

    Attributes:
        totals: What came of all playouts, those too that ended after the time; a row of `Queue.results`, int64.
        steps: Joint moves within the time.
        passes: Evaluations of the circuit, for all lanes at once, within the time.
        seconds: The time by the clock, that of the slowest thread.
        cpu_seconds: The time that the processors spent, of all threads together.
        is_complete: The time was not cut short.
    """

    totals: Int64Array
    steps: int
    passes: int
    seconds: float
    cpu_seconds: float
    is_complete: bool

    @property
    def playouts(self) -> int:
        """All playouts, those too that ended after the time."""
        return int(self.totals[0])

    @property
    def cut(self) -> int:
        """How many of these were cut at the horizon, or because a role had no move."""
        return int(self.totals[1])

    @property
    def mean_length(self) -> float:
        """Joint moves of a playout."""
        return int(self.totals[2]) / max(1, self.playouts)

    @property
    def playouts_in_time(self) -> float:
        """Playouts within the time, those under way at its end by the share of their moves."""
        return self.steps / self.mean_length if self.mean_length else float(self.playouts)

    def goal(self, role: int) -> Estimate:
        """Return what a role gets on average."""
        total, squares = self.totals[3 + 2 * role : 5 + 2 * role]
        return estimate(self.playouts, int(total), int(squares))


def estimate(count: int, total: int, squares: int) -> Estimate:
    """Return the mean of numbers whose sum and sum of squares are known.

    >>> estimate(4, 200, 20000)
    Estimate(mean=50.0, error=56.57928...)
    """
    if count < 2:
        return Estimate(total / max(1, count), None)
    variance = (count * squares - total * total) / (count * (count - 1))
    return Estimate(total / count, NORMAL_95 * math.sqrt(variance / count))


def measure(
    runner: Runner,
    trial: Trial,
    stop: threading.Event | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Rates:
    """Make playouts from the first position for some time.

    Args:
        runner: Makes the playouts.
        trial: How long, and on how many threads.
        stop: Set while it runs, it ends the time at once; what is under way is finished even so.
        report: Told now and then how far it has come, by one of the threads.
    """
    signals = _Signals(stop or threading.Event(), threading.Event())
    workers = [_Worker(runner, trial, stream) for stream in range(trial.threads)]
    watched = None if report is None else _Watch(workers, report)

    def run(worker: _Worker) -> None:
        worker.play(trial.seconds, signals.stop, watched if worker is workers[0] else None)
        worker.finish(signals.abandon)

    with PinnedThreads(trial.threads) as threads:
        try:
            threads.map(run, workers)
        except BaseException:
            # The other threads are waited for, so they must not go on.
            signals.stop.set()
            signals.abandon.set()
            raise
    for worker in workers:
        runner.give_back(runner.tape, worker.lanes)
    return Rates(
        totals=np.sum([worker.queue.results[0] for worker in workers], axis=0),
        steps=sum(worker.steps for worker in workers),
        passes=sum(worker.passes for worker in workers),
        seconds=max(worker.seconds for worker in workers),
        cpu_seconds=sum(worker.cpu_seconds for worker in workers),
        is_complete=all(worker.is_complete for worker in workers),
    )


class _Signals(NamedTuple):
    """What threads listen to: no more playouts; and not even those that are under way."""

    stop: threading.Event
    abandon: threading.Event


class _Worker:
    """What one thread does: lanes with random numbers of their own, and a queue that does not end."""

    def __init__(self, runner: Runner, trial: Trial, stream: int) -> None:
        self._tape = runner.tape
        # One pass that nobody counts loads the kernels, and the pages of the lanes.
        self.lanes = runner.take_lanes(self._tape, trial.seed, stream, trial.horizon)
        self.queue = _make_queue(runner, 1, trial.horizon)
        self._drive(0.0)
        runner.give_back(self._tape, self.lanes)
        self.lanes = runner.take_lanes(self._tape, trial.seed, stream, trial.horizon)
        self.queue = _make_queue(runner, WITHOUT_END, trial.horizon)
        self.is_complete = False
        self.steps = self.passes = 0
        self.seconds = self.cpu_seconds = 0.0

    def play(self, seconds: float, stop: threading.Event, watch: Callable[[float], None] | None) -> None:
        """Make playouts for some time and note how many."""
        began, spent = time.perf_counter(), time.thread_time()
        end = Deadline(seconds)
        while True:
            self._drive(min(REPORT_SECONDS, end.seconds_left))
            if watch is not None:
                watch(time.perf_counter() - began)
            if end.expired or stop.is_set():
                break
        self.is_complete = end.expired
        self.seconds, self.cpu_seconds = time.perf_counter() - began, time.thread_time() - spent
        self.steps, self.passes = int(self.lanes.counters[MOVES]), int(self.lanes.counters[STEP])

    def finish(self, abandon: threading.Event) -> None:
        """Finish the playouts that are under way."""
        self.queue.left[0] = 0
        while not self._drive(REPORT_SECONDS) and not abandon.is_set():
            pass

    def _drive(self, seconds: float) -> bool:
        return drive(self._tape, self.lanes, self.queue, Deadline(seconds))


def _make_queue(runner: Runner, count: int, horizon: int) -> Queue:
    """Return a queue of playouts from the first position."""
    program = runner.circuit.program
    rows = pack(program.initial)[None]
    queue = make_queue(runner.tape, rows, np.array([count], np.int64), runner.circuit.phases_of(rows), horizon)
    # A role may have goals without ever having a move.
    return queue._replace(results=np.zeros((1, 3 + 2 * len(program.roles)), np.int64))


class _Watch:
    """Tells how far all threads are."""

    def __init__(self, workers: Sequence[_Worker], report: Callable[[Progress], None]) -> None:
        self._workers = workers
        self._report = report

    def __call__(self, seconds: float) -> None:
        counters = [worker.lanes.counters for worker in self._workers]
        playouts, steps = (sum(int(each[place]) for each in counters) for place in (PLAYED, MOVES))
        self._report(Progress(seconds, playouts, steps))


def num_bytes(record: object) -> int:
    """Return how many bytes the arrays of a tape, or of any nested tuples, take.

    >>> num_bytes((np.zeros(3, np.int64), (np.zeros(5, np.uint8), 7)))
    29
    """
    if isinstance(record, np.ndarray):
        return record.nbytes
    return sum(num_bytes(part) for part in record) if isinstance(record, tuple) else 0

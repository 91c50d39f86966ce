"""Searches: the search kernel from a node of the machine and back to it, with limits."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from woodstock.common.limits import Deadline, Limits
from woodstock.cp.constraints import Int32Array, Int64Array
from woodstock.cp.engine import DONE, NODES_OVER, NONE, ROWS_FULL
from woodstock.cp.machine import NO_NUMBERS, Machine
from woodstock.cp.registers import (
    BASE,
    FAILURES,
    LEVEL,
    NODES,
    NODES_LEFT,
    NUM_FRAMES,
    NUM_ROWS,
    PHASE,
    PLAYER,
    PROPAGATIONS,
)
from woodstock.cp.results import Statistics, Status
from woodstock.cp.search import PROPAGATE, SEARCH, run

NO_LIMITS: Final = Limits()
MANY: Final = 1 << 62
"""More solutions or nodes than there can be."""


class Request(NamedTuple):
    """What is searched for.

    Attributes:
        columns: The variables that make up a row, int64.
        rows: Where solutions are written, shape (n, len(columns)), int32.
        limits: Seconds, nodes, bytes of solutions.
        max_solutions: How many solutions are enough; None for all.
        player: Whose utility is to be as great as possible; NONE for all solutions.
    """

    columns: Int64Array
    rows: Int32Array
    limits: Limits | None = None
    max_solutions: int | None = None
    player: int = NONE


class Search:
    """A search below the machine's node, which must be closed: then the machine is at its node again.

    Attributes:
        is_over: Whether there are no more solutions to be had.
        status: How the search ended, or would if it ended now.
    """

    def __init__(self, machine: Machine, request: Request) -> None:
        self.is_over = False
        self.status = Status.LIMIT
        self._machine = machine
        self._request = request
        self._began = time.perf_counter()
        limits = request.limits or NO_LIMITS
        self._deadline = Deadline(limits.seconds)
        self._rows_left = MANY if request.max_solutions is None else request.max_solutions
        if limits.bytes is not None:
            self._rows_left = min(self._rows_left, limits.bytes // max(1, request.rows[0].nbytes))
        machine.push()
        registers = machine.registers
        registers[BASE] = registers[LEVEL]
        registers[PHASE] = PROPAGATE
        registers[NUM_FRAMES] = registers[NODES] = 0
        registers[NODES_LEFT] = MANY if limits.nodes is None else limits.nodes
        registers[PLAYER] = request.player
        if request.player != NONE:
            machine.engine.tree.bound[0] = -1.0
        self._failures, self._propagations = int(registers[FAILURES]), int(registers[PROPAGATIONS])

    def next_rows(self) -> Int32Array:
        """Go on until the rows are full, or the search is over; return the solutions that were found."""
        machine, request = self._machine, self._request
        registers = machine.registers
        registers[NUM_ROWS] = 0
        rows = request.rows[: self._rows_left] if self._rows_left < len(request.rows) else request.rows
        while not self.is_over:
            outcome = run(machine.pools, SEARCH, request.columns, NO_NUMBERS, rows)
            if outcome == DONE:
                self.is_over, self.status = True, Status.COMPLETE
            elif outcome == NODES_OVER or self._deadline.expired:
                self.is_over = True
            elif outcome == ROWS_FULL:
                self.is_over = len(rows) == self._rows_left
                break
            else:
                machine.serve(outcome)
        num_rows = int(registers[NUM_ROWS])
        self._rows_left -= num_rows
        return rows[:num_rows].copy()

    def close(self) -> Statistics:
        """Bring the machine back to its node; return what the search did."""
        registers = self._machine.registers
        statistics = Statistics(
            int(registers[NODES]),
            int(registers[FAILURES]) - self._failures,
            int(registers[PROPAGATIONS]) - self._propagations,
            time.perf_counter() - self._began,
        )
        self._machine.pop_to(int(registers[BASE]) - 1)
        return statistics

"""The exact solver: whether a network is true, and what the side does that can win.

>>> from woodstock.qcsp.random_networks import Parameters, random_network
>>> solver = Solver(Compiled(random_network(Parameters(num_turns=12, num_values=4), seed=3)))
>>> answer = solver.solve()
>>> answer.is_true
True
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from woodstock.common.limits import Deadline, Limits
from woodstock.cp.constraints import Int64Array
from woodstock.qcsp.compiled import NIBBLE, NIBBLE_SETS
from woodstock.qcsp.situation import Compiled, Situation, Standing
from woodstock.qcsp.solving import (
    BASE,
    COPIES,
    ENTER,
    HITS,
    MOVE,
    NODES,
    NUM_REGISTERS,
    PHASE,
    RESULT,
    STAMP,
    TRUE,
    TURN,
    Frames,
    Memory,
    search,
)

CAPACITY: Final = 1 << 18
"""How many situations are remembered."""

SLICE_SECONDS: Final = 0.01
"""How long a call of the kernel should take."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found.

    Attributes:
        is_true: Whether the existential side wins; None if the limits were too narrow to tell.
        place: The place of a value with which the side that has the turn wins; None if it loses or nobody knows.
        nodes: Situations that were looked at.
        recalled: Situations that were known already.
        copied: How often values of a universal variable were won by a strategy for another one.
        seconds: Time taken.
    """

    is_true: bool | None
    place: int | None = None
    nodes: int = 0
    recalled: int = 0
    copied: int = 0
    seconds: float = 0.0


class Solver:
    """Searches below situations of one network; it remembers what it finds from one search to the next."""

    _stamps = 0

    def __init__(self, compiled: Compiled, capacity: int = CAPACITY) -> None:
        self.compiled = compiled
        num_turns, num_nodes = compiled.num_turns, len(compiled.arrays.children)
        self._frames = Frames(
            np.zeros((num_turns + 1, num_turns), np.int64),
            np.zeros((num_turns + 1, num_turns), np.int64),
            np.zeros(num_turns, np.int64),
            np.zeros(num_turns, np.int64),
            np.zeros((num_turns, 2), np.int64),
            np.zeros(num_turns, np.int64),
            np.zeros(NUM_REGISTERS, np.int64),
        )
        nibbles = max(1, -(-max(map(len, compiled.quantified.domains)) // NIBBLE))
        keys, results = _tables(capacity)
        self._memory = Memory(keys, results, _words(num_turns, nibbles), _node_words(num_nodes))
        Solver._stamps += 2
        self._stamp = Solver._stamps
        self._budget = 32

    def solve(self, places: Sequence[int] = (), limits: Limits | None = None) -> Answer:
        """Search below the situation after some values."""
        return self.solve_situation(Situation(self.compiled, places), limits)

    def solve_situation(self, situation: Situation, limits: Limits | None = None) -> Answer:
        """Search below a situation.

        Args:
            situation: Of the same network.
            limits: Seconds and nodes.
        """
        if situation.standing in (Standing.SHAKY, Standing.LOST):
            return Answer(False, self._refuting_place(situation, limits))
        if situation.is_over:
            return Answer(True)
        registers = self._frames.registers
        registers[:] = 0
        registers[BASE] = registers[TURN] = situation.turn
        # What is idle in the arrays of the root may matter elsewhere: the two do not share their memory.
        registers[PHASE], registers[STAMP] = ENTER, self._stamp + (situation.arrays is self.compiled.full)
        self._frames.domains[situation.turn] = situation.domains
        began = time.perf_counter()
        is_done = self._run(situation, limits or Limits())
        seconds = time.perf_counter() - began
        counts = int(registers[NODES]), int(registers[HITS]), int(registers[COPIES])
        if not is_done:
            return Answer(None, None, *counts, seconds)
        move = int(registers[MOVE])
        place = None if move == 0 else move.bit_length() - 1
        return Answer(bool(registers[RESULT] == TRUE), place, *counts, seconds)

    def _refuting_place(self, situation: Situation, limits: Limits | None) -> int | None:
        """Return a value with which the universal side wins, in a situation where it does; None if it has no turn."""
        if situation.is_over or not situation.is_universal:
            return None
        waiting = []
        for place in range(len(self.compiled.quantified.domains[situation.turn])):
            after = Situation(self.compiled, [*situation.places, place])
            if after.standing in (Standing.SHAKY, Standing.LOST):
                return place
            if after.standing is Standing.OPEN:
                waiting.append((place, after))
        for place, after in waiting:
            if self.solve_situation(after, limits).is_true is False:
                return place
        return None

    def _run(self, situation: Situation, limits: Limits) -> bool:
        deadline = Deadline(limits.seconds)
        registers = self._frames.registers
        while True:
            budget = self._budget if limits.nodes is None else min(self._budget, limits.nodes - int(registers[NODES]))
            began = time.perf_counter()
            if search(situation.arrays, self.compiled.work, self._frames, self._memory, budget):
                return True
            took = time.perf_counter() - began
            if deadline.expired or (limits.nodes is not None and registers[NODES] >= limits.nodes):
                return False
            if budget == self._budget:
                self._budget = min(1 << 20, max(16, int(budget * min(4.0, SLICE_SECONDS / max(took, 1e-6)))))


@lru_cache(maxsize=4)
def _tables(capacity: int) -> tuple[Int64Array, Int64Array]:
    """Return the tables of a memory; solvers share them, for entries carry the stamp of theirs."""
    return np.zeros((capacity, 2), np.int64), np.zeros(capacity, np.int64)


@lru_cache(maxsize=16)
def _words(num_turns: int, nibbles: int) -> Int64Array:
    random = np.random.default_rng(1)
    words = random.integers(-(1 << 62), 1 << 62, (2, num_turns, nibbles, NIBBLE_SETS))
    words[:, :, :, 0] = 0
    return words


@lru_cache(maxsize=16)
def _node_words(num_nodes: int) -> Int64Array:
    return np.random.default_rng(2).integers(-(1 << 62), 1 << 62, (2, num_nodes))

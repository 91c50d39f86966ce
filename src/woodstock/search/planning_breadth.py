"""Breadth-first search for plans: every position once, thousands at a time; it ends with a proof.

Positions that differ in a counter alone count as one, as far as that is proved to do no harm (`planning_counter`). If
time could make a difference in the end, the search is made again without that.

A position is known by its key of 64 bits. A proof that took n positions is wrong with a probability of n²/2⁶⁵ at most;
a plan is right in any case.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Final

import numpy as np

from woodstock.circuit.game import CircuitPosition
from woodstock.circuit.words import WordArray
from woodstock.common.limits import Deadline
from woodstock.search.planning_findings import Findings
from woodstock.search.planning_puzzle import KeysOf, Puzzle
from woodstock.search.planning_store import BYTES_PER_KEY, DEEPEST, ROOT, KeyTable, Paths, bytes_per_path

BATCH_SECONDS: Final = 0.01
MOST_POSITIONS: Final = 1 << 14
ROW_SHARE: Final = 0.5
"""Of the memory, for the positions that wait to be expanded."""


class BreadthSearch:
    """Looks at all positions, those that are nearest first.

    Attributes:
        name: What the part is called.
        is_over: All is seen, or the memory is full.
        num_expanded: Positions that were expanded.
    """

    name = "breadth"

    def __init__(self, puzzle: Puzzle, findings: Findings, memory: float) -> None:
        """Make a search.

        Args:
            puzzle: The puzzle.
            findings: Told what is found.
            memory: Bytes that it may take.
        """
        self._puzzle = puzzle
        self._findings = findings
        self._row_bytes = 8 * (puzzle.num_words + puzzle.num_move_words)
        self._most_bytes = ROW_SHARE * memory
        self._capacity = int((1 - ROW_SHARE) * memory / (BYTES_PER_KEY + bytes_per_path(puzzle.num_roles)))
        self._batch = 64
        self.restart(findings.position)

    def restart(self, position: CircuitPosition) -> None:
        """Look for plans from another position from now on."""
        self._start(position, merges=bool(self._puzzle.counter.proved.any()))

    def _start(self, position: CircuitPosition, *, merges: bool) -> None:
        ignored = self._puzzle.counter.proved
        self._merges = merges
        self._keys_of: KeysOf = self._puzzle.keys_without(ignored if merges else np.zeros_like(ignored))
        self._table = KeyTable()
        self._paths = Paths(self._capacity, self._puzzle.num_roles)
        self._waiting: deque[tuple[int, WordArray, WordArray]] = deque()
        self._waiting_bytes = 0
        self._best_on_way = 0.0
        self._best = 0.0
        self.num_expanded = 0
        self.is_over = False
        row = position.row[None].copy()
        look = self._puzzle.expander.look(row)
        if look.terminal[0]:
            self._best = float(self._puzzle.values_of(look.goals)[0])
            self._findings.offer(self._best, [], self.name)
        else:
            self._table.add(self._keys_of(row), np.zeros(1, np.uint16))
            self._wait(ROOT, row, look.legal)

    def _wait(self, first: int, rows: WordArray, legal: WordArray) -> None:
        self._waiting.append((first, rows, legal))
        self._waiting_bytes += len(rows) * self._row_bytes

    def run(self, deadline: Deadline) -> None:
        """Go on until it is time to stop, all is seen, or there is no more room."""
        while not (self.is_over or self._findings.is_settled or deadline.expired):
            if not self._waiting:
                self._conclude()
                continue
            began = time.perf_counter()
            full = self._expand_batch()
            if full:
                self.is_over = True
                self._forget()
            took = time.perf_counter() - began
            if took > 2 * BATCH_SECONDS:
                self._batch = max(1, self._batch // 2)
            elif took < BATCH_SECONDS / 2:
                self._batch = min(MOST_POSITIONS, 2 * self._batch)

    def _expand_batch(self) -> bool:
        """Expand some positions; tell whether there is no room for what comes of them."""
        first, rows, legal = self._waiting.popleft()
        self._waiting_bytes -= len(rows) * self._row_bytes
        if len(rows) > self._batch:
            rest = (first + self._batch, rows[self._batch :], legal[self._batch :])
            self._waiting.appendleft(rest)
            self._waiting_bytes += len(rest[1]) * self._row_bytes
            rows, legal = rows[: self._batch], legal[: self._batch]
        found = self._puzzle.expander.expand(rows, legal=legal)
        self.num_expanded += found.num_expanded
        if not found.finished:
            return True
        values = self._puzzle.values_of(found.goals)
        ended = np.flatnonzero(found.terminal)
        if len(ended):
            best = int(ended[np.argmax(values[ended])])
            self._best = max(self._best, float(values[best]))
            if values[best] > self._findings.value:
                path = self._paths.read(first + int(found.parent[best]))
                self._findings.offer(float(values[best]), [*path, tuple(found.moves[best].tolist())], self.name)
        open_ = np.flatnonzero(~found.terminal)
        if not len(open_):
            return False
        self._best_on_way = max(self._best_on_way, float(values[open_].max()))
        depths = self._paths.depth[first + found.parent[open_]]
        if depths[-1] >= DEEPEST - 1:
            return True
        new = open_[self._table.add(self._keys_of(found.rows[open_]), depths + np.uint16(1))]
        if self._paths.count + len(new) > self._paths.capacity or self._waiting_bytes > self._most_bytes:
            return True
        parents = (first + found.parent[new]).astype(np.int32)
        node = self._paths.add(parents, found.moves[new], self._paths.depth[parents] + np.uint16(1))
        if len(new):
            self._wait(node, found.rows[new], found.legal[new])
        return False

    def _conclude(self) -> None:
        """All positions are seen: say what is proved, or begin again if too little is."""
        bound = self._best
        if self._merges:
            bound = max(bound, self._puzzle.best_value if self._puzzle.counter.goals_know_end else self._best_on_way)
        self._findings.limit(bound)
        if self._merges and not self._findings.is_settled:
            self._start(self._findings.position, merges=False)
            return
        self.is_over = True
        self._forget()

    def _forget(self) -> None:
        """Give back the memory."""
        self._table = KeyTable()
        self._paths = Paths(1, self._puzzle.num_roles)
        self._waiting.clear()

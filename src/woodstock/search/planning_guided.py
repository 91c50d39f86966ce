"""Guided search for plans: positions that look near to the goal, or new, come first.

Several orders take turns, over one set of nodes (as Richter and Westphal 2010 do): by novelty and near costs, by
relaxed costs, and by near costs alone, the youngest first. Relaxed costs are found when a node is expanded, and order
its children. A node from which the goal is out of reach, whatever is played, is dropped. The goal is the highest value
that may still be had.
"""

from __future__ import annotations

import time
from typing import Final

import numpy as np

from woodstock.circuit.expansion import Expansion
from woodstock.circuit.game import CircuitPosition
from woodstock.circuit.network import Int32Array
from woodstock.circuit.packing import pack
from woodstock.circuit.words import WordArray
from woodstock.common.limits import Deadline
from woodstock.ground.program import NO_ATOM
from woodstock.search.planning_costs import INFINITE, GoalCosts
from woodstock.search.planning_findings import Findings
from woodstock.search.planning_puzzle import Puzzle
from woodstock.search.planning_queues import NUM_BUCKETS, Novelty, Queue, to_buckets
from woodstock.search.planning_store import BYTES_PER_KEY, DEEPEST, ROOT, KeyTable, Paths, bytes_per_path

BATCH_SECONDS: Final = 0.004
MOST_NODES: Final = 256
"""How many nodes are expanded at once; few if that takes long, and few at first: the best ones are still to come."""
MOST_NEAR: Final = 2000
"""If near costs look at more literals they are found for the nodes that are expanded alone."""
ENOUGH_SEEN: Final = 256
FEW_DEAD: Final = 0.02
"""If a smaller share of the nodes is dead, relaxed costs are only found when they order the nodes."""
RELAXED_TURN: Final = 1
"""Which of the queues they order."""
NOVELTY_BUCKETS: Final = NUM_BUCKETS // 3


class GuidedSearch:
    """Looks at positions that are promising.

    Attributes:
        name: What the part is called.
        is_over: All that is promising is seen, or the memory is full.
        num_expanded: Positions that were expanded.
    """

    name = "guided"

    def __init__(self, puzzle: Puzzle, findings: Findings, memory: float) -> None:
        """Make a search.

        Args:
            puzzle: The puzzle.
            findings: Told what is found.
            memory: Bytes that it may take.
        """
        self._puzzle = puzzle
        self._findings = findings
        self._keys_of = puzzle.keys_without(puzzle.counter.likely)
        node_bytes = 8 * (puzzle.num_words + puzzle.num_move_words) + 1 + 4 * 4
        self._capacity = int(memory / (node_bytes + BYTES_PER_KEY + bytes_per_path(puzzle.num_roles)))
        self._batch = 8
        self._target = -1.0
        self.restart(findings.position)

    def restart(self, position: CircuitPosition) -> None:
        """Look for plans from another position from now on."""
        self._start = position
        self.num_expanded = 0
        self.is_over = False
        self._begun = False

    def _begin(self) -> None:
        """Begin with the first node."""
        self._begun = True
        row = self._start.row[None].copy()
        look = self._puzzle.expander.look(row)
        if look.terminal[0] or not self._aim(row):
            self.is_over = True
            return
        capacity, puzzle = self._capacity, self._puzzle
        self._table = KeyTable()
        self._table.add(self._keys_of(row), np.zeros(1, np.uint16))
        self._paths = Paths(capacity, puzzle.num_roles)
        self._rows = np.empty((capacity, puzzle.num_words), np.uint64)
        self._legal = np.empty((capacity, puzzle.num_move_words), np.uint64)
        self._is_done = np.zeros(capacity, np.bool_)
        self._novelty = Novelty(puzzle.program.num_fluents, pack(puzzle.counter.likely))
        self._queues = [Queue(capacity, youngest_first=youngest) for youngest in (False, False, True)]
        self._relaxed = np.zeros(capacity, np.int32)
        self._turn = 0
        self._num_dead, self._num_seen = ENOUGH_SEEN, ENOUGH_SEEN
        self._rows[ROOT], self._legal[ROOT] = row[0], look.legal[0]
        for queue in self._queues:
            queue.push(ROOT, np.zeros(1, np.int32))

    def _aim(self, row: WordArray) -> bool:
        """Choose the goal; tell whether there is one that is better than what is known."""
        for value in self._puzzle.values:
            if value <= self._findings.value:
                return False
            if value > self._findings.bound:
                continue
            if value != self._target:
                self._set_target(value, row)
            if not self._has_relaxed or self._costs.relaxed(row)[0] < INFINITE:
                return True
            self._findings.limit(max((other for other in self._puzzle.values if other < value), default=0.0))
        return False

    def _set_target(self, value: float, row: WordArray) -> None:
        """Prepare the costs of a value."""
        program, free = self._puzzle.program, self._puzzle.counter.likely
        self._target = value
        goal = self._puzzle.goal_atom(value)
        self._costs = GoalCosts(program, (goal,), free)
        if self._costs.near(row)[0] == 0 and program.terminal_atom != NO_ATOM:
            # The goal has been reached, as far as it goes: what is missing is the end.
            self._costs = GoalCosts(program, (goal, program.terminal_atom), free)
        self._has_relaxed = self._costs.is_quick
        self._has_near = self._costs.num_near <= MOST_NEAR

    def run(self, deadline: Deadline) -> None:
        """Go on until it is time to stop, there is nothing left, or there is no more room."""
        while not (self.is_over or self._findings.is_settled or deadline.expired):
            if not self._begun:
                self._begin()
                continue
            began = time.perf_counter()
            self._cycle()
            took = time.perf_counter() - began
            if took > 2 * BATCH_SECONDS:
                self._batch = max(1, self._batch // 2)
            elif took < BATCH_SECONDS / 2:
                self._batch = min(MOST_NODES, 2 * self._batch)

    def _cycle(self) -> None:
        """Expand some nodes of one queue."""
        self._turn = (self._turn + 1) % len(self._queues)
        nodes = self._queues[self._turn].pop(max(1, min(self._batch, self._paths.count // 16)), self._is_done)
        if not len(nodes):
            self._give_up()
            return
        if self._has_relaxed and (self._turn == RELAXED_TURN or self._num_dead >= FEW_DEAD * self._num_seen):
            costs = self._costs.relaxed(self._rows[nodes])
            self._relaxed[nodes] = costs
            nodes = nodes[costs < INFINITE]
            self._num_dead += len(costs) - len(nodes)
            self._num_seen += len(costs)
        if not len(nodes):
            return
        found = self._puzzle.expander.expand(self._rows[nodes], legal=self._legal[nodes])
        self.num_expanded += found.num_expanded
        if not found.finished or not self._add(nodes, found):
            self._give_up()

    def _add(self, nodes: Int32Array, found: Expansion) -> bool:
        """Add the children of nodes; tell whether there was room for them."""
        ended = np.flatnonzero(found.terminal)
        if len(ended):
            values = self._puzzle.values_of(found.goals[ended])
            best = int(ended[np.argmax(values)])
            if values.max() > self._findings.value:
                path = [*self._paths.read(int(nodes[found.parent[best]])), tuple(found.moves[best].tolist())]
                self._findings.offer(float(values.max()), path, self.name)
        open_ = np.flatnonzero(~found.terminal)
        depths = self._paths.depth[nodes[found.parent[open_]]]
        open_, depths = open_[depths < DEEPEST], depths[depths < DEEPEST] + np.uint16(1)
        is_new = self._table.add(self._keys_of(found.rows[open_]), depths)
        new, depths = open_[is_new], depths[is_new]
        first = self._paths.count
        end = first + len(new)
        if end > self._capacity:
            return False
        if not len(new):
            return True
        parents = found.parent[new]
        self._paths.add(nodes[parents], found.moves[new], depths)
        self._rows[first:end], self._legal[first:end] = found.rows[new], found.legal[new]
        self._relaxed[first:end] = self._relaxed[nodes[parents]]
        near = self._costs.near(found.rows[new]) if self._has_near else self._costs.near(self._rows[nodes])[parents]
        novelty = self._novelty.rate(found.rows[new], self._rows[nodes[parents]], near)
        by_novelty = novelty * NOVELTY_BUCKETS + np.minimum(to_buckets(near), NOVELTY_BUCKETS - 1)
        for queue, buckets in zip(
            self._queues, (by_novelty, to_buckets(self._relaxed[first:end]), to_buckets(near)), strict=True
        ):
            queue.push(first, buckets.astype(np.int32))
        return True

    def _give_up(self) -> None:
        """Stop, and give back the memory."""
        self.is_over = True
        del self._table, self._paths, self._rows, self._legal, self._is_done, self._relaxed, self._novelty, self._queues

"""Narrow search for plans: one requirement of the goal at a time, the one that fewest moves can meet.

Where pieces are placed one after the other, in any order, the same position comes about in many orders, and a search
that tries all moves everywhere is lost. A goal that is a conjunction *requires* each of its parts. So only those moves
are tried that can meet one requirement, that with the fewest of them, as constraint solvers choose their variables;
nodes from which the goal is out of reach are dropped. It is a depth-first search, which starts again with another
order when it takes long. It may miss plans, and proves nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.circuit.game import CircuitPosition
from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.packing import pack
from woodstock.circuit.words import U0, U1, WordArray
from woodstock.common.jit import jit
from woodstock.common.limits import Deadline
from woodstock.ground.program import NO_ATOM, NO_LOOP, GroundProgram
from woodstock.search.planning_costs import INFINITE, GoalCosts
from woodstock.search.planning_findings import Findings
from woodstock.search.planning_puzzle import Moves, Puzzle
from woodstock.search.planning_store import KeyTable

FIRST_LIMIT: Final = 64
"""Nodes before the first new start; later more and more."""
MOST_CLAUSES: Final = 20_000
BATCH: Final = 4
"""Nodes that are expanded at once: the others are hardly deeper than the first."""

Clause = frozenset[int]


class Requirements:
    """What a goal requires: clauses of fluents, each with the moves that can make one of its literals hold.

    Attributes:
        clauses: The clauses.
    """

    def __init__(self, program: GroundProgram, goal: tuple[int, ...]) -> None:
        self._program = program
        order = np.argsort(program.rule_head, kind="stable")
        self._order, self._heads = order, program.rule_head[order]
        found: set[Clause] = set()
        seen: set[int] = set()
        stack = [2 * atom for atom in goal if atom > 0]
        while stack and len(found) < MOST_CLAUSES:
            literal = stack.pop()
            if literal in seen:
                continue
            seen.add(literal)
            for part in self._parts(literal):
                if len(part) == 1 and not self._is_fluent(part[0]):
                    stack.append(part[0])
                elif (clause := self._flatten(part)) is not None:
                    found.add(clause)
        self.clauses = sorted(found, key=sorted)

    def _is_fluent(self, literal: int) -> bool:
        return 1 <= literal >> 1 <= self._program.num_fluents

    def _bodies(self, atom: int) -> list[list[int]]:
        first, last = np.searchsorted(self._heads, [atom, atom + 1])
        start, data = self._program.body_start, self._program.body_data
        return [data[start[rule] : start[rule + 1]].tolist() for rule in self._order[first:last].tolist()]

    def _parts(self, literal: int) -> list[list[int]]:
        """Return a literal as a conjunction of disjunctions, or as itself."""
        atom = literal >> 1
        if self._is_fluent(literal) or self._program.atom_loop[atom] != NO_LOOP:
            return [[literal]] if self._is_fluent(literal) else []
        bodies = self._bodies(atom)
        if literal & 1:
            return [[other ^ 1 for other in body] for body in bodies]
        if len(bodies) == 1:
            return [[other] for other in bodies[0]]
        return [[body[0] for body in bodies]] if all(len(body) == 1 for body in bodies) else []

    def _flatten(self, literals: list[int]) -> Clause | None:
        """Return a disjunction as one of fluents; None if it is none."""
        found: set[int] = set()
        for literal in literals:
            if self._is_fluent(literal):
                found.add(literal)
                continue
            parts = self._parts(literal)
            if len(parts) != 1 or parts[0] == [literal]:
                return None
            inner = self._flatten(parts[0])
            if inner is None:
                return None
            found |= inner
        return frozenset(found)


class NarrowSearch:
    """Meets the requirements of a goal one by one.

    Attributes:
        name: What the part is called.
        is_over: There is nothing to do: the goal has no parts.
        num_expanded: Positions that were expanded.
    """

    name = "narrow"

    def __init__(self, puzzle: Puzzle, findings: Findings, seed: int) -> None:
        self._puzzle = puzzle
        self._findings = findings
        self._random = np.random.default_rng(seed)
        self._keys_of = puzzle.keys_without(puzzle.counter.likely)
        self._prepared = False
        self.restart(findings.position)

    def restart(self, position: CircuitPosition) -> None:
        """Look for plans from another position from now on."""
        self._start = position
        self.num_expanded = 0
        self.is_over = len(self._puzzle.program.roles) > 1
        self._limit = FIRST_LIMIT
        self._stack: list[tuple[WordArray, WordArray, tuple[Moves, ...]]] = []
        self._left = 0

    def _prepare(self) -> None:
        """Find what the goal requires, and which moves are of use."""
        program, puzzle = self._puzzle.program, self._puzzle
        self._prepared = True
        goal = puzzle.goal_atom(puzzle.best_value)
        self._costs = GoalCosts(program, (goal,), puzzle.counter.likely)
        clauses: list[Clause] = []
        if goal != NO_ATOM and self._costs.is_quick:
            clauses = Requirements(program, (goal,)).clauses
        achievers = np.zeros((len(clauses), program.num_moves), np.bool_)
        if clauses:
            by_literal = _achievers(self._costs, program)
            for number, clause in enumerate(clauses):
                for literal in clause:
                    if literal in by_literal:
                        achievers[number, by_literal[literal]] = True
        useful = np.flatnonzero(achievers.any(axis=1))
        self._achievers = pack(achievers[useful])
        self._first = np.cumsum([0, *(len(clauses[number]) for number in useful)]).astype(np.int64)
        self._literals = np.array([lit for number in useful for lit in sorted(clauses[number])], np.int32)
        self._is_of_use = len(useful) > 1 or (self._costs.is_quick and goal != NO_ATOM)

    def run(self, deadline: Deadline) -> None:
        """Go on until it is time to stop."""
        if not self._prepared and not self.is_over:
            self._prepare()
        self.is_over = self.is_over or not self._is_of_use
        while not (self.is_over or self._findings.is_settled or deadline.expired):
            if not self._stack or self._left <= 0:
                self._begin()
            self._cycle()

    def _begin(self) -> None:
        """Start anew, in another order, with more patience."""
        row = self._start.row[None].copy()
        look = self._puzzle.expander.look(row)
        self.is_over = bool(look.terminal[0])
        self._stack = [(row[0], look.legal[0], ())]
        self._table = KeyTable()
        self._left = self._limit
        self._limit += self._limit // 2
        order = self._random.permutation(len(self._achievers))
        self._order = order.astype(np.int64)

    def _cycle(self) -> None:
        """Expand the youngest nodes."""
        taken, self._stack = self._stack[-BATCH:], self._stack[:-BATCH]
        rows = np.array([row for row, _, _ in taken])
        alive = self._costs.relaxed(rows) < INFINITE
        self._left -= len(taken)
        if not alive.any():
            return
        paths = [path for (_, _, path), is_alive in zip(taken, alive.tolist(), strict=True) if is_alive]
        rows = rows[alive]
        legal = np.array([moves for _, moves, _ in taken])[alive]
        narrow(rows, legal, self._achievers, (self._first, self._literals), self._order)
        found = self._puzzle.expander.expand(rows, legal=legal)
        self.num_expanded += len(rows)
        values = self._puzzle.values_of(found.goals)
        for child in np.flatnonzero(found.terminal).tolist():
            if values[child] > self._findings.value:
                moves = [*paths[found.parent[child]], tuple(found.moves[child].tolist())]
                self._findings.offer(float(values[child]), moves, self.name)
        open_ = np.flatnonzero(~found.terminal)
        depths = np.array([len(paths[parent]) for parent in found.parent[open_]], np.uint16)
        new = open_[self._table.add(self._keys_of(found.rows[open_]), depths)]
        # Those of the oldest node are pushed first, in any order.
        new = new[np.lexsort((self._random.random(len(new)), found.parent[new]))]
        for child in new.tolist():
            path = (*paths[found.parent[child]], tuple(found.moves[child].tolist()))
            self._stack.append((found.rows[child], found.legal[child], path))


def _achievers(costs: GoalCosts, program: GroundProgram) -> dict[int, Int64Array]:
    """Return for each literal of a fluent the moves, counted from 0, that may make it hold."""
    effects = costs.wiring.effects
    found: dict[int, list[Int32Array]] = {}
    for number, literal in enumerate(effects.outcome.tolist()):
        members = effects.first_member[effects.moves[number] : effects.moves[number] + 2]
        found.setdefault(literal, []).append(effects.members[members[0] : members[1]])
    first_move = 1 + program.num_fluents
    return {literal: np.unique(np.concatenate(sets)).astype(np.int64) - first_move for literal, sets in found.items()}


@jit
def narrow(
    rows: WordArray,
    legal: WordArray,
    achievers: WordArray,
    clauses: tuple[Int64Array, Int32Array],
    order: Int64Array,
) -> None:
    """Leave over the legal moves that can meet the requirement which fewest of them can; all if none is open.

    Args:
        rows: Packed positions, shape (n, num_words), uint64.
        legal: Their legal moves, packed, changed, shape (n, num_move_words), uint64.
        achievers: The moves that can meet each requirement, packed, shape (num_clauses, num_move_words), uint64.
        clauses: Where the literals of each requirement begin, and the literals.
        order: In which order requirements are looked at: the first of the best is taken.
    """
    first, literals = clauses
    for number in range(len(rows)):
        least, best = 1 << 30, -1
        for clause in order:
            met = False
            for place in range(first[clause], first[clause + 1]):
                fluent = (literals[place] >> 1) - 1
                bit = (rows[number, fluent >> 6] >> np.uint64(fluent & 63)) & U1 != U0
                met = met or bit != bool(literals[place] & 1)
            if met:
                continue
            count = 0
            for place in range(legal.shape[1]):
                word = legal[number, place] & achievers[clause, place]
                while word != U0:
                    word &= word - U1
                    count += 1
            if 0 < count < least:
                least, best = count, clause
        if best >= 0:
            for place in range(legal.shape[1]):
                legal[number, place] &= achievers[best, place]

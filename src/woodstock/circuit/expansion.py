"""Expansion: all joint moves of many positions at once, and what comes of them.

The lanes of a pass are the joint moves of one or of many positions; what is found of each successor is all that a tree
node needs.

>>> from woodstock.circuit.circuit import Circuit
>>> from woodstock.circuit.expansion import Expander
>>> from woodstock.circuit.packing import check_rows, pack
>>> from woodstock.game.load import load_rules
>>> from woodstock.ground import ground
>>> circuit = Circuit(ground(load_rules("tic_tac_toe")))
>>> expander = Expander(circuit)
>>> first = expander.expand(pack(circuit.program.initial)[None])
>>> second = expander.expand(first.rows, first.keys, first.legal)
>>> len(first.rows), len(second.rows)
(9, 72)
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.circuit import Circuit
from woodstock.circuit.expansion_kernels import (
    GOALS_CONE,
    LOOK_CONE,
    NO_GOAL,
    NUM_CONES,
    STEP_CONE,
    ChildArrays,
    EngineArrays,
    ParentArrays,
    run_passes,
)
from woodstock.circuit.expansion_lanes import Int16Array
from woodstock.circuit.expansion_ledger import (
    DONE,
    ELSEWHERE,
    KNOWS_KEYS,
    KNOWS_LEGAL,
    NUM_COMPLETE,
    STATE,
    UNFINISHED,
    begin_ledger,
    count_children,
    new_ledger,
    what_is_done,
)
from woodstock.circuit.expansion_wiring import make_space, make_wiring
from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.packing import check_rows, num_words
from woodstock.circuit.words import WordArray, zero
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline

SLICE_SECONDS: Final = 0.005
"""How long a kernel runs before it looks at the clock; well below 20 ms."""
MAX_BYTES: Final = 1 << 30
"""As many children are made in one call as fit into that, if nothing else is said."""
NARROW_LANES: Final = 64
"""So many lanes fit into one word: a pass with eight words takes up to three times as long."""

WORD: Final = np.dtype(np.uint64)
INT32: Final = np.dtype(np.int32)
INT16: Final = np.dtype(np.int16)
BOOL: Final = np.dtype(np.bool_)
NOWHERE: Final = np.zeros(0, BOOL)
NO_WORDS: Final = np.zeros(0, WORD)
NO_PARENTS: Final = np.zeros(0, INT32)
NO_MOVES: Final = np.zeros((0, 1), INT32)
GOALS_OF_CHILDREN: Final = 5

__all__ = ["NO_GOAL", "Expander", "Expansion", "Look"]


@dataclass(eq=False, slots=True)
class Expansion:
    """Successors of positions: those of the first position, in the order of their joint moves, then of the second, ...

    The joint moves of a position are all combinations of legal moves; the move of the last role changes quickest. A
    position where the match is over or some role has no legal move has no successors.

    Attributes:
        parent: Which of the positions each comes from, shape (n,), int32.
        moves: The moves that lead to it, counted over all roles, shape (n, num_roles), int32.
        rows: Packed positions, shape (n, num_words), uint64.
        keys: Their Zobrist keys, shape (n,), uint64.
        terminal: Whether the match is over, shape (n,), bool.
        goals: Goals 0 to 100, NO_GOAL where the rules give none or several or no number, or if they were not asked
            for, shape (n, num_roles), int16.
        legal: Legal moves by what the rules say, over or not, packed, move m counted over all roles is bit m, shape
            (n, num_move_words), uint64.
        num_expanded: How many of the positions have all their successors here. These are the first positions; there is
            nothing of the others, but if it is 0 there may be some successors, the first ones, of the first position.
        finished: All positions have.
    """

    parent: Int32Array
    moves: Int32Array
    rows: WordArray
    keys: WordArray
    terminal: BoolArray
    goals: Int16Array
    legal: WordArray
    num_expanded: int
    finished: bool


class Look(NamedTuple):
    """What the rules say about positions: what is legal, whether the match is over, the goals; see `Expansion`."""

    legal: WordArray
    terminal: BoolArray
    goals: Int16Array


class _Engine:
    """The plans of all phases, or that for positions of no phase, for words of a width, and space to work in."""

    def __init__(self, circuit: Circuit, width: int, *, is_general: bool) -> None:
        self.programs, self.wiring, self._sizes = make_wiring(circuit, width, is_general=is_general)
        self._like = zero(width)
        self._passes = 1
        self._free: list[EngineArrays] = []

    def run(
        self, positions: ParentArrays, results: ChildArrays, cones: tuple[int, int], deadline: Deadline | None
    ) -> int:
        """Make passes until all is done or the time is over; return the last status."""
        # Other threads take space as well, and after an exception it is not as it should be and is given up.
        try:
            arrays = self._free.pop()
        except IndexError:
            arrays = self.programs, self.wiring, make_space(self._sizes, len(self._like))
        while True:
            began = time.perf_counter()
            status = run_passes(arrays, positions, results, cones, self._passes, self._like)
            if status != UNFINISHED:
                break
            pace = (time.perf_counter() - began) / self._passes
            self._passes = max(1, min(int(SLICE_SECONDS / max(pace, 1e-9)), 4 * self._passes))
            if deadline is not None and deadline.expired:
                break
        self._free.append(arrays)
        return status


class Expander:
    """Finds all successors of positions; it keeps what can be used again, and several threads may use it at once."""

    def __init__(self, circuit: Circuit, width: int = 8) -> None:
        """Make an expander.

        Args:
            circuit: The game.
            width: Words of a slot, 8 or 1. Where 64 lanes are enough one word is taken anyway.
        """
        program = circuit.program
        self.circuit = circuit
        self.width = width
        self._num_roles = len(program.roles)
        self._num_words = num_words(program.num_fluents)
        self._num_move_words = num_words(program.num_moves)
        self._capacity = MAX_BYTES // (8 * (self._num_words + self._num_move_words) + 6 * self._num_roles + 13)
        self._engines: dict[tuple[int, bool], _Engine] = {}

    def expand(
        self,
        rows: WordArray,
        keys: WordArray | None = None,
        legal: WordArray | None = None,
        *,
        deadline: Deadline | None = None,
        max_children: int | None = None,
        with_goals: bool = True,
    ) -> Expansion:
        """Find all successors of positions.

        Args:
            rows: Packed positions, shape (n, num_words), uint64.
            keys: Their Zobrist keys if they are known, shape (n,), uint64.
            legal: Their legal moves if they are known and the match is not over in any of them, packed, shape
                (n, num_move_words), uint64.
            deadline: When to stop. If it comes before the legal moves are known nothing is found; else some successors
                are.
            max_children: How many successors there may be, at least 1; None stands for a gigabyte of them.
            with_goals: Whether the goals are wanted.
        """
        num_positions = len(rows)
        rows = _as_words(rows, (num_positions, self._num_words))
        knows = (KNOWS_KEYS if keys is not None else 0) + (KNOWS_LEGAL if legal is not None else 0)
        keys = np.empty(num_positions, WORD) if keys is None else _as_words(keys, (num_positions,))
        ledger = new_ledger(num_positions)
        wiring = self._engine(self.width, False).wiring
        begin_ledger(wiring, rows, keys, ledger, knows)
        if legal is None:
            seen = self._look(rows, ledger, False, deadline)
            if seen is None:
                return Expansion(*self._new_children(0), 0, False)
            legal, terminal = seen.legal, seen.terminal
        else:
            legal, terminal = _as_words(legal, (num_positions, self._num_move_words)), NOWHERE
        capacity = self._capacity if max_children is None else min(max_children, self._capacity)
        total = count_children(wiring, legal, terminal, ledger, capacity)
        children = self._new_children(total)
        if not with_goals:
            children[GOALS_OF_CHILDREN].fill(NO_GOAL)
        cones = (STEP_CONE, NUM_CONES if with_goals else GOALS_CONE)
        if self._run((rows, keys, legal, ledger), children, cones, total, deadline):
            num_expanded = ledger.item(STATE, NUM_COMPLETE)
            return Expansion(*children, num_expanded, num_expanded == num_positions)
        num_expanded, total = what_is_done(ledger)
        parent, moves, made, made_keys, ended, goals, allowed = children
        return Expansion(
            parent[:total],
            moves[:total],
            made[:total],
            made_keys[:total],
            ended[:total],
            goals[:total],
            allowed[:total],
            num_expanded,
            False,
        )

    def look(self, rows: WordArray) -> Look:
        """Find what the rules say about positions.

        Args:
            rows: Packed positions, shape (n, num_words), uint64.
        """
        rows = _as_words(rows, (len(rows), self._num_words))
        ledger = new_ledger(len(rows))
        begin_ledger(self._engine(self.width, False).wiring, rows, NO_WORDS, ledger, KNOWS_KEYS)
        seen = self._look(rows, ledger, True, None)
        assert seen is not None
        return seen

    def _look(self, rows: WordArray, ledger: WordArray, with_goals: bool, deadline: Deadline | None) -> Look | None:
        """Look at positions that a ledger was begun for; return None if the time is over before the end."""
        num_positions = len(rows)
        legal = np.empty((num_positions, self._num_move_words), WORD)
        terminal = np.empty(num_positions, BOOL)
        goals = np.empty((num_positions, self._num_roles), INT16)
        cones = (LOOK_CONE, NUM_CONES if with_goals else GOALS_CONE)
        positions = (rows, NO_WORDS, legal, ledger)
        results = (NO_PARENTS, NO_MOVES, rows, NO_WORDS, terminal, goals, legal)
        is_done = self._run(positions, results, cones, num_positions, deadline)
        return Look(legal, terminal, goals) if is_done else None

    def _run(
        self,
        positions: ParentArrays,
        results: ChildArrays,
        cones: tuple[int, int],
        num_lanes: int,
        deadline: Deadline | None,
    ) -> bool:
        """Make passes; tell whether all is done."""
        width = 1 if num_lanes <= NARROW_LANES else self.width
        status = self._engine(width, False).run(positions, results, cones, deadline)
        if status == ELSEWHERE:
            check_rows(positions[0], self.circuit.program.num_fluents)
            status = self._engine(width, True).run(positions, results, cones, deadline)
        return status == DONE

    def _engine(self, width: int, is_general: bool) -> _Engine:
        found = self._engines.get((width, is_general))
        if found is None:
            found = self._engines[width, is_general] = _Engine(self.circuit, width, is_general=is_general)
        return found

    def _new_children(self, count: int) -> ChildArrays:
        """Return room for children."""
        return (
            np.empty(count, INT32),
            np.empty((count, self._num_roles), INT32),
            np.empty((count, self._num_words), WORD),
            np.empty(count, WORD),
            np.empty(count, BOOL),
            np.empty((count, self._num_roles), INT16),
            np.empty((count, self._num_move_words), WORD),
        )


def _as_words(array: WordArray, shape: tuple[int, ...]) -> WordArray:
    """Return an array of the one kind that kernels are compiled for."""
    if array.shape != shape:
        raise UsageError(f"expected words of shape {shape}, found {array.shape}")
    if array.dtype is WORD and array.flags.carray:
        return array
    return np.array(array, WORD, order="C")

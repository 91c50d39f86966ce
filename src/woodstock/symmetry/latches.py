"""Latches: which fluents can never change again after a position, by three-valued reachability.

Every fluent starts with the value that it has in the position. As long as there is one whose value in the next position
is not known to be the same, its value becomes unknown; a move that may be legal may be made. What is known at the end
holds in every position that can be reached: that is an over-approximation, so a fluent that is called a latch is one.

>>> from woodstock.gdl.sheet import parse_rules
>>> from woodstock.ground import ground
>>> sheet = "(role a) (legal a go) (<= (next on) (true on)) (<= (next on) (does a go)) (<= (next x) (not (true x)))"
>>> program = ground(parse_rules(sheet), use_cache=False)
>>> program.fluents
('on', 'x')
>>> Latches(program).values_after(np.array([True, False]))[1:3].tolist()
[1, 0]
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import UsageError
from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, GroundProgram
from woodstock.ground.rulebase import IntArray, RuleBase, needed_atoms, offsets

BoolArray = npt.NDArray[np.bool_]
ValueArray = npt.NDArray[np.int8]

KNOWN_TRUE: Final = 1
UNKNOWN: Final = 0
KNOWN_FALSE: Final = -1


@dataclass(frozen=True, slots=True)
class _Layer:
    """The rules of one level: a body is as true as its least literal, an atom as its greatest body."""

    literals: IntArray
    body_start: IntArray
    rule_start: IntArray
    heads: IntArray
    has_loop: bool

    def apply(self, values: ValueArray) -> bool:
        """Set the heads in `values`; tell whether one of them changed."""
        bodies = np.minimum.reduceat(values[self.literals], self.body_start)
        found = np.maximum.reduceat(bodies, self.rule_start)
        changed = self.has_loop and bool((values[2 * self.heads] != found).any())
        values[2 * self.heads] = found
        values[2 * self.heads + 1] = -found
        return changed

    def run(self, values: ValueArray) -> None:
        """Evaluate the level; a loop from below until nothing changes."""
        if self.has_loop:
            values[2 * self.heads] = KNOWN_FALSE
            values[2 * self.heads + 1] = KNOWN_TRUE
        while self.apply(values):
            pass


class Latches:
    """Finds what stays as it is after positions of a game."""

    def __init__(self, program: GroundProgram) -> None:
        """Prepare for a game.

        Raises:
            UsageError: What is legal, the end or the goals depend on the moves that are made, which GDL does not allow.
        """
        if _asks_for_moves(program):
            raise UsageError("what is legal, the end or the goals depend on the moves that are made in the same step")
        self.program = program
        self._layers = _make_layers(program)
        self._next = np.maximum(program.next_atom, 0).astype(np.int64)
        self._has_next = program.next_atom != NO_ATOM
        self._legal = np.maximum(program.legal_atom, 0).astype(np.int64)
        self._has_legal = program.legal_atom != NO_ATOM

    def values_after(self, position: BoolArray) -> ValueArray:
        """Return what is known of each atom in a position and in all that can be reached from it.

        Args:
            position: Which fluents hold, shape (num_fluents,), bool.

        Returns:
            1 for atoms that hold in all of them, -1 for atoms that hold in none, 0 for the others; a move that is made
            in none of them is -1. Shape (num_atoms,), int8.
        """
        program = self.program
        fluents = np.where(position, KNOWN_TRUE, KNOWN_FALSE).astype(np.int8)
        while True:
            values = self._evaluate(fluents)
            if self._is_over(values):
                return self._derive(values, np.full(program.num_moves, KNOWN_FALSE, dtype=np.int8))[::2].copy()
            following = np.where(self._has_next, values[2 * self._next], KNOWN_FALSE)
            changed = (following != fluents) & (fluents != UNKNOWN)
            if not changed.any():
                return values[::2].copy()
            fluents[changed] = UNKNOWN

    def values_now(self, position: BoolArray) -> ValueArray:
        """Return what is known of each atom in a position alone, whatever moves are made; as for `values_after`."""
        return self._evaluate(np.where(position, KNOWN_TRUE, KNOWN_FALSE).astype(np.int8))[::2].copy()

    def _is_over(self, values: ValueArray) -> bool:
        """Tell whether nothing follows for sure: the match is over, or a role has no move."""
        terminal = self.program.terminal_atom
        if terminal != NO_ATOM and values[2 * terminal] == KNOWN_TRUE:
            return True
        first = 1 + self.program.num_fluents
        possible = values[2 * first : 2 * (first + self.program.num_moves) : 2] != KNOWN_FALSE
        return not all(possible[start:end].any() for start, end in pairwise(self.program.move_start))

    def _evaluate(self, fluents: ValueArray) -> ValueArray:
        """Return the values of all literals if fluents have some values, before and after any move."""
        program = self.program
        values = np.full(2 * program.num_atoms, UNKNOWN, dtype=np.int8)
        values[2 * TRUE_ATOM] = KNOWN_TRUE
        values[2 * TRUE_ATOM + 1] = KNOWN_FALSE
        _set(values, 1, fluents)
        for layer in self._layers:
            layer.run(values)
        return self._derive(values, self._moves(values))

    def _derive(self, values: ValueArray, moves: ValueArray) -> ValueArray:
        """Return values in which what follows from some knowledge about moves is set."""
        _set(values, 1 + self.program.num_fluents, moves)
        for layer in self._layers:
            layer.run(values)
        return values

    def _moves(self, values: ValueArray) -> ValueArray:
        """Return what is known of moves: none that is never legal is made, and the only one that may be legal is."""
        legal = np.where(self._has_legal, values[2 * self._legal], KNOWN_FALSE)
        moves = np.where(legal == KNOWN_FALSE, KNOWN_FALSE, UNKNOWN).astype(np.int8)
        for start, end in pairwise(self.program.move_start):
            possible = np.flatnonzero(moves[start:end] == UNKNOWN)
            if len(possible) == 1:
                moves[start + possible] = KNOWN_TRUE
        return moves


def _asks_for_moves(program: GroundProgram) -> bool:
    """Tell whether an output that should depend on the position alone depends on moves."""
    outputs = np.concatenate([program.legal_atom, program.goals.atoms, [program.terminal_atom]]).astype(np.int64)
    needed = needed_atoms(rules_of(program), outputs[outputs != NO_ATOM])
    first = 1 + program.num_fluents
    return bool(needed[first : first + program.num_moves].any())


def rules_of(program: GroundProgram) -> RuleBase:
    """Return the rules of a program in the form in which they are simplified."""
    arrays = (program.rule_head, program.body_start, program.body_data)
    return RuleBase(program.num_atoms, *(each.astype(np.int64) for each in arrays))


def _set(values: ValueArray, first: int, known: ValueArray) -> None:
    """Set the values of neighbouring atoms."""
    values[2 * first : 2 * (first + len(known)) : 2] = known
    values[2 * first + 1 : 2 * (first + len(known)) : 2] = -known


def _make_layers(program: GroundProgram) -> list[_Layer]:
    level = program.atom_level[program.rule_head]
    lengths = np.diff(program.body_start)
    layers = []
    for number in np.unique(level):
        rules = np.flatnonzero(level == number)
        starts = offsets(lengths[rules])
        places = np.arange(starts[-1]) - np.repeat(starts[:-1] - program.body_start[rules], lengths[rules])
        heads, rule_start = np.unique(program.rule_head[rules], return_index=True)
        has_loop = bool((program.atom_loop[heads] != NO_LOOP).any())
        literals = program.body_data[places].astype(np.int64)
        layers.append(_Layer(literals, starts[:-1], rule_start.astype(np.int64), heads.astype(np.int64), has_loop))
    return layers

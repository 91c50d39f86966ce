"""Evaluation of a ground program, level by level, in plain NumPy: what holds in a position, and after a joint move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, BoolArray, GroundProgram

IndexArray = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Layer:
    """The rules of one level: bodies are reduced to rules, rules to heads."""

    literals: IndexArray
    body_start: IndexArray
    rule_start: IndexArray
    heads: IndexArray
    has_loop: bool

    def apply(self, values: BoolArray) -> bool:
        """Set the heads in `values`; tell whether one of them changed."""
        bodies = np.logical_and.reduceat(values[self.literals], self.body_start)
        found = np.logical_or.reduceat(bodies, self.rule_start)
        changed = self.has_loop and bool((values[2 * self.heads] != found).any())
        values[2 * self.heads] = found
        values[2 * self.heads + 1] = ~found
        return changed

    def run(self, values: BoolArray) -> None:
        """Evaluate the level; a loop from below until nothing changes."""
        if self.has_loop:
            values[2 * self.heads] = False
            values[2 * self.heads + 1] = True
        while self.apply(values):
            pass


class Evaluator:
    """Evaluates a ground program. Values are arrays of literals, shape (2 * num_atoms,), bool."""

    def __init__(self, program: GroundProgram) -> None:
        self.program = program

    def position(self, fluents: Sequence[int]) -> BoolArray:
        """Return the literals that hold in the position with these fluents, before any move."""
        values = np.zeros(2 * self.program.num_atoms, dtype=np.bool_)
        values[1::2] = True
        _set(values, [TRUE_ATOM, *(1 + fluent for fluent in fluents)])
        for layer in self._layers[0]:
            layer.run(values)
        if self._asks_for_moves:
            for layer in self._layers[1]:
                layer.run(values)
        return values

    def after(self, values: BoolArray, moves: Sequence[int]) -> BoolArray:
        """Return the literals that hold when these moves, one a role, are made in a position with such values."""
        first = 1 + self.program.num_fluents
        found = values.copy()
        _set(found, [first + move for move in moves])
        for layer in self._layers[1]:
            layer.run(found)
        return found

    @cached_property
    def _layers(self) -> tuple[list[_Layer], list[_Layer]]:
        """The levels of what depends on the position only, and of what depends on the moves too."""
        uses_moves = self._uses_moves()[self.program.rule_head]
        return self._make_layers(~uses_moves), self._make_layers(uses_moves)

    @cached_property
    def _asks_for_moves(self) -> bool:
        """Whether `legal`, `terminal` or `goal` depend on the moves: no good sheet does that; none are made there."""
        program = self.program
        atoms = np.concatenate([program.legal_atom, program.goals.atoms, [program.terminal_atom]])
        return bool(self._uses_moves()[atoms[atoms != NO_ATOM]].any())

    def _uses_moves(self) -> BoolArray:
        """Tell for each atom whether it depends on the moves."""
        program = self.program
        uses = np.zeros(program.num_atoms, dtype=np.bool_)
        first = 1 + program.num_fluents
        uses[first : first + program.num_moves] = True
        heads = np.repeat(program.rule_head, np.diff(program.body_start))
        atoms = program.body_data >> 1
        while True:
            found = np.unique(heads[uses[atoms] & ~uses[heads]])
            if not len(found):
                return uses
            uses[found] = True

    def _make_layers(self, chosen: BoolArray) -> list[_Layer]:
        program = self.program
        level = program.atom_level[program.rule_head]
        lengths = np.diff(program.body_start)
        layers = []
        for number in np.unique(level[chosen]):
            rules = np.flatnonzero(chosen & (level == number))
            starts = np.concatenate([[0], np.cumsum(lengths[rules])])
            places = np.arange(starts[-1]) - np.repeat(starts[:-1] - program.body_start[rules], lengths[rules])
            heads, rule_start = np.unique(program.rule_head[rules], return_index=True)
            has_loop = bool((program.atom_loop[heads] != NO_LOOP).any())
            literals = program.body_data[places].astype(np.intp)
            layers.append(_Layer(literals, starts[:-1], rule_start, heads.astype(np.intp), has_loop))
        return layers


def holds(values: BoolArray, atoms: npt.NDArray[np.int32]) -> BoolArray:
    """Return which atoms hold; NO_ATOM never does."""
    found: BoolArray = values[2 * np.maximum(atoms, 0)] & (atoms != NO_ATOM)
    return found


def _set(values: BoolArray, atoms: Sequence[int]) -> None:
    index = np.array(atoms, dtype=np.intp)
    values[2 * index] = True
    values[2 * index + 1] = False

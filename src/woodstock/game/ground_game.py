"""A game played on its ground program, level by level, in plain NumPy.

It evaluates what the grounder derived and nothing else; the reference reasoner on the rules is the judge of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import UsageError
from woodstock.game.protocol import Fluent, JointMove, Move, Percept, default_percepts
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm
from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, GroundProgram, RoleTerms

BoolArray = npt.NDArray[np.bool_]
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
        """Set the heads in `values`, shape (2 * num_atoms,); tell whether one of them changed."""
        bodies = np.logical_and.reduceat(values[self.literals], self.body_start)
        found = np.logical_or.reduceat(bodies, self.rule_start)
        changed = bool((values[2 * self.heads] != found).any())
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
        else:
            self.apply(values)


class GroundGame:
    """Plays a `GroundProgram`. A position is the tuple of the numbers of its fluents, in order.

    The position before last is not kept: asking for everything about one position and then moving on costs two passes.
    """

    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        self._cached: tuple[tuple[int, ...], BoolArray] | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        return self.program.roles

    @cached_property
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

    @cached_property
    def _layers(self) -> tuple[list[_Layer], list[_Layer]]:
        """The levels of what depends on the position only, and of what depends on the moves too."""
        uses_moves = self._uses_moves[self.program.rule_head]
        return self._make_layers(~uses_moves), self._make_layers(uses_moves)

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

    def _evaluate(self, position: tuple[int, ...]) -> BoolArray:
        """Return the literals that hold in a position, moves aside."""
        if self._cached is not None and self._cached[0] == position:
            return self._cached[1]
        values = np.zeros(2 * self.program.num_atoms, dtype=np.bool_)
        values[1::2] = True
        self._set(values, [TRUE_ATOM])
        self._set(values, [1 + fluent for fluent in position])
        for layer in self._layers[0]:
            layer.run(values)
        self._cached = (position, values)
        return values

    @staticmethod
    def _set(values: BoolArray, atoms: list[int]) -> None:
        index = np.array(atoms, dtype=np.intp)
        values[2 * index] = True
        values[2 * index + 1] = False

    def _evaluate_moves(self, position: tuple[int, ...], moves: JointMove) -> BoolArray:
        """Return the literals that hold when some moves are made."""
        first = 1 + self.program.num_fluents
        numbers = [self._move_number(role, move) for role, move in enumerate(moves)]
        values = self._evaluate(position).copy()
        self._set(values, [first + number for number in numbers])
        for layer in self._layers[1]:
            layer.run(values)
        return values

    def _move_number(self, role: int, move: Move) -> int:
        number = self.program.move_index[role].get(move)
        if number is None:
            raise UsageError(f"{self.roles[role]} has no move {to_kif(move)}")
        return number

    def initial_position(self) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self.program.initial).tolist())

    def legal_moves(self, position: tuple[int, ...], role: int) -> tuple[Move, ...]:
        values = self._evaluate(position)
        start, end = self.program.move_start[role : role + 2]
        legal = _holds(values, self.program.legal_atom[start:end])
        return tuple(self.program.moves[role][number] for number in np.flatnonzero(legal).tolist())

    def next_position(self, position: tuple[int, ...], moves: JointMove) -> tuple[int, ...]:
        values = self._evaluate_moves(position, moves)
        return tuple(np.flatnonzero(_holds(values, self.program.next_atom)).tolist())

    def is_terminal(self, position: tuple[int, ...]) -> bool:
        atom = self.program.terminal_atom
        return atom != NO_ATOM and bool(self._evaluate(position)[2 * atom])

    def goal_values(self, position: tuple[int, ...], role: int) -> tuple[GroundTerm, ...]:
        return self._terms_of(self.program.goals, self._evaluate(position), role)

    def percepts(self, position: tuple[int, ...], moves: JointMove, role: int) -> frozenset[Percept]:
        if self.program.percepts is None:
            return default_percepts(self.roles, moves)
        return frozenset(self._terms_of(self.program.percepts, self._evaluate_moves(position, moves), role))

    @staticmethod
    def _terms_of(entries: RoleTerms, values: BoolArray, role: int) -> tuple[GroundTerm, ...]:
        found = np.flatnonzero((entries.roles == role) & _holds(values, entries.atoms))
        return tuple(entries.terms[number] for number in found.tolist())

    def fluents(self, position: tuple[int, ...]) -> frozenset[Fluent]:
        return frozenset(self.program.fluents[number] for number in position)

    def position_of(self, fluents: Iterable[Fluent]) -> tuple[int, ...]:
        index = self.program.fluent_index
        numbers = []
        for fluent in fluents:
            if fluent not in index:
                raise UsageError(f"{to_kif(fluent)} is no fluent of this game that can ever be true")
            numbers.append(index[fluent])
        return tuple(sorted(set(numbers)))


def _holds(values: BoolArray, atoms: npt.NDArray[np.int32]) -> BoolArray:
    """Return which atoms hold; NO_ATOM never does."""
    found: BoolArray = values[2 * np.maximum(atoms, 0)] & (atoms != NO_ATOM)
    return found

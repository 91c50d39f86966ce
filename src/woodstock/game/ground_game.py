"""A game played on its ground program.

It evaluates what the grounder derived and nothing else; the reference reasoner on the rules is the judge of both.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.game.protocol import Fluent, JointMove, Move, Percept, default_percepts
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.program import NO_ATOM, BoolArray, GroundProgram, RoleTerms

GroundPosition = tuple[int, ...]
"""The numbers of the fluents that hold, in order."""


class GroundGame:
    """Plays a `GroundProgram`; what was found out about the last position is kept until another one is asked about."""

    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        self._evaluator = Evaluator(program)
        self._last: tuple[GroundPosition, BoolArray] | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        return self.program.roles

    def _evaluate(self, position: GroundPosition) -> BoolArray:
        if self._last is None or self._last[0] != position:
            self._last = (position, self._evaluator.position(position))
        return self._last[1]

    def _evaluate_moves(self, position: GroundPosition, moves: JointMove) -> BoolArray:
        numbers = [self._move_number(role, move) for role, move in enumerate(moves)]
        return self._evaluator.after(self._evaluate(position), numbers)

    def _move_number(self, role: int, move: Move) -> int:
        number = self.program.move_index[role].get(move)
        if number is None:
            raise UsageError(f"{self.roles[role]} has no move {to_kif(move)}")
        return number

    def initial_position(self) -> GroundPosition:
        return tuple(np.flatnonzero(self.program.initial).tolist())

    def legal_moves(self, position: GroundPosition, role: int) -> tuple[Move, ...]:
        values = self._evaluate(position)
        start, end = self.program.move_start[role : role + 2]
        legal = holds(values, self.program.legal_atom[start:end])
        return tuple(self.program.moves[role][number] for number in np.flatnonzero(legal).tolist())

    def next_position(self, position: GroundPosition, moves: JointMove) -> GroundPosition:
        values = self._evaluate_moves(position, moves)
        return tuple(np.flatnonzero(holds(values, self.program.next_atom)).tolist())

    def is_terminal(self, position: GroundPosition) -> bool:
        atom = self.program.terminal_atom
        return atom != NO_ATOM and bool(self._evaluate(position)[2 * atom])

    def goal_values(self, position: GroundPosition, role: int) -> tuple[GroundTerm, ...]:
        return self._terms_of(self.program.goals, self._evaluate(position), role)

    def percepts(self, position: GroundPosition, moves: JointMove, role: int) -> frozenset[Percept]:
        if self.program.percepts is None:
            return default_percepts(self.roles, moves)
        return frozenset(self._terms_of(self.program.percepts, self._evaluate_moves(position, moves), role))

    @staticmethod
    def _terms_of(entries: RoleTerms, values: BoolArray, role: int) -> tuple[GroundTerm, ...]:
        found = np.flatnonzero((entries.roles == role) & holds(values, entries.atoms))
        return tuple(entries.terms[number] for number in found.tolist())

    def fluents(self, position: GroundPosition) -> frozenset[Fluent]:
        return frozenset(self.program.fluents[number] for number in position)

    def position_of(self, fluents: Iterable[Fluent]) -> GroundPosition:
        index = self.program.fluent_index
        numbers = []
        for fluent in fluents:
            if fluent not in index:
                raise UsageError(f"{to_kif(fluent)} is no fluent of this game that can ever be true")
            numbers.append(index[fluent])
        return tuple(sorted(set(numbers)))

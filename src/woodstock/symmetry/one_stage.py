"""The one-stage network of a position in clausal form, straight from the ground program.

With the position fixed everything that does not depend on the moves is constant and is folded away. What is left are
the moves of the roles, whose values are the legal ones; the fluents of the next position; and the relations in between,
by Clark's completion. The network of a stage before its position is known comes from `woodstock.scsp`; both are fed to
`woodstock.symmetry.microstructure`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.ground.program import NO_ATOM, NO_LOOP, GroundProgram
from woodstock.ground.rulebase import needed_atoms, offsets, tidy
from woodstock.symmetry.folding import fold
from woodstock.symmetry.graphs import Int32Array
from woodstock.symmetry.latches import KNOWN_FALSE, UNKNOWN, BoolArray, Latches, rules_of
from woodstock.symmetry.microstructure import ANY, Colour, Stage


def make_stage(program: GroundProgram, position: BoolArray) -> Stage:
    """Return the one-stage network of a position.

    Args:
        program: The game.
        position: Which fluents hold, shape (num_fluents,), bool.

    Raises:
        UsageError: What follows from the moves has a positive loop, which Clark's completion does not tell rightly.
    """
    return _Maker(program, position).make()


class _Maker:
    def __init__(self, program: GroundProgram, position: BoolArray) -> None:
        self.program = program
        self._vars: list[int] = []
        self._colours: list[Colour] = []
        self._clauses: list[list[int]] = []
        self._num_vars = 0
        self._values = Latches(program).values_now(position)
        self._base = tidy(fold(rules_of(program), self._values))
        outputs = program.next_atom[program.next_atom != NO_ATOM].astype(np.int64)
        self._outputs = outputs[self._values[outputs] == UNKNOWN]
        needed = needed_atoms(self._base, self._outputs)
        self._base = self._base.select(needed[self._base.head])
        if (program.atom_loop[self._base.head] != NO_LOOP).any():
            raise UsageError("what follows from the moves has a positive loop: take the residual instead")

    def _add_var(self, colours: list[Colour]) -> list[int]:
        """Add a variable; return its choices."""
        first = len(self._vars)
        self._vars += [self._num_vars] * len(colours)
        self._colours += colours
        self._num_vars += 1
        return list(range(first, first + len(colours)))

    def make(self) -> Stage:
        moves = self._add_actions()
        literal = self._add_relations(moves)
        next_choices = self._add_next(literal)
        start = offsets(np.array([len(clause) for clause in self._clauses], dtype=np.int64))
        data = np.array([each for clause in self._clauses for each in clause], dtype=np.int32)
        return Stage(np.array(self._vars, dtype=np.int32), self._colours, (start, data), moves, next_choices)

    def _add_actions(self) -> list[dict[int, int]]:
        """Add the action of each role."""
        starts = self.program.move_start
        found = []
        for role, (start, end) in enumerate(pairwise(starts)):
            atoms = 1 + self.program.num_fluents + np.arange(start, end)
            legal = (start + np.flatnonzero(self._values[atoms] != KNOWN_FALSE)).tolist()
            choices = self._add_var([(1, role, ANY)] * len(legal))
            found.append(dict(zip(legal, choices, strict=True)))
        return found

    def _add_relations(self, moves: list[dict[int, int]]) -> dict[int, int]:
        """Add the relations that depend on the moves; return the literal of each atom."""
        first_move = 1 + self.program.num_fluents
        literal = {first_move + move: 2 * choice for own in moves for move, choice in own.items()}
        needed = np.concatenate([self._base.head, self._base.data >> 1, self._outputs])
        for atom in np.unique(needed).tolist():
            if atom not in literal:
                literal[atom] = 2 * self._add_var([(1, "auxiliary", True), (1, "auxiliary", False)])[0]
        # An atom all of whose rules contradict themselves has none left, and never holds.
        bodies: dict[int, list[int]] = {atom: [] for atom in literal if atom >= first_move + self.program.num_moves}
        starts, data = self._base.start.tolist(), self._base.data.tolist()
        for rule, head in enumerate(self._base.head.tolist()):
            body = [literal[each >> 1] ^ (each & 1) for each in data[starts[rule] : starts[rule + 1]]]
            bodies[head].append(self._conjunction(body))
        for head, own in bodies.items():
            self._clauses += [[literal[head], each ^ 1] for each in own]
            self._clauses.append([literal[head] ^ 1, *own])
        return literal

    def _conjunction(self, body: list[int]) -> int:
        """Return a literal that equals a conjunction."""
        if len(body) == 1:
            return body[0]
        whole = 2 * self._add_var([(1, "conjunction", True), (1, "conjunction", False)])[0]
        self._clauses += [[whole ^ 1, each] for each in body]
        self._clauses.append([whole, *(each ^ 1 for each in body)])
        return whole

    def _add_next(self, literal: dict[int, int]) -> Int32Array:
        """Add the fluents of the next position; return the choices that say that they hold."""
        found = []
        for atom in self.program.next_atom.tolist():
            choice = self._add_var([(2, ANY, ANY), (2, ANY, ANY)])[0]
            found.append(choice)
            value = KNOWN_FALSE if atom == NO_ATOM else int(self._values[atom])
            if value == UNKNOWN:
                self._clauses += [[2 * choice, literal[atom] ^ 1], [2 * choice + 1, literal[atom]]]
            else:
                self._clauses.append([2 * choice + (value == KNOWN_FALSE)])
        return np.array(found, dtype=np.int32)

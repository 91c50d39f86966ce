"""What cannot hold together: fluents that exclude each other, and moves that are not legal side by side.

A role makes one move, and only a legal one; what makes every move of two roles legal may be two fluents of which one
holds at a time, such as whose turn it is. Then the two are never made together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from woodstock.ground.invariants import FluentGroup
from woodstock.ground.program import NO_ATOM, NO_LOOP, GroundProgram


class Conflicts:
    """Tells which conjunctions of inputs hold in no position, whatever legal moves are made there.

    Args:
        program: The game.
        groups: Groups of fluents that every position obeys.
    """

    def __init__(self, program: GroundProgram, groups: Sequence[FluentGroup]) -> None:
        self._program = program
        self._num_inputs = 1 + program.num_fluents + program.num_moves
        self._rule_start = np.searchsorted(program.rule_head, np.arange(program.num_atoms + 1)).tolist()
        self._body_start, self._body = program.body_start.tolist(), program.body_data.tolist()
        self._in_loop = (program.atom_loop != NO_LOOP).tolist()
        self._implied: dict[int, frozenset[int]] = {}
        self._groups_of: dict[int, list[int]] = {}
        for number, group in enumerate(groups):
            for fluent in group.fluents:
                self._groups_of.setdefault(1 + fluent, []).append(number)
        self._facts: dict[int, list[tuple[str, int, int]]] = {}

    def excludes(self, term: Iterable[int]) -> bool:
        """Tell whether literals of inputs contradict each other."""
        known: dict[tuple[str, int], int] = {}
        return any(
            known.setdefault((kind, number), value) != value
            for literal in term
            for kind, number, value in self._facts_of(literal)
        )

    def _facts_of(self, literal: int) -> list[tuple[str, int, int]]:
        """Return what a literal says: of something that has one value only, which one it is."""
        found = self._facts.get(literal)
        if found is None:
            atom = literal >> 1
            found = [("input", atom, literal & 1)]
            if literal & 1 == 0 and atom < self._num_inputs:
                found += [("group", group, atom) for group in self._groups_of.get(atom, ())]
                if atom > self._program.num_fluents:
                    found += self._facts_of_move(atom)
            self._facts[literal] = found
        return found

    def _facts_of_move(self, atom: int) -> list[tuple[str, int, int]]:
        """Return what a move says: which one its role makes, and everything without which it is not legal."""
        program = self._program
        move = atom - 1 - program.num_fluents
        role = int(np.searchsorted(program.move_start, move, side="right")) - 1
        found = [("role", role, move)]
        legal = int(program.legal_atom[move])
        if legal != NO_ATOM:
            for literal in sorted(self._needs(legal)):
                found += self._facts_of(literal)
        return found

    def _needs(self, atom: int) -> frozenset[int]:
        """Return literals of fluents without which an atom does not hold; not all of them where it is in a loop."""
        if atom < self._num_inputs:
            return frozenset([2 * atom]) if 1 <= atom <= self._program.num_fluents else frozenset()
        found = self._implied.get(atom)
        if found is None:
            self._implied[atom] = frozenset()  # until more is known, which it never is going round a loop
            found = frozenset() if self._in_loop[atom] else self._common(atom)
            self._implied[atom] = found
        return found

    def _common(self, atom: int) -> frozenset[int]:
        """Return what all rules of an atom need."""
        needs = []
        for rule in range(self._rule_start[atom], self._rule_start[atom + 1]):
            literals: set[int] = set()
            for literal in self._body[self._body_start[rule] : self._body_start[rule + 1]]:
                if literal & 1 == 0:
                    literals |= self._needs(literal >> 1)
                elif 1 <= literal >> 1 <= self._program.num_fluents:
                    literals.add(literal)
            needs.append(literals)
        return frozenset(set.intersection(*needs)) if needs else frozenset()

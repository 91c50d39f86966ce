"""The ground program of a game: an atom table and flat rule arrays.

Atoms are numbered: 0 is the constant true, then come the fluents, the moves of each role in turn, and the derived
atoms, each after those that it depends on. A literal is coded `2 * atom + negated`. An atom holds if all literals of
the body of one of its rules do; atoms in a positive loop hold if they do in the least fixpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from woodstock.gdl.terms import GroundTerm

Int32Array = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

TRUE_ATOM = 0
NO_ATOM = -1
"""Stands for an output that can never hold."""
NO_LOOP = -1


@dataclass(frozen=True, slots=True)
class RoleTerms:
    """Terms that belong to roles, such as goal values or percepts, and the atom that says when each applies.

    Attributes:
        roles: Role of each entry, shape (n,), int32.
        terms: Term of each entry.
        atoms: Atom of each entry, shape (n,), int32.
    """

    roles: Int32Array
    terms: tuple[GroundTerm, ...]
    atoms: Int32Array


@dataclass(frozen=True, eq=False)
class GroundProgram:
    """The ground program of a game.

    Attributes:
        roles: Names, in the order of the rules.
        fluents: Fluent i is atom `1 + i`.
        moves: The moves of each role; move number m, counted over all roles, is atom `1 + num_fluents + m`.
        initial: Whether each fluent holds at the start, shape (num_fluents,), bool.
        rule_head: Head of each rule, sorted by level and atom, shape (num_rules,), int32.
        body_start: Where the body of each rule starts in `body_data`, shape (num_rules + 1,), int32. No body is empty.
        body_data: Literals, shape (body_start[-1],), int32.
        atom_level: 0 for inputs, else above all atoms in its rules outside its loop; shape (num_atoms,), int32.
        atom_loop: The positive loop that an atom is in, or NO_LOOP; shape (num_atoms,), int32.
        next_atom: For each fluent the atom that tells whether it holds next, shape (num_fluents,), int32.
        legal_atom: For each move the atom that tells whether it is legal, shape (num_moves,), int32.
        terminal_atom: Tells whether the match is over.
        goals: Goal values of the roles.
        percepts: What the roles may see; None if the rules have no `sees`.
    """

    roles: tuple[str, ...]
    fluents: tuple[GroundTerm, ...]
    moves: tuple[tuple[GroundTerm, ...], ...]
    initial: BoolArray
    rule_head: Int32Array
    body_start: Int32Array
    body_data: Int32Array
    atom_level: Int32Array
    atom_loop: Int32Array
    next_atom: Int32Array
    legal_atom: Int32Array
    terminal_atom: int
    goals: RoleTerms
    percepts: RoleTerms | None

    @property
    def num_fluents(self) -> int:
        return len(self.fluents)

    @property
    def num_moves(self) -> int:
        """Number of moves of all roles together."""
        return len(self.legal_atom)

    @property
    def num_atoms(self) -> int:
        return len(self.atom_level)

    @property
    def num_rules(self) -> int:
        return len(self.rule_head)

    @property
    def num_loops(self) -> int:
        """Number of positive loops."""
        return int(self.atom_loop.max(initial=NO_LOOP)) + 1

    @cached_property
    def move_start(self) -> tuple[int, ...]:
        """Number of the first move of each role, and the number of moves."""
        starts = [0]
        for moves in self.moves:
            starts.append(starts[-1] + len(moves))
        return tuple(starts)

    @cached_property
    def fluent_index(self) -> dict[GroundTerm, int]:
        """Number of each fluent."""
        return {fluent: number for number, fluent in enumerate(self.fluents)}

    @cached_property
    def move_index(self) -> tuple[dict[GroundTerm, int], ...]:
        """For each role, the number of each of its moves, counted over all roles."""
        return tuple(
            {move: start + number for number, move in enumerate(moves)}
            for start, moves in zip(self.move_start, self.moves, strict=False)
        )

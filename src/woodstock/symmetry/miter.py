"""Proving a symmetry that the rules do not show: two copies of the circuit, one of them permuted, and a SAT solver.

A *miter* asks for a position in which an output of the game differs from the image of that output in the image of
the position. If there is none, the two are the same. It is enough to show that each output implies its image: going
round, every output then implies itself, so all of them on the way are equal.

What is known to be equal already, since the rules of one atom are the images of the rules of another, is one variable
in both copies. Positions may be supposed to obey groups of fluents that exclude each other, if the symmetry takes
groups to groups. Moves may be supposed to be legal: whether they are is an output as well, so a symmetry takes legal
moves to legal moves, and so do all that are composed of such.

The solver takes rules for equivalences, so it may let the atoms of a loop hold for no reason; then it finds a
difference where there is none. What keeps it from that is proved by induction over the rounds in which a loop is
derived: if the image of an output does not hold, then no atom of a loop holds together with the one of the image that
speaks of the same input. For two sides of a board: what is connected to one is not connected to the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from importlib.util import find_spec
from itertools import pairwise
from typing import Final

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.ground.invariants import FluentGroup
from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, BoolArray, GroundProgram
from woodstock.symmetry.graphs import Int32Array
from woodstock.symmetry.symmetry import Symmetry
from woodstock.symmetry.verification import goal_images

MISSING = "proofs beyond the syntax need the package python-sat: pip install 'woodstock-ggp[symmetry]'"
SOLVER: Final = "glucose4"
CONFLICTS: Final = 5_000
"""Conflicts between two looks at the clock."""
MAX_CLAUSES: Final = 3_000_000


class Verdict(Enum):
    """What came of an attempt to prove a symmetry."""

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Claim:
    """In every position, an atom implies another one in the image of the position; either may be NO_ATOM."""

    atom: int
    image: int


def available() -> bool:
    """Tell whether the SAT solver is installed."""
    return find_spec("pysat") is not None


def require() -> None:
    """Say what is missing.

    Raises:
        UsageError: The solver is not installed.
    """
    if not available():
        raise UsageError(MISSING)


def open_claims(program: GroundProgram, symmetry: Symmetry, kept: dict[str, BoolArray]) -> list[Claim]:
    """Return what is left to prove, given which outputs are known to be kept (`verification.kept_outputs`)."""
    pairs = [
        ("next", program.next_atom, program.next_atom[symmetry.fluents]),
        ("legal", program.legal_atom, program.legal_atom[symmetry.moves]),
        ("terminal", np.array([program.terminal_atom]), np.array([program.terminal_atom])),
        ("goals", program.goals.atoms, goal_images(program.goals, symmetry)),
    ]
    if program.percepts is not None:
        pairs.append(("percepts", program.percepts.atoms, program.percepts.atoms[symmetry.percepts]))
    claims = {
        (int(atom), int(image))
        for name, atoms, images in pairs
        for atom, image, done in zip(atoms, images, kept[name], strict=True)
        if not done and atom != NO_ATOM
    }
    return [Claim(*each) for each in sorted(claims)]


class Miter:
    """Two copies of a ground program, the second one in the image of the first one's position.

    Args:
        program: The program.
        symmetry: What takes positions and moves to their images.
        atoms: For atoms that are known to equal another atom in the image, that atom; -1 for all others.
        groups: Groups of fluents that every position obeys; the symmetry takes each to one of them.

    Raises:
        UsageError: The solver is not installed.
    """

    def __init__(
        self, program: GroundProgram, symmetry: Symmetry, atoms: Int32Array, groups: Iterable[FluentGroup] = ()
    ) -> None:
        require()
        from pysat.solvers import Solver  # type: ignore[import-untyped]

        self._program = program
        self._rule_start = np.searchsorted(program.rule_head, np.arange(program.num_atoms + 1)).tolist()
        self._body_start, self._body = program.body_start.tolist(), program.body_data.tolist()
        self._loop = program.atom_loop.tolist()
        self._solver = Solver(name=SOLVER)
        self._num_variables = 1
        self._num_clauses = 0
        self._add([1])
        self._literals: tuple[dict[int, int], dict[int, int]] = ({TRUE_ATOM: 1}, {TRUE_ATOM: 1})
        self._defined: set[tuple[int, int]] = set()
        self._proved: dict[int, int] = {}
        self._num_inputs = 1 + program.num_fluents + program.num_moves
        self._shared = {image: atom for atom, image in enumerate(atoms.tolist()) if image >= 0}
        inverse = symmetry.inverse()
        first = 1 + program.num_fluents
        self._shared |= {1 + fluent: 1 + before for fluent, before in enumerate(inverse.fluents.tolist())}
        self._shared |= {first + move: first + before for move, before in enumerate(inverse.moves.tolist())}
        for group in groups:
            self._add_group(group)
        self._add_moves()

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.delete()

    def prove(self, claims: Iterable[Claim], deadline: Deadline) -> Verdict:
        """Prove claims, one after the other; the first that fails, or is not decided in time, tells the verdict."""
        for claim in claims:
            one = self._literal(0, claim.atom)
            other = -1 if claim.image == NO_ATOM else self._literal(1, claim.image)
            if self._num_clauses > MAX_CLAUSES:
                return Verdict.OPEN
            self._learn(other, deadline)
            answer = self._solve([one, -other], deadline)
            if answer is not False:
                return Verdict.OPEN if answer is None else Verdict.REFUTED
            self._proved[claim.atom] = claim.image
            self._close_circle(claim.atom)
        return Verdict.PROVED

    def _close_circle(self, atom: int) -> None:
        """Once the images of an atom lead back to it, all of them on the way are equal; what follows may use that."""
        circle = [atom]
        while (image := self._proved.get(circle[-1], NO_ATOM)) != atom:
            if image == NO_ATOM or image in circle:
                return
            circle.append(image)
        for each in circle:
            one, other = self._literal(0, each), self._literal(1, self._proved[each])
            self._add([-one, other])
            self._add([one, -other])

    def _solve(self, assumptions: list[int], deadline: Deadline) -> bool | None:
        """Tell whether some literals can hold together; None if that is not known in time."""
        answer: bool | None = None
        while answer is None and not deadline.expired:
            self._solver.conf_budget(CONFLICTS)
            answer = self._solver.solve_limited(assumptions=assumptions)
        return answer

    def _learn(self, target: int, deadline: Deadline) -> None:
        """Prove which atoms of loops exclude those of the image, supposing that a literal of the image does not hold.

        All pairs are supposed to; those for which the step of the induction fails are dropped until none is.
        """
        pairs = self._pairs()
        while True:
            partners: dict[int, list[int]] = {}
            for atom, partner in sorted(pairs):
                partners.setdefault(atom, []).append(partner)
            failed = {pair for pair in pairs if not self._excludes(pair, partners, target, deadline)}
            if not failed:
                break
            pairs -= failed
        for atom, partner in sorted(pairs):
            self._add([-self._variable(0, atom), -partner, target])

    def _pairs(self) -> set[tuple[int, int]]:
        """Return atoms of loops, each with the literals of its partners.

        A partner is an atom of a loop in the image that cannot hold without the same inputs, or that input itself: the
        grounder writes it for an atom that it always equals.
        """
        by_inputs: dict[frozenset[int], list[int]] = {}
        for atom in sorted(atom for copy, atom in self._defined if copy == 1 and self._loop[atom] != NO_LOOP):
            inputs = frozenset(self._signed(1, literal) for literal in self._common_inputs(atom))
            by_inputs.setdefault(inputs, []).append(self._variable(1, atom))
        pairs = set()
        for atom in sorted(atom for copy, atom in self._defined if copy == 0 and self._loop[atom] != NO_LOOP):
            inputs = frozenset(self._signed(0, literal) for literal in self._common_inputs(atom))
            if inputs:
                pairs |= {(atom, partner) for partner in by_inputs.get(inputs, [])}
            if len(inputs) == 1:
                pairs.add((atom, next(iter(inputs))))
        return pairs

    def _common_inputs(self, atom: int) -> frozenset[int]:
        """Return the literals of inputs that are in all rules of an atom."""
        bodies = [{each for each in body if each >> 1 < self._num_inputs} for body in self._bodies(atom)]
        return frozenset(set.intersection(*bodies)) if bodies else frozenset()

    def _excludes(self, pair: tuple[int, int], partners: dict[int, list[int]], target: int, deadline: Deadline) -> bool:
        """Tell whether no rule derives an atom beside its partner, if what it is derived from is as supposed."""
        atom, partner = pair
        for body in self._bodies(atom):
            supposed = [self._signed(0, literal) for literal in body]
            below = [literal >> 1 for literal in body if literal & 1 == 0]
            supposed += [-other for one in below for other in partners.get(one, [])]
            if self._solve([*supposed, partner, -target], deadline) is not False:
                return False
        return True

    def _add(self, clause: list[int]) -> None:
        self._num_clauses += 1
        self._solver.add_clause(clause)

    def _new(self) -> int:
        self._num_variables += 1
        return self._num_variables

    def _add_group(self, group: FluentGroup) -> None:
        literals = [self._variable(0, 1 + fluent) for fluent in group.fluents]
        if group.exactly_one:
            self._add(literals)
        self._at_most_one(literals)

    def _at_most_one(self, literals: list[int]) -> None:
        """Say that at most one of some literals holds, by a ladder."""
        before = 0
        for literal in literals:
            reached = self._new()
            self._add([-literal, reached])
            if before:
                self._add([-before, reached])
                self._add([-before, -literal])
            before = reached

    def _add_moves(self) -> None:
        """No role makes two moves at once; where the end and the goals are asked for, it makes none."""
        first = 1 + self._program.num_fluents
        starts = self._program.move_start
        for start, end in pairwise(starts):
            self._at_most_one([self._variable(0, first + move) for move in range(start, end)])

    def _literal(self, copy: int, atom: int) -> int:
        """Return the variable of an atom in the position (0) or its image (1), made with all that it depends on."""
        waiting = [(copy, atom)]
        while waiting:
            each = waiting.pop()
            if each not in self._defined:
                waiting.extend(self._define(*each))
        return self._variable(copy, atom)

    def _variable(self, copy: int, atom: int) -> int:
        """Return the variable of an atom: in the image, what is shared has that of the first copy."""
        if copy == 1 and atom in self._shared:
            copy, atom = 0, self._shared[atom]
        found = self._literals[copy].get(atom)
        if found is None:
            found = self._literals[copy][atom] = self._new()
        return found

    def _define(self, copy: int, atom: int) -> list[tuple[int, int]]:
        """Say what an atom is; return what it depends on."""
        if copy == 1 and atom in self._shared:
            return [(0, self._shared[atom])]
        if atom <= self._program.num_fluents:
            return []
        self._defined.add((copy, atom))
        if atom < self._num_inputs:
            return self._allow(atom)
        self._complete(copy, atom)
        return [(copy, literal >> 1) for body in self._bodies(atom) for literal in body]

    def _allow(self, atom: int) -> list[tuple[int, int]]:
        """Say that a move is made only if it is legal; return what that depends on."""
        legal = int(self._program.legal_atom[atom - 1 - self._program.num_fluents])
        move = self._variable(0, atom)
        if legal == NO_ATOM:
            self._add([-move])
            return []
        self._add([-move, self._variable(0, legal)])
        return [(0, legal)]

    def _bodies(self, atom: int) -> list[list[int]]:
        rules = range(self._rule_start[atom], self._rule_start[atom + 1])
        return [self._body[self._body_start[rule] : self._body_start[rule + 1]] for rule in rules]

    def _signed(self, copy: int, literal: int) -> int:
        variable = self._variable(copy, literal >> 1)
        return -variable if literal & 1 else variable

    def _complete(self, copy: int, atom: int) -> None:
        """Say that an atom holds iff the body of one of its rules does."""
        head = self._variable(copy, atom)
        reasons = []
        for body in self._bodies(atom):
            literals = [self._signed(copy, literal) for literal in body]
            reason = literals[0]
            if len(literals) > 1:
                reason = self._new()
                self._add([reason, *(-literal for literal in literals)])
                for literal in literals:
                    self._add([-reason, literal])
            self._add([-reason, head])
            reasons.append(reason)
        self._add([-head, *reasons])

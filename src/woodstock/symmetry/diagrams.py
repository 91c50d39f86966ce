"""Proving a symmetry by decision diagrams: where a SAT solver would have to count.

Whether more discs are white than black does not depend on the order in which they are counted, but a proof of that by
resolution is long. As decision diagrams both counts are the same diagram, and all diagrams on the way are small.

>>> diagrams = Diagrams(num_variables=2)
>>> one, two = diagrams.variable(0), diagrams.variable(1)
>>> diagrams.either(one, two) == diagrams.negation(diagrams.both(diagrams.negation(two), diagrams.negation(one)))
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from woodstock.common.errors import LimitError
from woodstock.common.limits import Deadline
from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, GroundProgram
from woodstock.symmetry.diagram_kernels import DONE, FULL, STEPS, go_on, make_tables, make_variable, start
from woodstock.symmetry.graphs import Int32Array
from woodstock.symmetry.miter import Claim
from woodstock.symmetry.symmetry import Symmetry

MAX_NODES: Final = 4_000_000

FALSE, TRUE = 0, 1


class Diagrams:
    """Binary decision diagrams over some variables; equal functions are equal numbers.

    Args:
        num_variables: Number of variables, which are asked in the order of their numbers.
        max_nodes: Most nodes of all diagrams together.
        deadline: When to give up.
    """

    def __init__(self, num_variables: int, max_nodes: int = MAX_NODES, deadline: Deadline | None = None) -> None:
        self._tables = make_tables(max_nodes, num_variables)
        self._deadline = deadline or Deadline(None)

    @property
    def num_nodes(self) -> int:
        return int(self._tables.registers[0])

    def variable(self, number: int) -> int:
        """Return the diagram of a variable."""
        found = int(make_variable(self._tables, number))
        if found < 0:
            raise LimitError("the decision diagrams are full")
        return found

    def choose(self, condition: int, one: int, other: int) -> int:
        """Return the diagram of: if the condition then one else the other.

        Raises:
            LimitError: There are too many nodes, or the deadline comes first.
        """
        start(self._tables, condition, one, other)
        while (status := go_on(self._tables, STEPS)) != DONE:
            if status == FULL or self._deadline.expired:
                raise LimitError("the decision diagrams are full" if status == FULL else "no time for diagrams")
        return int(self._tables.registers[2])

    def both(self, one: int, other: int) -> int:
        return self.choose(one, other, FALSE)

    def either(self, one: int, other: int) -> int:
        return self.choose(one, TRUE, other)

    def negation(self, one: int) -> int:
        return self.choose(one, FALSE, TRUE)


def prove_by_diagrams(
    program: GroundProgram, symmetry: Symmetry, atoms: Int32Array, claims: Sequence[Claim], deadline: Deadline
) -> bool:
    """Tell whether claims (see `woodstock.symmetry.miter`) can be proved by decision diagrams, for all positions.

    Args:
        program: The program.
        symmetry: What takes positions and moves to their images.
        atoms: For atoms that are known to equal another atom in the image, that atom; -1 for all others.
        claims: What is to be proved.
        deadline: When to give up.
    """
    circuit = _Cones(program)
    cone = circuit.cone([claim.atom for claim in claims])
    other = circuit.cone([claim.image for claim in claims if claim.image != NO_ATOM])
    if any(program.atom_loop[atom] != NO_LOOP for atom in (*cone, *other)):
        return False
    num_inputs = 1 + program.num_fluents + program.num_moves
    inputs = [atom for atom in cone if atom < num_inputs]
    inverse = symmetry.inverse()
    first = 1 + program.num_fluents
    back = np.concatenate([[TRUE_ATOM], 1 + inverse.fluents, first + inverse.moves]).tolist()
    inputs += sorted({back[atom] for atom in other if atom < num_inputs} - set(inputs))
    diagrams = Diagrams(len(inputs), deadline=deadline)
    try:
        here = {atom: diagrams.variable(number) for number, atom in enumerate(inputs)} | {TRUE_ATOM: TRUE}
        circuit.evaluate(diagrams, cone, here)
        there = {atom: here[back[atom]] for atom in other if atom < num_inputs} | {TRUE_ATOM: TRUE}
        there |= {int(atoms[atom]): here[atom] for atom in cone if atoms[atom] >= 0}
        circuit.evaluate(diagrams, other, there)
        return all(
            here[claim.atom] == FALSE
            if claim.image == NO_ATOM
            else diagrams.choose(here[claim.atom], there[claim.image], TRUE) == TRUE
            for claim in claims
        )
    except LimitError:
        return False


class _Cones:
    """What atoms depend on."""

    def __init__(self, program: GroundProgram) -> None:
        self._rule_start = np.searchsorted(program.rule_head, np.arange(program.num_atoms + 1)).tolist()
        self._body_start, self._body = program.body_start.tolist(), program.body_data.tolist()

    def _bodies(self, atom: int) -> list[list[int]]:
        rules = range(self._rule_start[atom], self._rule_start[atom + 1])
        return [self._body[self._body_start[rule] : self._body_start[rule + 1]] for rule in rules]

    def cone(self, roots: Sequence[int]) -> list[int]:
        """Return all atoms that some depend on, each after those below it, in the order in which they are met."""
        found: dict[int, None] = {}
        waiting = [(atom, False) for atom in reversed(roots)]
        entered: set[int] = set()
        while waiting:
            atom, finished = waiting.pop()
            if finished:
                found[atom] = None
            elif atom not in entered:
                entered.add(atom)
                waiting.append((atom, True))
                below = [literal >> 1 for body in self._bodies(atom) for literal in body]
                waiting.extend((each, False) for each in reversed(below) if each not in entered)
        return list(found)

    def evaluate(self, diagrams: Diagrams, cone: Sequence[int], values: dict[int, int]) -> None:
        """Find the diagrams of all atoms of a cone that have none yet."""
        for atom in cone:
            if atom in values:
                continue
            found = FALSE
            for body in self._bodies(atom):
                product = TRUE
                for literal in body:
                    value = values[literal >> 1]
                    product = diagrams.both(product, diagrams.negation(value) if literal & 1 else value)
                found = diagrams.either(found, product)
            values[atom] = found

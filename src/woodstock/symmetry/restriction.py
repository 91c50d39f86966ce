"""Ground programs with other outputs or other rules: what is no longer needed is dropped, the rest numbered anew."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from woodstock.ground.program import NO_ATOM, NO_LOOP, GroundProgram, RoleTerms
from woodstock.ground.rulebase import RuleBase, levels_and_loops, needed_atoms
from woodstock.symmetry.graphs import Int64Array


@dataclass(frozen=True, eq=False)
class Roots:
    """The atoms of a program's outputs, as `GroundProgram` has them, and others that are to be kept."""

    next: Int64Array
    legal: Int64Array
    terminal: int
    goals: RoleTerms
    percepts: RoleTerms | None
    others: Int64Array

    @classmethod
    def of(cls, program: GroundProgram) -> Roots:
        return cls(
            program.next_atom.astype(np.int64),
            program.legal_atom.astype(np.int64),
            program.terminal_atom,
            program.goals,
            program.percepts,
            np.zeros(0, dtype=np.int64),
        )

    def renamed(self, image: npt.NDArray[np.int64]) -> Roots:
        """Give the atoms other numbers; the last entry of `image` is NO_ATOM, which stands for itself."""
        goals, percepts = self.goals, self.percepts
        atoms = image[goals.atoms]
        kept = np.flatnonzero(atoms != NO_ATOM)
        terms = tuple(goals.terms[place] for place in kept.tolist())
        return Roots(
            image[self.next],
            image[self.legal],
            int(image[self.terminal]),
            RoleTerms(goals.roles[kept], terms, atoms[kept].astype(np.int32)),
            None if percepts is None else replace(percepts, atoms=image[percepts.atoms].astype(np.int32)),
            image[self.others],
        )

    def atoms(self) -> Int64Array:
        """Return every atom that is needed."""
        parts = [self.next, self.legal, np.array([self.terminal]), self.goals.atoms.astype(np.int64), self.others]
        if self.percepts is not None:
            parts.append(self.percepts.atoms.astype(np.int64))
        atoms = np.concatenate(parts)
        found: Int64Array = atoms[atoms != NO_ATOM]
        return found


@dataclass(frozen=True, eq=False)
class Restricted:
    """A program made of another one, and the number that each of its atoms had there."""

    program: GroundProgram
    old_atoms: Int64Array


def rule_base(program: GroundProgram) -> RuleBase:
    """Return the rules of a program."""
    arrays = (program.rule_head, program.body_start, program.body_data)
    return RuleBase(program.num_atoms, *(array.astype(np.int64) for array in arrays))


def without_judgement(program: GroundProgram, terminal: bool) -> Restricted:
    """Leave out the goals, and `terminal` as well if that is asked for."""
    roots = Roots.of(program)
    roots = replace(roots, goals=_none(roots.goals), terminal=NO_ATOM if terminal else roots.terminal)
    return renumbered(program, rule_base(program), roots)


def with_bare_loops(program: GroundProgram) -> Restricted:
    """Leave out goals and `terminal`, but keep the loops, without what they start from.

    A sheet that says "connected to the left side" singles out a side, though to be connected is symmetric.
    """
    base = rule_base(program)
    in_loop = program.atom_loop != NO_LOOP
    inner = np.zeros(program.num_rules, dtype=np.bool_)
    inner[base.rule_of_literal()[in_loop[base.data >> 1]]] = True
    base = base.select(inner | ~in_loop[base.head])
    roots = Roots.of(program)
    roots = replace(roots, goals=_none(roots.goals), terminal=NO_ATOM, others=np.flatnonzero(in_loop))
    return renumbered(program, base, roots)


def _none(entries: RoleTerms) -> RoleTerms:
    return RoleTerms(entries.roles[:0], (), entries.atoms[:0])


def renumbered(program: GroundProgram, base: RuleBase, roots: Roots) -> Restricted:
    """Make a program of rules and roots: atoms that nothing needs go, the others stand in order of their levels."""
    needed = needed_atoms(base, roots.atoms())
    base = base.select(needed[base.head])
    level, loop = levels_and_loops(base)
    num_inputs = 1 + program.num_fluents + program.num_moves
    needed[:num_inputs] = False
    derived = np.flatnonzero(needed)
    old = np.concatenate([np.arange(num_inputs), derived[np.argsort(level[derived], kind="stable")]])
    new = np.full(base.num_atoms + 1, NO_ATOM, dtype=np.int64)  # the last entry is for NO_ATOM itself
    new[old] = np.arange(len(old))
    base = base.renamed(new, len(old))
    base = base.permuted(np.argsort(base.head, kind="stable"))
    found = roots.renamed(new)
    made = replace(
        program,
        rule_head=base.head.astype(np.int32),
        body_start=base.start.astype(np.int32),
        body_data=base.data.astype(np.int32),
        atom_level=level[old].astype(np.int32),
        atom_loop=loop[old].astype(np.int32),
        next_atom=found.next.astype(np.int32),
        legal_atom=found.legal.astype(np.int32),
        terminal_atom=found.terminal,
        goals=found.goals,
        percepts=found.percepts,
    )
    return Restricted(made, old)

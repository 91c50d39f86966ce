"""The ground program with its helper atoms unfolded: the same game, described without the author's choice of helpers.

A sheet may say "five in a line" as a pair, a pair and one more, counted from the left: seen from the right, that is
another description of the same thing. Unfolded, an atom is a disjunction of conjunctions of inputs without any that
another one implies; where nothing is negated there is but one such form, so every symmetry shows. Atoms stay as they
are where unfolding would take too much, where they are in a loop, or where they are negated and more than a disjunction
of literals. Unfolding changes no output in any position: what takes the unfolded program to itself is a symmetry.

If it is known what cannot hold together, such as two moves of one role, conjunctions of that kind are dropped. Then the
program is the same only where nothing of the kind holds; it is good for finding symmetries, which are to be proved.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from woodstock.common.limits import Deadline
from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, GroundProgram
from woodstock.ground.rulebase import RuleBase, offsets
from woodstock.symmetry.conflicts import Conflicts
from woodstock.symmetry.restriction import Roots, renumbered

MAX_TERMS: Final = (64, 1500)
"""Most conjunctions of an atom that is unfolded where it is used: a modest attempt, and a bold one."""
LEAST_WORK, WORK_PER_LITERAL = 1_500_000, 12
"""Literals that may be written in all; to stop half-way would treat alike atoms differently, so more is a failure."""
CONFLICT_COST: Final = 3
"""How much longer it takes to write a literal if it may be in conflict with others."""
PAIRS_PER_TERM: Final = 16
"""Conjunctions that may be made for each that remains, where most of them are dropped since they cannot hold."""

Term = frozenset[int]
"""A conjunction of literals."""


def unfold(
    program: GroundProgram,
    max_terms: int = MAX_TERMS[-1],
    deadline: Deadline | None = None,
    conflicts: Conflicts | None = None,
) -> GroundProgram | None:
    """Return the program with its helper atoms unfolded.

    Args:
        program: The program.
        max_terms: Most conjunctions of an atom that is unfolded where it is used.
        deadline: When to give up.
        conflicts: What cannot hold together.

    Returns:
        None if nothing could be unfolded (or, with conflicts, if they made no difference), if it takes too much, or if
        the deadline came first.
    """
    return _Unfolder(program, max_terms, deadline or Deadline(None), conflicts).run()


class _Unfolder:
    """Unfolds atoms from the inputs upwards.

    `_terms` holds what each atom is where it is used: its conjunctions, or itself; `_rules` what its rules become.
    """

    def __init__(self, program: GroundProgram, max_terms: int, deadline: Deadline, conflicts: Conflicts | None) -> None:
        self._program = program
        self._max_terms = max_terms
        self._deadline = deadline
        self._conflicts = conflicts
        self._max_pairs = max_terms if conflicts is None else max_terms * PAIRS_PER_TERM
        self._first_derived = 1 + program.num_fluents + program.num_moves
        self._terms: list[set[Term]] = [{frozenset([2 * atom])} for atom in range(program.num_atoms)]
        self._terms[TRUE_ATOM] = {frozenset()}
        self._rules: dict[int, set[Term]] = {}
        work = LEAST_WORK + WORK_PER_LITERAL * len(program.body_data)
        self._work = work if conflicts is None else work // CONFLICT_COST
        self._changed = False
        self._dropped = False

    def run(self) -> GroundProgram | None:
        program = self._program
        rule_start = np.searchsorted(program.rule_head, np.arange(program.num_atoms + 1)).tolist()
        starts, data = program.body_start.tolist(), program.body_data.tolist()
        for atom in range(self._first_derived, program.num_atoms):
            if self._work < 0 or (atom % 256 == 0 and self._deadline.expired):
                return None
            bodies = [data[starts[rule] : starts[rule + 1]] for rule in range(rule_start[atom], rule_start[atom + 1])]
            self._unfold(atom, bodies)
        is_new = self._changed if self._conflicts is None else self._dropped
        return self._assemble() if is_new and self._work >= 0 else None

    def _unfold(self, atom: int, bodies: list[list[int]]) -> None:
        """Find what an atom is, in terms of those below."""
        in_loop = self._program.atom_loop[atom] != NO_LOOP
        found: set[Term] | None = None if in_loop else set()
        for body in bodies:
            product = None if found is None else self._product(body)
            if product is None or found is None or len(found) + len(product) > self._max_terms:
                found = None
                break
            found |= product
        if found is None:
            self._rules[atom] = {frozenset(body) for body in bodies}
            return
        found = without_implied(found)
        self._rules[atom] = self._terms[atom] = found
        self._changed = self._changed or found != {frozenset(body) for body in bodies}

    def _product(self, body: list[int]) -> set[Term] | None:
        """Return the conjunctions that a body stands for; None if there are too many."""
        found: set[Term] = {frozenset()}
        for literal in body:
            factor = self._negated(literal >> 1) if literal & 1 else self._terms[literal >> 1]
            if len(found) * len(factor) > self._max_pairs or self._work < 0:
                return None
            found = {one | other for one in found for other in factor}
            self._work -= sum(map(len, found))
            found = {term for term in found if not any(each ^ 1 in term for each in term)}
            found = self._without_conflicts(found)
            if len(found) > self._max_terms:
                return None
        return found

    def _without_conflicts(self, terms: set[Term]) -> set[Term]:
        """Drop the conjunctions that cannot hold."""
        if self._conflicts is None:
            return terms
        excludes = self._conflicts.excludes
        found = {term for term in terms if not excludes(term)}
        self._dropped = self._dropped or len(found) < len(terms)
        return found

    def _negated(self, atom: int) -> set[Term]:
        """Return what the negation of an atom is: a conjunction if it is a disjunction of literals, else a literal."""
        terms = self._terms[atom]
        if atom >= self._first_derived and all(len(term) == 1 for term in terms):
            return {frozenset(literal ^ 1 for term in terms for literal in term)}
        return {frozenset([2 * atom + 1])}

    def _assemble(self) -> GroundProgram:
        """Make a program of what is needed; atoms of one meaning become one."""
        program = self._program
        alias = self._aliases()
        heads = [atom for atom in self._rules if alias[atom] == atom]
        bodies = [(atom, term) for atom in heads for term in self._rules[atom]]
        data = [literal for _, term in bodies for literal in sorted(_renamed(term, alias))]
        base = RuleBase(
            program.num_atoms,
            np.array([atom for atom, _ in bodies], dtype=np.int64),
            offsets(np.array([len(term) for _, term in bodies], dtype=np.int64)),
            np.array(data, dtype=np.int64),
        )
        roots = Roots.of(program).renamed(np.array([*alias, NO_ATOM], dtype=np.int64))
        return renumbered(program, base, roots).program

    def _aliases(self) -> list[int]:
        """Return the atom that stands for each one: NO_ATOM if it never holds, TRUE_ATOM if it always does."""
        alias = list(range(self._program.num_atoms))
        known: dict[frozenset[Term], int] = {}
        for atom, terms in self._rules.items():
            if self._program.atom_loop[atom] != NO_LOOP:
                continue
            if not terms:
                alias[atom] = NO_ATOM
            elif frozenset() in terms:
                alias[atom] = TRUE_ATOM
            else:
                alias[atom] = known.setdefault(frozenset(terms), atom)
        return alias


def _renamed(term: Term, alias: list[int]) -> set[int]:
    """Return a conjunction over the atoms that stand for others; constants cannot occur in one that was unfolded."""
    return {2 * alias[literal >> 1] + (literal & 1) if alias[literal >> 1] > 0 else literal for literal in term}


def without_implied(terms: Iterable[Term]) -> set[Term]:
    """Drop every conjunction that has another one of them within."""
    frequency: dict[int, int] = {}
    ordered = sorted(terms, key=len)
    for term in ordered:
        for literal in term:
            frequency[literal] = frequency.get(literal, 0) + 1
    by_rarest: dict[int, list[Term]] = {}
    kept: set[Term] = set()
    for term in ordered:
        if not term:
            return {term}
        if any(other <= term for literal in term for other in by_rarest.get(literal, ())):
            continue
        kept.add(term)
        by_rarest.setdefault(min(term, key=lambda literal: (frequency[literal], literal)), []).append(term)
    return kept

"""Symmetries that the description hides: candidates from a part of the rules, then a proof, or none.

Goals often are described in a way that singles something out: discs are counted along a chain of squares, a path is
followed from one side of the board to the other. Without them the rules show more symmetries than the game has; each
is compared with the rules in positions of random play, and what survives is proved on the whole game, by a SAT solver
or by decision diagrams (`woodstock.symmetry.miter`, `woodstock.symmetry.diagrams`). What cannot be proved is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from woodstock.common.errors import LimitError
from woodstock.common.limits import Deadline
from woodstock.ground.exclusion import prove_exclusions
from woodstock.ground.invariants import FluentGroup
from woodstock.ground.program import NO_LOOP, GroundProgram
from woodstock.symmetry._automorphism import Library, find_generators
from woodstock.symmetry.conflicts import Conflicts
from woodstock.symmetry.diagrams import prove_by_diagrams
from woodstock.symmetry.graphs import Int32Array
from woodstock.symmetry.group import PermutationGroup, SymmetryGroup
from woodstock.symmetry.miter import Miter, Verdict, open_claims
from woodstock.symmetry.restriction import Restricted, with_bare_loops, without_judgement
from woodstock.symmetry.rule_graph import rule_graph
from woodstock.symmetry.sampling import Samples
from woodstock.symmetry.symmetry import Symmetry
from woodstock.symmetry.unfolding import MAX_TERMS, unfold
from woodstock.symmetry.verification import find_atoms, keeps_atoms, keeps_program, kept_outputs

MAX_ELEMENTS: Final = 512
"""Of a larger group of candidates only the generators are tried."""
MAX_TRIED: Final = 64
"""Most candidates that are compared with random play."""
MAX_GENERATORS: Final = 8
"""Most generators that are tried of a group whose elements are too many: such a group is mostly wrong."""
QUICK_SECONDS: Final = 0.5
"""Time for a first attempt of the SAT solver, before decision diagrams are tried."""
MAX_SECONDS: Final = 30.0
"""Most time for the last attempt at one candidate."""
MAX_CELLS: Final = 1 << 26


@dataclass(frozen=True, eq=False)
class Candidate:
    """A permutation that may be a symmetry.

    Attributes:
        symmetry: The permutation.
        atoms: Where it takes the atoms, -1 where that is not known.
        shown: Outputs that it is known to keep, since an equivalent program shows it.
    """

    symmetry: Symmetry
    atoms: Int32Array
    shown: tuple[str, ...] = ()


@dataclass
class HiddenSymmetries:
    """What was found beyond the syntax.

    Attributes:
        proved: Symmetries that are proved.
        how: How each was proved.
        sampled_only: How many candidates no sample refutes and no proof confirms: they are not used.
        refuted: How many candidates were refuted.
    """

    proved: list[Symmetry] = field(default_factory=list)
    how: list[str] = field(default_factory=list)
    sampled_only: int = 0
    refuted: int = 0


def find_hidden(
    program: GroundProgram,
    known: SymmetryGroup,
    permute_roles: bool,
    deadline: Deadline,
    library: Library = Library.AUTO,
) -> HiddenSymmetries:
    """Look for symmetries that are not in a group of known ones.

    Args:
        program: The game.
        known: The symmetries that the rules show.
        permute_roles: Whether roles may change places.
        deadline: When to stop.
        library: Who is asked for automorphisms that a search of our own may have missed.
    """
    return _Search(program, known, permute_roles, deadline, library).run()


class _Search:
    def __init__(
        self, program: GroundProgram, known: SymmetryGroup, permute_roles: bool, deadline: Deadline, library: Library
    ) -> None:
        self._program = program
        self._group = known
        self._permute_roles = permute_roles
        self._deadline = deadline
        self._library = library
        self._found = HiddenSymmetries()
        self._samples: Samples | None = None
        self._groups: list[FluentGroup] | None = None
        self._is_frozen = False
        self._seen: set[bytes] = set()

    def run(self) -> HiddenSymmetries:
        makers: list[Callable[[], Restricted]] = [lambda: without_judgement(self._program, terminal=False)]
        if (self._program.atom_loop != NO_LOOP).any():
            makers.append(lambda: with_bare_loops(self._program))
        makers.append(lambda: without_judgement(self._program, terminal=True))
        for make in makers:
            self._try_all(self._candidates(make()))
        self._try_all(self._unfolded_candidates())
        self._try_all(self._legal_candidates())
        return self._found

    def _try_all(self, candidates: Iterator[Candidate]) -> None:
        tried = 0
        for candidate in candidates:
            if self._deadline.expired or tried >= MAX_TRIED:
                break
            tried += self._try(candidate)

    def _unfolded_candidates(self) -> Iterator[Candidate]:
        """Yield generators of what the rules without goals show once they are unfolded."""
        if self._deadline.expired:
            return
        program = unfold(without_judgement(self._program, terminal=False).program, MAX_TERMS[0], self._deadline)
        if program is None:
            return
        for symmetry in self._generators(program):
            shown = ("next", "legal", "terminal", "percepts")
            yield Candidate(symmetry, find_atoms(self._program, symmetry), shown)

    def _legal_candidates(self) -> Iterator[Candidate]:
        """Yield generators of what the rules without goals show as long as only legal moves are made.

        A sheet may say something of all moves that are made, though there is but one that can be anything but a pass.
        """
        if self._deadline.expired:
            return
        rules = without_judgement(self._program, terminal=False).program
        program = unfold(rules, MAX_TERMS[-1], self._deadline, Conflicts(rules, self._known_groups()))
        if program is None:
            return
        for symmetry in self._generators(program):
            yield Candidate(symmetry, find_atoms(self._program, symmetry))

    def _generators(self, program: GroundProgram) -> Iterator[Symmetry]:
        """Yield some generators of what a program shows."""
        graph = rule_graph(program, self._permute_roles)
        for image in find_generators(graph.graph, self._deadline, self._library).permutations[:MAX_GENERATORS]:
            symmetry = graph.symmetry_of(image)
            if keeps_program(program, symmetry, graph.atoms_of(image)):
                yield symmetry

    def _candidates(self, restricted: Restricted) -> Iterator[Candidate]:
        """Yield generators of what the rest of the rules allows, then all of it, if that is not too much."""
        graph = rule_graph(restricted.program, self._permute_roles)
        answer = find_generators(graph.graph, self._deadline, self._library)
        generators = answer.permutations
        num_atoms = self._program.num_atoms

        def candidate(image: Int32Array) -> Candidate:
            atoms = np.full(num_atoms, -1, dtype=np.int32)
            atoms[restricted.old_atoms] = restricted.old_atoms[graph.atoms_of(image)]
            return Candidate(graph.symmetry_of(image), atoms)

        found = list(map(candidate, generators))
        if all(self._group.contains(each.symmetry) for each in found):
            return
        elements = self._elements(generators, answer.order, graph.graph.num_vertices)
        if elements is None:
            yield from found[:MAX_GENERATORS]
        else:
            yield from found
            yield from map(candidate, elements)

    def _elements(self, generators: list[Int32Array], order: int | None, degree: int) -> Int32Array | None:
        """Return all elements of a group of candidates, if they are not too many, and found in time."""
        if degree * MAX_ELEMENTS > MAX_CELLS or (order is not None and order > MAX_ELEMENTS):
            return None
        try:
            return PermutationGroup(generators, degree, order, self._deadline).elements(MAX_ELEMENTS)
        except LimitError:
            return None

    def _try(self, candidate: Candidate) -> bool:
        """Prove a candidate or drop it; tell whether that took any work."""
        symmetry = candidate.symmetry
        name = symmetry.points().tobytes()
        # Percepts of moves that are never legal are alike, but that tells nothing about positions.
        if name in self._seen or symmetry.moves_percepts_only or self._group.contains(symmetry):
            return False
        self._seen.add(name)
        if self._samples is None:
            self._samples = Samples(self._program, deadline=Deadline(self._deadline.seconds_left / 4))
        if self._samples.refute(symmetry):
            self._found.refuted += 1
            return True
        verdict, how = self._prove(candidate)
        if verdict is Verdict.PROVED:
            self._found.proved.append(symmetry)
            self._found.how.append(how)
            self._group = SymmetryGroup([*self._group.generators, symmetry], symmetry.shape)
        elif verdict is Verdict.REFUTED:
            self._found.refuted += 1
        else:
            self._found.sampled_only += 1
        return True

    def _prove(self, candidate: Candidate) -> tuple[Verdict, str]:
        """Prove a candidate: what the rules show by comparison, the rest by a solver."""
        program, symmetry = self._program, candidate.symmetry
        atoms = np.where(keeps_atoms(program, candidate.atoms), candidate.atoms, -1).astype(np.int32)
        kept = kept_outputs(program, symmetry, atoms)
        kept |= {name: np.ones_like(kept[name]) for name in candidate.shown if name in kept}
        claims = open_claims(program, symmetry, kept)
        groups = self._assumptions(symmetry)
        if groups is None:
            return Verdict.OPEN, ""
        miter = Miter(program, symmetry, atoms, groups)
        try:
            verdict = miter.prove(claims, Deadline(min(QUICK_SECONDS, self._deadline.seconds_left)))
            how = "SAT solver"
            half = Deadline(self._deadline.seconds_left / 2)
            if verdict is Verdict.OPEN and prove_by_diagrams(program, symmetry, atoms, claims, half):
                verdict, how = Verdict.PROVED, "decision diagrams"
            if verdict is Verdict.OPEN:
                verdict = miter.prove(claims, Deadline(min(MAX_SECONDS, self._deadline.seconds_left / 2)))
        finally:
            miter.close()
        if verdict is Verdict.PROVED:
            self._groups, self._is_frozen = groups, True
        # A position that refutes a claim need not be one that can be reached, so it leaves the claim open.
        return (Verdict.OPEN if verdict is Verdict.REFUTED else verdict), how

    def _known_groups(self) -> list[FluentGroup]:
        """Return groups that every position obeys: all that were proved, or those that proofs have used."""
        if self._groups is None:
            self._groups = list(prove_exclusions(self._program, with_latches=False).groups)
        return self._groups

    def _assumptions(self, symmetry: Symmetry) -> list[FluentGroup] | None:
        """Return proved groups that this symmetry and all known ones take to each other; None if there cannot be any.

        Symmetries are composed: what one supposes of a position must hold in its image under the others as well. So
        once a proof has used some groups, all symmetries that follow must keep them.
        """
        groups = self._known_groups()
        images = [symmetry.fluents, *(each.fluents for each in self._group.generators)]
        kept = {(frozenset(group.fluents), group.exactly_one) for group in groups}
        while True:
            closed = {
                (fluents, exact)
                for fluents, exact in kept
                if all((frozenset(image[list(fluents)].tolist()), exact) in kept for image in images)
            }
            if closed == kept:
                break
            kept = closed
        if self._is_frozen and len(kept) < len(groups):
            return None
        return [FluentGroup(tuple(sorted(fluents)), exact) for fluents, exact in sorted(kept, key=_order)]


def _order(group: tuple[frozenset[int], bool]) -> tuple[list[int], bool]:
    return sorted(group[0]), group[1]

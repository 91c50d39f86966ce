"""Finding the symmetries of a game: from the rules, from the rules unfolded, and beyond what they show.

Every symmetry in a result is proved: it takes the ground program to itself, or an equivalent one, which is verified to
the letter, or it was proved by a solver. What was found before a deadline counts; what is left then is not looked for.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from woodstock.common.limits import Deadline
from woodstock.ground.program import GroundProgram
from woodstock.symmetry import miter
from woodstock.symmetry._automorphism import Library, find_generators, require
from woodstock.symmetry.cache import load_result, store_result
from woodstock.symmetry.group import SymmetryGroup
from woodstock.symmetry.hidden import find_hidden
from woodstock.symmetry.rule_graph import rule_graph
from woodstock.symmetry.symmetry import Shape, Symmetry
from woodstock.symmetry.unfolding import MAX_TERMS, unfold
from woodstock.symmetry.verification import keeps_program

FROM_RULES: Final = "the rules"
FROM_UNFOLDED: Final = "the rules, unfolded"
MAX_HIDDEN_SECONDS: Final = 60.0
"""Time for what the description hides, if there is no deadline."""


@dataclass(frozen=True, slots=True)
class DetectionOptions:
    """How symmetries are looked for.

    Attributes:
        deadline: When to stop; what is found and verified until then counts.
        permute_roles: Whether roles may change places.
        beyond_syntax: Whether to look for symmetries that the description hides.
        use_cache: Look for the result on disk first, and keep it there if nothing was cut short.
        library: Who is asked for automorphisms that a search of our own may have missed.
    """

    deadline: Deadline | None = None
    permute_roles: bool = False
    beyond_syntax: bool = True
    use_cache: bool = True
    library: Library = Library.AUTO


@dataclass(frozen=True, eq=False)
class GameSymmetries:
    """What was found.

    Attributes:
        group: The group of all symmetries that are proved.
        generators: Its generators.
        finished: Whether nothing was cut short by the deadline.
        seconds: How long it took, when it was found.
        how: What proves each generator.
        refused: What was found and could not be proved, in words; it is not used.
    """

    group: SymmetryGroup
    generators: list[Symmetry]
    finished: bool
    seconds: float
    how: list[str]
    refused: list[str] = field(default_factory=list)

    @property
    def order(self) -> int:
        """The order of the group."""
        return self.group.order

    @property
    def proved(self) -> bool:
        """Whether every generator is proved: always so, since others are refused."""
        return len(self.how) == len(self.generators)


def find_symmetries(program: GroundProgram, options: DetectionOptions | None = None) -> GameSymmetries:
    """Find the symmetries of a game.

    Raises:
        UsageError: The library that finds automorphisms is not installed.
    """
    require()
    chosen = options or DetectionOptions()
    if chosen.use_cache:
        kept = load_result(program, _variant(chosen))
        if kept is not None:
            generators = [Symmetry.from_points(each, shape_of(program)) for each in kept.points]
            group = SymmetryGroup(generators, shape_of(program))
            return GameSymmetries(group, generators, True, kept.seconds, kept.how, kept.refused)
    found = _Detection(program, chosen).run()
    if chosen.use_cache and found.finished:
        points = np.array([each.points() for each in found.generators], dtype=np.int32)
        store_result(program, _variant(chosen), found, points.reshape(-1, shape_of(program).degree))
    return found


def shape_of(program: GroundProgram) -> Shape:
    """Return how many fluents, moves, roles and percepts a program has."""
    num_percepts = 0 if program.percepts is None else len(program.percepts.terms)
    return Shape(program.num_fluents, program.num_moves, len(program.roles), num_percepts)


def _variant(options: DetectionOptions) -> str:
    return f"{options.permute_roles} {options.beyond_syntax} {miter.available()}"


class _Detection:
    """One search; `_deadline` is None if there is none, so that no process is started for the library."""

    def __init__(self, program: GroundProgram, options: DetectionOptions) -> None:
        self._program = program
        self._options = options
        self._deadline = options.deadline
        self._shape = shape_of(program)
        self._result = GameSymmetries(SymmetryGroup([], self._shape), [], True, 0.0, [])

    def run(self) -> GameSymmetries:
        started = time.monotonic()
        self._from_rules(self._program, FROM_RULES)
        if self._options.beyond_syntax:
            for max_terms in MAX_TERMS:
                unfolded = None if self._expired() else unfold(self._program, max_terms, self._deadline)
                if unfolded is None:  # what is too much for a modest attempt is so for a bold one
                    break
                self._from_rules(unfolded, FROM_UNFOLDED)
            self._beyond()
        finished = self._result.finished and not self._expired()
        return replace(self._result, finished=finished, seconds=time.monotonic() - started)

    def _expired(self) -> bool:
        return self._deadline is not None and self._deadline.expired

    def _from_rules(self, program: GroundProgram, how: str) -> None:
        """Add the symmetries that a program shows; one that does not take it to itself is a fault of a library."""
        graph = rule_graph(program, self._options.permute_roles)
        found = find_generators(graph.graph, self._deadline, self._options.library)
        symmetries = []
        for image in found.permutations:
            symmetry = graph.symmetry_of(image)
            if not keeps_program(program, symmetry, graph.atoms_of(image)):
                self._result.refused.append("an automorphism of the graph that does not take the rules to themselves")
            elif not symmetry.is_identity:
                symmetries.append(symmetry)
        bound = found.order if found.finished else None
        self._add(symmetries, [how] * len(symmetries), bound if not self._result.generators else None)
        self._result = replace(self._result, finished=self._result.finished and found.finished)

    def _add(self, symmetries: list[Symmetry], how: list[str], order_bound: int | None) -> None:
        """Add generators to the result; those that are in the group already add nothing."""
        if not self._result.generators:
            new = list(zip(symmetries, how, strict=True))
        else:
            new = []
            group = self._result.group
            for symmetry, reason in zip(symmetries, how, strict=True):
                if not group.contains(symmetry):
                    new.append((symmetry, reason))
                    group = SymmetryGroup([*group.generators, symmetry], self._shape)
        if new:
            generators = [*self._result.generators, *(symmetry for symmetry, _ in new)]
            group = SymmetryGroup(generators, self._shape, order_bound)
            reasons = [*self._result.how, *(reason for _, reason in new)]
            self._result = replace(self._result, group=group, generators=generators, how=reasons)

    def _beyond(self) -> None:
        """Add what a solver proves."""
        if self._expired() or not miter.available():
            return
        deadline = self._deadline or Deadline(MAX_HIDDEN_SECONDS)
        options = self._options
        found = find_hidden(self._program, self._result.group, options.permute_roles, deadline, options.library)
        self._add(found.proved, found.how, None)
        self._result = replace(self._result, finished=self._result.finished and not deadline.expired)
        if found.sampled_only:
            text = f"{found.sampled_only} that random play does not refute and no proof confirms"
            self._result.refused.append(text)

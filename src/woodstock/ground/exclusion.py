"""Mutual exclusion of fluents, proved fast: groups of which at most one fluent holds in every reachable position.

`woodstock.ground.invariants` proves the same kind of thing with a solver: it misses little, and takes a minute for a
big game. Here the induction over `init` and `next` is done by propagation, for 64 cases at once, in a fraction of the
time that grounding took (`woodstock.ground.induction`). What is returned is proved, however little work is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt

from woodstock.gdl.terms import functor
from woodstock.ground.candidates import Candidate, Shape, find_candidates, make_groups, maximal
from woodstock.ground.implied import imply
from woodstock.ground.induction import Induction
from woodstock.ground.invariants import FluentGroup
from woodstock.ground.plan import ALL, LANES
from woodstock.ground.program import NO_ATOM, BoolArray, GroundProgram

LEAST_WORK, MOST_WORK, WORK_PER_LITERAL = 50_000_000, 250_000_000, 1500
"""Literals of rules that may be looked at, each for 64 cases at once: the most is about half a second of work."""

MAX_WHOLE = 400
"""Largest candidate that is tried before the others."""
MAX_CANDIDATES = 2000
"""Of more candidates the largest are tried: each costs some time of its own, whether it is soon refuted or not."""
SMALL_SHARE = 0.1
"""Share of all alternatives up to which the candidates of a name are tried together with others."""


@dataclass(frozen=True, slots=True)
class Exclusions:
    """What was proved about the fluents of a game.

    Attributes:
        groups: Mutually exclusive fluents, the largest groups first; none is part of another one, but for those of
            which exactly one fluent holds, if at most one of the other does.
        stays_true: Whether each fluent, once true, stays so; shape (num_fluents,), bool.
        stays_false: Whether each fluent, once false, stays so; shape (num_fluents,), bool.
        impossible: Whether each atom is derived from moves and never holds, whatever moves are made in a position that
            can be reached and is not terminal; shape (num_atoms,), bool.
    """

    groups: tuple[FluentGroup, ...]
    stays_true: BoolArray
    stays_false: BoolArray
    impossible: BoolArray


def prove_exclusions(program: GroundProgram, work: int | None = None, *, with_latches: bool = True) -> Exclusions:
    """Find groups of fluents that exclude each other, and fluents that stay as they are.

    Args:
        program: The game.
        work: Literals of rules that may be looked at, each for 64 cases at once; by default it grows with the program.
        with_latches: Whether fluents that stay as they are are looked for; if not, none are found.
    """
    if work is None:
        work = min(LEAST_WORK + WORK_PER_LITERAL * len(program.body_data), MOST_WORK)
    induction = Induction(program, work)
    proved = _prove_groups(induction)
    stays_true, stays_false = np.zeros((2, program.num_fluents), np.bool_)
    if with_latches:
        stays_true, stays_false = _find_latches(induction, proved)
    return Exclusions(
        groups=tuple(FluentGroup(candidate.fluents, candidate.is_exact) for candidate in maximal(proved)),
        stays_true=stays_true,
        stays_false=stays_false,
        impossible=_find_impossible(induction, proved),
    )


def _prove_groups(induction: Induction) -> list[Candidate]:
    """Prove what can be proved, the simple things first: what is proved before helps with what comes after."""
    program = induction.program
    asks_for_moves = _asks_for_moves(induction, program.legal_atom)
    found = find_candidates(program, induction.plan, asks_for_moves)
    candidates = [candidate for candidate in found if _holds_at_first(candidate, program.initial)]
    if len(candidates) > MAX_CANDIDATES:
        candidates = sorted(candidates, key=lambda candidate: -len(candidate.fluents))[:MAX_CANDIDATES]
    wanted = {candidate.fluents for candidate in candidates if candidate.is_exact}
    induction.prepare(candidates)
    whole = [candidate for candidate in candidates if candidate.shape == Shape.WHOLE]
    proved = induction.prove([candidate for candidate in whole if len(candidate.fluents) <= MAX_WHOLE], [])
    inexact = [replace(candidate, is_exact=False) for candidate in candidates]
    for part in _by_name(induction, [candidate for candidate in inexact if candidate.shape == Shape.FAMILY]):
        proved = induction.prove(part, proved)
    proved = induction.prove_exact(proved, wanted)
    before = len(proved)
    if maximal(inexact, proved):
        proved = induction.prove(inexact, proved)
    if len(proved) > before:
        proved = induction.prove_exact(proved, wanted)
    return induction.prove(_unproved(candidates, wanted, proved), proved)


def _unproved(candidates: list[Candidate], wanted: set[tuple[int, ...]], proved: list[Candidate]) -> list[Candidate]:
    """Return the exact candidates of which not even that their fluents exclude each other is proved."""
    known = {candidate.fluents for candidate in proved}
    return [
        candidate
        for candidate in maximal(candidates, proved)
        if candidate.fluents in wanted and candidate.fluents not in known
    ]


def _by_name(induction: Induction, candidates: list[Candidate]) -> list[list[Candidate]]:
    """Return parts of the candidates, by the names of their fluents: the names with few rules together, then others."""
    by_name: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_name.setdefault(functor(induction.program.fluents[candidate.fluents[0]]), []).append(candidate)
    sizes = {name: induction.num_alternatives(members) for name, members in by_name.items()}
    small = [name for name, size in sizes.items() if size <= SMALL_SHARE * sum(sizes.values())]
    parts = [[candidate for name in small for candidate in by_name[name]]]
    parts += [by_name[name] for name in sorted(sizes, key=lambda name: sizes[name]) if name not in small]
    return [part for part in parts if part]


def _holds_at_first(candidate: Candidate, initial: BoolArray) -> bool:
    """Tell whether a candidate holds in the initial position."""
    count = int(initial[list(candidate.fluents)].sum())
    return count == 1 or (count == 0 and not candidate.is_exact)


def _asks_for_moves(induction: Induction, atoms: npt.NDArray[np.int32]) -> bool:
    """Tell whether `terminal` or some of these atoms depend on the moves: no good sheet does that."""
    every = np.append(atoms, induction.program.terminal_atom)
    return bool(induction.uses_moves[every[every != NO_ATOM]].any())


def _find_latches(induction: Induction, proved: list[Candidate]) -> tuple[BoolArray, BoolArray]:
    """Return which fluents stay true once they are, and which stay false."""
    groups = make_groups(proved)
    base = induction.close(groups)
    after = induction.plan.next
    stays = np.zeros((2, len(after)), dtype=np.bool_)
    stays[1, after == NO_ATOM] = True
    batches = 2 * -(-len(after) // LANES)
    rounds = 2 if induction.costs_little(2 * batches) else 1
    if induction.may_spend(rounds * batches):
        for is_false, first in product((0, 1), range(0, len(after), LANES)):
            fluents = first + np.flatnonzero(after[first : first + LANES] != NO_ATOM)
            bits = np.uint64(1) << np.arange(len(fluents), dtype=np.uint64)
            known = base.copy()
            known[2 * (1 + fluents) + is_false] |= bits
            np.bitwise_or.at(known, 2 * after[fluents] + 1 - is_false, bits)
            refuted = np.uint64(imply(induction.plan, groups, known, rounds))
            stays[is_false, fluents] = refuted & bits != 0
    return stays[0], stays[1]


def _find_impossible(induction: Induction, proved: list[Candidate]) -> BoolArray:
    """Return the atoms that no moves make true."""
    program, atoms = induction.program, induction.plan.atom
    found = np.zeros(program.num_atoms, dtype=np.bool_)
    # Where goals depend on the moves they are asked for when none are made: then such atoms matter elsewhere too.
    if _asks_for_moves(induction, np.concatenate([program.legal_atom, program.goals.atoms])):
        return found
    if induction.costs_little(induction.num_turn_batches()):
        induction.learn(proved, with_domains=False)
    found[atoms] = induction.facts[2 * atoms + 1] == ALL
    return found & induction.uses_moves

"""Invariants of a game: what holds in every position that can be reached, proved and never guessed.

Groups of which at most one fluent holds, such as the contents of a cell, are the main thing: they become variables with
several values. Candidates come from the shape of the fluents: those that differ in some of their arguments only. What
random play refutes is dropped; the rest is proved by induction over `init` and `next`, all together (see
`woodstock.ground.prover`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import LimitError
from woodstock.common.limits import Limits
from woodstock.gdl.terms import GroundTerm, Term, arguments, functor
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.process import WorkerError, ask_worker
from woodstock.ground.program import NO_ATOM, TRUE_ATOM, BoolArray, GroundProgram
from woodstock.ground.worker import INVARIANTS

DEFAULT_LIMITS = Limits(seconds=60, bytes=8 << 30)

SAMPLE_WORK = 100_000_000
"""Rules that random play may evaluate in all."""

MAX_VARIED = 2
"""Most arguments in which the fluents of a candidate differ, unless it is all of them."""


@dataclass(frozen=True, slots=True)
class FluentGroup:
    """Fluents of which at most one holds in every position, or exactly one."""

    fluents: tuple[int, ...]
    exactly_one: bool


@dataclass(frozen=True, slots=True)
class Invariants:
    """What was proved about a game.

    Attributes:
        groups: Mutually exclusive fluents, the largest groups first; none is part of another.
        stays_true: Whether each fluent, once true, stays so; shape (num_fluents,), bool.
        stays_false: Whether each fluent, once false, stays so; shape (num_fluents,), bool.
        constant: Whether each fluent is true in every position; shape (num_fluents,), bool.
    """

    groups: tuple[FluentGroup, ...]
    stays_true: BoolArray
    stays_false: BoolArray
    constant: BoolArray


def prove_invariants(program: GroundProgram, limits: Limits = DEFAULT_LIMITS) -> Invariants:
    """Find and prove invariants.

    Raises:
        LimitError: It takes more time or memory than allowed.
    """
    seen = _play_at_random(program)
    at_most_one = [*_unrefuted(_families(program.fluents), seen), *_joined_names(program.fluents, seen)]
    at_least_one = [group for group in at_most_one if _count(seen, group).min() == 1]
    request = _encode_program(program) | {
        "at_most_one": at_most_one,
        "at_least_one": at_least_one,
        "largest": _maximal(at_most_one),
    }
    try:
        answer = ask_worker(INVARIANTS, request, limits)
    except WorkerError as failure:
        raise LimitError(f"the proof of invariants takes more {failure.reason} than allowed") from None
    some = {at_least_one[number] for number in answer["at_least_one"]}
    proved = [at_most_one[number] for number in answer["at_most_one"]]
    stays_true, stays_false = _latches(program)
    return Invariants(
        groups=tuple(FluentGroup(group, group in some) for group in _maximal(proved)),
        stays_true=stays_true,
        stays_false=stays_false,
        constant=program.initial & stays_true,
    )


def _latches(program: GroundProgram) -> tuple[BoolArray, BoolArray]:
    """Return which fluents stay true, by a rule that asks for nothing else, and which stay false, as all rules ask."""
    own_atom = 1 + np.arange(program.num_fluents)
    stays_true = program.next_atom == own_atom
    stays_false = (program.next_atom == own_atom) | (program.next_atom == NO_ATOM)
    rule_start = np.searchsorted(program.rule_head, np.arange(program.num_atoms + 1))
    for fluent in np.flatnonzero((program.next_atom != own_atom) & (program.next_atom > TRUE_ATOM)).tolist():
        first, last = rule_start[program.next_atom[fluent]], rule_start[program.next_atom[fluent] + 1]
        bodies = [program.body_data[start:end] for start, end in pairwise(program.body_start[first : last + 1])]
        own = 2 * (1 + fluent)
        stays_false[fluent] = bool(bodies) and all(own in body for body in bodies)
        stays_true[fluent] = any(len(body) == 1 and body[0] == own for body in bodies)
    return stays_true | (program.next_atom == TRUE_ATOM), stays_false


def _play_at_random(program: GroundProgram) -> BoolArray:
    """Return positions of random matches, shape (n, num_fluents)."""
    rng = np.random.default_rng(0)
    evaluator = Evaluator(program)
    wanted = int(np.clip(SAMPLE_WORK // (program.num_rules + 1), 50, 2000))
    positions: list[BoolArray] = []
    position = program.initial
    for _ in range(wanted):
        positions.append(position)
        values = evaluator.position(np.flatnonzero(position).tolist())
        moves = [rng.choice(found) for found in _legal_moves(program, values) if len(found)]
        is_over = len(moves) < len(program.roles) or bool(holds(values, np.array([program.terminal_atom]))[0])
        position = program.initial if is_over else holds(evaluator.after(values, moves), program.next_atom)
    return np.array(positions)


def _legal_moves(program: GroundProgram, values: BoolArray) -> list[npt.NDArray[np.intp]]:
    """Return the numbers of the legal moves of each role."""
    legal = holds(values, program.legal_atom)
    return [start + np.flatnonzero(legal[start:end]) for start, end in pairwise(program.move_start)]


def _count(positions: BoolArray, group: tuple[int, ...]) -> npt.NDArray[np.intp]:
    """Return how many fluents of a group hold in each position."""
    counts: npt.NDArray[np.intp] = positions[:, list(group)].sum(axis=1)
    return counts


@dataclass(frozen=True, slots=True)
class _Family:
    """Groups of fluents of one name that differ in the same arguments."""

    num_varied: int
    groups: tuple[tuple[int, ...], ...]


def _families(fluents: tuple[GroundTerm, ...]) -> list[_Family]:
    """Return the families of fluents that differ in one, two or all of their arguments."""
    by_shape: dict[tuple[str, int], list[int]] = {}
    for number, fluent in enumerate(fluents):
        by_shape.setdefault((functor(fluent), len(arguments(fluent))), []).append(number)
    families = []
    for (_, arity), members in by_shape.items():
        sizes = {*range(1, min(MAX_VARIED, arity) + 1), arity}
        for varied in (places for size in sorted(sizes) for places in combinations(range(arity), size)):
            groups: dict[tuple[Term, ...], list[int]] = {}
            for number in members:
                args = arguments(fluents[number])
                fixed = tuple(arg for place, arg in enumerate(args) if place not in varied)
                groups.setdefault(fixed, []).append(number)
            families.append(_Family(len(varied), tuple(tuple(group) for group in groups.values() if len(group) > 1)))
    return families


def _joined_names(fluents: tuple[GroundTerm, ...], seen: BoolArray) -> list[tuple[int, ...]]:
    """Return groups of all fluents of several names, such as `to_select` and `to_place`, that never occur together."""
    by_name: dict[str, list[int]] = {}
    for number, fluent in enumerate(fluents):
        by_name.setdefault(functor(fluent), []).append(number)
    single = {name: members for name, members in by_name.items() if _count(seen, tuple(members)).max() <= 1}
    found: dict[tuple[int, ...], None] = {}
    for first, members in single.items():
        group = list(members)
        for name, others in single.items():
            if name != first and _count(seen, (*group, *others)).max() <= 1:
                group += others
        if len(group) > len(members):
            found[tuple(sorted(group))] = None
    return list(found)


def _unrefuted(families: list[_Family], seen: BoolArray) -> list[tuple[int, ...]]:
    """Return the groups of which random play never saw two fluents.

    Where fluents differ in one argument, such as the contents of cells, all groups of the family must be so: what
    holds for some of them only is chance. Where they differ in more, such as the places of a piece, each is for itself.
    """
    found: dict[tuple[int, ...], None] = {}
    for family in families:
        kept = [group for group in family.groups if _count(seen, group).max() <= 1]
        if len(kept) == len(family.groups) or family.num_varied > 1:
            found |= dict.fromkeys(kept)
    return list(found)


def _maximal(groups: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Drop the groups that are part of another one."""
    kept: list[tuple[int, ...]] = []
    containing: dict[int, list[frozenset[int]]] = {}
    for group in sorted(groups, key=lambda group: (-len(group), group)):
        members = frozenset(group)
        if not any(members <= other for other in containing.get(group[0], [])):
            kept.append(group)
            for fluent in group:
                containing.setdefault(fluent, []).append(members)
    return kept


def _encode_program(program: GroundProgram) -> dict[str, Any]:
    """Write a ground program in plain values that the worker's process understands."""
    bodies = program.body_data.tolist()
    starts = program.body_start.tolist()
    rules = [
        (head, bodies[start:end])
        for head, (start, end) in zip(program.rule_head.tolist(), pairwise(starts), strict=True)
    ]
    return {
        "num_atoms": program.num_atoms,
        "num_fluents": program.num_fluents,
        "move_start": list(program.move_start),
        "rules": rules,
        "next_atom": program.next_atom.tolist(),
        "legal_atom": program.legal_atom.tolist(),
        "terminal_atom": program.terminal_atom,
    }

"""The rules of a game in an order to work through, for reasoning about one step.

It has what `next`, `legal` and `terminal` need and nothing else: first what depends on the position only, then what
depends on the moves too.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import jit, register_jitable
from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, BoolArray, GroundProgram

IntArray = npt.NDArray[np.int64]
WordArray = npt.NDArray[np.uint64]

U0: Final = np.uint64(0)
U1: Final = np.uint64(1)
ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
LANES: Final = 64
"""Cases that are handled at once: the bits of a word."""
MAX_NEEDS: Final = 8
"""Most literals of fluents that are kept as what an atom needs."""
MAX_UNION: Final = 64
"""Most literals of fluents that are kept as what a body needs."""


class Groups(NamedTuple):
    """Groups of atoms of which at most one holds, or exactly one.

    Attributes:
        start: Where the atoms of each group begin, shape (num_groups + 1,), int64.
        atom: Atoms, shape (start[-1],), int64.
        is_exact: Whether exactly one holds, shape (num_groups,), bool.
    """

    start: IntArray
    atom: IntArray
    is_exact: BoolArray


class Plan(NamedTuple):
    """The rules that `next`, `legal` and `terminal` need, in an order to work through.

    Attributes:
        atom: Derived atoms: those that depend on the position only, then the others; each after those that it depends
            on, but for loops, whose atoms stand together; shape (num_derived,), int64.
        rule_start: Where the rules of each derived atom begin, shape (num_derived + 1,), int64.
        body_start: Where the body of each rule begins, shape (num_rules + 1,), int64.
        body: Literals, shape (num_literals,), uint32.
        loop_end: For each derived atom the end of its loop in `atom`; 0 if it is in none; shape (num_derived,), int64.
        num_position: Number of derived atoms that depend on the position only.
        roles: The moves of each role, as groups of which exactly one is made.
        move: Moves, as atoms, whose legality depends on the position only, shape (num_judged,), int64.
        legal: For each of them the atom that tells whether it is legal, shape (num_judged,), int64.
        next: For each fluent the atom that tells whether it holds next, or NO_ATOM; shape (num_fluents,), int64.
        is_relevant: Whether each derived atom is needed by `next` or `legal`, shape (num_derived,), bool.
        needs_start: Where the literals that each derived atom needs begin, shape (num_derived + 1,), int64.
        needs: Literals of fluents that hold whenever a derived atom with several rules does, shape (needs_start[-1],),
            int64.
    """

    atom: IntArray
    rule_start: IntArray
    body_start: IntArray
    body: npt.NDArray[np.uint32]
    loop_end: IntArray
    num_position: int
    roles: Groups
    move: IntArray
    legal: IntArray
    next: IntArray
    is_relevant: BoolArray
    needs_start: IntArray
    needs: IntArray


def make_plan(program: GroundProgram, uses_moves: BoolArray) -> Plan:
    """Arrange the rules of a program.

    Args:
        program: The program.
        uses_moves: Whether each atom depends on the moves, shape (num_atoms,), bool.
    """
    relevant = _needed(program, np.concatenate([program.next_atom, program.legal_atom]))
    needed = relevant | _needed(program, np.array([program.terminal_atom]))
    rules = np.flatnonzero(needed[program.rule_head])
    head = program.rule_head[rules]
    rules = rules[np.lexsort([head, program.atom_loop[head], program.atom_level[head], uses_moves[head]])]
    head = program.rule_head[rules]
    first = np.flatnonzero(np.diff(head, prepend=-1))
    atom = head[first].astype(np.int64)
    body_start, body = bodies(program, rules)
    judged = np.flatnonzero((program.legal_atom != NO_ATOM) & ~uses_moves[program.legal_atom])
    plan = Plan(
        atom=atom,
        rule_start=np.append(first, len(rules)).astype(np.int64),
        body_start=body_start,
        body=body.astype(np.uint32),
        loop_end=_loop_ends(program, atom),
        num_position=int((~uses_moves[atom]).sum()),
        roles=_roles(program),
        move=1 + program.num_fluents + judged,
        legal=program.legal_atom[judged].astype(np.int64),
        next=program.next_atom.astype(np.int64),
        is_relevant=relevant[atom],
        needs_start=np.zeros(len(atom) + 1, dtype=np.int64),
        needs=np.zeros(0, dtype=np.int64),
    )
    sets = np.zeros((program.num_atoms, MAX_NEEDS), dtype=np.int64)
    find_needs(plan, program.num_fluents, sets)
    found = np.where(np.diff(plan.rule_start)[:, None] > 1, sets[atom], 0)
    needs_start = np.concatenate([[0], np.cumsum((found != 0).sum(axis=1))])
    return plan._replace(needs_start=needs_start, needs=found[found != 0])


def first_facts(program: GroundProgram, uses_moves: BoolArray) -> WordArray:
    """Return `known` with what always holds: the match is not over, and what is never legal is not done."""
    known = np.zeros(2 * program.num_atoms, dtype=np.uint64)
    known[2 * TRUE_ATOM] = ALL
    # A sheet that lets `terminal` or `legal` depend on the moves asks what holds when none are made: not our case.
    if program.terminal_atom != NO_ATOM and not uses_moves[program.terminal_atom]:
        known[2 * program.terminal_atom + 1] = ALL
    never = np.flatnonzero(program.legal_atom == NO_ATOM)
    known[2 * (1 + program.num_fluents + never) + 1] = ALL
    return known


def atoms_of_moves(program: GroundProgram) -> BoolArray:
    """Tell for each atom whether it depends on the moves."""
    depends = np.zeros(program.num_atoms, dtype=np.bool_)
    first = 1 + program.num_fluents
    depends[first : first + program.num_moves] = True
    heads = np.repeat(program.rule_head, np.diff(program.body_start))
    atoms = program.body_data >> 1
    while True:
        found = heads[depends[atoms] & ~depends[heads]]
        if not len(found):
            return depends
        depends[found] = True


def bodies(program: GroundProgram, rules: npt.NDArray[np.intp]) -> tuple[IntArray, npt.NDArray[np.int32]]:
    """Return where the body of each of some rules begins, and the literals."""
    lengths = np.diff(program.body_start)[rules]
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(start[-1]) + np.repeat(program.body_start[rules] - start[:-1], lengths)
    return start, program.body_data[places]


def _needed(program: GroundProgram, roots: npt.NDArray[np.int32]) -> BoolArray:
    """Return the atoms that some atoms depend on, and these themselves."""
    needed = np.zeros(program.num_atoms, dtype=np.bool_)
    needed[roots[roots != NO_ATOM]] = True
    heads = np.repeat(program.rule_head, np.diff(program.body_start))
    atoms = program.body_data >> 1
    while True:
        found = atoms[needed[heads] & ~needed[atoms]]
        if not len(found):
            return needed
        needed[found] = True


def _loop_ends(program: GroundProgram, atom: IntArray) -> IntArray:
    """Return for each derived atom the end of its loop, or 0."""
    loop = program.atom_loop[atom]
    last = np.flatnonzero(np.diff(loop, append=NO_LOOP - 1)) + 1
    ends = last[np.searchsorted(last, np.arange(len(atom)), side="right")] if len(atom) else last
    return np.where(loop == NO_LOOP, 0, ends).astype(np.int64)


def _roles(program: GroundProgram) -> Groups:
    """Return the moves of the roles that have any."""
    start = np.unique(np.array(program.move_start, dtype=np.int64))
    atoms = 1 + program.num_fluents + np.arange(program.num_moves, dtype=np.int64)
    return Groups(start, atoms, np.ones(len(start) - 1, dtype=np.bool_))


@jit
def find_needs(plan: Plan, num_fluents: int, sets: IntArray) -> None:
    """Find literals of fluents that hold whenever an atom does: what the bodies of all its rules need.

    Args:
        plan: The rules.
        num_fluents: Number of fluents.
        sets: Receives the literals for each atom, filled up with 0, shape (num_atoms, MAX_NEEDS), int64.
    """
    body_needs, left = np.zeros(MAX_UNION, dtype=np.int64), np.zeros(MAX_UNION, dtype=np.int64)
    for number in range(len(plan.atom)):
        if number == plan.num_position:
            for place in range(len(plan.move)):
                for need in range(MAX_NEEDS):
                    sets[plan.move[place], need] = sets[plan.legal[place], need]
        count = -1
        for rule in range(plan.rule_start[number], plan.rule_start[number + 1]):
            size = 0
            for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
                size = _add_needs(int(plan.body[place]), num_fluents, sets, body_needs, size)
            if count < 0:
                for need in range(size):
                    left[need] = body_needs[need]
                count = size
            else:
                count = _keep_common(left, count, body_needs, size)
            if count == 0:
                break
        for place in range(min(count, MAX_NEEDS)):
            sets[plan.atom[number], place] = left[place]


@register_jitable
def _add_needs(literal: int, num_fluents: int, sets: IntArray, found: IntArray, size: int) -> int:
    """Add what a literal needs to the literals found so far; return how many there are."""
    if literal < 2 * (1 + num_fluents):
        return _add(literal, found, size)
    if literal & 1 == 0:
        for place in range(MAX_NEEDS):
            if sets[literal >> 1, place]:
                size = _add(sets[literal >> 1, place], found, size)
    return size


@register_jitable
def _add(literal: int, found: IntArray, size: int) -> int:
    """Add a literal, if it is new and there is room."""
    for place in range(size):
        if found[place] == literal:
            return size
    if size == len(found) or literal < 2:
        return size
    found[size] = literal
    return size + 1


@register_jitable
def _keep_common(left: IntArray, count: int, found: IntArray, size: int) -> int:
    """Keep of the first `count` literals those that are among the first `size` of others; return how many."""
    kept = 0
    for place in range(count):
        for other in range(size):
            if left[place] == found[other]:
                left[kept] = left[place]
                kept += 1
                break
    return kept

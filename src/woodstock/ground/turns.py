"""Whose turn it is: atoms that exclude each other and tell which moves are possible.

Mostly these are fluents, such as `control(white)`. Where the rules derive whose turn it is, the moves of two roles need
two different atoms, of which it can be proved that they exclude each other. To know that saves many cases.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from woodstock.common.jit import jit
from woodstock.ground.cases import HEADER, MAX_DEPTH, OPEN, ROUNDS, Cases, search
from woodstock.ground.implied import imply
from woodstock.ground.plan import ALL, LANES, U0, U1, Groups, IntArray, Plan, WordArray

MAX_TURNS = 6
"""Most atoms of a group that tells whose turn it is."""
MAX_SHARE = 0.9
"""Most of the moves that a group may leave possible, on average, to tell whose turn it is."""
MAX_ATOMS = 4
"""Atoms of a role that are looked at."""
LIMITS = (64, 64, 4)
"""Limits of the search: batches, cases for one pair of atoms, decisions."""


def find_turns(plan: Plan, groups: Groups, facts: WordArray) -> IntArray:
    """Return the atoms of the group that best tells which moves are possible; none if there is no such group."""
    best, smallest = np.zeros(0, dtype=np.int64), MAX_SHARE
    for group in np.flatnonzero(groups.is_exact & (np.diff(groups.start) <= MAX_TURNS)).tolist():
        atoms = groups.atom[groups.start[group] : groups.start[group + 1]]
        known = facts.copy()
        bits = np.uint64(1) << np.arange(len(atoms), dtype=np.uint64)
        known[2 * atoms] |= bits
        imply(plan, groups, known, ROUNDS)
        possible = ~known[2 * plan.move + 1][:, None] & bits != 0
        share = float(possible.mean()) if len(plan.move) else 1.0
        if share < smallest:
            best, smallest = atoms, share
    return best


def with_derived_turns(plan: Plan, groups: Groups, base: WordArray) -> Groups:
    """Add to groups the pairs of derived atoms that moves of two roles need and that exclude each other.

    Args:
        plan: The rules.
        groups: Groups of fluents of which at most one holds, or exactly one.
        base: What is known before, in all cases.
    """
    num_roles = len(plan.roles.start) - 1
    needed = [_needed_atoms(plan, groups, base, role) for role in range(num_roles)] if num_roles > 1 else []
    pairs = [(one, two) for some, others in combinations(needed, 2) for one in some for two in others if one != two]
    if not pairs:
        return groups
    atoms = np.array(pairs, dtype=np.int64)
    cases = Cases(
        np.zeros(1, dtype=np.int64),
        np.zeros(0, dtype=np.int64),
        np.zeros((LANES * len(atoms) + LANES, HEADER + MAX_DEPTH), dtype=np.int64),
        np.zeros(2 * len(atoms), dtype=np.int64),
        np.zeros(2 * len(atoms), dtype=np.int64),
    )
    cases.stack[: 2 * len(atoms), 0] = np.arange(2 * len(atoms))
    cases.stack[: 2 * len(atoms), 1:HEADER] = -1, -1, 2
    cases.stack[: 2 * len(atoms), HEADER : HEADER + 2] = -1 - np.concatenate([2 * atoms, 2 * atoms + 1])
    search(plan, groups, base, cases, 2 * len(atoms), LIMITS)
    both_fail, one_holds = cases.state.reshape(2, len(atoms)) == OPEN
    found = atoms[both_fail]
    return Groups(
        np.concatenate([groups.start, groups.start[-1] + 2 * np.arange(1, len(found) + 1)]),
        np.concatenate([groups.atom, found.ravel()]),
        np.concatenate([groups.is_exact, one_holds[both_fail]]),
    )


def _needed_atoms(plan: Plan, groups: Groups, base: WordArray, role: int) -> IntArray:
    """Return derived atoms that hold in a position whenever a role makes one of most of its moves; some are tried."""
    moves = plan.roles.atom[plan.roles.start[role] : plan.roles.start[role + 1]]
    moves = moves[base[2 * moves + 1] == 0]
    moves = moves[np.linspace(0, len(moves) - 1, min(len(moves), LANES)).astype(np.int64)]
    known = base.copy()
    known[2 * moves] |= np.uint64(1) << np.arange(len(moves), dtype=np.uint64)
    imply(plan, groups, known, ROUNDS)
    atoms = plan.atom[: plan.num_position]
    atoms = atoms[np.diff(plan.rule_start)[: plan.num_position] > 1]
    atoms = atoms[base[2 * atoms] == 0]
    count = np.unpackbits(known[2 * atoms].view(np.uint8)).reshape(-1, LANES).sum(axis=1)
    needed: IntArray = atoms[2 * count > len(moves)][-MAX_ATOMS:]
    return needed


class Domains(NamedTuple):
    """The moves that can be made when a literal holds: a bit for each turn, role and move.

    Attributes:
        literal: The literals, shape (num_literals,), int64.
        word: The bits, shape (num_literals, num_words), uint64.
        start: Where the words of each turn and role begin, and the end of those in use, shape (num_turns * num_roles +
            1,), int64.
    """

    literal: IntArray
    word: WordArray
    start: IntArray


def settle(plan: Plan, groups: Groups, known: WordArray, turns: IntArray, domains: Domains) -> WordArray:
    """Return what holds for certain whatever moves are made: what follows from each move of a role in turn.

    Args:
        plan: The rules.
        groups: Groups of fluents of which at most one holds, or exactly one.
        known: What is known before, in all cases.
        turns: Atoms of which one holds for certain; each is supposed in turn. None if empty.
        domains: Receives the domains of its literals.

    Returns:
        What is known then: all bits of a word or none, shape (2 * num_atoms,), uint64.
    """
    settled = np.full(len(known), ALL)
    num_roles = len(plan.roles.start) - 1
    for number in range(max(1, len(turns))):
        given = known.copy()
        given[2 * turns[number : number + 1]] = ALL
        start = domains.start[number * num_roles : (number + 1) * num_roles + 1]
        if imply(plan, groups, given, ROUNDS) == 0:
            settled &= _settle_turn(plan, groups, given, domains, start)
        else:
            start[:] = start[0]
    return settled


def _settle_turn(plan: Plan, groups: Groups, given: WordArray, domains: Domains, start: IntArray) -> WordArray:
    """Return what holds for certain whatever moves are made, if `given` does; set `start` of the domains."""
    facts = given.copy()
    word = start[0]
    for role in range(len(plan.roles.start) - 1):
        common = np.full(len(given), ALL)
        for first in range(plan.roles.start[role], plan.roles.start[role + 1], LANES):
            moves = 2 * plan.roles.atom[first : min(first + LANES, plan.roles.start[role + 1])]
            bits = np.where(given[moves + 1] == 0, U1 << np.arange(len(moves), dtype=np.uint64), U0)
            possible = np.bitwise_or.reduce(bits)
            if possible:
                known = given.copy()
                known[moves] |= bits
                possible &= ~np.uint64(imply(plan, groups, known, 1))
                domains.word[:, word] = possible & ~known[domains.literal ^ 1]
                common &= known | ~possible
                word += 1
        start[role + 1] = word
        facts[common == ALL] = ALL
    return facts


@jit
def narrow(start: IntArray, place: IntArray, words: WordArray, num_words: int) -> WordArray:
    """Return the domains of lists of literals: what is in the domains of all their literals.

    Args:
        start: Where each list begins, shape (num_lists + 1,), int64.
        place: Rows of `words`, shape (start[-1],), int64.
        words: Domains of literals, shape (num_literals, capacity), uint64.
        num_words: How many words of a domain are in use.
    """
    narrowed = np.full((len(start) - 1, num_words), ALL)
    for number in range(len(start) - 1):
        for literal in range(start[number], start[number + 1]):
            for word in range(num_words):
                narrowed[number, word] &= words[place[literal], word]
    return narrowed

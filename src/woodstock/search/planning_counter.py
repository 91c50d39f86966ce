"""Counters: fluents that count the joint moves, and make equal boards different positions.

Some fluents take a course of their own, whatever is played. If nothing but the end of the match depends on them, and it
ends for a reason of the board or for a reason of time, then they only limit the length of a match. Whatever can be
reached from a board for a reason of the board can be reached as well from the same board at an earlier time: it is
enough to look at the earliest one. Of matches that time puts an end to no more is said than what their last board is
worth, at most the best of all boards that come about.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.common.jit import jit
from woodstock.ground.program import NO_ATOM, NO_LOOP, GroundProgram


@dataclass(frozen=True, eq=False)
class Counter:
    """What counts the joint moves.

    Attributes:
        proved: Fluents that are proved only to limit the length, shape (num_fluents,), bool.
        likely: The same, and those that the goals depend on, or the end in other ways: boards that differ in these
            alone are alike, but may be worth different goals.
        goals_know_end: The goals depend on whether the match is over: before the end they say nothing.
    """

    proved: BoolArray
    likely: BoolArray
    goals_know_end: bool


def find_counter(program: GroundProgram) -> Counter:
    """Return what counts the joint moves; perhaps nothing does."""
    rules = (program.rule_head, program.body_start, program.body_data)
    own = _find_own_course(program)
    outputs = np.zeros(program.num_atoms, np.bool_)
    outputs[program.legal_atom[program.legal_atom != NO_ATOM]] = True
    likely = _free_of(program, own, outputs)
    goals = np.zeros(program.num_atoms, np.bool_)
    goals[program.goals.atoms[program.goals.atoms != NO_ATOM]] = True
    proved = _free_of(program, likely, outputs | goals)
    cone = goals.copy()
    _spread_down(rules, cone, NO_ATOM)
    if proved.any() and not _end_is_separate(program, own, proved):
        proved = np.zeros(program.num_fluents, np.bool_)
    end = program.terminal_atom
    return Counter(proved, likely, end != NO_ATOM and bool(cone[end]))


def _find_own_course(program: GroundProgram) -> BoolArray:
    """Return which fluents depend, as long as the match goes on, on fluents of this kind alone."""
    own = np.ones(program.num_fluents, np.bool_)
    while True:
        foreign = _foreign(program, own)
        found = own & ~_at(foreign, program.next_atom)
        if found.sum() == own.sum():
            return found
        own = found


def _foreign(program: GroundProgram, own: BoolArray) -> BoolArray:
    """Return which atoms depend on moves, or on fluents that have no course of their own."""
    foreign = np.zeros(program.num_atoms, np.bool_)
    foreign[1 : 1 + program.num_fluents] = ~own
    foreign[1 + program.num_fluents : 1 + program.num_fluents + program.num_moves] = True
    _spread_up((program.rule_head, program.body_start, program.body_data), foreign, program.terminal_atom)
    return foreign


def _at(marked: BoolArray, atoms: Int32Array) -> BoolArray:
    """Return which of some atoms are marked; one that never holds is not."""
    found: BoolArray = (atoms != NO_ATOM) & marked[np.maximum(atoms, 0)]
    return found


def _free_of(program: GroundProgram, candidates: BoolArray, outputs: BoolArray) -> BoolArray:
    """Return the candidates that neither some atoms depend on nor, while the match goes on, any other fluent."""
    rules = (program.rule_head, program.body_start, program.body_data)
    free = candidates.copy()
    while True:
        needed = outputs.copy()
        others = program.next_atom[~free]
        needed[others[others != NO_ATOM]] = True
        _spread_down(rules, needed, program.terminal_atom)
        left = free & ~needed[1 : 1 + program.num_fluents]
        if left.sum() == free.sum():
            return left
        free = left


def _end_is_separate(program: GroundProgram, own: BoolArray, counter: BoolArray) -> bool:
    """Tell whether each reason for the end is one of time alone, or has nothing to do with the counter."""
    rules = (program.rule_head, program.body_start, program.body_data)
    end = program.terminal_atom
    if end == NO_ATOM:
        return True
    timeless = np.zeros(program.num_atoms, np.bool_)
    timeless[1 : 1 + program.num_fluents] = counter
    _spread_up(rules, timeless, NO_ATOM)
    timeless = ~timeless
    of_time = ~_foreign(program, own)
    of_time[end] = timeless[end]  # it was left out of account there
    stack, seen = [end], {end}
    while stack:
        atom = stack.pop()
        if timeless[atom] or (atom != end and of_time[atom]):
            continue
        if program.atom_loop[atom] != NO_LOOP:
            return False
        first, last = np.searchsorted(_heads_in_order(program), [atom, atom + 1])
        for rule in _rules_in_order(program)[first:last].tolist():
            literals = program.body_data[program.body_start[rule] : program.body_start[rule + 1]]
            atoms = literals >> 1
            if timeless[atoms].all() or of_time[atoms].all():
                continue
            if len(literals) > 1 or literals[0] & 1:
                return False
            if (other := int(atoms[0])) not in seen:
                seen.add(other)
                stack.append(other)
    return True


def _rules_in_order(program: GroundProgram) -> Int32Array:
    """Return the rules in the order of their heads."""
    return np.argsort(program.rule_head, kind="stable").astype(np.int32)


def _heads_in_order(program: GroundProgram) -> Int32Array:
    return np.sort(program.rule_head)


@jit
def _spread_up(rules: tuple[Int32Array, Int32Array, Int32Array], marked: BoolArray, blocked: int) -> None:
    """Mark the atoms that depend on marked ones; one atom is never marked."""
    head, start, data = rules
    changed = True
    while changed:
        changed = False
        for rule in range(len(head)):
            if marked[head[rule]] or head[rule] == blocked:
                continue
            for place in range(start[rule], start[rule + 1]):
                if marked[data[place] >> 1]:
                    marked[head[rule]] = True
                    changed = True
                    break


@jit
def _spread_down(rules: tuple[Int32Array, Int32Array, Int32Array], marked: BoolArray, blocked: int) -> None:
    """Mark the atoms that marked ones depend on; those that one atom depends on do not count."""
    head, start, data = rules
    changed = True
    while changed:
        changed = False
        for rule in range(len(head) - 1, -1, -1):
            if not marked[head[rule]] or head[rule] == blocked:
                continue
            for place in range(start[rule], start[rule + 1]):
                if not marked[data[place] >> 1]:
                    marked[data[place] >> 1] = True
                    changed = True

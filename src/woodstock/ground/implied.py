"""What follows from a few literals: unit propagation through the rules of a game, 64 cases at once.

A *case* is a set of literals that are supposed to hold in some position that is not terminal, with a legal move of
every role. More literals follow: if all literals of a body hold, the head does; if one literal of every body fails, the
head does; if the head holds and one body is left, it holds; if the head fails and one literal of a body is left, it
fails. A role makes one move, and a legal one. Of a group of fluents at most one holds. All of that is sound, and far
from complete, which makes it cheap.

`known[literal]` has a bit for each of 64 cases that tells whether the literal holds there for certain. A case in which
a literal and its complement do cannot be: it is *refuted*.
"""

from __future__ import annotations

import numpy as np

from woodstock.common.jit import jit, register_jitable
from woodstock.ground.plan import ALL, U0, U1, Groups, Plan, WordArray


@jit
def imply(plan: Plan, groups: Groups, known: WordArray, rounds: int) -> np.uint64:
    """Add to `known` what follows; return the cases that are refuted.

    Args:
        plan: The rules.
        groups: Groups of fluents of which at most one holds, or exactly one.
        known: What is known of each literal, shape (2 * num_atoms,), uint64.
        rounds: How often to go down and up through the rules.
    """
    refuted = U0
    end = len(plan.atom)
    for _ in range(rounds):
        refuted |= _go_down(plan, plan.num_position, end, known)
        refuted |= _close(plan.roles, known)
        _judge(plan, known)
        refuted |= _go_down(plan, 0, plan.num_position, known)
        refuted |= _close(groups, known)
        for atom in range(1 + len(plan.next)):
            refuted |= known[2 * atom] & known[2 * atom + 1]
        refuted |= _go_up(plan, 0, plan.num_position, known)
        _judge(plan, known)
        refuted |= _close(plan.roles, known)
        refuted |= _go_up(plan, plan.num_position, end, known)
    return refuted


@register_jitable
def _go_up(plan: Plan, first: int, last: int, known: WordArray) -> np.uint64:
    """Find out about heads from bodies."""
    body, body_start = plan.body, plan.body_start
    refuted = U0
    for number in range(first, last):
        holds, fails = U0, ALL
        for rule in range(plan.rule_start[number], plan.rule_start[number + 1]):
            all_hold, one_fails = ALL, U0
            for place in range(body_start[rule], body_start[rule + 1]):
                literal = body[place]
                all_hold &= known[literal]
                one_fails |= known[literal ^ U1]
            holds |= all_hold
            fails &= one_fails
        literal = np.uint64(plan.atom[number] << 1)
        holds |= known[literal]
        fails |= known[literal + U1]
        known[literal] = holds
        known[literal + U1] = fails
        refuted |= holds & fails
    return refuted


@register_jitable
def _go_down(plan: Plan, first: int, last: int, known: WordArray) -> np.uint64:
    """Find out about bodies from heads."""
    body, body_start = plan.body, plan.body_start
    refuted = U0
    for number in range(last - 1, first - 1, -1):
        literal = np.uint64(plan.atom[number] << 1)
        holds, fails = known[literal], known[literal + U1]
        if holds | fails == U0:
            continue
        some, several = U0, U0
        for rule in range(plan.rule_start[number], plan.rule_start[number + 1]):
            one_fails, one_open, two_open = U0, U0, U0
            for place in range(body_start[rule], body_start[rule + 1]):
                literal = np.uint64(body[place])
                one_fails |= known[literal ^ U1]
                is_open = ~known[literal]
                two_open |= one_open & is_open
                one_open |= is_open
            several |= some & ~one_fails
            some |= ~one_fails
            refuted |= fails & ~one_open
            forced = fails & one_open & ~two_open & ~one_fails
            if forced != U0:
                for place in range(body_start[rule], body_start[rule + 1]):
                    literal = np.uint64(body[place])
                    known[literal ^ U1] |= forced & ~known[literal]
        refuted |= holds & ~some
        forced = holds & some & ~several
        if forced != U0:
            _force_body(plan, number, forced, known)
        for place in range(plan.needs_start[number], plan.needs_start[number + 1]):
            known[plan.needs[place]] |= holds
    return refuted


@register_jitable
def _force_body(plan: Plan, number: int, forced: np.uint64, known: WordArray) -> None:
    """Make the literals of the one body that is left true, in the cases `forced`."""
    for rule in range(plan.rule_start[number], plan.rule_start[number + 1]):
        one_fails = U0
        for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
            one_fails |= known[plan.body[place] ^ U1]
        left = forced & ~one_fails
        if left != U0:
            for place in range(plan.body_start[rule], plan.body_start[rule + 1]):
                known[plan.body[place]] |= left


@register_jitable
def _judge(plan: Plan, known: WordArray) -> None:
    """A move that is made is legal; one that is not legal is not made."""
    for number in range(len(plan.move)):
        move, legal = np.uint64(plan.move[number] << 1), np.uint64(plan.legal[number] << 1)
        known[legal] |= known[move]
        known[move + U1] |= known[legal + U1]


@register_jitable
def _close(groups: Groups, known: WordArray) -> np.uint64:
    """Of a group at most one atom holds, or exactly one."""
    refuted = U0
    for group in range(len(groups.start) - 1):
        some, several, one_left, two_left = U0, U0, U0, U0
        for place in range(groups.start[group], groups.start[group + 1]):
            literal = np.uint64(groups.atom[place] << 1)
            holds, possible = known[literal], ~known[literal + U1]
            several |= some & holds
            some |= holds
            two_left |= one_left & possible
            one_left |= possible
            refuted |= holds & ~possible
        refuted |= several
        last = U0
        if groups.is_exact[group]:
            refuted |= ~one_left
            last = one_left & ~two_left
        if some | last != U0:
            for place in range(groups.start[group], groups.start[group + 1]):
                literal = np.uint64(groups.atom[place] << 1)
                known[literal + U1] |= some & ~known[literal]
                known[literal] |= last & ~known[literal + U1]
    return refuted

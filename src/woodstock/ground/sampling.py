"""Random play: 64 matches at once, one in each bit of a word."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.common.jit import jit, register_jitable
from woodstock.ground.plan import ALL, LANES, U0, U1, IntArray, Plan, WordArray
from woodstock.ground.program import NO_ATOM, BoolArray, GroundProgram

SEED: Final = 0x9E3779B97F4A7C15


class Outputs(NamedTuple):
    """What the rules say of a position, besides what holds next.

    Attributes:
        initial: Whether each fluent holds at the start, shape (num_fluents,), bool.
        move_start: The first move of each role, and the number of moves, shape (num_roles + 1,), int64.
        legal: For each move the atom that tells whether it is legal, or NO_ATOM; shape (num_moves,), int64.
        terminal: The atom that tells whether the match is over, or NO_ATOM.
        num_before: Number of derived atoms of the plan that these atoms need.
    """

    initial: BoolArray
    move_start: IntArray
    legal: IntArray
    terminal: int
    num_before: int


def play_at_random(program: GroundProgram, plan: Plan, asks_for_moves: bool, steps: int) -> WordArray:
    """Play 64 random matches at once; where one ends another begins.

    Args:
        program: The game.
        plan: Its rules.
        asks_for_moves: Whether `legal` or `terminal` depend on the moves.
        steps: How many positions of each match to see.

    Returns:
        Which fluents held in each step, a bit for each match, shape (steps, num_fluents), uint64.
    """
    outputs = Outputs(
        program.initial,
        np.array(program.move_start, dtype=np.int64),
        program.legal_atom.astype(np.int64),
        program.terminal_atom,
        len(plan.atom) if asks_for_moves else plan.num_position,
    )
    values = np.zeros(2 * program.num_atoms, dtype=np.uint64)
    values[0] = ALL
    seen = np.zeros((steps, program.num_fluents), dtype=np.uint64)
    play(plan, outputs, values, np.array([SEED], dtype=np.uint64), seen)
    return seen


@jit
def play(plan: Plan, outputs: Outputs, values: WordArray, random: WordArray, seen: WordArray) -> None:
    """Play matches as `play_at_random` does.

    Args:
        plan: The rules.
        outputs: What the rules say of a position.
        values: Room for the values of literals; that of the constant true is set.
        random: State of the random numbers, shape (1,), uint64.
        seen: Receives which fluents held in each step.
    """
    num_fluents = len(outputs.initial)
    first_move = 1 + num_fluents
    choice = np.zeros(LANES, dtype=np.int64)
    over = ALL
    for step in range(len(seen)):
        for number in range(num_fluents):
            atom = plan.next[number]
            holds = values[2 * atom] & ~over if atom != NO_ATOM else U0
            seen[step, number] = holds | over if outputs.initial[number] else holds
        for number in range(num_fluents):
            values[2 + 2 * number] = seen[step, number]
            values[3 + 2 * number] = ~seen[step, number]
        for move in range(first_move, first_move + len(outputs.legal)):
            values[2 * move] = U0
            values[2 * move + 1] = ALL
        _evaluate(plan, 0, outputs.num_before, values)
        over = values[2 * outputs.terminal] if outputs.terminal != NO_ATOM else U0
        for role in range(len(outputs.move_start) - 1):
            _choose_moves(outputs, role, values, random, choice)
            for lane in range(LANES):
                bit = U1 << np.uint64(lane)
                if choice[lane] < 0:
                    over |= bit
                else:
                    move = 2 * (first_move + choice[lane])
                    values[move] |= bit
                    values[move + 1] &= ~bit
        _evaluate(plan, plan.num_position, len(plan.atom), values)


@register_jitable
def _choose_moves(outputs: Outputs, role: int, values: WordArray, random: WordArray, choice: IntArray) -> None:
    """Choose a legal move of a role in each match, all equally likely; -1 where there is none."""
    count = np.zeros(LANES, dtype=np.int64)
    for lane in range(LANES):
        choice[lane] = -1
    for move in range(outputs.move_start[role], outputs.move_start[role + 1]):
        left = values[2 * outputs.legal[move]] if outputs.legal[move] != NO_ATOM else U0
        lane = 0
        while left != U0:
            if left & U1 != U0:
                count[lane] += 1
                random[0] ^= random[0] << np.uint64(13)
                random[0] ^= random[0] >> np.uint64(7)
                random[0] ^= random[0] << np.uint64(17)
                if np.int64(random[0] >> np.uint64(33)) % count[lane] == 0:
                    choice[lane] = move
            left >>= U1
            lane += 1


@register_jitable
def _evaluate(plan: Plan, first: int, last: int, values: WordArray) -> None:
    """Evaluate derived atoms; those of a loop from below until nothing changes."""
    number = first
    while number < last:
        end = max(number + 1, plan.loop_end[number])
        is_loop = plan.loop_end[number] > 0
        if is_loop:
            for place in range(number, end):
                values[2 * plan.atom[place]] = U0
                values[2 * plan.atom[place] + 1] = ALL
        changed = ALL
        while changed != U0:
            changed = U0
            for place in range(number, end):
                holds = U0
                for rule in range(plan.rule_start[place], plan.rule_start[place + 1]):
                    all_hold = ALL
                    for at in range(plan.body_start[rule], plan.body_start[rule + 1]):
                        all_hold &= values[plan.body[at]]
                    holds |= all_hold
                literal = 2 * plan.atom[place]
                if is_loop:
                    changed |= values[literal] ^ holds
                values[literal] = holds
                values[literal + 1] = ~holds
        number = end


@jit
def count_seen(start: IntArray, fluent: IntArray, seen: WordArray, two_seen: BoolArray, none_seen: BoolArray) -> None:
    """Find out of which groups two fluents were seen together, and of which none was."""
    for group in range(len(start) - 1):
        for step in range(len(seen)):
            some, several = U0, U0
            for place in range(start[group], start[group + 1]):
                holds = seen[step, fluent[place]]
                several |= some & holds
                some |= holds
            if ~some != U0:
                none_seen[group] = True
            if several != U0:
                two_seen[group] = True
                break

"""What a MAC-UCB search says about its root: the best solution, and why.

If the value of the root is proven, the move keeps to it, as quickly as can be if it is good. Else it is the one that
UCB pulled most, unless one whose value is exact is as good. Where others choose at the same time a move is drawn from
the average strategy of regret matching; if everyone is paranoid, it is the one with the best worst case.
"""

from __future__ import annotations

from math import sqrt
from random import Random
from typing import Final, NamedTuple

import numpy as np

from woodstock.game.protocol import JointMove, Move
from woodstock.search.explanation import Candidate, Explanation
from woodstock.search.mac_ucb import MacUcbSearch
from woodstock.search.mac_ucb_stages import (
    ARM_EXACT,
    CHOOSER,
    DISTANCE,
    DOUBTED,
    FIRST_OUTCOME,
    FLAGS,
    NOTHING,
    NUM_OUTCOMES,
    OPTION_PULLS,
    OPTION_VALUE,
    PLAN,
    SOLVED,
    STATE,
    TWIN,
    arms_of,
)

LONGEST_LINE: Final = 12
"""Joint moves of the line that is expected."""
LEAST_PULLS: Final = 64
"""A stage of that line was pulled at least so often."""
RARE: Final = 0.05
"""A mixed choice leaves out moves that are less likely than this share of the most likely one."""


class _Option(NamedTuple):
    """A move of the role at the root: the arm, if it decides it alone, and what is known."""

    move: Move
    arm: int
    value: float
    pulls: float
    weight: float
    is_exact: bool
    distance: int


def advise(search: MacUcbSearch, role: int, random: Random | None = None) -> Explanation | None:
    """Return what a search says about the moves of a role at its root; None if the role has no choice there.

    Args:
        search: The search.
        role: The role.
        random: What a mixed choice is drawn from, where others choose at the same time; the likeliest if None.
    """
    if search.root == NOTHING or not search.tree.stages[search.root, FLAGS] & SOLVED:
        return None
    is_alone = int(search.tree.stages[search.root, CHOOSER]) == role
    options = _own_options(search, role) if is_alone else _shared_options(search, role)
    if not options:
        return None
    chosen = _choose(search, options) if is_alone else _mix(search, options, role, random)
    rest = sorted((option for option in options if option is not chosen), key=lambda each: (-each.value, -each.pulls))
    return Explanation(
        role=search.game.roles[role],
        candidates=tuple(_candidate(option) for option in (chosen, *rest)),
        line=_line(search, chosen.arm),
        roles=search.game.roles,
        statistics=search.statistics.facts(),
    )


def _move(search: MacUcbSearch, role: int, option: int) -> Move:
    program = search.game.program
    return program.moves[role][int(search.tree.option_move[option]) - int(program.move_start[role])]


def _own_options(search: MacUcbSearch, role: int) -> list[_Option]:
    """Return the moves of the only chooser."""
    tree, arms = search.tree, arms_of(search.tree, search.root)
    found = []
    for arm in range(arms.start, arms.stop):
        is_exact = bool(tree.arms[arm, STATE] & ARM_EXACT)
        found.append(
            _Option(
                move=_move(search, role, int(tree.arm_options[arm, role])),
                arm=arm,
                value=float(tree.arm_values[arm, role]),
                pulls=float(tree.arm_pulls[arm]),
                weight=0.0 if tree.arms[arm, STATE] & DOUBTED else 1.0,
                is_exact=is_exact,
                distance=_distance(search, arm) if is_exact else 0,
            )
        )
    return found


def _distance(search: MacUcbSearch, arm: int) -> int:
    tree = search.tree
    arm = arm if tree.arms[arm, TWIN] == NOTHING else int(tree.arms[arm, TWIN])
    first, count = tree.arms[arm, FIRST_OUTCOME], tree.arms[arm, NUM_OUTCOMES]
    return int(tree.stages[tree.outcome_stage[first : first + count], DISTANCE].max(initial=0))


def _shared_options(search: MacUcbSearch, role: int) -> list[_Option]:
    """Return the moves of a role that chooses at the same time as others."""
    tree, arms = search.tree, arms_of(search.tree, search.root)
    found = []
    for option in np.unique(tree.arm_options[arms, role]).tolist():
        if option != NOTHING:
            facts = tree.option_facts[option]
            value, pulls, plan = (float(facts[column]) for column in (OPTION_VALUE, OPTION_PULLS, PLAN))
            found.append(_Option(_move(search, role, option), NOTHING, value, pulls, plan, False, 0))
    return found


def _choose(search: MacUcbSearch, options: list[_Option]) -> _Option:
    exact = [option for option in options if option.is_exact]
    if search.is_exact and exact:
        best = max(option.value for option in exact)
        alike = [option for option in exact if option.value >= best - 1e-9]
        return min(alike, key=lambda each: each.distance if best > 0.5 else -each.distance)
    still = [option for option in options if not option.is_exact and option.weight > 0] or options
    favourite = max(still, key=lambda each: (each.pulls, each.value))
    surest = max(exact, key=lambda each: each.value, default=favourite)
    return surest if surest.value >= favourite.value else favourite


def _mix(search: MacUcbSearch, options: list[_Option], role: int, random: Random | None) -> _Option:
    if search.options.paranoid:
        worst = _worst_cases(search, role)
        return max(zip(options, worst, strict=True), key=lambda pair: pair[1])[0]
    most = max(option.weight for option in options)
    if random is None or most <= 0:
        return max(options, key=lambda each: (each.weight, each.value))
    return random.choices(options, [each.weight if each.weight >= RARE * most else 0.0 for each in options])[0]


def _worst_cases(search: MacUcbSearch, role: int) -> list[float]:
    """Return for each option of a role the least that it may bring, in the order of the options."""
    tree, arms = search.tree, arms_of(search.tree, search.root)
    own, values = tree.arm_options[arms, role], tree.arm_values[arms, role]
    return [float(values[own == option].min()) for option in np.unique(own).tolist()]


def _candidate(option: _Option) -> Candidate:
    """Return an option for people: goals instead of utilities, and how far the mean may be off."""
    if option.pulls <= 0 and not option.is_exact:
        return Candidate(option.move, None, None, 0)
    spread = sqrt(max(option.value * (1 - option.value), 1e-4) / max(1.0, option.pulls))
    margin = 0.0 if option.is_exact else 100 * 1.96 * spread
    return Candidate(option.move, 100 * option.value, margin, int(option.pulls), option.is_exact)


def _line(search: MacUcbSearch, arm: int) -> tuple[JointMove, ...]:
    """Return the play that is expected after an arm of the root, while every stage on the way is known well."""
    tree, stage = search.tree, search.root
    line: list[JointMove] = []
    while len(line) < LONGEST_LINE and tree.stages[stage, FLAGS] & SOLVED:
        arms = arms_of(tree, stage)
        if arms.start == arms.stop:
            break
        if line or arm == NOTHING:
            arm = arms.start + int(np.argmax(tree.arm_pulls[arms]))
        arm = arm if tree.arms[arm, TWIN] == NOTHING or not line else int(tree.arms[arm, TWIN])
        first = int(tree.arms[arm, FIRST_OUTCOME])
        count = int(tree.arms[arm, NUM_OUTCOMES])
        line.append(_joint_move(search, stage, arm))
        outcome = first + int(np.argmax(tree.outcome_pulls[first : first + count]))
        stage = int(tree.outcome_stage[outcome])
        if count > 1 or tree.pulls[stage] < LEAST_PULLS:
            break
    return tuple(line)


def _joint_move(search: MacUcbSearch, stage: int, arm: int) -> JointMove:
    """Return the joint move of an arm; roles without a choice there have one move, and chance takes its first."""
    game = search.game
    position = game.position(search.tree.rows[stage])
    moves: list[Move] = []
    for role in range(len(game.roles)):
        option = int(search.tree.arm_options[arm, role])
        moves.append(game.legal_moves(position, role)[0] if option == NOTHING else _move(search, role, option))
    return tuple(moves)

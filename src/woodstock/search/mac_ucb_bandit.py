"""UCB1 over the solutions of µSCSPs: descents through the tree, and the arms of new stages that are sampled.

The best solution of a stage is the one with the greatest ū_i + C sqrt(ln n / n_i) (Auer, Cesa-Bianchi and Fischer 2002;
C² = 2 in the papers). Where several roles choose, each has such a bound for its own options, and the arm with the
greatest sum of bounds is taken: with all combinations open, every role follows its own UCB1.

Pulls are made in batches. An arm that was chosen has its pulls counted at once, before their results are there, so that
the next choice of the batch is what UCB1 says if the means stay as they are (UCB1 with delayed feedback).
"""

from __future__ import annotations

from math import log, sqrt
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.mac_ucb_stages import (
    ARM_CLOSED,
    CHOOSER,
    CLOSED,
    DOUBTED,
    FIRST_ARM,
    FIRST_OPTION,
    FIRST_OUTCOME,
    FLAGS,
    INDEX,
    NOTHING,
    NUM_ARMS,
    NUM_OPTIONS,
    NUM_OUTCOMES,
    OPTION_PULLS,
    OPTION_VALUE,
    PENDING,
    SEVERAL,
    SOLVED,
    STATE,
    TWIN,
    Stages,
)
from woodstock.search.tree import Float64Array

# How a descent ended: `Descents.kinds`.
SOLVE: Final = 0
"""At a stage that is to be solved."""
STAY: Final = 1
"""At a stage that was met before on the way, or after too many moves: its value is taken as it is."""
COLLIDED: Final = 2
"""At a stage that another descent of the batch is about to solve."""
RENEW: Final = 3
"""At an arm below which nothing can be learnt any more, which was found out on another way: it is valued again."""

MOST_FIRST_PULLS: Final = 4096
"""Playouts when a stage is new, however many arms it has."""
SHARES: Final = 8
"""In a round of pulls, arms of a stage are chosen so often."""


class Rule(NamedTuple):
    """What guides the search.

    Attributes:
        exploration: C, the weight of the confidence, for utilities 0 to 1.
        depth: Down to this depth below the root the value of a stage is the minimax value of its arms, below it the
            mean of their pulls.
        paranoid: In these minimax values a role takes it that all others want its worst.
        enough: The share of the values of y that have to be below the threshold for probabilistic pruning; above 1 for
            none.
        threshold: θ, shape (1,), float64.
        best: The greatest utility that each role can get, shape (num_roles,), float64.
    """

    exploration: float
    depth: int
    paranoid: bool
    enough: float
    threshold: Float64Array
    best: Float64Array


class Descents(NamedTuple):
    """Descents from the root.

    Attributes:
        stages: The stages that were passed, shape (num, longest), int32.
        arms: The arm that was chosen in each, shape (num, longest), int32.
        outcomes: The outcome that was gone to, shape (num, longest), int32.
        lengths: How many stages were passed, shape (num,), int32.
        ends: The stage after these, shape (num,), int32.
        kinds: SOLVE, STAY, COLLIDED or RENEW, shape (num,), int32.
    """

    stages: Int32Array
    arms: Int32Array
    outcomes: Int32Array
    lengths: Int32Array
    ends: Int32Array
    kinds: Int32Array


def make_descents(num: int, longest: int) -> Descents:
    """Return room for some descents."""
    return Descents(
        *(np.zeros((num, longest), np.int32) for _ in range(3)), *(np.zeros(num, np.int32) for _ in range(3))
    )


@jit
def descend(tree: Stages, rule: Rule, descents: Descents, root: int, limits: tuple[int, int], expected: float) -> int:
    """Go down to stages that are to be solved, best solutions first; return how many descents were made.

    Args:
        tree: The tree.
        rule: What guides the search.
        descents: Where they are written.
        root: Where they begin.
        limits: How many descents to make, and how many of them may collide.
        expected: How many pulls each is thought to bring; they count as made until `carry_up` corrects them.
    """
    most, patience = limits
    num = 0
    while num < most and patience > 0:
        kind = _go_down(tree, rule, descents, num, root, expected)
        descents.kinds[num] = kind
        num += 1
        if kind == COLLIDED:
            patience -= 1
    return num


@inner_kernel
def _go_down(tree: Stages, rule: Rule, descents: Descents, number: int, root: int, expected: float) -> int:
    stage = root
    length = 0
    kind = STAY
    while True:
        flags = tree.stages[stage, FLAGS]
        if flags & CLOSED != 0 or length == descents.stages.shape[1]:
            break
        if flags & SOLVED == 0:
            kind = SOLVE if flags & PENDING == 0 else COLLIDED
            tree.stages[stage, FLAGS] |= PENDING
            break
        if _is_on_the_way(descents.stages[number], length, stage):
            break
        arm = choose_arm(tree, rule, stage)
        if arm == NOTHING:
            break
        outcome = choose_outcome(tree, arm)
        if outcome == NOTHING:
            kind = RENEW
            outcome = tree.arms[arm, FIRST_OUTCOME]
        descents.stages[number, length] = stage
        descents.arms[number, length] = arm
        descents.outcomes[number, length] = outcome
        count_pulls(tree, stage, arm, outcome, expected)
        stage = tree.outcome_stage[outcome]
        length += 1
        if kind == RENEW:
            break
    descents.lengths[number] = length
    descents.ends[number] = stage
    return kind


@inner_kernel
def _is_on_the_way(stages: Int32Array, length: int, stage: int) -> bool:
    found = False
    for step in range(length):
        found |= stages[step] == stage
    return found


@inner_kernel
def count_pulls(tree: Stages, stage: int, arm: int, outcome: int, pulls: float) -> None:
    """Add pulls, which may be negative, to a stage, an arm, its options and an outcome."""
    tree.pulls[stage] += pulls
    tree.arm_pulls[arm] += pulls
    tree.outcome_pulls[outcome] += pulls
    for role in range(tree.arm_options.shape[1]):
        option = tree.arm_options[arm, role]
        if option != NOTHING:
            tree.option_facts[option, OPTION_PULLS] += pulls


@inner_kernel
def confidence(rule: Rule, all_pulls: float, pulls: float) -> float:
    """Return how far a mean of so many pulls may be below the truth, after so many pulls of all arms."""
    return rule.exploration * sqrt(log(max(all_pulls, 2.0)) / max(pulls, 1e-3))


@inner_kernel
def choose_arm(tree: Stages, rule: Rule, stage: int) -> int:
    """Return the open arm of a stage with the greatest upper confidence bound; NOTHING if none is open.

    Arms that probabilistic pruning has removed are taken only if no other is open.
    """
    several = tree.stages[stage, CHOOSER] == SEVERAL
    if several:
        _index_options(tree, rule, stage)
    first = tree.stages[stage, FIRST_ARM]
    chooser = max(tree.stages[stage, CHOOSER], 0)
    found = NOTHING
    for barred in (ARM_CLOSED | DOUBTED, ARM_CLOSED):
        greatest = -1e300
        for arm in range(first, first + tree.stages[stage, NUM_ARMS]):
            if tree.arms[arm, STATE] & barred != 0 or tree.arms[arm, TWIN] != NOTHING:
                continue
            bound = 0.0
            if several:
                for role in range(tree.arm_options.shape[1]):
                    if tree.arm_options[arm, role] != NOTHING:
                        bound += tree.option_facts[tree.arm_options[arm, role], INDEX]
            else:
                bound = tree.arm_values[arm, chooser] + confidence(rule, tree.pulls[stage], tree.arm_pulls[arm])
            if bound > greatest:
                greatest = bound
                found = arm
        if found != NOTHING:
            break
    return found


@inner_kernel
def _index_options(tree: Stages, rule: Rule, stage: int) -> None:
    """Find the upper confidence bounds of the options of a stage."""
    first = tree.stages[stage, FIRST_OPTION]
    for option in range(first, first + tree.stages[stage, NUM_OPTIONS]):
        facts = tree.option_facts[option]
        facts[INDEX] = facts[OPTION_VALUE] + confidence(rule, tree.pulls[stage], facts[OPTION_PULLS])


@inner_kernel
def choose_outcome(tree: Stages, arm: int) -> int:
    """Return the open outcome of an arm that was pulled least for its probability; NOTHING if none is open."""
    first = tree.arms[arm, FIRST_OUTCOME]
    found = NOTHING
    greatest = -1e300
    for outcome in range(first, first + tree.arms[arm, NUM_OUTCOMES]):
        if tree.stages[tree.outcome_stage[outcome], FLAGS] & CLOSED == 0:
            owed = tree.outcome_share[outcome] * (tree.arm_pulls[arm] + 1) - tree.outcome_pulls[outcome]
            if owed > greatest:
                greatest = owed
                found = outcome
    return found


@jit
def pull_all(tree: Stages, stages: Int64Array, pulls: int, turn: float, wanted: Int64Array) -> None:
    """Pull each arm of new stages, as UCB1 does first.

    The pulls of an arm are spread over its outcomes. Those whose value is known from elsewhere are not sampled again.

    Args:
        tree: The tree.
        stages: Stages that were just solved; the outcomes of all of them stand together, shape (n,), int64.
        pulls: Playouts through each arm.
        turn: A random number from 0 to 1, which decides among outcomes that are too many for the pulls.
        wanted: Playouts that are wanted from each outcome, from the first of the first stage, written, int64.
    """
    origin = tree.arms[tree.stages[stages[0], FIRST_ARM], FIRST_OUTCOME]
    for number in range(len(stages)):
        stage = stages[number]
        first = tree.stages[stage, FIRST_ARM]
        count = tree.stages[stage, NUM_ARMS]
        samples = max(1, min(pulls, MOST_FIRST_PULLS // max(1, count)))
        stride = 1 + count // MOST_FIRST_PULLS
        for arm in range(first, first + count):
            if tree.arms[arm, TWIN] != NOTHING or (arm - first) % stride != 0:
                continue
            size = tree.arms[arm, NUM_OUTCOMES]
            for pull in range(samples):
                place = pull % size if size <= samples else int((pull + turn) * size / samples) % size
                outcome = tree.arms[arm, FIRST_OUTCOME] + place
                count_pulls(tree, stage, arm, outcome, 1.0)
                below = tree.outcome_stage[outcome]
                if tree.pulls[below] == 0 and tree.stages[below, FLAGS] & (SOLVED | CLOSED) == 0:
                    wanted[outcome - origin] += 1


@jit
def pull_best(tree: Stages, rule: Rule, stages: Int64Array, step: int, wanted: Int64Array) -> None:
    """Make a round of pulls in each of some new stages: SHARES times the best arm, each time for so many playouts.

    Args:
        tree: The tree.
        rule: What guides the search.
        stages: As in `pull_all`.
        step: Playouts of each choice.
        wanted: As in `pull_all`.
    """
    origin = tree.arms[tree.stages[stages[0], FIRST_ARM], FIRST_OUTCOME] if len(stages) > 0 else 0
    for number in range(len(stages)):
        stage = stages[number]
        for _ in range(SHARES):
            arm = choose_arm(tree, rule, stage)
            if arm == NOTHING:
                break
            outcome = choose_outcome(tree, arm)
            if outcome == NOTHING:
                break
            count_pulls(tree, stage, arm, outcome, float(step))
            if tree.stages[tree.outcome_stage[outcome], FLAGS] & SOLVED == 0:
                wanted[outcome - origin] += step

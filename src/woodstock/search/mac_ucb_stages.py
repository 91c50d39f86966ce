"""The tree of µSCSPs as arrays.

A *stage* is the µSCSP of a position; positions that are met again have one stage. Once it is solved it has *arms*, its
feasible solutions: a move of every role but `random`. What chance may draw after an arm are its *outcomes*, each of
which leads to another stage. The moves of a role that has a choice, a *chooser*, are *options* of the stage; where one
role chooses, arms and options are the same, and where several do, an arm is a combination of options.

Values are utilities, goals divided by 100. Pulls are playouts, as in UCB1: n is `pulls` of a stage, n_i that of an arm.
A stage is *exact* if its value is proven, and *closed* if nothing can be learnt below it any more: exact stages are,
and those where roles move at once and all that follows is closed.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import BoolArray, Int32Array, Int64Array
from woodstock.circuit.words import WordArray
from woodstock.search.tree import Float64Array

NOTHING: Final = -1
"""Stands for no stage, no arm, no option."""

# Columns of `Stages.stages`.
FIRST_ARM: Final = 0
NUM_ARMS: Final = 1
FIRST_OPTION: Final = 2
NUM_OPTIONS: Final = 3
FLAGS: Final = 4
CHOOSER: Final = 5
DISTANCE: Final = 6
"""Of an exact stage: joint moves to the end, if the value is kept to as quickly or as long as can be."""
STAGE_COLUMNS: Final = 7

# What CHOOSER says if it is not the number of the only role that chooses.
NOBODY: Final = -2
SEVERAL: Final = -3

# Bits of FLAGS of a stage.
SOLVED: Final = 1
EXACT: Final = 2
CLOSED: Final = 4
TERMINAL: Final = 8
PENDING: Final = 16
"""A descent ended there, and it is about to be solved."""
PARTIAL: Final = 32
"""Not all of its solutions were found, so that its value is never exact."""

# Columns of `Stages.arms`.
FIRST_OUTCOME: Final = 0
NUM_OUTCOMES: Final = 1
STATE: Final = 2
TWIN: Final = 3
"""Another arm of the same stage that is worth the same, by symmetry or because both lead to one stage; or NOTHING."""
ARM_COLUMNS: Final = 4

# Bits of STATE of an arm.
ARM_EXACT: Final = 1
ARM_CLOSED: Final = 2
REMOVED: Final = 4
"""By exact pruning: its exact value is below the threshold."""
DOUBTED: Final = 8
"""By probabilistic pruning: it has left the feasibility constraint c_s."""
LEARNT: Final = 16
"""That it is worth the same as its twin is learnt, not proved."""

# Columns of `Stages.option_facts`.
OPTION_PULLS: Final = 0
OPTION_VALUE: Final = 1
REGRET: Final = 2
PLAN: Final = 3
"""How often regret matching chose it: the average strategy, up to a factor."""
INDEX: Final = 4
"""The upper confidence bound; space to work in."""
OPTION_COLUMNS: Final = 5

# Entries of `Stages.sizes`.
NUM_STAGES: Final = 0
NUM_ARMS_USED: Final = 1
NUM_OUTCOMES_USED: Final = 2
NUM_OPTIONS_USED: Final = 3
NUM_REMOVED: Final = 4
"""How often an arm was removed by exact pruning."""
NUM_DOUBTED: Final = 5
"""How often an arm was removed by probabilistic pruning."""
NUM_SIZES: Final = 6

ARMS_A_STAGE: Final = 1
"""Room for arms, outcomes and options for each stage: a stage is an outcome of at least one arm."""


class Stages(NamedTuple):
    """The arrays of a tree of µSCSPs; what is unused at their ends has no meaning.

    Attributes:
        stages: See FIRST_ARM and those after it, shape (capacity, STAGE_COLUMNS), int32.
        pulls: Playouts through each stage, shape (capacity,), float64.
        values: Its value for each role, shape (capacity, num_roles), float64.
        rows: Its packed position, shape (capacity, num_words), uint64.
        keys: Its key in the hash table, shape (capacity,), uint64.
        arms: See FIRST_OUTCOME and those after it, shape (num, ARM_COLUMNS), int32.
        arm_pulls: Playouts through each arm, shape (num,), float64.
        arm_values: What each arm is worth to each role, shape (num, num_roles), float64.
        arm_options: The option of each role in an arm, NOTHING if it has no choice, shape (num, num_roles), int32.
        outcome_stage: Where each outcome leads, shape (num,), int32.
        outcome_share: Its probability, shape (num,), float64.
        outcome_pulls: Playouts through it, shape (num,), float64.
        option_move: The move of each option, counted over all roles, shape (num,), int32.
        option_facts: See OPTION_PULLS and those after it, shape (num, OPTION_COLUMNS), float64.
        sizes: How much of each array is used, and counters, see NUM_STAGES and those after it, int64.
    """

    stages: Int32Array
    pulls: Float64Array
    values: Float64Array
    rows: WordArray
    keys: WordArray
    arms: Int32Array
    arm_pulls: Float64Array
    arm_values: Float64Array
    arm_options: Int32Array
    outcome_stage: Int32Array
    outcome_share: Float64Array
    outcome_pulls: Float64Array
    option_move: Int32Array
    option_facts: Float64Array
    sizes: Int64Array


def bytes_per_stage(num_roles: int, num_words: int) -> int:
    """Return how many bytes a stage takes, with what leads to it and its entry in the hash table."""
    stage = 4 * STAGE_COLUMNS + 8 + 8 * num_roles + 8 * num_words + 8 + 120
    arm = 4 * ARM_COLUMNS + 8 + 12 * num_roles
    return stage + ARMS_A_STAGE * (arm + 20 + 4 + 8 * OPTION_COLUMNS)


def make_stages(capacity: int, num_roles: int, num_words: int) -> Stages:
    """Return room for so many stages; it takes memory only when it is used."""
    num = ARMS_A_STAGE * capacity
    return Stages(
        stages=np.zeros((capacity, STAGE_COLUMNS), np.int32),
        pulls=np.zeros(capacity, np.float64),
        values=np.zeros((capacity, num_roles), np.float64),
        rows=np.zeros((capacity, num_words), np.uint64),
        keys=np.zeros(capacity, np.uint64),
        arms=np.zeros((num, ARM_COLUMNS), np.int32),
        arm_pulls=np.zeros(num, np.float64),
        arm_values=np.zeros((num, num_roles), np.float64),
        arm_options=np.zeros((num, num_roles), np.int32),
        outcome_stage=np.zeros(num, np.int32),
        outcome_share=np.zeros(num, np.float64),
        outcome_pulls=np.zeros(num, np.float64),
        option_move=np.zeros(num, np.int32),
        option_facts=np.zeros((num, OPTION_COLUMNS), np.float64),
        sizes=np.zeros(NUM_SIZES, np.int64),
    )


def arms_of(tree: Stages, stage: int) -> slice:
    """Return where the arms of a stage stand."""
    first, count = tree.stages[stage, FIRST_ARM], tree.stages[stage, NUM_ARMS]
    return slice(int(first), int(first + count))


def options_of(tree: Stages, stage: int) -> slice:
    """Return where the options of a stage stand."""
    first, count = tree.stages[stage, FIRST_OPTION], tree.stages[stage, NUM_OPTIONS]
    return slice(int(first), int(first + count))


def keep(tree: Stages, root: int, least: float) -> int:
    """Keep what can be reached from a stage; return its new number. The order of what is kept stays as it was.

    Args:
        tree: The tree; the stages are numbered anew, so that the hash table has to be made again from `keys`.
        root: The stage.
        least: Stages with fewer pulls than that forget their solutions, but for the root.
    """
    num = int(tree.sizes[NUM_STAGES])
    forgets = (tree.pulls[:num] < least) & (tree.stages[:num, FLAGS] & TERMINAL == 0)
    forgets[root] = False
    tree.stages[:num, FLAGS][forgets] &= ~SOLVED
    tree.stages[:num, NUM_ARMS][forgets] = 0
    tree.stages[:num, NUM_OPTIONS][forgets] = 0
    kept_stages, kept_arms, kept_outcomes = _reach(tree, root)
    kept_options = _expand(tree.stages[kept_stages, FIRST_OPTION], tree.stages[kept_stages, NUM_OPTIONS])
    _move(tree, (kept_stages, kept_arms, kept_outcomes, kept_options))
    return int(np.searchsorted(kept_stages, root))


def _reach(tree: Stages, root: int) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return the stages that can be reached from one, and their arms and outcomes, each in order."""
    met: BoolArray = np.zeros(int(tree.sizes[NUM_STAGES]), np.bool_)
    met[root] = True
    front = np.array([root], np.int64)
    while len(front):
        arms = _expand(tree.stages[front, FIRST_ARM], tree.stages[front, NUM_ARMS])
        outcomes = _expand(tree.arms[arms, FIRST_OUTCOME], tree.arms[arms, NUM_OUTCOMES])
        below = np.unique(tree.outcome_stage[outcomes])
        front = below[~met[below]].astype(np.int64)
        met[front] = True
    stages = np.flatnonzero(met)
    arms = _expand(tree.stages[stages, FIRST_ARM], tree.stages[stages, NUM_ARMS])
    return stages, arms, _expand(tree.arms[arms, FIRST_OUTCOME], tree.arms[arms, NUM_OUTCOMES])


def _expand(first: Int32Array, count: Int32Array) -> Int64Array:
    """Return all numbers of some ranges, one range after the other."""
    ends = np.cumsum(count)
    found: Int64Array = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - count), count)
    return found


def _move(tree: Stages, kept: tuple[Int64Array, Int64Array, Int64Array, Int64Array]) -> None:
    """Move what is kept to the front of the arrays; stages have their arms in order, and these their outcomes."""
    stages, arms, outcomes, options = kept
    new_stage = np.zeros(int(tree.sizes[NUM_STAGES]), np.int32)
    new_stage[stages] = np.arange(len(stages))
    new_option = np.zeros(int(tree.sizes[NUM_OPTIONS_USED]) + 1, np.int32)
    new_option[options] = np.arange(len(options))
    new_option[NOTHING] = NOTHING
    new_arm = np.zeros(int(tree.sizes[NUM_ARMS_USED]) + 1, np.int32)
    new_arm[arms] = np.arange(len(arms))
    new_arm[NOTHING] = NOTHING
    for chosen, arrays in (
        (stages, (tree.stages, tree.pulls, tree.values, tree.rows, tree.keys)),
        (arms, (tree.arms, tree.arm_pulls, tree.arm_values, tree.arm_options)),
        (outcomes, (tree.outcome_stage, tree.outcome_share, tree.outcome_pulls)),
        (options, (tree.option_move, tree.option_facts)),
    ):
        for array in arrays:
            array[: len(chosen)] = array[chosen]
    num_stages, num_arms, num_outcomes, num_options = map(len, kept)
    tree.outcome_stage[:num_outcomes] = new_stage[tree.outcome_stage[:num_outcomes]]
    tree.arm_options[:num_arms] = new_option[tree.arm_options[:num_arms]]
    tree.arms[:num_arms, TWIN] = new_arm[tree.arms[:num_arms, TWIN]]
    for array, number, count, length in (
        (tree.stages, FIRST_ARM, NUM_ARMS, num_stages),
        (tree.stages, FIRST_OPTION, NUM_OPTIONS, num_stages),
        (tree.arms, FIRST_OUTCOME, NUM_OUTCOMES, num_arms),
    ):
        sizes = array[:length, count]
        array[:length, number] = np.cumsum(sizes) - sizes
    tree.sizes[:NUM_REMOVED] = (num_stages, num_arms, num_outcomes, num_options)

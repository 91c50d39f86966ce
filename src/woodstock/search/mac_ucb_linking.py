"""Solutions of µSCSPs become arms, options and outcomes of stages; successors are looked up in the hash table.

All stages of a batch are linked together, by array operations over all their solutions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from woodstock.circuit.network import BoolArray, Int32Array, Int64Array
from woodstock.circuit.words import WordArray
from woodstock.search.mac_ucb_solving import Solutions
from woodstock.search.mac_ucb_stages import (
    CHOOSER,
    CLOSED,
    EXACT,
    FIRST_ARM,
    FIRST_OPTION,
    FIRST_OUTCOME,
    FLAGS,
    NOBODY,
    NOTHING,
    NUM_ARMS,
    NUM_ARMS_USED,
    NUM_OPTIONS,
    NUM_OPTIONS_USED,
    NUM_OUTCOMES,
    NUM_OUTCOMES_USED,
    NUM_STAGES,
    PARTIAL,
    PENDING,
    SEVERAL,
    SOLVED,
    STATE,
    TERMINAL,
    TWIN,
    Stages,
)
from woodstock.search.tree import Float64Array


class _Layout(NamedTuple):
    """How the solutions of a batch become arms and options.

    Attributes:
        order: The solutions, ordered by stage, moves of the players, and what chance does, shape (n,), int64.
        arm_start: Where the outcomes of each arm begin in that order, shape (num_arms,), int64.
        arm_stage: Which stage of the batch each arm belongs to, shape (num_arms,), int64.
        option_move: The move of each option, by stage, shape (num_options,), int64.
        option_stage: Which stage of the batch each option belongs to, shape (num_options,), int64.
        arm_options: The option of each role in each arm, or NOTHING, shape (num_arms, num_roles), int32.
        chooser: Who chooses in each stage, shape (num_stages,), int64.
    """

    order: Int64Array
    arm_start: Int64Array
    arm_stage: Int64Array
    option_move: Int64Array
    option_stage: Int64Array
    arm_options: Int32Array
    chooser: Int64Array


class Linker:
    """Gives stages their solutions, and keeps the hash table.

    Attributes:
        table: The stage of each key.
        num_known: How many successors were found in the hash table.
        num_linked: How many were looked for.
    """

    def __init__(self, tree: Stages, chance: int | None) -> None:
        self.table: dict[int, int] = {}
        self.num_known = 0
        self.num_linked = 0
        self._tree = tree
        self._chance = chance

    def add_stage(self, row: WordArray, key: int) -> int:
        """Add the stage of a position; return its number."""
        tree = self._tree
        stage = int(tree.sizes[NUM_STAGES])
        tree.sizes[NUM_STAGES] += 1
        _clear_stages(tree, slice(stage, stage + 1))
        tree.rows[stage] = row
        tree.keys[stage] = key
        self.table[key] = stage
        return stage

    def index_again(self) -> None:
        """Make the hash table again after stages were numbered anew; of stages with one key the first counts."""
        num = int(self._tree.sizes[NUM_STAGES])
        self.table = dict(zip(self._tree.keys[:num][::-1].tolist(), range(num - 1, -1, -1), strict=True))

    def has_room(self, solutions: Solutions) -> bool:
        """Tell whether there is room for the stages, arms, outcomes and options of some solutions."""
        tree, num = self._tree, len(solutions.parent)
        sizes = tree.sizes[: NUM_OPTIONS_USED + 1] + np.array([num, num, num, num * solutions.moves.shape[1]])
        room = (len(tree.stages), len(tree.arms), len(tree.outcome_stage), len(tree.option_move))
        return bool((sizes <= room).all())

    def link(self, stages: Int64Array, solutions: Solutions, keys: WordArray) -> None:
        """Give stages their arms; successors that are not known become new stages.

        Args:
            stages: The stages that were solved.
            solutions: Their solutions.
            keys: The keys of the successors in the hash table, shape (n,), uint64.
        """
        tree = self._tree
        layout = self._lay_out(solutions, len(stages))
        below = self._find_stages(solutions, keys)[layout.order]
        num_arms, num_outcomes = len(layout.arm_start), len(layout.order)
        first_arm, first_outcome = int(tree.sizes[NUM_ARMS_USED]), int(tree.sizes[NUM_OUTCOMES_USED])
        first_option = int(tree.sizes[NUM_OPTIONS_USED])
        arms = slice(first_arm, first_arm + num_arms)
        sizes = np.diff(np.append(layout.arm_start, num_outcomes))
        tree.arms[arms, FIRST_OUTCOME] = first_outcome + layout.arm_start
        tree.arms[arms, NUM_OUTCOMES] = sizes
        tree.arms[arms, STATE] = 0
        tree.arms[arms, TWIN] = NOTHING
        tree.arm_pulls[arms] = 0
        tree.arm_values[arms] = 0
        tree.arm_options[arms] = np.where(
            layout.arm_options == NOTHING, NOTHING, layout.arm_options + np.int32(first_option)
        )
        outcomes = slice(first_outcome, first_outcome + num_outcomes)
        tree.outcome_stage[outcomes] = below
        tree.outcome_share[outcomes] = _shares_of(solutions.shares[layout.order], layout.arm_start, sizes)
        tree.outcome_pulls[outcomes] = 0
        options = slice(first_option, first_option + len(layout.option_move))
        tree.option_move[options] = layout.option_move
        tree.option_facts[options] = 0
        self._write_stages(stages, layout, solutions.is_complete, (first_arm, first_option))
        tree.sizes[NUM_ARMS_USED] += num_arms
        tree.sizes[NUM_OUTCOMES_USED] += num_outcomes
        tree.sizes[NUM_OPTIONS_USED] += len(layout.option_move)
        _find_twins(tree, first_arm, layout, below, sizes)

    def _lay_out(self, solutions: Solutions, num_stages: int) -> _Layout:
        """Order solutions and find arms and options."""
        num, num_roles = solutions.moves.shape
        parent = solutions.parent.astype(np.int64)
        players = [role for role in range(num_roles) if role != self._chance]
        order = np.arange(num)
        if self._chance is not None:
            columns = [self._chance, *reversed(players)]
            order = np.lexsort(np.concatenate([solutions.moves[:, columns].T, parent[None]]))
        moves = solutions.moves[order]
        own = np.concatenate([parent[order, None], moves[:, players]], axis=1)
        is_first = np.ones(num, np.bool_)
        is_first[1:] = (own[1:] != own[:-1]).any(axis=1)
        arm_start = np.flatnonzero(is_first)
        arm_moves, arm_stage = moves[arm_start], parent[order][arm_start]
        span = int(solutions.moves.max(initial=0)) + 1
        codes = arm_stage[:, None] * span + arm_moves[:, players]
        options, places = np.unique(codes, return_inverse=True)
        places = places.reshape(codes.shape)
        chooses = np.zeros((num_stages, num_roles), np.bool_)
        low = np.full((num_stages, num_roles), span, np.int64)
        for role in players:
            np.minimum.at(low[:, role], arm_stage, arm_moves[:, role])
            chooses[arm_stage[arm_moves[:, role] != low[arm_stage, role]], role] = True
        is_choice = np.zeros(len(options), np.bool_)
        is_choice[places[chooses[arm_stage][:, players]]] = True
        number = np.where(is_choice, np.cumsum(is_choice) - 1, NOTHING)
        arm_options = np.full((len(arm_start), num_roles), NOTHING, np.int32)
        arm_options[:, players] = number[places]
        kept = options[is_choice]
        several = chooses.sum(axis=1)
        chooser = np.where(several == 0, NOBODY, np.where(several == 1, chooses.argmax(axis=1), SEVERAL))
        return _Layout(order, arm_start, arm_stage, kept % span, kept // span, arm_options, chooser)

    def _find_stages(self, solutions: Solutions, keys: WordArray) -> Int32Array:
        """Return the stages of successors, new ones where they are not known."""
        tree, table = self._tree, self.table
        first = following = int(tree.sizes[NUM_STAGES])
        found = np.empty(len(keys), np.int32)
        fresh: list[int] = []
        for number, key in enumerate(keys.tolist()):
            stage = table.get(key)
            if stage is None:
                stage = table[key] = following
                following += 1
                fresh.append(number)
            found[number] = stage
        new = slice(first, following)
        _clear_stages(tree, new)
        tree.rows[new] = solutions.rows[fresh]
        tree.keys[new] = keys[fresh]
        ended = solutions.terminal[fresh]
        tree.values[new] = np.where(ended[:, None], solutions.utilities[fresh], 0.0)
        tree.stages[new, FLAGS] = np.where(ended, SOLVED | EXACT | CLOSED | TERMINAL, 0)
        tree.sizes[NUM_STAGES] = following
        self.num_linked += len(keys)
        self.num_known += len(keys) - len(fresh)
        return found

    def _write_stages(
        self, stages: Int64Array, layout: _Layout, is_complete: BoolArray, first: tuple[int, int]
    ) -> None:
        """Write where the arms and options of stages are; their pulls begin with those of the arms."""
        tree = self._tree
        for column, count, of_stage, start in (
            (FIRST_ARM, NUM_ARMS, layout.arm_stage, first[0]),
            (FIRST_OPTION, NUM_OPTIONS, layout.option_stage, first[1]),
        ):
            sizes = np.bincount(of_stage, minlength=len(stages))
            tree.stages[stages, column] = start + np.cumsum(sizes) - sizes
            tree.stages[stages, count] = sizes
        tree.stages[stages, CHOOSER] = layout.chooser
        tree.pulls[stages] = 0
        flags = (tree.stages[stages, FLAGS] & ~PENDING) | SOLVED | np.where(is_complete, 0, PARTIAL)
        # A position that is not terminal, but where some role has no move: nothing follows.
        tree.stages[stages, FLAGS] = np.where(tree.stages[stages, NUM_ARMS] == 0, flags | CLOSED, flags)


def _clear_stages(tree: Stages, chosen: slice) -> None:
    tree.stages[chosen] = 0
    tree.pulls[chosen] = 0
    tree.values[chosen] = 0


def _shares_of(shares: Float64Array, start: Int64Array, sizes: Int64Array) -> Float64Array:
    """Return the probabilities of the outcomes of each arm, such that they are 1 together."""
    total = np.add.reduceat(shares, start) if len(start) else np.zeros(0)
    found: Float64Array = shares / np.repeat(total, sizes)
    return found


def _find_twins(tree: Stages, first_arm: int, layout: _Layout, below: Int32Array, sizes: Int64Array) -> None:
    """Let arms of one chooser that lead to the same stage have one value, and one of them be pulled."""
    single = (sizes == 1) & (layout.chooser[layout.arm_stage] >= 0)
    arms = np.flatnonzero(single)
    codes = layout.arm_stage[arms] * (int(below.max(initial=0)) + 1) + below[layout.arm_start[arms]]
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    least = arms[first[inverse.reshape(-1)]]
    is_twin = least != arms
    tree.arms[first_arm + arms[is_twin], TWIN] = first_arm + least[is_twin]

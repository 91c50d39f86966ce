"""What always holds in a tree of µSCSPs, looked up the slow way, and UCB1 as the papers write it."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from woodstock.search import mac_ucb_stages as layout
from woodstock.search.mac_ucb import MacUcbSearch
from woodstock.search.mac_ucb_bandit import Rule
from woodstock.search.mac_ucb_stages import Stages, arms_of


def find_faults(search: MacUcbSearch) -> list[str]:
    """Compare the solutions of all stages with the game: its joint moves, nature's draws, and where they lead."""
    return [fault for stage in solved_stages(search) for fault in _faults_of(search, stage)]


def solved_stages(search: MacUcbSearch) -> list[int]:
    """Return the stages that have solutions."""
    num = int(search.tree.sizes[layout.NUM_STAGES])
    flags = search.tree.stages[:num, layout.FLAGS]
    return np.flatnonzero((flags & layout.SOLVED != 0) & (flags & layout.TERMINAL == 0)).tolist()


def _faults_of(search: MacUcbSearch, stage: int) -> list[str]:
    tree, game = search.tree, search.game
    position = game.position(tree.rows[stage])
    roles = range(len(game.roles))
    legal = [game.legal_moves(position, role) for role in roles]
    expected = {}
    minds = [moves if role != search.chance else ("?",) for role, moves in enumerate(legal)]
    for chosen in product(*minds):
        draws = legal[search.chance] if search.chance is not None else (None,)
        after = [
            game.next_position(position, [draw if role == search.chance else chosen[role] for role in roles])
            for draw in draws
        ]
        choices = tuple(chosen[role] for role in roles if role != search.chance and len(legal[role]) > 1)
        expected[choices] = sorted(each.row.tobytes() for each in after)
    found = {}
    faults = []
    for arm in range(*arms_of(tree, stage).indices(len(tree.arms))):
        options = [int(option) for option in tree.arm_options[arm] if option != layout.NOTHING]
        moves = [int(tree.option_move[option]) for option in options]
        names = tuple(_name(search, move) for move in moves)
        first, count = (int(each) for each in tree.arms[arm, [layout.FIRST_OUTCOME, layout.NUM_OUTCOMES]])
        outcomes = slice(first, first + count)
        if abs(tree.outcome_share[outcomes].sum() - 1) > 1e-9:
            faults.append(f"stage {stage}, arm {arm}: shares add up to {tree.outcome_share[outcomes].sum()}")
        weights = np.rint(tree.outcome_share[outcomes] * max(1, len(expected.get(names, ())))).astype(int)
        rows = [tree.rows[below].tobytes() for below in tree.outcome_stage[outcomes]]
        found[names] = sorted(row for row, weight in zip(rows, weights, strict=True) for _ in range(weight))
    if found != expected:
        faults.append(f"stage {stage}: {len(found)} solutions, {len(expected)} joint moves, or they lead elsewhere")
    return faults


def _name(search: MacUcbSearch, move: int) -> object:
    program = search.game.program
    role = next(r for r in reversed(range(len(program.roles))) if program.move_start[r] <= move)
    return program.moves[role][move - int(program.move_start[role])]


def bound(rule: Rule, mean: float, all_pulls: float, pulls: float) -> float:
    """Return ū_i + C sqrt(ln n / n_i)."""
    return mean + rule.exploration * math.sqrt(math.log(max(all_pulls, 2.0)) / max(pulls, 1e-3))


def ucb_bounds(tree: Stages, rule: Rule, stage: int) -> dict[int, float]:
    """Return the bounds of the arms that are open and not pruned; where several roles choose, sums over options."""
    arms = range(*arms_of(tree, stage).indices(len(tree.arms)))
    barred = layout.ARM_CLOSED | layout.DOUBTED
    if all(int(tree.arms[arm, layout.STATE]) & barred for arm in arms):
        barred = layout.ARM_CLOSED
    chooser = int(tree.stages[stage, layout.CHOOSER])
    total = float(tree.pulls[stage])
    found = {}
    for arm in arms:
        if int(tree.arms[arm, layout.STATE]) & barred or tree.arms[arm, layout.TWIN] != layout.NOTHING:
            continue
        if chooser == layout.SEVERAL:
            options = [int(option) for option in tree.arm_options[arm] if option != layout.NOTHING]
            facts = [tree.option_facts[option] for option in options]
            found[arm] = sum(
                bound(rule, float(each[layout.OPTION_VALUE]), total, float(each[layout.OPTION_PULLS])) for each in facts
            )
        else:
            found[arm] = bound(rule, float(tree.arm_values[arm, max(chooser, 0)]), total, float(tree.arm_pulls[arm]))
    return found


def owed_outcomes(tree: Stages, arm: int) -> dict[int, float]:
    """Return how many pulls the open outcomes of an arm are behind what is likely."""
    first, count = (int(each) for each in tree.arms[arm, [layout.FIRST_OUTCOME, layout.NUM_OUTCOMES]])
    return {
        outcome: float(tree.outcome_share[outcome] * (tree.arm_pulls[arm] + 1) - tree.outcome_pulls[outcome])
        for outcome in range(first, first + count)
        if not int(tree.stages[tree.outcome_stage[outcome], layout.FLAGS]) & layout.CLOSED
    }


def mean_of_outcomes(tree: Stages, arm: int) -> np.ndarray:
    """Return what the outcomes of an arm are worth on the average, as likely as they are."""
    first, count = (int(each) for each in tree.arms[arm, [layout.FIRST_OUTCOME, layout.NUM_OUTCOMES]])
    shares = tree.outcome_share[first : first + count]
    below = tree.outcome_stage[first : first + count]
    return (shares[:, None] * tree.values[below]).sum(axis=0) / shares.sum()

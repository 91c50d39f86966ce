"""The tree of MAC-UCB against slow twins: solutions, UCB1 and values."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from naive.stages import find_faults, mean_of_outcomes, owed_outcomes, solved_stages, ucb_bounds
from woodstock.circuit.game import CircuitGame
from woodstock.common.jit import jit
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.search import mac_ucb_stages as layout
from woodstock.search.mac_ucb import MacUcbSearch
from woodstock.search.mac_ucb_bandit import Rule, choose_arm, choose_outcome
from woodstock.search.mac_ucb_options import MacUcbOptions
from woodstock.search.mac_ucb_solving import make_solver
from woodstock.search.mac_ucb_stages import Stages

GAMES = ["tic_tac_toe", "pig", "rock_paper_scissors", "connect_four_simultaneous", "guess_dice"]


@jit
def _choose_arm(tree: Stages, rule: Rule, stage: int) -> int:
    return choose_arm(tree, rule, stage)


@jit
def _choose_outcome(tree: Stages, arm: int) -> int:
    return choose_outcome(tree, arm)


@cache
def _search(name: str, depth: int = 1) -> MacUcbSearch:
    game = CircuitGame(ground(load_rules(name)))
    search = MacUcbSearch(game, make_solver(game, "circuit", 1e9), MacUcbOptions(memory=16, samples=4, depth=depth), 1)
    search.set_root(game.initial_position())
    search.run(Deadline(None), 40)
    return search


@pytest.mark.parametrize("name", GAMES)
def test_solutions_are_the_joint_moves_and_outcomes_what_nature_draws(name: str) -> None:
    search = _search(name)
    assert solved_stages(search)
    assert find_faults(search) == []


@pytest.mark.parametrize("name", GAMES)
def test_the_arm_with_the_greatest_bound_is_chosen(name: str) -> None:
    search = _search(name)
    num = 0
    for stage in solved_stages(search):
        bounds = ucb_bounds(search.tree, search.rule, stage)
        found = _choose_arm(search.tree, search.rule, stage)
        if not bounds:
            assert found == layout.NOTHING
            continue
        assert bounds[found] == pytest.approx(max(bounds.values()), rel=1e-12)
        num += len(bounds) > 1
    assert num or name in {"rock_paper_scissors", "guess_dice"}  # where everything is known soon


@pytest.mark.parametrize("name", ["pig", "kaseklau"])
def test_the_outcome_that_is_most_behind_is_gone_to(name: str) -> None:
    tree = _search(name).tree
    num = 0
    for stage in solved_stages(_search(name)):
        first, count = (int(each) for each in tree.stages[stage, [layout.FIRST_ARM, layout.NUM_ARMS]])
        for arm in range(first, first + count):
            owed = owed_outcomes(tree, arm)
            found = _choose_outcome(tree, arm)
            if not owed:
                assert found == layout.NOTHING
                continue
            assert owed[found] == pytest.approx(max(owed.values()))
            num += len(owed) > 1
    assert num


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig"])
def test_values_are_means_of_outcomes_and_of_pulls(name: str) -> None:
    """Looked at where nothing below has changed since: in stages none of whose successors is solved."""
    search = _search(name, depth=0)
    tree = search.tree
    num = 0
    for stage in solved_stages(search):
        first, count = (int(each) for each in tree.stages[stage, [layout.FIRST_ARM, layout.NUM_ARMS]])
        arms = np.arange(first, first + count)
        begin = int(tree.arms[first, layout.FIRST_OUTCOME])
        end = int(tree.arms[first + count - 1, [layout.FIRST_OUTCOME, layout.NUM_OUTCOMES]].sum())
        below = tree.outcome_stage[begin:end]
        is_fresh = not (tree.stages[below, layout.FLAGS] & layout.SOLVED).any() and (tree.pulls[below] > 0).all()
        if not is_fresh or tree.stages[stage, layout.FLAGS] & layout.CLOSED or stage == search.root:
            continue
        means = np.array([mean_of_outcomes(tree, arm) for arm in arms])
        assert tree.arm_values[arms] == pytest.approx(means)
        pulls = tree.arm_pulls[arms]
        left = tree.arms[arms, layout.STATE] & (layout.REMOVED | layout.DOUBTED) == 0
        expected = (pulls[left, None] * means[left]).sum(axis=0) / pulls[left].sum()
        if tree.stages[stage, layout.CHOOSER] >= 0:
            assert tree.values[stage] == pytest.approx(expected)
            num += 1
    assert num > 5

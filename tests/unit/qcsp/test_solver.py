"""The exact solver and its strategies."""

from __future__ import annotations

import pytest

from naive.qcsp import random_any, random_binary
from woodstock.common.errors import LimitError
from woodstock.common.limits import Limits
from woodstock.cp.constraints import Table
from woodstock.cp.network import Network
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of
from woodstock.qcsp.random_networks import Parameters, random_network
from woodstock.qcsp.situation import Compiled, Situation, Standing
from woodstock.qcsp.solver import Solver
from woodstock.qcsp.strategy import Strategy, find_strategy

SMALL = Parameters(num_turns=8, num_values=3, p=0.5, p_ee=0.4)
FULL = Parameters()


def test_limits_end_a_search_that_can_be_repeated() -> None:
    solver = Solver(Compiled(random_network(FULL, seed=4)))
    short = solver.solve(limits=Limits(nodes=3))
    assert (short.is_true, short.place) == (None, None)
    assert short.nodes <= 4
    whole = solver.solve()
    assert whole.is_true is not None
    assert whole.nodes > 3
    assert Solver(Compiled(random_network(FULL, seed=4))).solve().is_true == whole.is_true


def test_memory_and_copied_strategies_are_at_work() -> None:
    answers = [Solver(Compiled(random_network(SMALL, seed))).solve() for seed in range(30)]
    assert sum(answer.copied for answer in answers) > 0
    answers = [
        Solver(Compiled(random_network(Parameters(num_turns=12, num_values=4), seed))).solve() for seed in range(30)
    ]
    assert sum(answer.recalled for answer in answers) > 0


def test_a_small_memory_changes_nothing_but_the_work() -> None:
    for seed in range(20):
        compiled = Compiled(random_network(Parameters(num_turns=12, num_values=4), seed))
        assert Solver(compiled, capacity=2).solve().is_true == Solver(compiled).solve().is_true


@pytest.mark.parametrize("make", [random_binary, random_any])
def test_strategies_win_against_everything(make) -> None:
    sides = set()
    for number in range(60):
        quantified = make(f"strategy {number}")
        strategy = find_strategy(quantified)
        check = strategy.check(max_lines=100_000)
        assert check.is_complete
        assert check.fault is None, (number, check)
        sides.add(strategy.is_universal)
    assert sides == {True, False}


def test_strategies_of_larger_networks_win_random_lines() -> None:
    for seed in range(6):
        strategy = find_strategy(random_network(Parameters(num_turns=14, num_values=4, p_ee=0.6), seed))
        check = strategy.check(max_lines=30)
        assert (check.lines, check.is_complete, check.fault) == (30, False, None)


def test_a_check_finds_a_strategy_that_is_none() -> None:
    compiled = Compiled(random_network(SMALL, seed=1))
    is_true = Solver(compiled).solve().is_true
    wrong = Strategy(Solver(compiled), is_universal=bool(is_true))
    assert wrong.check(max_lines=5000).fault is not None


def test_the_tree_of_a_strategy_shows_values() -> None:
    network = Network()
    network.add_vars("xy", ("red", "green"))
    network.add(Table((0, 1), [(0, 1), (1, 0)]))
    strategy = find_strategy(QuantifiedNetwork(network, blocks_of([True, False])))
    replies = [{"value": "red", "given": {"y": "green"}}, {"value": "green", "given": {"y": "red"}}]
    assert strategy.tree(1) == {"turn": "x", "replies": replies}
    assert strategy.tree(0) == {}


def test_too_narrow_limits_are_an_error_of_a_strategy() -> None:
    with pytest.raises(LimitError, match="nobody knows who wins"):
        find_strategy(random_network(FULL, seed=4), Limits(nodes=3))


def test_a_situation_that_is_over_or_lost_needs_no_search() -> None:
    network = Network()
    network.add_vars("xy", (0, 1))
    network.add(Table((0, 1), [(0, 1), (1, 0)]))
    compiled = Compiled(QuantifiedNetwork(network, blocks_of([False, True])))
    solver = Solver(compiled)
    assert solver.solve().is_true is False
    assert solver.solve([0]).place == 0
    assert Situation(compiled, [0, 1]).standing is Standing.WON
    assert solver.solve([0, 1]).is_true is True

"""Goals that have to be reached within some stages: what propagation refutes, and plans."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from naive.game_network import random_positions, told_by_game
from naive.small_games import program_of
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Limits
from woodstock.cp.solver import Status
from woodstock.game.ground_game import GroundGame, GroundPosition
from woodstock.game.load import load_rules
from woodstock.game.protocol import goal
from woodstock.ground import GroundProgram, ground
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_stages import GameStages, Threshold, threshold_clauses

NUM_POSITIONS = 10 if JIT_DISABLED else 25

LADDER = """
(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(legal a up) (legal a stay) (legal b help) (legal b hinder)
(<= (next (n ?y)) (does a up) (does b help) (true (n ?x)) (succ ?x ?y))
(<= (next (n ?x)) (does a stay) (true (n ?x)))
(<= (next (n ?x)) (does b hinder) (true (n ?x)))
(<= terminal (true (n 2))) (<= terminal (true (n 3)))
(<= (goal ?r 60) (role ?r) (true (n 2)))
"""
"""Two steps up, together."""


@cache
def bundled(name: str) -> GroundProgram:
    return ground(load_rules(name))


def reaches(game: GroundGame, position: GroundPosition, role: int, least: int, steps: int) -> set[object]:
    """Return the first moves of a role after which the goal can be reached by all roles together."""
    found: set[object] = set()
    for told in told_by_game(game, position):
        if told.moves is None:
            if (goal(game, position, role) or 0) >= least:
                found.add(None)
        elif ends_well(game, told.successor, role, least, steps - 1):
            found.add(told.moves[role])
    return found


def ends_well(game: GroundGame, position: GroundPosition, role: int, least: int, steps: int) -> bool:
    if game.is_terminal(position):
        return (goal(game, position, role) or 0) >= least
    return steps > 0 and bool(reaches(game, position, role, least, steps))


@pytest.mark.parametrize(("name", "steps"), [("tic_tac_toe", 1), ("connect_four", 1), ("nim", 2), ("hex_small", 1)])
def test_no_good_move_is_refuted_and_plans_are_found_where_there_are_any(name: str, steps: int) -> None:
    program = bundled(name)
    game = GroundGame(program)
    network = GameNetwork(program, steps, with_outcome=True)
    stages = [GameStages(network, [Threshold(role, least=100)]) for role in range(2)]
    num_plans = num_refuted = 0
    for position in random_positions(game, 12, NUM_POSITIONS):
        for role in range(2):
            good = reaches(game, position, role, 100, steps)
            left = stages[role].moves_left(position, role)
            legal = () if game.is_terminal(position) else game.legal_moves(position, role)
            assert good - {None} <= set(left) <= set(legal)
            num_refuted += len(legal) - len(left)
            plan = stages[role].find_plan(position)
            assert plan.status is Status.COMPLETE
            assert (plan.moves is not None) == bool(good)
            if plan.moves is not None:
                num_plans += 1
                follow(game, position, plan.moves, role)
    assert num_refuted > 0
    assert num_plans > 0


def follow(game: GroundGame, position: GroundPosition, plan: tuple[tuple[object, ...], ...], role: int) -> None:
    """Check that a plan leads to the goal."""
    for moves in plan:
        assert not game.is_terminal(position)
        assert all(move in game.legal_moves(position, number) for number, move in enumerate(moves))
        position = game.next_position(position, moves)  # type: ignore[arg-type]
    assert game.is_terminal(position)
    assert goal(game, position, role) == 100


def test_a_puzzle_is_solved() -> None:
    program = program_of(LADDER)
    game = GameNetwork(program, 4, with_outcome=True)
    stages = GameStages(game, [Threshold(0, least=60), Threshold(1, least=60, stage=5)])
    plan = stages.find_plan(game.initial_position())
    assert plan.moves is not None
    assert plan.moves.count(("up", "help")) == 2
    assert plan.moves[-1] == ("up", "help")
    short = GameStages(GameNetwork(program, 1, with_outcome=True), [Threshold(0, least=1)])
    assert short.find_plan(game.initial_position()).moves is None
    assert short.moves_left(game.initial_position(), 0) == ()


def test_the_end_may_be_asked_for_at_a_stage() -> None:
    program = program_of(LADDER)
    game = GameNetwork(program, 4, with_outcome=True)
    lengths = {
        stage: GameStages(game, [Threshold(0, stage=stage, is_first=True)]).find_plan(game.initial_position()).moves
        for stage in (1, 2, 3, 4, 5)
    }
    assert {stage: moves and len(moves) for stage, moves in lengths.items()} == {1: None, 2: None, 3: 2, 4: 3, 5: 4}


def test_bounds_from_above() -> None:
    program = program_of(LADDER)
    game = GameNetwork(program, 2, with_outcome=True)
    start = game.initial_position()
    assert GameStages(game, [Threshold(0, most=59)]).find_plan(start).moves is None
    assert GameStages(game, [Threshold(0, most=60)]).find_plan(start).moves is not None
    assert GameStages(game, [Threshold(0, least=61)]).find_plan(start).moves is None
    assert GameStages(game).find_plan(start).moves is not None


def test_a_limit_is_a_status() -> None:
    program = bundled("connect_four")
    game = GameNetwork(program, 5, with_outcome=True)
    stages = GameStages(game, [Threshold(0, least=100)])
    plan = stages.find_plan(game.initial_position(), Limits(nodes=3))
    assert (plan.moves, plan.status) == (None, Status.LIMIT)


def test_the_network_of_the_game_is_left_alone() -> None:
    game = GameNetwork(bundled("nim"), 1, with_outcome=True)
    before = game.network.num_constraints
    stages = GameStages(game, [Threshold(0, least=100)])
    assert game.network.num_constraints == before
    assert stages.network.num_constraints == before + 2


def test_clauses_of_a_threshold() -> None:
    game = GameNetwork(program_of(LADDER), 2)
    found = threshold_clauses(game, Threshold(1, least=50, stage=2))
    rows = [found.data[start:end].tolist() for start, end in zip(found.start, found.start[1:], strict=False)]
    utility = game.stages[1].utilities[1]
    assert rows == [[game.network.literal(game.stages[1].terminal)], [game.network.literal(utility, 60)]]
    assert found.start.dtype == np.int64


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        (Threshold(2), r"expected a role with goals, one of 0 \(guest\), found 2"),
        (Threshold(1), r"expected a role with goals, one of 0 \(guest\), found 1"),
        (Threshold(0, stage=3), "expected a stage from 1 to 2, found 3"),
        (Threshold(0, stage=0), "expected a stage from 1 to 2, found 0"),
    ],
)
def test_wrong_thresholds_are_refused(threshold: Threshold, message: str) -> None:
    game = GameNetwork(bundled("monty_hall"), 1, with_outcome=True)
    with pytest.raises(UsageError, match=message):
        GameStages(game, [threshold])

"""Games in lanes: every answer by the plans of the batches, whatever the lane."""

from __future__ import annotations

import pytest

from naive.small_games import ALL_GAMES, CAPTURE, STEP_COUNTER, program_of
from woodstock.circuit.lane_game import LaneGame
from woodstock.circuit.words import WIDTHS
from woodstock.common.jit import JIT_DISABLED
from woodstock.game.difference import View
from woodstock.game.ground_game import GroundGame
from woodstock.game.verify import walk_together
from woodstock.game.walk import Budget

widths = pytest.mark.parametrize("width", WIDTHS)


@widths
@pytest.mark.parametrize("name", ALL_GAMES)
def test_all_positions_are_as_in_the_ground_program(name: str, width: int) -> None:
    program = program_of(ALL_GAMES[name])
    budget = Budget(positions=12 if JIT_DISABLED else 200)
    found = walk_together(GroundGame(program), LaneGame(program, width), budget)
    assert found.failure == ""
    assert found.difference is None, found.difference.render()


@widths
def test_positions_take_different_lanes(width: int) -> None:
    game = LaneGame(program_of(CAPTURE), width)
    start = game.initial_position()
    lanes = {game._lane(game.next_position(start, (move, "wait"))) for move in game.legal_moves(start, 0)}
    assert len(lanes) > 3
    assert all(word < width for word, _ in lanes)


@widths
def test_positions_of_no_phase(width: int) -> None:
    program = program_of(STEP_COUNTER)
    ground, lanes = GroundGame(program), LaneGame(program, width)
    for fluents in (
        [],
        [("control", "a"), ("control", "b"), ("step", "1")],
        [("step", "2"), ("mark", "a")],
        [("control", "b"), ("step", "3")],
    ):
        one, two = ground.position_of(fluents), lanes.position_of(fluents)
        assert View.of(ground, one) == View.of(lanes, two)

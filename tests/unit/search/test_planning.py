from __future__ import annotations

import time
from typing import Any

import pytest

from naive.planning import best_value, make_maze
from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.game.protocol import goal
from woodstock.gdl import parse_rules
from woodstock.ground import ground
from woodstock.search.planning import PARTS, Planner, PlanningOptions
from woodstock.search.planning_findings import Plan

# Latin squares of three by three: numbers are placed in any order.
LATIN = """
(role you) (number 1) (number 2) (number 3)
(<= (init (cell ?x ?y blank)) (number ?x) (number ?y))
(<= (legal you (put ?x ?y ?n)) (true (cell ?x ?y blank)) (number ?n) (not (row ?x ?n)) (not (column ?y ?n)))
(<= (row ?x ?n) (true (cell ?x ?y ?n)) (number ?n)) (<= (column ?y ?n) (true (cell ?x ?y ?n)) (number ?n))
(<= (next (cell ?x ?y ?n)) (does you (put ?x ?y ?n)))
(<= (next (cell ?x ?y ?n)) (true (cell ?x ?y ?n)) (does you (put ?u ?v ?m)) (distinct ?x ?u))
(<= (next (cell ?x ?y ?n)) (true (cell ?x ?y ?n)) (does you (put ?u ?v ?m)) (distinct ?y ?v))
(<= open (true (cell ?x ?y blank))) (<= playable (legal you ?move))
(<= terminal (not playable)) (<= (goal you 100) (not open)) (<= (goal you 0) open)
"""

# Two carry a table, who have to go to the same side; they see the same goals.
TABLE = """
(role ann) (role ben) (init (at ann left)) (init (at ben right)) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r (go ?side)) (role ?r) (side ?side)) (side left) (side right) (side up)
(<= (next (at ?r ?side)) (does ?r (go ?side)))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= together (true (at ann ?x)) (true (at ben ?x)))
(<= there together (true (at ann up)))
(<= terminal there) (<= terminal (true (step 3)))
(<= (goal ?r 100) (role ?r) there)
(<= (goal ?r 10) (role ?r) (not there))
"""


# A walk of three steps to the door.
CORRIDOR = """
(role you) (init (at 1)) (step 1 2) (step 2 3) (step 3 4)
(<= (legal you on) (true (at ?x)) (step ?x ?y)) (legal you stay) (<= (legal you leave) (true (at 4)))
(<= (next (at ?y)) (does you on) (true (at ?x)) (step ?x ?y))
(<= (next (at ?x)) (does you stay) (true (at ?x)))
(<= (next out) (does you leave))
(<= terminal (true out)) (<= (goal you 100) (true out)) (<= (goal you 0) (not (true out)))
"""


def game_of(text: str) -> CircuitGame:
    return CircuitGame(ground(parse_rules(text)))


def planner_of(game: CircuitGame, *parts: str, seed: int = 1) -> Planner:
    return Planner(game, seed, options=PlanningOptions(parts or PARTS, memory=16))


def value_of(game: CircuitGame, plan: Plan) -> float:
    """Return what a plan brings by the ground rules; legal moves and no end before the last are asked for."""
    judge = GroundGame(game.program)
    position = judge.initial_position()
    for moves in plan.moves:
        assert not judge.is_terminal(position)
        assert all(move in judge.legal_moves(position, role) for role, move in enumerate(moves))
        position = judge.next_position(position, moves)
    assert judge.is_terminal(position)
    return (goal(judge, position, 0) or 0) / 100


@pytest.mark.parametrize("seed", range(40))
def test_breadth_is_exact(seed: int) -> None:
    game = game_of(make_maze(seed))
    planner = planner_of(game, "breadth")
    planner.look_at(game.initial_position())
    planner.run(Deadline(None))
    judge = GroundGame(game.program)
    plan = planner.plan
    assert plan is not None
    assert plan.is_proven
    assert plan.value == best_value(judge, judge.initial_position()) == value_of(game, plan)


@pytest.mark.parametrize("seed", range(40, 52))
def test_all_parts_together_are_exact(seed: int) -> None:
    game = game_of(make_maze(seed))
    planner = planner_of(game)
    planner.look_at(game.initial_position())
    planner.run(Deadline(None))
    judge = GroundGame(game.program)
    plan = planner.plan
    assert plan is not None
    assert plan.is_proven
    assert plan.value == best_value(judge, judge.initial_position()) == value_of(game, plan)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("text", [LATIN, make_maze(3)], ids=["latin", "maze"])
def test_plans_of_every_part_are_right(part: str, text: str) -> None:
    game = game_of(text)
    planner = planner_of(game, part, "breadth")
    planner.look_at(game.initial_position())
    planner.run(Deadline(None))
    plan = planner.plan
    assert plan is not None
    assert plan.is_proven
    assert plan.value == value_of(game, plan)


@pytest.mark.parametrize(
    ("part", "text"),
    [("breadth", LATIN), ("guided", LATIN), ("narrow", LATIN), ("policy", LATIN), ("network", CORRIDOR)],
)
def test_every_part_finds_the_goal_alone(part: str, text: str) -> None:
    game = game_of(text)
    planner = planner_of(game, part)
    planner.look_at(game.initial_position())
    planner.run(Deadline(200))
    plan = planner.plan
    assert plan is not None
    assert plan.value == 1 == value_of(game, plan)
    assert planner.statistics.finder == part


def test_lights_out_is_solved() -> None:
    game = CircuitGame(ground(load_rules("lights_out")))
    planner = planner_of(game)
    planner.look_at(game.initial_position())
    reports: list[float] = []
    planner.run(Deadline(None), lambda: reports.append(0.0 if planner.plan is None else planner.plan.value))
    assert planner.plan is not None
    assert planner.plan.value == 1 == value_of(game, planner.plan)
    assert reports == sorted(reports)
    assert reports[-1] == 1


def test_one_mind_plans_for_all() -> None:
    game = game_of(TABLE)
    planner = planner_of(game)
    planner.look_at(game.initial_position())
    planner.run(Deadline(None))
    plan = planner.plan
    assert plan is not None
    assert plan.value == 1 == value_of(game, plan)
    assert plan.moves[-1] == (("go", "up"), ("go", "up"))


def test_the_rest_of_a_plan_is_kept() -> None:
    game = game_of(LATIN)
    planner = planner_of(game)
    position = game.initial_position()
    planner.look_at(position)
    planner.run(Deadline(None))
    plan = planner.plan
    while plan is not None and plan.moves:
        position = game.next_position(position, plan.moves[0])
        planner.look_at(position)
        following = planner.plan
        assert following is not None
        assert following.moves == plan.moves[1:]
        assert following.value == plan.value
        assert following.is_proven
        plan = following
    assert game.is_terminal(position)


def test_it_plans_again_if_the_game_takes_another_way() -> None:
    game = game_of(LATIN)
    planner = planner_of(game)
    position = game.initial_position()
    planner.look_at(position)
    planner.run(Deadline(None))
    assert planner.plan is not None
    other = next(move for move in game.legal_moves(position, 0) if (move,) != planner.plan.moves[0])
    position = game.next_position(position, (other,))
    planner.look_at(position)
    assert planner.plan is None
    planner.run(Deadline(None))
    assert planner.plan is not None
    assert planner.plan.value == 1
    judge = GroundGame(game.program)
    at = judge.next_position(judge.initial_position(), (other,))
    for moves in planner.plan.moves:
        at = judge.next_position(at, moves)
    assert judge.is_terminal(at)
    assert goal(judge, at, 0) == 100


def test_there_is_a_plan_even_without_time() -> None:
    game = game_of(LATIN)
    planner = planner_of(game)
    planner.look_at(game.initial_position())
    planner.run(Deadline(0))
    assert planner.plan is not None
    assert planner.plan.value == value_of(game, planner.plan)


class Sleeper:
    """A part that finds nothing, and comes back too late by so many seconds."""

    is_over = False

    def __init__(self, name: str, seconds: float) -> None:
        self.name = name
        self.num_turns = 0
        self._seconds = seconds

    def run(self, deadline: Deadline) -> None:
        self.num_turns += 1
        time.sleep(deadline.seconds_left + self._seconds)

    def restart(self, position: CircuitPosition) -> None:
        pass


def test_who_overstayed_has_no_turn_when_there_is_less_time_than_that() -> None:
    game = game_of(CORRIDOR)
    position = game.initial_position()
    planner = planner_of(game)
    planner.look_at(position)
    planner.run(Deadline(0))
    planner._findings.bound = 2.0  # no plan is ever good enough
    late, prompt = Sleeper("late", 0.3), Sleeper("prompt", 0.0)
    parts: list[Any] = [late, prompt]
    planner._parts, planner._turn = parts, 0
    planner.run(Deadline(0.1))
    assert late.num_turns == 1
    planner.run(Deadline(0.25))
    assert late.num_turns == 1
    assert prompt.num_turns > 1
    planner._parts = parts[:1]
    planner.run(Deadline(0.25))  # with nobody else, it comes back at once
    assert late.num_turns == 1
    for _ in range(2):  # from move to move that is forgotten
        position = game.next_position(position, (game.legal_moves(position, 0)[0],))
        planner.look_at(position)
    planner.run(Deadline(0.25))
    assert late.num_turns > 1


def test_the_end_needs_no_plan() -> None:
    game = game_of(make_maze(1))
    planner = planner_of(game)
    position = game.initial_position()
    while not game.is_terminal(position):
        position = game.next_position(position, (game.legal_moves(position, 0)[0],))
    planner.look_at(position)
    planner.run(Deadline(None))
    assert planner.plan == Plan((), (goal(game, position, 0) or 0) / 100, True)


def test_memory_is_bounded() -> None:
    lamps = "".join(f"(lamp {number})" for number in range(20))
    game = game_of(
        f"""(role you) {lamps} (<= (legal you (press ?x)) (lamp ?x)) (legal you stop)
        (<= (next (lit ?x)) (does you (press ?x)) (not (true (lit ?x))))
        (<= (next (lit ?x)) (true (lit ?x)) (not (does you (press ?x))))
        (<= (next over) (does you stop)) (<= terminal (true over))
        (<= (goal you 50) (true over)) (<= (goal you 100) (true (lit 1)) (true (lit 2)) (true over) (not (true over)))
        (<= (goal you 60) (true impossible))"""
    )
    planner = Planner(game, 1, options=PlanningOptions(("breadth", "guided"), memory=1))
    planner._findings.bound = 2.0  # nothing is ever good enough
    planner._parts = [planner._make_part(name) for name in ("breadth",)]
    planner.run(Deadline(None))
    assert planner.is_over
    assert planner.plan is not None
    assert planner.plan.value == 0.5
    assert not planner.plan.is_proven


def test_what_is_no_puzzle_is_refused() -> None:
    for name in ("tic_tac_toe", "orchard"):
        with pytest.raises(UsageError, match="one mind"):
            Planner(CircuitGame(ground(load_rules(name))), 1)


@pytest.mark.parametrize(("options", "problem"), [({"parts": ("magic",)}, "magic"), ({"memory": 0}, "memory")])
def test_options_are_checked(options: dict[str, object], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        PlanningOptions(**options)  # type: ignore[arg-type]

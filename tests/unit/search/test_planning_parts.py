from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from naive.planning import adapted, best_value, bodies_of, make_maze, narrowed, near_cost, relaxed_cost, spread
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.packing import pack
from woodstock.game.ground_game import GroundGame
from woodstock.gdl import parse_rules
from woodstock.ground import ground
from woodstock.ground.program import TRUE_ATOM, GroundProgram
from woodstock.search.planning_costs import INFINITE, GoalCosts
from woodstock.search.planning_counter import _spread_down, _spread_up, find_counter
from woodstock.search.planning_narrow import Requirements, narrow
from woodstock.search.planning_policy import STEP, adapt, choose
from woodstock.search.planning_puzzle import Puzzle, has_common_goal, is_puzzle
from woodstock.search.planning_queues import KNOWN, NEW_PAIR, NOVEL, Novelty, Queue
from woodstock.search.planning_store import KeyTable

WALK = """
(role you) (init (at 1)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal you (go ?y)) (true (at ?x)) (succ ?x ?y)) (legal you wait)
(<= (next (at ?y)) (does you (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does you wait))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= terminal (true (step 3)))
"""
BY_BOARD = "(<= terminal (true (at 3))) (<= (goal you 100) (true (at 3))) (<= (goal you 0) (not (true (at 3))))"
BY_TIME = "(<= (goal you 100) (true (at 2)) (true (step 2))) (<= (goal you 0) (true (at 3)))"
MIXED_END = "(<= terminal (true (at 2)) (true (step 2))) (<= (goal you 100) (true (at 3)))"
KNOWS_END = "(<= terminal (true (at 3))) (<= (goal you 100) terminal (true (at 3)))"


def program_of(text: str) -> GroundProgram:
    return ground(parse_rules(text))


def steps_of(program: GroundProgram) -> np.ndarray:
    return np.array([fluent[0] == "step" for fluent in program.fluents])


@pytest.mark.parametrize(
    ("rest", "proved", "knows_end"),
    [(BY_BOARD, "0123", False), (BY_TIME, "3", False), (MIXED_END, "", False), (KNOWS_END, "0123", True)],
)
def test_counters_are_proved_where_they_only_limit_the_length(rest: str, proved: str, knows_end: bool) -> None:
    program = program_of(WALK + rest)
    counter = find_counter(program)
    found = [program.fluents[number] for number in np.flatnonzero(counter.proved)]
    assert sorted(found) == [("step", time) for time in proved]
    assert np.array_equal(counter.likely, steps_of(program))
    assert counter.goals_know_end == knows_end


def test_keys_leave_counters_out() -> None:
    game = CircuitGame(program_of(WALK + BY_BOARD))
    puzzle = Puzzle(game)
    start = game.initial_position()
    later = game.next_position(start, ("wait",))
    rows = game.rows([start, later])
    one, other = puzzle.keys_without(puzzle.counter.proved)(rows)
    assert one == other
    one, other = puzzle.keys_without(np.zeros_like(puzzle.counter.proved))(rows)
    assert one != other


def test_symmetries_that_move_counters_are_not_used() -> None:
    game = CircuitGame(program_of(WALK + BY_BOARD))
    puzzle = Puzzle(game, keys_of=lambda rows: np.zeros(len(rows), np.uint64))
    keys = puzzle.keys_without(puzzle.counter.proved)(game.rows([game.initial_position()]))
    assert keys[0] != 0
    assert puzzle.keys_without(np.zeros_like(puzzle.counter.proved))(game.rows([game.initial_position()]))[0] == 0


TWO = """
(role ann) (role ben) (init (at ann)) (legal ann stay) (legal ben stay) (legal ben go)
(<= (next (at ann)) (does ben stay)) (<= (next gone) (does ben go)) (<= terminal (true gone))
(<= calm (true (at ann))) (<= quiet (true (at ann)))
"""


@pytest.mark.parametrize(
    ("goals", "is_common"),
    [
        ("(<= (goal ?r 100) (role ?r) (true gone)) (<= (goal ?r 0) (role ?r) calm)", True),
        ("(<= (goal ann 100) calm) (<= (goal ben 100) quiet)", True),
        ("(<= (goal ann 100) calm) (<= (goal ben 90) quiet)", False),
        ("(<= (goal ann 100) calm) (<= (goal ben 100) (true gone))", False),
        ("(<= (goal ann 100) (true gone)) (<= (goal ben 100) (true gone)) (<= (goal ben 0) calm)", False),
    ],
)
def test_common_goals_are_proved_from_the_rules(goals: str, is_common: bool) -> None:
    program = program_of(TWO + goals)
    assert has_common_goal(program) == is_common == is_puzzle(program)


@pytest.mark.parametrize(("roles", "is_common"), [((), False), ((0,), False), ((0, 1), True)])
def test_atoms_without_rules_never_hold(roles: tuple[int, ...], is_common: bool) -> None:
    """Programs that are too large to be simplified may have some."""
    goals = "(<= (goal ann 100) calm (not (true gone))) (<= (goal ben 100) quiet (true gone))"
    program = program_of(TWO + goals)
    gone = program.goals.atoms[np.isin(program.goals.roles, roles)]
    kept = np.flatnonzero(~np.isin(program.rule_head, gone))
    sizes = np.diff(program.body_start)
    program = replace(
        program,
        rule_head=program.rule_head[kept],
        body_start=np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int32),
        body_data=program.body_data[np.isin(np.repeat(np.arange(len(sizes)), sizes), kept)],
    )
    assert has_common_goal(program) == is_common


@pytest.mark.parametrize("seed", range(20))
def test_relaxed_costs_are_infinite_only_if_the_goal_is_out_of_reach(seed: int) -> None:
    program = program_of(make_maze(seed))
    game, puzzle = GroundGame(program), Puzzle(CircuitGame(program))
    best = best_value(game, game.initial_position())
    assert best is not None
    rows = pack(program.initial)[None]
    nothing = np.zeros(program.num_fluents, np.bool_)
    for value in puzzle.values:
        costs = GoalCosts(program, (puzzle.goal_atom(value),), nothing)
        if value == best:
            assert costs.relaxed(rows)[0] < INFINITE
        assert (costs.near(rows)[0] == 0) == (game.goal_values(game.initial_position(), 0) == (f"{value * 100:.0f}",))


COURIERS = """
(role ann) (role ben) (init (at ann 1)) (init (at ben 3)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(way 1 2) (way 2 1) (way 2 3) (way 3 4) (way 4 1)
(<= (legal ?r (go ?y)) (true (at ?r ?x)) (way ?x ?y)) (<= (legal ?r wait) (role ?r))
(<= (next (at ?r ?y)) (does ?r (go ?y))) (<= (next (at ?r ?x)) (true (at ?r ?x)) (does ?r wait))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= (next met) (true met))
(<= (next met) (does ann (go ?x)) (does ben (go ?x))) (<= apart (true (at ann ?x)) (true (at ben ?y)) (distinct ?x ?y))
(<= terminal (true (step 3)))
(<= (goal ?r 100) (role ?r) (true met) (not apart)) (<= (goal ?r 40) (role ?r) (true met) apart)
(<= (goal ?r 0) (role ?r) (not (true met)))
"""


def _positions(program: GroundProgram, seed: int) -> np.ndarray:
    """Return positions of a random match, shape (n, num_fluents)."""
    game, rng, found = GroundGame(program), Random(seed), []
    position = game.initial_position()
    while True:
        found.append(np.zeros(program.num_fluents, np.bool_))
        found[-1][list(position)] = True
        if game.is_terminal(position):
            return np.array(found)
        roles = range(len(game.roles))
        position = game.next_position(position, tuple(rng.choice(game.legal_moves(position, role)) for role in roles))


@pytest.mark.parametrize("text", [*map(make_maze, range(12)), COURIERS, WALK + MIXED_END])
def test_costs_are_those_of_a_slow_twin(text: str) -> None:
    program = program_of(text)
    puzzle = Puzzle(CircuitGame(program))
    for free in (np.zeros(program.num_fluents, np.bool_), steps_of(program)):
        for value in puzzle.values:
            goal = puzzle.goal_atom(value)
            costs = GoalCosts(program, (goal,), free)
            held = _positions(program, 1)
            bodies = bodies_of(costs._near)
            wanted = [] if goal == TRUE_ATOM else [goal]
            near = [
                near_cost(bodies, {1 + at: None if free[at] else bool(bit) for at, bit in enumerate(bits)}, wanted)
                for bits in held
            ]
            assert costs.near(pack(held)).tolist() == near
            relaxed = [relaxed_cost(costs.wiring, bits.tolist(), wanted) for bits in held]
            assert costs.relaxed(pack(held)).tolist() == relaxed


def test_relaxed_costs_see_dead_ends() -> None:
    program = program_of(WALK.replace("(legal you wait)", "(legal you wait) (legal you jump)") + BY_BOARD)
    goal = Puzzle(CircuitGame(program)).goal_atom(1.0)
    costs = GoalCosts(program, (goal,), steps_of(program))
    game = GroundGame(program)
    start = game.initial_position()
    held = np.zeros((3, program.num_fluents), np.bool_)
    for number, move in enumerate([("go", "2"), "wait", "jump"]):
        held[number, list(game.next_position(start, (move,)))] = True
    assert costs.relaxed(pack(held)).tolist() == [1, 2, INFINITE]


def test_goals_are_taken_apart() -> None:
    program = program_of(
        """(role you) (init (a 1)) (init (a 2)) (init b) (legal you (x ?n)) (number 1) (number 2) (number 3)
        (<= (legal you (x ?n)) (number ?n)) (<= (next (a ?n)) (does you (x ?n))) (<= (next b) (true b))
        (<= terminal (true (a 3))) (<= bad (not (true b))) (<= bad (true (a 1)) (true (a 2)))
        (<= (goal you 100) (not bad) (true (a 3)))""".replace("(legal you (x ?n)) (number 1)", "(number 1)")
    )
    goal = Puzzle(CircuitGame(program)).goal_atom(1.0)
    index = {fluent: 2 * (1 + number) for number, fluent in enumerate(program.fluents)}
    first, second, third = (index["a", str(number)] for number in (1, 2, 3))
    found = set(Requirements(program, (goal,)).clauses)
    assert {frozenset({third}), frozenset({first + 1, second + 1})} <= found


@pytest.mark.parametrize("seed", range(20))
def test_moves_are_narrowed_down_as_by_a_slow_twin(seed: int) -> None:
    rng = Random(seed)
    num_fluents, num_moves, num_clauses = 70, 130, 5
    held = [{1 + at for at in range(num_fluents) if rng.random() < 0.5} for _ in range(8)]
    legal = [{at for at in range(num_moves) if rng.random() < 0.1} for _ in range(8)]
    literals = range(2, 2 + 2 * num_fluents)
    clauses = [set(rng.sample(literals, rng.randint(1, 3))) for _ in range(num_clauses)]
    achievers = [{at for at in range(num_moves) if rng.random() < rng.choice((0.0, 0.1, 0.5))} for _ in clauses]
    order = rng.sample(range(num_clauses), num_clauses)

    def bits(sets: list[set[int]], length: int, first: int = 0) -> np.ndarray:
        return np.array([[first + at in each for at in range(length)] for each in sets])

    left = pack(bits(legal, num_moves))
    first = np.cumsum([0, *map(len, clauses)]).astype(np.int64)
    data = np.array([literal for clause in clauses for literal in clause], np.int32)
    narrow(pack(bits(held, num_fluents, 1)), left, pack(bits(achievers, num_moves)), (first, data), np.array(order))
    expected = [narrowed(*each, clauses, achievers, order) for each in zip(held, legal, strict=True)]
    assert np.array_equal(left, pack(bits(expected, num_moves)))


@pytest.mark.parametrize("seed", range(20))
def test_policies_are_adapted_as_by_a_slow_twin(seed: int) -> None:
    rng = Random(seed)
    start = [0, 66, 80]
    groups = [range(*each) for each in pairwise(start)]
    policy = [rng.gauss(0, 1) for _ in range(start[-1])]
    steps = []
    for _ in range(6):
        legal = [rng.sample(group, rng.randint(1, 5)) for group in groups]
        steps.append(([moves[0] for moves in legal], {move for moves in legal for move in moves}))
    bits = np.array([[move in legal for move in range(start[-1])] for _, legal in steps])
    found, moves = np.array(policy), np.array([moves for moves, _ in steps], np.int32)
    adapt(found, np.array(start, np.int64), moves, pack(bits))
    assert found == pytest.approx(adapted(policy, groups, steps, STEP))


@pytest.mark.parametrize("seed", range(20))
def test_marks_spread_as_in_a_slow_twin(seed: int) -> None:
    rng = Random(seed)
    rules = [(rng.randrange(30), [rng.randrange(60) for _ in range(rng.randint(1, 3))]) for _ in range(25)]
    head = np.array([head for head, _ in rules], np.int32)
    first = np.cumsum([0, *(len(body) for _, body in rules)]).astype(np.int32)
    data = np.array([literal for _, body in rules for literal in body], np.int32)
    marked, blocked = set(rng.sample(range(30), 3)), rng.randrange(30)
    for kernel, up in ((_spread_up, True), (_spread_down, False)):
        found = np.isin(np.arange(30), list(marked))
        kernel((head, first, data), found, blocked)
        assert set(np.flatnonzero(found).tolist()) == spread(rules, marked, blocked, up=up)


@pytest.mark.parametrize("at_once", [7, 100, 5000])
def test_tables_know_the_least_depth(at_once: int) -> None:
    rng, table, known = Random(1), KeyTable(), dict[int, int]()
    for _ in range(60000 // at_once):
        keys = [rng.randrange(30000) for _ in range(at_once)]
        depths = [rng.randrange(20) for _ in keys]
        expected = []
        for key, depth in zip((key or 1 for key in keys), depths, strict=True):
            expected.append(depth < known.get(key, 100))
            known[key] = min(depth, known.get(key, 100))
        assert table.add(np.array(keys, np.uint64), np.array(depths, np.uint16)).tolist() == expected
    assert table.count == len(known)


@pytest.mark.parametrize("youngest_first", [False, True])
def test_queues_are_in_order(youngest_first: bool) -> None:
    rng, queue, waiting = Random(2), Queue(500, youngest_first=youngest_first), list[tuple[int, int]]()
    is_done = np.zeros(500, np.bool_)
    for first in range(0, 500, 10):
        buckets = [rng.randrange(8) for _ in range(10)]
        queue.push(first, np.array(buckets, np.int32))
        waiting += [(bucket, first + number) for number, bucket in enumerate(buckets)]
        waiting.sort(key=lambda entry: (entry[0], -entry[1] if youngest_first else entry[1]))
        taken = waiting[:7]
        assert queue.pop(7, is_done).tolist() == [node for _, node in taken]
        del waiting[:7]


def test_novelty_is_what_was_not_seen() -> None:
    rng, num = Random(3), 70
    novelty = Novelty(num, np.zeros(2, np.uint64))
    single: set[tuple[int, int]] = set()
    pairs: set[tuple[int, int, int]] = set()
    for _ in range(100):
        held = sorted(rng.sample(range(num), 4))
        before = set(rng.sample(held, 2))
        cost = rng.randrange(2)
        bits, parent = np.zeros((1, num), np.bool_), np.zeros((1, num), np.bool_)
        bits[0, held], parent[0, list(before)] = True, True
        new_pairs = {(cost, one, other) for one in held for other in held if one <= other and {one, other} - before}
        expected = KNOWN if new_pairs <= pairs else NEW_PAIR
        if not {(cost, one) for one in held} <= single:
            expected = NOVEL
        single |= {(cost, one) for one in held}
        pairs |= new_pairs
        assert novelty.rate(pack(bits), pack(parent), np.array([cost], np.int32)).tolist() == [expected]


def test_policies_choose_legal_moves_and_learn() -> None:
    legal = np.zeros((400, 70), np.bool_)
    legal[:, [3, 5, 66]] = True
    legal[:, 68] = True
    start = np.array([0, 67, 70], np.int64)
    policy, state = np.zeros(70), np.array([12345], np.uint64)

    def count() -> tuple[int, int]:
        moves, chosen = np.empty((400, 2), np.int32), np.zeros((400, 2), np.uint64)
        choose(pack(legal), policy, start, state, (moves, chosen))
        assert set(moves[:, 0].tolist()) <= {3, 5, 66}
        assert set(moves[:, 1].tolist()) == {68}
        bits = np.zeros((400, 70), np.bool_)
        bits[np.arange(400)[:, None], moves] = True
        assert np.array_equal(pack(bits), chosen)
        return int((moves[:, 0] == 5).sum()), len(set(moves[:, 0].tolist()))

    before, kinds = count()
    assert kinds == 3
    assert 80 < before < 190
    adapt(policy, start, np.array([[5, 68], [5, 68]], np.int32), pack(legal[:2]))
    after, _ = count()
    assert after > before
    assert policy[5] > 0 > policy[3]
    assert policy[68] == policy[0] == 0

"""Batches of playouts: exact averages, counts, horizons, threads, seeds and deadlines."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest

from naive.playouts import check_results, columns, end_of, outcomes, plain_playout
from naive.small_games import (
    ALL_GAMES,
    CAPTURE,
    ENDLESS,
    FREE_CONTROL,
    NO_MOVES,
    NO_WAITING,
    SIMULTANEOUS,
    STEP_COUNTER,
    STUCK,
    THREE_IN_TURN,
    choice_sheet,
    program_of,
)
from woodstock.circuit import runner as module
from woodstock.circuit.circuit import NO_PHASE, Circuit
from woodstock.circuit.expansion import Expander
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.packing import pack
from woodstock.circuit.runner import Batch, PlayoutResults, Runner
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.common.threads import PinnedThreads
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.ground import GroundProgram, ground

MANY = 600 if JIT_DISABLED else 20_000
LONG = 30
"""A horizon that few playouts of the games here reach, and short enough to look at all that can happen."""


@cache
def runner_of(program: GroundProgram, width: int = 8) -> Runner:
    return Runner(Circuit(program), width)


def positions_of(program: GroundProgram, most: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Return different positions of random play, the first one among them."""
    game, rng = GroundGame(program), random.Random(seed)
    found = {game.initial_position(): None}
    for _ in range(20 * most):
        position = game.initial_position()
        while len(found) < most and not game.is_terminal(position):
            legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
            if not all(legal) or rng.random() < 0.05:
                break
            position = game.next_position(position, [rng.choice(moves) for moves in legal])
            found[position] = None
    return list(found)


def rows_of(program: GroundProgram, positions: list[tuple[int, ...]]) -> np.ndarray:
    holds = np.zeros((len(positions), program.num_fluents), np.bool_)
    for number, position in enumerate(positions):
        holds[number, list(position)] = True
    return pack(holds)


def run(program: GroundProgram, positions: list[Any], counts: Any, width: int = 8, **options: Any) -> PlayoutResults:
    batch = Batch(rows_of(program, positions), np.asarray(counts, np.int64), **options)
    return runner_of(program, width).run(batch)


def same(one: PlayoutResults, two: PlayoutResults) -> bool:
    names = ("counts", "cuts", "moves", "goal_sums", "goal_squares")
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in names)


def check_against_exact(
    program: GroundProgram, positions: list[Any], counts: Any, horizon: int, **options: Any
) -> None:
    results = run(program, positions, counts, horizon=horizon, **options)
    assert results.finished
    assert results.counts.tolist() == list(counts)
    game = GroundGame(program)
    for number, position in enumerate(positions):
        check_results(results, number, outcomes(game, position, horizon))


@pytest.mark.parametrize("width", [1, 8])
@pytest.mark.parametrize("name", [name for name in ALL_GAMES if name not in ("endless", "reachability", "mutual")])
def test_averages_are_exact(name: str, width: int) -> None:
    program = program_of(ALL_GAMES[name])
    start = [GroundGame(program).initial_position()]
    horizon = 4 if name == "capture" else LONG
    check_against_exact(program, start, [MANY], horizon, seed=3, width=width)


@pytest.mark.parametrize("name", ["matching_pennies", "monty_hall", "nim", "rock_paper_scissors"])
def test_averages_of_bundled_games_are_exact(name: str) -> None:
    program = ground(load_rules(name))
    check_against_exact(program, [GroundGame(program).initial_position()], [MANY], LONG, seed=11)


@pytest.mark.parametrize("name", ["capture", "three_in_turn", "step_counter", "simultaneous", "free_control"])
def test_many_positions_of_all_phases_in_one_batch(name: str) -> None:
    program = program_of(ALL_GAMES[name])
    positions = positions_of(program, 8 if JIT_DISABLED else 40)
    counts = np.random.default_rng(5).integers(0, MANY // 8, len(positions))
    counts[::7], counts[1::7] = 0, 1
    check_against_exact(program, positions, counts.tolist(), 6, seed=8)


@pytest.mark.parametrize("most", [3, 40, 300, 2000])
@pytest.mark.parametrize("width", [1, 8])
def test_owners_change_in_every_way(most: int, width: int) -> None:
    if JIT_DISABLED and most > 40:
        pytest.skip("slow")
    program = program_of(CAPTURE)
    rng = np.random.default_rng(most)
    positions = positions_of(program, 20)
    results = [outcomes(GroundGame(program), position, 5) for position in positions]
    for seed in range(4):
        # Some positions with more playouts than there are lanes between others with few.
        counts = np.where(rng.random(len(positions)) < 0.5, rng.integers(0, 4, len(positions)), 0)
        counts += np.where(rng.random(len(positions)) < 0.4, rng.integers(0, most, len(positions)), 0)
        found = run(program, positions, counts, width, seed=seed, horizon=5)
        assert found.counts.tolist() == counts.tolist()
        for number, expected in enumerate(results):
            check_results(found, number, expected, sigmas=5)
            lengths = [outcome.moves for outcome in expected]
            assert min(lengths) * counts[number] <= found.moves[number] <= max(lengths) * counts[number]


@pytest.mark.parametrize("name", ["breakthrough_small", "tic_tac_toe", "pig", "atari_go"])
def test_averages_are_those_of_plain_playouts(name: str) -> None:
    program = ground(load_rules(name))
    game, rng = GroundGame(program), random.Random(name)
    position = positions_of(program, 12, seed=1)[-1]
    number = 20 if JIT_DISABLED else 150
    plain = np.array([columns(plain_playout(game, position, rng, 200)) for _ in range(number)])
    count = 256 if JIT_DISABLED else 5000
    lanes = run(program, [position], [count], seed=1, horizon=200)
    assert lanes.cuts.tolist() == [0]
    goals = lanes.goal_sums[0] / count
    deviation = np.append(plain[:, 0].std() + 1, np.sqrt(lanes.goal_squares[0] / count - goals**2))
    means = np.append(lanes.moves / count, goals)
    found = plain.mean(axis=0)[[0, *range(2, 2 + len(goals))]]
    assert (np.abs(means - found) <= 4.5 * deviation * np.sqrt(1 / number + 1 / count) + 1e-9).all()


@pytest.mark.parametrize("count", [2, 3, 7, 100])
def test_the_first_move_is_uniform(count: int) -> None:
    program = program_of(choice_sheet(count))
    check_against_exact(program, [()], [MANY], 5, seed=count)


@pytest.mark.parametrize("horizon", [1, 2, 3, 7, 8, 64, 255, 256])
def test_a_match_that_never_ends_is_cut(horizon: int) -> None:
    if JIT_DISABLED and horizon > 10:
        pytest.skip("slow")
    program = program_of(ENDLESS)
    positions = [(), (0,)]
    results = run(program, positions, [700, 3], horizon=horizon)
    assert results.counts.tolist() == results.cuts.tolist() == [700, 3]
    assert results.moves.tolist() == [700 * horizon, 3 * horizon]
    assert results.goal_sums[:, 1].tolist() == [3500, 15]
    assert results.goal_squares[:, 1].tolist() == [17500, 75]
    assert (results.goal_sums[:, 0] >= [700 * 30, 90]).all()
    assert (results.goal_sums[:, 0] <= [700 * 70, 210]).all()


def test_a_horizon_that_is_not_reached_cuts_nothing() -> None:
    program = program_of(STEP_COUNTER)
    start = [GroundGame(program).initial_position()]
    reached, longer = (run(program, start, [900], horizon=horizon) for horizon in (6, 7))
    assert reached.moves.tolist() == longer.moves.tolist() == [5400]
    assert longer.cuts.tolist() == [0]
    # The match is over with the last move that is allowed, so it is not cut.
    assert reached.cuts.tolist() == [0]
    assert run(program, start, [900], horizon=5).cuts.tolist() == [900]


def test_a_role_without_moves_ends_a_playout() -> None:
    program = program_of(STUCK)
    results = run(program, [GroundGame(program).initial_position()], [1000])
    assert results.cuts.tolist() == results.counts.tolist() == [1000]
    assert results.goal_sums.tolist() == [[40_000]]
    assert results.goal_squares.tolist() == [[1_600_000]]


def test_roles_that_never_move() -> None:
    program = program_of(NO_MOVES)
    results = run(program, [GroundGame(program).initial_position()], [600])
    assert results.counts.tolist() == results.cuts.tolist() == [600]
    assert results.moves.tolist() == [0]
    assert results.goal_sums.tolist() == [[600, 1200]]
    # Both phases: the first stops at once, the second after its move.
    program = program_of(NO_WAITING)
    game = GroundGame(program)
    second = game.position_of([("control", "b"), ("left", "2")])
    check_against_exact(program, [game.initial_position(), second], [600, 600], LONG)


def test_terminal_positions_are_counted_without_moves() -> None:
    program = program_of(STEP_COUNTER)
    game = GroundGame(program)
    last = [("step", "3"), ("mark", "b"), ("control", "a")]
    positions = [game.position_of(last), game.initial_position()]
    results = run(program, positions, [5, 600])
    assert results.moves.tolist() == [0, 3600]
    assert results.counts.tolist() == [5, 600]
    assert results.cuts.tolist() == [0, 0]
    assert results.goal_sums[0].tolist() == [0, 500]
    assert results.goal_squares[0].tolist() == [0, 50_000]


def test_nothing_to_do() -> None:
    program = program_of(ENDLESS)
    nothing = run(program, [], [])
    assert nothing.finished
    assert nothing.goal_sums.shape == (0, 2)
    zero = run(program, [(0,), ()], [0, 0])
    assert zero.finished
    assert zero.counts.tolist() == zero.moves.tolist() == [0, 0]


@pytest.mark.parametrize("text", [STEP_COUNTER, THREE_IN_TURN])
def test_positions_of_no_phase_are_played_by_the_general_plan(text: str) -> None:
    program = program_of(text)
    game, circuit = GroundGame(program), runner_of(program).circuit
    assert circuit.clock is not None
    start = game.fluents(game.initial_position())
    # Nobody is in control, or two are.
    both = game.position_of([*start, ("control", "b")])
    nobody = game.position_of([fluent for fluent in start if fluent[0] != "control"])
    positions = [both, game.initial_position(), nobody, game.position_of([])]
    assert circuit.phases_of(rows_of(program, positions)).tolist() == [NO_PHASE, 0, NO_PHASE, NO_PHASE]
    check_against_exact(program, positions, [MANY // 10, MANY // 10, 70, 3], 6)


def test_pieces_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_PIECE", 100)
    monkeypatch.setattr(module, "MAX_PIECE", 100)
    program = program_of(CAPTURE)
    positions = positions_of(program, 6)
    runner = runner_of(program)
    batch = Batch(rows_of(program, positions), np.array([250, 0, 130, 1, 99, 100]), 7)
    alone = runner.run(batch)
    assert alone.counts.tolist() == batch.counts.tolist()
    for count in (1, 2):
        with PinnedThreads(count) as threads:
            assert same(alone, runner.run(batch, threads=threads))
    assert same(alone, Runner(runner.circuit).run(batch))
    for number, position in enumerate(positions):
        check_results(alone, number, outcomes(GroundGame(program), position, 10), sigmas=5)


def test_what_others_left_in_the_lanes_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_PIECE", 100)
    monkeypatch.setattr(module, "MAX_PIECE", 100)
    rng = np.random.default_rng(0)
    for name in ("capture", "simultaneous", "three_in_turn"):
        program = program_of(ALL_GAMES[name])
        positions = positions_of(program, 6)
        counts = np.array([250, 0, 130, 1, 99, 100])[: len(positions)]
        batch = Batch(rows_of(program, positions), counts, 7)
        runner = Runner(runner_of(program).circuit)
        first = runner.run(batch)
        for _ in range(5):
            for lanes in (lanes for kept in runner._free.values() for lanes in kept):
                for array in (lanes.values[8:], lanes.scratch, lanes.age, lanes.buffer):
                    array[:] = rng.integers(0, 1 << 64, len(array), np.uint64)
            assert same(first, runner.run(batch))


def test_seeds() -> None:
    program = program_of(SIMULTANEOUS)
    start = [GroundGame(program).initial_position()]
    results = [run(program, start, [3000], seed=seed) for seed in (0, 1, 2, 0)]
    assert same(results[0], results[3])
    assert not same(results[0], results[1])
    assert not same(results[1], results[2])


def test_results_can_be_added() -> None:
    program = program_of(FREE_CONTROL)
    start = [GroundGame(program).initial_position()]
    one, two = (run(program, start, [count], seed=count) for count in (100, 300))
    both = one + two
    assert both.counts.tolist() == [400]
    assert both.moves.tolist() == [2000]
    assert both.goal_sums.sum() == 40_000
    assert both.finished


def test_a_deadline_leaves_results_that_are_consistent() -> None:
    program = program_of(ENDLESS)
    runner = runner_of(program)
    batch = Batch(rows_of(program, [(0,), ()]), np.array([10**15, 10**15]), horizon=3)
    for seconds in (0.0, 0.05):
        results = runner.run(batch, Deadline(seconds))
        assert not results.finished
        assert results.counts.sum() < batch.counts.sum()
        assert (results.cuts >= results.counts).all()
        assert (results.moves >= 3 * results.counts).all()
        assert (results.goal_sums[:, 1] == 5 * results.counts).all()
    # Lanes that stopped in the middle are as good as new.
    again = run(program, [(0,)], [700], horizon=3)
    assert again.moves.tolist() == [2100]


def test_a_game_plays_out_its_positions() -> None:
    game = CircuitGame(program_of(SIMULTANEOUS))
    start = game.initial_position()
    after = game.next_position(start, ("x", "x", "heads"))
    results = game.playouts([start, after], [200, 5], seed=4, horizon=2)
    assert results.counts.tolist() == [200, 5]
    assert results.moves[1] == 0
    assert results.goal_sums[1].tolist() == [500, 300, 0]
    assert same(results, game.playouts([start, after], [200, 5], seed=4, horizon=2))


def moves_made(
    game: GroundGame, position: Any, horizon: int, weights: np.ndarray
) -> dict[tuple[frozenset[int], Any], float]:
    """Return the probability of each set of moves that a playout makes, with the goals at its end."""
    program = game.program
    legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
    if game.is_terminal(position) or not all(legal) or horizon == 0:
        return {(frozenset(), end_of(game, position, 0).goals): 1.0}
    found: Counter[tuple[frozenset[int], Any]] = Counter()
    numbers = [[program.move_index[role][move] for move in moves] for role, moves in enumerate(legal)]
    for moves, joint in zip(product(*legal), product(*numbers), strict=True):
        chance = prod(weights[move] / weights[choices].sum() for move, choices in zip(joint, numbers, strict=True))
        after = moves_made(game, game.next_position(position, moves), horizon - 1, weights)
        for (later, goals), share in after.items():
            found[later | set(joint), goals] += chance * share
    return dict(found)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("name", ["simultaneous", "step_counter", "free_control", "only_move", "no_waiting"])
def test_moves_are_counted_with_what_came_of_them(name: str, is_weighted: bool) -> None:
    program = program_of(ALL_GAMES[name])
    game = GroundGame(program)
    positions = positions_of(program, 3)
    counts = [MANY // 4, 70, MANY // 8][: len(positions)]
    weights = np.random.default_rng(1).integers(1, 12, program.num_moves)
    options = {"weights": weights} if is_weighted else {}
    results = run(program, positions, counts, seed=5, horizon=5, with_moves=True, **options)
    assert results.counts.tolist() == counts
    role_of = np.repeat(np.arange(len(program.roles)), np.diff(program.move_start))
    plans = runner_of(program).circuit.phases
    unchosen = {int(moves[0]) for plan in plans for moves in plan.candidates if len(moves) == 1}
    for number, position in enumerate(positions):
        expected = moves_made(game, position, 5, weights if is_weighted else np.ones(program.num_moves))
        for move in range(program.num_moves):
            if move in unchosen:
                assert results.move_visits[number, move] == results.move_rewards[number, move] == 0
                continue
            table = [(share, float(goals[role_of[move]])) for (made, goals), share in expected.items() if move in made]
            chance, mean = sum(share for share, _ in table), sum(share * value for share, value in table)
            square = sum(share * value * value for share, value in table)
            count = counts[number]
            visits, rewards = results.move_visits[number, move], results.move_rewards[number, move]
            assert abs(visits - count * chance) <= 4.5 * np.sqrt(count * chance * max(1 - chance, 0)) + 1e-6
            assert abs(rewards - count * mean) <= 4.5 * np.sqrt(count * max(square - mean**2, 0)) + 1e-3


def test_weights_that_are_all_alike_change_nothing_on_average() -> None:
    program = program_of(SIMULTANEOUS)
    start = GroundGame(program).initial_position()
    for weight in (1, 7, 255):
        results = run(program, [start], [MANY // 4], weights=np.full(program.num_moves, weight), horizon=LONG)
        check_results(results, 0, outcomes(GroundGame(program), start, LONG))


def test_what_cannot_be_played_is_refused() -> None:
    program = program_of(ENDLESS)
    rows = rows_of(program, [(0,)])
    for counts, horizon in ((np.array([1, 2]), 3), (np.array([-1]), 3), (np.array([1]), 0)):
        with pytest.raises(UsageError):
            Batch(rows, counts, horizon=horizon)
    beyond = rows | np.uint64(1 << 63)
    with pytest.raises(UsageError, match="bits beyond"):
        runner_of(program).run(Batch(beyond, np.array([1])))
    with pytest.raises(UsageError, match="bits beyond"):
        Expander(runner_of(program).circuit).expand(beyond)

from __future__ import annotations

import threading

import numpy as np
import pytest

from woodstock.circuit.circuit import Circuit
from woodstock.circuit.rates import Estimate, Progress, Rates, Trial, estimate, measure, num_bytes
from woodstock.circuit.runner import Runner
from woodstock.game.load import load_rules
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import ground

A_MOMENT = 1e-9
"""Time for one pass, in which every lane begins a playout."""
LANES = 512


@pytest.fixture(scope="module")
def tic_tac_toe() -> Runner:
    return Runner(Circuit(ground(load_rules("tic_tac_toe"))))


def make_runner(sheet: str) -> Runner:
    return Runner(Circuit(ground(parse_rules(sheet))))


def test_every_playout_that_began_is_finished(tic_tac_toe: Runner) -> None:
    rates = measure(tic_tac_toe, Trial(A_MOMENT))
    assert (rates.playouts, rates.cut, rates.passes, rates.is_complete) == (LANES, 0, 1, True)
    assert rates.steps == LANES  # the first moves; the others were made after the time
    assert rates.playouts_in_time == pytest.approx(LANES / rates.mean_length)
    assert rates.totals[2] == pytest.approx(LANES * rates.mean_length)


def test_the_same_seed_gives_the_same_playouts(tic_tac_toe: Runner) -> None:
    first, again, other = (measure(tic_tac_toe, Trial(A_MOMENT, seed=seed)).totals.tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_every_thread_has_random_numbers_of_its_own(tic_tac_toe: Runner) -> None:
    alone = measure(tic_tac_toe, Trial(A_MOMENT))
    both = measure(tic_tac_toe, Trial(A_MOMENT, threads=2))
    assert both.playouts == 2 * LANES
    assert both.totals.tolist() != (2 * alone.totals).tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_means_are_those_of_the_game(tic_tac_toe: Runner, threads: int) -> None:
    rates = measure(tic_tac_toe, Trial(0.02, threads))
    # Of all random plays x wins 58.5 %, o 28.8 %, and 12.7 % are drawn.
    for role, expected in enumerate((64.85, 35.15)):
        mean, error = rates.goal(role)
        assert error is not None
        assert abs(mean - expected) < 3 * error + 0.1
    assert 7 < rates.mean_length < 8.3
    assert rates.seconds >= 0.02
    assert rates.cpu_seconds > 0
    assert rates.steps > 0


def test_playouts_without_an_end_are_all_cut() -> None:
    runner = make_runner(
        "(role a) (role b) (init p) (legal a x) (legal a y) (legal b n) (<= (next p) (true p))"
        "(<= terminal (true q)) (<= (next q) (true q)) (goal a 30) (goal b 70)"
    )
    rates = measure(runner, Trial(A_MOMENT, horizon=7))
    assert (rates.playouts, rates.cut, rates.mean_length) == (LANES, LANES, 7.0)
    assert [rates.goal(0), rates.goal(1)] == [Estimate(30.0, 0.0), Estimate(70.0, 0.0)]


def test_a_match_that_is_over_at_once() -> None:
    runner = make_runner("(role a) (init p) (legal a x) (<= (next p) (true p)) (<= terminal (true p)) (goal a 100)")
    rates = measure(runner, Trial(A_MOMENT))
    assert rates.playouts >= LANES
    assert (rates.steps, rates.mean_length, rates.cut) == (0, 0.0, 0)
    assert rates.playouts_in_time == rates.playouts
    assert rates.goal(0).mean == 100


def test_a_role_without_any_move_has_goals() -> None:
    runner = make_runner(
        "(role a) (role b) (init p) (legal a x) (legal a y) (<= (next q) (does a x)) (<= (next p) (true p))"
        "(<= terminal (true q)) (goal a 30) (goal b 70)"
    )
    rates = measure(runner, Trial(A_MOMENT))
    assert [rates.goal(0).mean, rates.goal(1).mean] == [30, 70]


def test_the_time_can_be_cut_short(tic_tac_toe: Runner) -> None:
    stop = threading.Event()

    def interrupt(now: Progress) -> None:
        stop.set()

    rates = measure(tic_tac_toe, Trial(1000.0, threads=2), stop, interrupt)
    assert not rates.is_complete
    assert 0 < rates.seconds < 100
    assert rates.playouts >= 2 * LANES


def test_reports_tell_how_far_it_is(tic_tac_toe: Runner) -> None:
    heard: list[Progress] = []
    rates = measure(tic_tac_toe, Trial(A_MOMENT), report=heard.append)
    assert len(heard) == 1
    assert heard[0].steps == rates.steps
    assert 0 < heard[0].seconds <= rates.seconds


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_ends_all_threads(tic_tac_toe: Runner, threads: int, error: type[BaseException]) -> None:
    def fail(now: Progress) -> None:
        raise error

    with pytest.raises(error):
        measure(tic_tac_toe, Trial(1000.0, threads), report=fail)


def test_estimates() -> None:
    values = np.array([0, 50, 100, 100, 50])
    found = estimate(5, int(values.sum()), int((values**2).sum()))
    assert found.mean == 60
    assert found.error == pytest.approx(1.959964 * values.std(ddof=1) / 5**0.5)
    assert estimate(1, 40, 1600) == Estimate(40.0, None)
    assert estimate(0, 0, 0) == Estimate(0.0, None)


def test_bytes_of_nested_records(tic_tac_toe: Runner) -> None:
    assert num_bytes(()) == num_bytes(3) == 0
    assert num_bytes(tic_tac_toe.tape) > num_bytes(tic_tac_toe.tape.tables) > 0


def test_no_time_gives_no_division_by_zero() -> None:
    rates = Rates(np.zeros(5, np.int64), 0, 0, 1.0, 1.0, True)
    assert (rates.mean_length, rates.playouts_in_time, rates.goal(0)) == (0.0, 0.0, Estimate(0.0, None))

from __future__ import annotations

import pytest

from woodstock.players.margin import ENOUGH, Margin, usable


def test_before_anything_is_known_the_margin_is_careful() -> None:
    assert Margin(base=0.01, first=0.05).seconds == 0.05
    assert Margin(base=0.01, first=0.05).overshoot == 0


def test_with_enough_measured_the_margin_is_what_was_measured() -> None:
    margin = Margin(base=0.01, first=0.05)
    for _ in range(ENOUGH - 1):
        margin.note(0.001)
    assert margin.seconds == pytest.approx(0.05)
    margin.note(0.001)
    assert margin.seconds == pytest.approx(0.011)


def test_one_bad_moment_counts_at_once() -> None:
    margin = Margin(base=0.01, first=0.05)
    margin.note(0.2)
    assert margin.seconds == pytest.approx(0.21)


def test_a_bad_moment_is_forgotten_when_it_leaves_the_window() -> None:
    margin = Margin(base=0.0, first=0.0, window=50)
    margin.note(0.2)
    for _ in range(49):
        margin.note(0.001)
    assert margin.seconds == pytest.approx(0.2)
    margin.note(0.001)
    assert margin.seconds == pytest.approx(0.001)


def test_a_quantile_leaves_the_worst_moments_out() -> None:
    margin = Margin(base=0.0, first=0.0, window=100, quantile=0.9)
    for number in range(100):
        margin.note(number / 1000)
    assert margin.overshoot == pytest.approx(0.089)


def test_what_came_early_is_in_time() -> None:
    margin = Margin(base=0.01, first=0.0)
    margin.note(-5.0)
    assert margin.seconds == pytest.approx(0.01)


def test_a_scripted_player_that_always_overshoots_alike_is_in_time_after_its_first_turn() -> None:
    margin = Margin(base=0.01, first=0.02)
    late = []
    for _ in range(10):
        told = usable(1.0, margin.seconds)
        done = told + 0.1
        late.append(done > 1.0)
        margin.note(done - told)
    assert late == [True] + [False] * 9


def test_margins_leave_half_of_a_short_clock() -> None:
    assert usable(0.1, 5.0) == 0.05
    assert usable(0.0, 0.1) == 0.0

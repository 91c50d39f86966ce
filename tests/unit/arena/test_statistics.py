from __future__ import annotations

import math

import pytest

from woodstock.arena.statistics import Summary, summarise, wilson_interval
from woodstock.common.errors import UsageError


@pytest.mark.parametrize(
    ("mean", "count", "low", "high"),
    [
        # Published values: Newcombe (1998), Statistics in Medicine 17, table I, method 3.
        (100 * 81 / 263, 263, 25.53, 36.62),
        (100 * 15 / 148, 148, 6.24, 16.05),
        (0, 20, 0.0, 16.11),
        (100 * 1 / 29, 29, 0.61, 17.18),
    ],
)
def test_wilson_intervals_as_published(mean: float, count: int, low: float, high: float) -> None:
    interval = wilson_interval(mean, count)
    assert interval == pytest.approx((low, high), abs=0.005)
    assert interval.margin == pytest.approx((high - low) / 2, abs=0.01)


@pytest.mark.parametrize("count", [1, 2, 60, 5000, 10**9])
def test_intervals_stay_within_what_is_possible_and_are_the_same_for_both_sides(count: int) -> None:
    for mean in (0, 0.1, 37.5, 50, 100):
        low, high = wilson_interval(mean, count)
        assert 0 <= low <= mean <= high <= 100
        assert wilson_interval(100 - mean, count) == pytest.approx((100 - high, 100 - low))


def test_an_interval_holds_at_least_what_it_claims_when_draws_are_likely() -> None:
    """Half of all matches are draws and the rest is even: the true mean, 50, must lie within 95 of 100 intervals."""
    total = 40
    covered = 0.0
    for draws in range(total + 1):
        for wins in range(total - draws + 1):
            losses = total - draws - wins
            ways = math.factorial(total) // (math.factorial(wins) * math.factorial(draws) * math.factorial(losses))
            mean = 100 * (wins + draws / 2) / total
            low, high = wilson_interval(mean, total)
            covered += ways * 0.25**wins * 0.5**draws * 0.25**losses * (low <= 50 <= high)
    assert 0.95 <= covered <= 1


def test_the_deviation_of_wins_and_losses_is_that_of_a_percentage() -> None:
    wins, matches = 287, 300
    summary = summarise([100.0] * wins + [0.0] * (matches - wins))
    share = wins / matches
    assert summary.mean == pytest.approx(100 * share)
    assert summary.deviation == pytest.approx(100 * math.sqrt(share * (1 - share) / matches))
    assert summary.spread == pytest.approx(100 * math.sqrt(share * (1 - share)))


def test_draws_make_the_deviation_smaller() -> None:
    assert summarise([50.0] * 10).deviation == 0
    assert summarise([100.0, 50, 50, 0]).deviation == pytest.approx(math.sqrt(1250) / 2)


def test_nothing_is_known_without_results() -> None:
    assert summarise([]) == Summary(0, None, None)
    assert summarise([]).to_json() == {"count": 0, "mean": None, "interval": None, "deviation": None, "spread": None}


@pytest.mark.parametrize("results", [[101], [50, -1], [math.nan]])
def test_results_must_be_possible(results: list[float]) -> None:
    with pytest.raises(UsageError, match="from 0 to 100"):
        summarise(results)


@pytest.mark.parametrize(("mean", "count"), [(50, 0), (-1, 5), (100.5, 5), (math.nan, 5)])
def test_there_is_no_interval_of_impossible_means(mean: float, count: int) -> None:
    with pytest.raises(UsageError, match="expected at least one result"):
        wilson_interval(mean, count)

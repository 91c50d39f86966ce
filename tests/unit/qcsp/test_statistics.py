"""Statistics against published values."""

from __future__ import annotations

import math

import pytest

from woodstock.common.errors import UsageError
from woodstock.qcsp.statistics import incomplete_beta, paired_t_test, student_tail, wilson


@pytest.mark.parametrize(
    ("t", "freedom", "p"),
    [
        # The usual table of critical values.
        (12.706, 1, 0.05),
        (4.303, 2, 0.05),
        (2.571, 5, 0.05),
        (2.228, 10, 0.05),
        (3.169, 10, 0.01),
        (2.086, 20, 0.05),
        (1.984, 100, 0.05),
        (2.626, 100, 0.01),
        (1.96, 10**6, 0.05),
    ],
)
def test_student(t: float, freedom: int, p: float) -> None:
    assert student_tail(t, freedom) == pytest.approx(p, rel=2e-3)
    assert student_tail(-t, freedom) == student_tail(t, freedom)


def test_one_degree_of_freedom_is_the_cauchy_distribution() -> None:
    for t in (0.1, 0.5, 1.0, 3.0, 50.0):
        assert student_tail(t, 1) == pytest.approx(1 - 2 / math.pi * math.atan(t), rel=1e-12)
    assert student_tail(0.0, 7) == 1.0


def test_incomplete_beta_of_whole_numbers_is_a_sum_of_binomials() -> None:
    for a in range(1, 6):
        for b in range(1, 6):
            for x in (0.0, 0.1, 0.5, 0.9, 1.0):
                n = a + b - 1
                expected = sum(math.comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1))
                assert incomplete_beta(a, b, x) == pytest.approx(expected, abs=1e-13)


def test_student_sleep() -> None:
    # Student (1908): additional hours of sleep by two drugs, ten patients.
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    test = paired_t_test(first, second)
    assert (test.freedom, round(test.difference, 2), round(test.t, 4), round(test.p, 6)) == (
        9,
        -1.58,
        -4.0621,
        0.002833,
    )
    assert test.is_significant


def test_the_same_difference_everywhere() -> None:
    assert paired_t_test([1, 1], [1, 1]).p == 1.0
    test = paired_t_test([1, 1, 1], [0, 0, 0])
    assert (test.p, test.t) == (0.0, math.inf)
    with pytest.raises(UsageError, match="at least two pairs"):
        paired_t_test([1], [0])


def test_wilson() -> None:
    assert [round(end, 4) for end in wilson(0, 10)] == [0.0, 0.2775]
    assert [round(end, 4) for end in wilson(10, 10)] == [0.7225, 1.0]
    assert [round(end, 4) for end in wilson(50, 100)] == [0.4038, 0.5962]
    with pytest.raises(UsageError, match="at least one result"):
        wilson(0, 0)

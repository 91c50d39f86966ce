from __future__ import annotations

import math

import pytest

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline, Limits


class Clock:
    """A clock that a test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("woodstock.common.limits.time.monotonic", lambda: self.now)


def test_deadline_counts_down_and_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    deadline = Deadline(3)
    assert (deadline.seconds_left, deadline.expired) == (3, False)
    clock.now += 2
    assert (deadline.seconds_left, deadline.expired) == (1, False)
    clock.now += 1
    assert deadline.expired
    clock.now += 1
    assert deadline.seconds_left == 0


def test_no_deadline_never_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    deadline = Deadline(None)
    clock.now += 1e12
    assert not deadline.expired
    assert deadline.seconds_left == math.inf


def test_nothing_is_limited_unless_said() -> None:
    assert (Limits().seconds, Limits().bytes, Limits().nodes) == (None, None, None)


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"seconds": math.nan}, {"bytes": -1}, {"nodes": 0}])
def test_a_limit_is_greater_than_zero(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=rf"greater than zero, found {next(iter(wrong))} = "):
        Limits(**wrong)  # type: ignore[arg-type]

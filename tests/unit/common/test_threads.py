from __future__ import annotations

import os
import threading
import time

import pytest

from woodstock.common.threads import PinnedThreads, available_processors

needs_affinity = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="threads cannot be pinned here")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    def work(number: int) -> int:
        time.sleep(0.002 * (number % 3))  # so that later ones are done earlier
        return number * number

    with PinnedThreads(count) as threads:
        assert threads.count == count
        assert threads.map(work, range(10)) == [number * number for number in range(10)]
        assert threads.map(work, []) == []


@pytest.mark.parametrize("count", [1, 2])
def test_errors_are_raised_where_it_was_called(count: int) -> None:
    def work(number: int) -> int:
        if number == 3:
            raise KeyError(number)
        return number

    with PinnedThreads(count) as threads:
        with pytest.raises(KeyError, match="3"):
            threads.map(work, range(10))
        assert threads.map(work, [1, 2]) == [1, 2]  # it can still be used


def test_one_thread_is_that_of_the_caller() -> None:
    with PinnedThreads(1) as threads:
        assert threads.map(lambda _: threading.get_ident(), range(3)) == [threading.get_ident()] * 3


def test_several_threads_work_at_the_same_time() -> None:
    together = threading.Barrier(2, timeout=60)

    def meet(_: int) -> int:
        together.wait()
        return threading.get_ident()

    with PinnedThreads(2) as threads:
        first, second = threads.map(meet, range(2))
    assert first != second
    assert threading.get_ident() not in (first, second)


@needs_affinity
@pytest.mark.skipif(len(available_processors()) < 2, reason="there is one processor only")
def test_each_thread_has_a_processor_of_its_own() -> None:
    before = os.sched_getaffinity(0)
    together = threading.Barrier(2, timeout=60)

    def look(_: int) -> frozenset[int]:
        together.wait()
        return frozenset(os.sched_getaffinity(0))

    with PinnedThreads(2) as threads:
        first, second = threads.map(look, range(2))
    assert len(first) == len(second) == 1
    assert first != second
    assert first | second <= before
    assert os.sched_getaffinity(0) == before  # the caller stays free


@needs_affinity
def test_more_threads_than_processors_are_not_pinned() -> None:
    everywhere = os.sched_getaffinity(0)
    with PinnedThreads(len(everywhere) + 1) as threads:
        assert set(threads.map(lambda _: frozenset(os.sched_getaffinity(0)), range(3))) == {frozenset(everywhere)}


def test_without_affinity_threads_run_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    assert available_processors() == list(range(os.cpu_count() or 1))
    with PinnedThreads(2) as threads:
        assert threads.map(abs, [-1, 2]) == [1, 2]

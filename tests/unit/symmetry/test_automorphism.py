from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from naive.automorphisms import cycles, misleading_graph
from woodstock.common.errors import LimitError, UsageError, WoodstockError
from woodstock.common.limits import Deadline
from woodstock.symmetry import _automorphism
from woodstock.symmetry._automorphism import canonical_order, find_generators
from woodstock.symmetry.graphs import Graph, make_graph
from woodstock.symmetry.group import PermutationGroup

pytest.importorskip("igraph")

SQUARE = make_graph(4, [[0, 1], [1, 2], [2, 3], [3, 0]], [0] * 4)


@pytest.mark.parametrize("limit", [lambda: None, lambda: Deadline(None), lambda: Deadline(60)])
def test_generators(limit: Callable[[], Deadline | None]) -> None:
    found = find_generators(SQUARE, limit())
    assert found.finished
    assert PermutationGroup(found.permutations, 4).order == 8


def test_the_library_tells_the_order_of_a_large_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_automorphism, "OWN_WORK", 0)
    found = find_generators(Graph(9, np.zeros((0, 2), dtype=np.int32), np.zeros(9, dtype=np.int32)))
    assert found.order == 362880


def test_a_deadline_that_has_passed() -> None:
    found = find_generators(SQUARE, Deadline(0))
    assert (found.permutations, found.finished) == ([], False)


class Looks(Deadline):
    """A deadline that comes after so many looks at the clock."""

    def __init__(self, number: int) -> None:
        super().__init__(None)
        self._left = number

    @property
    def expired(self) -> bool:
        self._left -= 1
        return self._left < 0


@pytest.mark.parametrize("own_work", [0, 10_000])
def test_what_was_found_counts_when_the_library_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_work: int
) -> None:
    silent = tmp_path / "silent.py"
    silent.write_text("import time\ntime.sleep(600)\n", encoding="utf-8")
    monkeypatch.setattr(_automorphism.worker, "__file__", str(silent))
    monkeypatch.setattr(_automorphism, "OWN_WORK", own_work)
    graph = cycles(5, 5, 3)
    orders = []
    for looks in (1, 15, 25, 100):
        found = find_generators(graph, Looks(looks))
        orders.append(PermutationGroup(found.permutations, 13).order)
        assert found.finished == (orders[-1] == 1200)
    assert orders[0] == 1 < orders[1] < orders[2] <= orders[3] == 1200


def test_what_may_be_missing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tmp_path / "silent.py"
    silent.write_text("import time\ntime.sleep(600)\n", encoding="utf-8")
    monkeypatch.setattr(_automorphism.worker, "__file__", str(silent))
    found = find_generators(misleading_graph(), Looks(60))
    assert (found.finished, found.order) == (False, None)
    assert found.permutations


@pytest.mark.parametrize("limit", [lambda: None, lambda: Deadline(60)])
def test_the_library_is_asked_for_what_may_be_missing(limit: Callable[[], Deadline | None]) -> None:
    found = find_generators(misleading_graph(), limit())
    assert found.finished
    assert PermutationGroup(found.permutations, 10).order == 12


def test_a_library_that_lies_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_automorphism, "OWN_WORK", 0)
    lie = np.array([1, 0, 2, 3], dtype=np.int32).tobytes()
    monkeypatch.setattr(_automorphism.worker, "generators", lambda *_: ([lie], 2))
    with pytest.raises(WoodstockError, match="none"):
        find_generators(SQUARE)


def test_a_library_that_fails_gives_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit(1)\n", encoding="utf-8")
    monkeypatch.setattr(_automorphism.worker, "__file__", str(broken))
    assert not find_generators(misleading_graph(), Deadline(60)).finished


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_automorphism, "available", lambda: False)
    with pytest.raises(UsageError, match="igraph"):
        find_generators(SQUARE)


def test_a_canonical_order_within_a_deadline() -> None:
    graph = misleading_graph()
    assert np.array_equal(canonical_order(graph, Deadline(60)), canonical_order(graph))
    with pytest.raises(LimitError, match="no time"):
        canonical_order(graph, Deadline(0))


def test_shuffled_graphs_have_one_canonical_form() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        edges = np.argwhere(np.triu(random.random((9, 9)) < 0.35, 1))
        graph = make_graph(9, edges, random.integers(0, 2, 9).tolist())
        forms = []
        for _ in range(4):
            shuffled = graph.renamed(random.permutation(9))
            form = shuffled.renamed(canonical_order(shuffled))
            forms.append((form.edge_keys().tolist(), form.colours.tolist()))
        assert all(form == forms[0] for form in forms)


@pytest.mark.parametrize("read_as", [lambda found: found, np.argsort])
def test_either_convention_of_the_library_is_understood(monkeypatch: pytest.MonkeyPatch, read_as: object) -> None:
    original = _automorphism.worker.canonical_permutation
    monkeypatch.setattr(
        _automorphism.worker,
        "canonical_permutation",
        lambda *request: read_as(np.frombuffer(original(*request), np.int32)).astype(np.int32).tobytes(),  # type: ignore[operator]
    )
    _automorphism._gives_new_numbers.cache_clear()
    try:
        test_shuffled_graphs_have_one_canonical_form()
    finally:
        _automorphism._gives_new_numbers.cache_clear()

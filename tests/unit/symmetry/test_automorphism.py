from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from woodstock.common.errors import UsageError, WoodstockError
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


def test_the_library_tells_the_order_of_a_large_group() -> None:
    found = find_generators(Graph(9, np.zeros((0, 2), dtype=np.int32), np.zeros(9, dtype=np.int32)))
    assert found.order == 362880


def test_a_deadline_that_has_passed() -> None:
    found = find_generators(SQUARE, Deadline(0))
    assert (found.permutations, found.finished) == ([], False)


def test_a_library_that_lies_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    lie = np.array([1, 0, 2, 3], dtype=np.int32).tobytes()
    monkeypatch.setattr(_automorphism.worker, "generators", lambda *_: ([lie], 2))
    with pytest.raises(WoodstockError, match="none"):
        find_generators(SQUARE)


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_automorphism, "available", lambda: False)
    with pytest.raises(UsageError, match="igraph"):
        find_generators(SQUARE)


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
        lambda *request: np.asarray(read_as(np.array(original(*request)))).tolist(),  # type: ignore[operator]
    )
    _automorphism._gives_new_numbers.cache_clear()
    try:
        test_shuffled_graphs_have_one_canonical_form()
    finally:
        _automorphism._gives_new_numbers.cache_clear()

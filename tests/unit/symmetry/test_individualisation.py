from __future__ import annotations

import numpy as np
import pytest

from naive.automorphisms import count_automorphisms, cycles, misleading_graph, random_graph
from woodstock.symmetry.graphs import Graph
from woodstock.symmetry.group import PermutationGroup
from woodstock.symmetry.individualisation import OwnSearch


def run(graph: Graph, largest: bool = True, steps: int = 10_000) -> OwnSearch:
    search = OwnSearch(graph, largest)
    while steps > 0 and search.step():
        steps -= 1
    return search


@pytest.mark.parametrize("largest", [True, False])
def test_small_graphs_have_the_automorphisms_that_brute_force_finds(largest: bool) -> None:
    random = np.random.default_rng(1)
    for _ in range(60):
        graph = random_graph(random, int(random.integers(1, 7)))
        search = run(graph, largest)
        assert search.finished
        assert search.order == count_automorphisms(graph)
        assert PermutationGroup(search.generators, graph.num_vertices).order == search.order


@pytest.mark.parametrize(("lengths", "order"), [((3, 3), 72), ((3, 4), 48), ((4, 4, 3), 768), ((5, 5, 4, 3), 9600)])
def test_cycles(lengths: tuple[int, ...], order: int) -> None:
    for largest in (True, False):
        search = run(cycles(*lengths), largest)
        assert (search.order, search.finished) == (order, True)


@pytest.mark.parametrize("largest", [True, False])
def test_it_knows_when_it_may_have_missed_something(largest: bool) -> None:
    search = run(misleading_graph(), largest)
    assert not search.finished
    assert PermutationGroup(search.generators, 10).order == (12 if largest else 4)


def test_what_was_found_counts_after_any_number_of_steps() -> None:
    graph = cycles(5, 5, 3)
    found = [run(graph, steps=steps) for steps in range(60)]
    orders = [PermutationGroup(search.generators, 13).order for search in found]
    assert orders == sorted(orders)
    assert orders[0] == 1 < orders[20] < orders[-1] == 1200
    assert all(graph.is_automorphism(image) for search in found for image in search.generators)
    assert [search.finished for search in found].count(True) > 0
    assert all(order == 1200 for search, order in zip(found, orders, strict=True) if search.finished)

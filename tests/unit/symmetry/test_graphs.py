from __future__ import annotations

import numpy as np

from woodstock.symmetry.graphs import make_graph


def test_parallel_edges_become_one_and_colours_become_numbers() -> None:
    graph = make_graph(3, [[0, 1], [1, 0], [2, 1]], ["b", "a", "b"])
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.colours.tolist() == [1, 0, 1]


def test_an_automorphism_keeps_edges_and_colours() -> None:
    path = make_graph(3, [[0, 1], [1, 2]], [0, 0, 0])
    assert path.is_automorphism([2, 1, 0])
    assert not path.is_automorphism([1, 0, 2])
    assert not make_graph(3, [[0, 1], [1, 2]], [0, 0, 1]).is_automorphism([2, 1, 0])


def test_a_renamed_graph_has_its_colours_moved_along() -> None:
    renamed = make_graph(3, [[0, 1]], ["a", "b", "c"]).renamed([2, 0, 1])
    assert renamed.colours.tolist() == [1, 2, 0]
    assert np.sort(renamed.edges[0]).tolist() == [0, 2]

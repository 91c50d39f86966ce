"""Automorphism groups of tiny random graphs, beside all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from woodstock.symmetry._automorphism import find_generators
from woodstock.symmetry.graphs import make_graph
from woodstock.symmetry.group import PermutationGroup

pytest.importorskip("igraph")


@pytest.mark.parametrize("seed", range(30))
def test_the_group_is_that_of_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 7))
    edges = np.argwhere(np.triu(random.random((size, size)) < random.random(), 1))
    graph = make_graph(size, edges, random.integers(0, 1 + seed % 3, size).tolist())
    expected = {image for image in permutations(range(size)) if graph.is_automorphism(image)}
    found = find_generators(graph)
    group = PermutationGroup(found.permutations, size, found.order)
    assert {tuple(each) for each in group.elements().tolist()} == expected

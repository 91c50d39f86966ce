"""Automorphisms and colour refinement by their definitions."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from woodstock.symmetry.graphs import Graph, make_graph


def count_automorphisms(graph: Graph) -> int:
    """Try all permutations."""
    return sum(graph.is_automorphism(image) for image in permutations(range(graph.num_vertices)))


def refine_colours(graph: Graph) -> list[int]:
    """Colour the vertices by their colours and those of their neighbours until no more colours appear."""
    neighbours: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for one, other in graph.edges.tolist():
        neighbours[one].append(other)
        neighbours[other].append(one)
    colours: list[int] = graph.colours.tolist()
    while True:
        views = [(colours[vertex], sorted(colours[each] for each in near)) for vertex, near in enumerate(neighbours)]
        numbers = {view: number for number, view in enumerate(sorted({(one, tuple(rest)) for one, rest in views}))}
        finer = [numbers[one, tuple(rest)] for one, rest in views]
        if len(set(finer)) == len(set(colours)):
            return finer
        colours = finer


def random_graph(random: np.random.Generator, num_vertices: int, num_colours: int = 2) -> Graph:
    """Return a graph with edges at random, more or fewer of them."""
    edges = np.argwhere(np.triu(random.random((num_vertices, num_vertices)) < random.random(), 1))
    return make_graph(num_vertices, edges, random.integers(0, num_colours, num_vertices).tolist())


def cycles(*lengths: int) -> Graph:
    """Return a graph of some cycles."""
    edges, first = [], 0
    for length in lengths:
        edges += [(first + number, first + (number + 1) % length) for number in range(length)]
        first += length
    return make_graph(first, edges, [0] * first)


def misleading_graph() -> Graph:
    """Return a graph with 12 automorphisms: refinement takes vertices for alike that are not."""
    links = "02 04 07 13 14 18 25 26 35 37 48 56 69 79 89"
    return make_graph(10, [[int(one), int(other)] for one, other in links.split()], [0] * 10)

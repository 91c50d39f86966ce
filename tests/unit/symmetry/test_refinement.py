from __future__ import annotations

import numpy as np

from naive.automorphisms import cycles, random_graph, refine_colours
from woodstock.symmetry.refinement import neighbours_of, partition_of, reduce_graph
from woodstock.symmetry.refinement_kernels import keeps_edges, make_work, refine, restore, single_out


def test_cells_are_as_the_definition_has_them() -> None:
    random = np.random.default_rng(5)
    for _ in range(60):
        graph = random_graph(random, int(random.integers(1, 30)))
        partition, work = partition_of(graph), make_work(graph.num_vertices)
        refine(neighbours_of(graph), partition, work, -1, 0)
        expected = refine_colours(graph)
        pairs = set(zip(partition.cell.tolist(), expected, strict=True))
        assert len(pairs) == len(set(expected)) == len(set(partition.cell.tolist()))
        assert partition.order[partition.place].tolist() == list(range(graph.num_vertices))
        for place, vertex in enumerate(partition.order.tolist()):
            cell = int(partition.cell[vertex])
            assert cell <= place < cell + partition.length[cell]
        assert not any(array.any() for array in (work.queued, work.near, work.in_cell))


def test_names_of_vertices_do_not_matter() -> None:
    random = np.random.default_rng(6)
    for _ in range(30):
        size = int(random.integers(4, 30))
        graph = random_graph(random, size, 1)
        image = random.permutation(size).astype(np.int32)
        other = graph.renamed(image)
        traces = []
        for each, vertex in ((graph, 0), (other, int(image[0]))):
            partition, work = partition_of(each), make_work(size)
            trace = refine(neighbours_of(each), partition, work, -1, 0)
            if partition.length[partition.cell[vertex]] > 1:
                place = single_out(partition, vertex, 1)
                trace = (trace, refine(neighbours_of(each), partition, work, place, 1))
            traces.append((trace, (partition.born <= 1).tolist()))
        assert traces[0] == traces[1]


def test_the_partition_of_a_level_comes_back() -> None:
    graph = cycles(4, 4)
    neighbours, work = neighbours_of(graph), make_work(8)
    partition = partition_of(graph)
    refine(neighbours, partition, work, -1, 0)
    before = [set(np.flatnonzero(partition.cell == cell).tolist()) for cell in np.unique(partition.cell)]
    refine(neighbours, partition, work, single_out(partition, 5, 1), 1)
    assert len(np.unique(partition.cell)) == 4
    back = partition_of(graph)
    restore(partition, 0, back)
    assert [set(np.flatnonzero(back.cell == cell).tolist()) for cell in np.unique(back.cell)] == before
    assert back.length[0] == 8


def test_what_stays_in_its_place_is_left_out() -> None:
    random = np.random.default_rng(7)
    for _ in range(30):
        graph = random_graph(random, int(random.integers(1, 20)))
        reduced = reduce_graph(graph)
        colours = refine_colours(graph)
        assert reduced.vertices.tolist() == [v for v, colour in enumerate(colours) if colours.count(colour) > 1]
        number = {vertex: place for place, vertex in enumerate(reduced.vertices.tolist())}
        inner = {tuple(sorted((number[a], number[b]))) for a, b in graph.edges.tolist() if a in number and b in number}
        assert {tuple(sorted(edge)) for edge in reduced.graph.edges.tolist()} == inner
        still = np.arange(len(number), dtype=np.int32)
        assert reduced.whole(still).tolist() == list(range(graph.num_vertices))


def test_edges_are_compared() -> None:
    random = np.random.default_rng(8)
    answers = set()
    for _ in range(300):
        graph = random_graph(random, 5, 1)
        image = random.permutation(5).astype(np.int32)
        marks = np.zeros(5, dtype=np.bool_)
        answer = bool(keeps_edges(neighbours_of(graph), image, marks))
        assert answer == graph.is_automorphism(image)
        assert not marks.any()
        answers.add(answer)
    assert answers == {True, False}

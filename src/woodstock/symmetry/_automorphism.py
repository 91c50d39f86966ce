"""The door to the libraries that find automorphisms of coloured graphs: igraph, which has Bliss inside, and nauty.

Vertices that refinement tells apart from all others are left out. What remains is searched by ourselves first
(`woodstock.symmetry.individualisation`), which suffices for most rule sheets; otherwise a library is asked. It runs in
a process of its own, so that it can be ended at any time. If it has to be, what was found until then counts.

Nothing that comes through this door is believed: what is found is checked against the graph, and whoever makes a
symmetry of it checks that against the rules. igraph's convention for canonical permutations differs between its
documents and its code; it is found out by trying.
"""

from __future__ import annotations

import marshal
import sys
import time
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from importlib.util import find_spec
from typing import Final

import numpy as np

from woodstock.common.errors import LimitError, UsageError, WoodstockError
from woodstock.common.limits import Deadline
from woodstock.symmetry import _automorphism_worker as worker
from woodstock.symmetry import _dreadnaut
from woodstock.symmetry._process import Child
from woodstock.symmetry.graphs import Graph, Int32Array
from woodstock.symmetry.individualisation import OwnSearch
from woodstock.symmetry.refinement import reduce_graph

MISSING = "symmetries need the package igraph: pip install 'woodstock-ggp[symmetry]'"
NO_DREADNAUT = f"the program {_dreadnaut.PROGRAM} of nauty is not installed"
OWN_WORK: Final = 10_000_000
"""Vertices times steps of each own search before a library is asked: about a second."""
LARGE: Final = 150_000
"""From so many vertices on nauty is asked, where it is installed: there it is many times faster than igraph."""
POLL_SECONDS: Final = 0.02
"""Time between two looks at the clock."""


class Library(Enum):
    """Who is asked for what the own search may have missed."""

    AUTO = "auto"
    IGRAPH = "igraph"
    DREADNAUT = "dreadnaut"


@dataclass(frozen=True, eq=False)
class Generators:
    """What was found.

    Attributes:
        permutations: Automorphisms that generate the group, given by the image of each vertex.
        order: The order of the group; None if it is not known.
        finished: Whether there are no others: nothing was cut short by the deadline.
        seconds: How long it took.
    """

    permutations: list[Int32Array]
    order: int | None
    finished: bool
    seconds: float


def available() -> bool:
    """Tell whether the library is installed."""
    return find_spec("igraph") is not None


def require() -> None:
    """Say what is missing.

    Raises:
        UsageError: The library is not installed.
    """
    if not available():
        raise UsageError(MISSING)


def find_generators(graph: Graph, deadline: Deadline | None = None, library: Library = Library.AUTO) -> Generators:
    """Find generators of the automorphism group of a graph.

    Args:
        graph: The graph.
        deadline: When to stop. A library then runs in a process of its own; without a deadline igraph runs in this one.
        library: Who is asked for what the own search may have missed.

    Raises:
        UsageError: The library is not installed.
        WoodstockError: The library gave something that is no automorphism.
    """
    require()
    started = time.monotonic()
    if deadline is not None and deadline.expired:
        return Generators([], None, False, 0.0)
    reduced = reduce_graph(graph)
    found = _search(reduced.graph, deadline, _chosen(library, reduced.graph))
    permutations = [reduced.whole(image) for image in found.permutations]
    if not all(graph.is_automorphism(each) for each in permutations):
        raise WoodstockError("the library for automorphisms gave a permutation that is none")
    return Generators(permutations, found.order, found.finished, time.monotonic() - started)


def _chosen(library: Library, graph: Graph) -> Library:
    """Return the library to be asked for a graph.

    Raises:
        UsageError: The library that was asked for is not installed.
    """
    if library is Library.DREADNAUT and _dreadnaut.find_program() is None:
        raise UsageError(NO_DREADNAUT)
    if library is not Library.AUTO:
        return library
    is_large = graph.num_vertices >= LARGE and _dreadnaut.find_program() is not None
    return Library.DREADNAUT if is_large else Library.IGRAPH


def _search(graph: Graph, deadline: Deadline | None, library: Library) -> Generators:
    """Search a graph ourselves, then let a library do it if that may have missed something."""
    if graph.num_vertices == 0:
        return Generators([], 1, True, 0.0)
    own: list[OwnSearch] = []
    for largest in (True, False):
        own.append(OwnSearch(graph, largest))
        steps = OWN_WORK // graph.num_vertices
        while steps > 0 and (deadline is None or not deadline.expired) and own[-1].step():
            steps -= 1
        if own[-1].finished:
            return _result_of(own)
    if deadline is None and library is Library.IGRAPH:
        return _read_igraph(worker.generators(*_request(graph)))
    found = _ask(graph, deadline or Deadline(None), library, own)
    if found is not None and found.finished:
        return found
    result = _result_of(own)  # which may have come to its end while nobody answered
    if found is None or result.finished:
        return result
    return replace(result, permutations=[*found.permutations, *result.permutations])


def _result_of(own: list[OwnSearch]) -> Generators:
    """Return what a search of our own that is finished has found, or else what all of them have."""
    for search in own:
        if search.finished:
            return Generators(search.generators, search.order, True, 0.0)
    return Generators([image for search in own for image in search.generators], None, False, 0.0)


def _ask(graph: Graph, deadline: Deadline, library: Library, own: list[OwnSearch]) -> Generators | None:
    """Ask a library in a process of its own, and go on with own searches until it answers or the deadline comes."""
    if deadline.expired:
        return None
    with _start(graph, library) as child:
        while not child.wait(0.0) and not deadline.expired:
            if not any(search.step() for search in own):
                child.wait(min(POLL_SECONDS, deadline.seconds_left))
        data = child.end()
    if not data:
        return None
    if library is Library.IGRAPH:
        return _read_igraph(marshal.loads(data))
    answer = _dreadnaut.read_answer(data, graph.num_vertices)
    return Generators(answer.permutations, answer.order, answer.finished, 0.0)


def _start(graph: Graph, library: Library) -> Child:
    if library is Library.IGRAPH:
        return Child([sys.executable, "-P", worker.__file__], marshal.dumps(_request(graph)))
    program = _dreadnaut.find_program()
    assert program is not None
    return Child([program], _dreadnaut.write_request(graph), ends_when_interrupted=True)


def _read_igraph(answer: tuple[list[bytes], int]) -> Generators:
    found = [np.frombuffer(each, dtype=np.int32) for each in answer[0]]
    return Generators(found, answer[1] or None, True, 0.0)


def canonical_order(graph: Graph, deadline: Deadline | None = None) -> Int32Array:
    """Return the canonical number of each vertex: graphs that differ in their numbering alone become the same graph.

    Args:
        graph: The graph.
        deadline: When to stop; the library then runs in a process of its own, otherwise in this one.

    Raises:
        UsageError: The library is not installed.
        LimitError: The deadline comes first.
    """
    require()
    request = _request(graph)
    answer = worker.canonical_permutation(*request) if deadline is None else _ask_for_order(request, deadline)
    found = np.frombuffer(answer, dtype=np.int32)
    return found if _gives_new_numbers() else _inverse(found)


def _ask_for_order(request: tuple[int, bytes, bytes], deadline: Deadline) -> bytes:
    """Ask igraph for a canonical permutation, in a process of its own."""
    data = b""
    if not deadline.expired:
        with Child([sys.executable, "-P", worker.__file__, worker.CANONICAL], marshal.dumps(request)) as child:
            while not child.wait(min(POLL_SECONDS, deadline.seconds_left)) and not deadline.expired:
                pass
            data = child.end()
    if not data:
        raise LimitError("no time for a canonical order of a graph")
    answer: bytes = marshal.loads(data)
    return answer


def _inverse(permutation: Int32Array) -> Int32Array:
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(len(permutation), dtype=np.int32)
    return inverse


def _request(graph: Graph) -> tuple[int, bytes, bytes]:
    edges = np.ascontiguousarray(graph.edges, dtype=np.int32)
    return graph.num_vertices, edges.tobytes(), np.ascontiguousarray(graph.colours, dtype=np.int32).tobytes()


@cache
def _gives_new_numbers() -> bool:
    """Tell whether igraph's canonical permutation is indexed by old vertices (its documents) or by new ones.

    A graph and a shuffled copy of it have one canonical form; read the wrong way round, the two differ.
    """
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [1, 4], [5, 6], [6, 7]], dtype=np.int32)
    graph = Graph(8, edges, np.array([0, 0, 0, 0, 0, 1, 0, 0], dtype=np.int32))
    shuffles = [np.array(image, dtype=np.int32) for image in ([3, 1, 4, 0, 5, 7, 2, 6], [7, 6, 1, 2, 0, 4, 3, 5])]
    fits = []
    for read in (lambda found: found, _inverse):
        forms = [graph.renamed(shuffle) for shuffle in [np.arange(8, dtype=np.int32), *shuffles]]
        answers = [worker.canonical_permutation(*_request(form)) for form in forms]
        orders = [read(np.frombuffer(answer, dtype=np.int32)) for answer in answers]
        results = [form.renamed(order) for form, order in zip(forms, orders, strict=True)]
        fits.append(all(np.array_equal(one.edge_keys(), results[0].edge_keys()) for one in results))
    if fits.count(True) != 1:
        raise WoodstockError("the library's canonical permutations cannot be understood")
    return fits[0]

"""The door to the library that finds automorphisms of coloured graphs: igraph, which has Bliss inside.

Nothing that comes through this door is believed: what is found is checked against the graph, and whoever makes a
symmetry of it checks that against the rules. igraph's convention for canonical permutations differs between its
documents and its code; it is found out by trying.
"""

from __future__ import annotations

import marshal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

import numpy as np

from woodstock.common.errors import UsageError, WoodstockError
from woodstock.common.limits import Deadline
from woodstock.symmetry import _automorphism_worker as worker
from woodstock.symmetry.graphs import Graph, Int32Array

MISSING = "symmetries need the package igraph: pip install 'woodstock-ggp[symmetry]'"


@dataclass(frozen=True, eq=False)
class Generators:
    """What the library found.

    Attributes:
        permutations: Automorphisms that generate the group, given by the image of each vertex.
        order: The order of the group as the library says it; None if it was not asked.
        finished: Whether the library came to its end before the deadline.
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


def find_generators(graph: Graph, deadline: Deadline | None = None) -> Generators:
    """Find generators of the automorphism group of a graph.

    Args:
        graph: The graph.
        deadline: When the library is stopped; it then runs in a process of its own, otherwise in this one.

    Raises:
        UsageError: The library is not installed.
        WoodstockError: The library gave something that is no automorphism.
    """
    require()
    started = time.monotonic()
    request = _request(graph)
    answer = worker.generators(*request) if deadline is None else _ask(request, deadline)
    if answer is None:
        return Generators([], None, False, time.monotonic() - started)
    found = [np.frombuffer(each, dtype=np.int32) for each in answer[0]]
    if not all(graph.is_automorphism(each) for each in found):
        raise WoodstockError("the library for automorphisms gave a permutation that is none")
    return Generators(found, answer[1] or None, True, time.monotonic() - started)


def canonical_order(graph: Graph) -> Int32Array:
    """Return the canonical number of each vertex: graphs that differ in their numbering alone become the same graph.

    Raises:
        UsageError: The library is not installed.
    """
    require()
    found = np.array(worker.canonical_permutation(*_request(graph)), dtype=np.int32)
    return found if _gives_new_numbers() else _inverse(found)


def _inverse(permutation: Int32Array) -> Int32Array:
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(len(permutation), dtype=np.int32)
    return inverse


def _request(graph: Graph) -> tuple[int, bytes, bytes]:
    edges = np.ascontiguousarray(graph.edges, dtype=np.int32)
    return graph.num_vertices, edges.tobytes(), np.ascontiguousarray(graph.colours, dtype=np.int32).tobytes()


def _ask(request: tuple[int, bytes, bytes], deadline: Deadline) -> tuple[list[bytes], int] | None:
    """Ask in a process of its own; None if there is no answer before the deadline."""
    seconds = deadline.seconds_left
    if seconds <= 0:
        return None
    process = subprocess.Popen([sys.executable, "-P", worker.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    timeout = None if seconds == float("inf") else seconds
    try:
        process.stdin.write(marshal.dumps(request))
        process.stdin.flush()
        return _answer(process, timeout)
    except BrokenPipeError:
        return None
    finally:
        process.kill()
        process.communicate()


def _answer(process: subprocess.Popen[bytes], timeout: float | None) -> tuple[list[bytes], int] | None:
    """Read the answer, which ends with the process."""
    assert process.stdout is not None
    timer = threading.Timer(threading.TIMEOUT_MAX if timeout is None else timeout, process.kill)
    timer.daemon = True
    timer.start()
    try:
        data = process.stdout.read()
    finally:
        timer.cancel()
    if process.wait() != 0 or not data:
        return None
    answer: tuple[list[bytes], int] = marshal.loads(data)
    return answer


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
        orders = [read(np.array(worker.canonical_permutation(*_request(form)), dtype=np.int32)) for form in forms]
        results = [form.renamed(order) for form, order in zip(forms, orders, strict=True)]
        fits.append(all(np.array_equal(one.edge_keys(), results[0].edge_keys()) for one in results))
    if fits.count(True) != 1:
        raise WoodstockError("the library's canonical permutations cannot be understood")
    return fits[0]

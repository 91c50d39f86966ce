from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from naive.automorphisms import cycles, misleading_graph, random_graph
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.symmetry import _automorphism, _dreadnaut
from woodstock.symmetry._automorphism import Library, find_generators
from woodstock.symmetry._dreadnaut import read_answer, write_request
from woodstock.symmetry.graphs import Graph, make_graph
from woodstock.symmetry.group import PermutationGroup

pytest.importorskip("igraph")

IMITATION = """#!{python}
import signal, sys, time
def stop(*_):
    sys.stdout.flush()
    sys.exit(0)
signal.signal(signal.SIGINT, stop)
open({request!r}, "w").write(sys.stdin.read())
print("[fixing partition]")
print({lines!r})
if {endless}:
    open({request!r} + ".ready", "w")
    time.sleep(600)
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, lines: str, endless: bool = False) -> Path:
    """Put a program on the path that prints some lines, and return where it writes what it was asked."""
    program, request = folder / "dreadnaut", folder / "request.txt"
    text = IMITATION.format(python=sys.executable, request=str(request), lines=lines, endless=endless)
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(_automorphism, "OWN_WORK", 0)
    return request


class When(Deadline):
    """A deadline that comes when a file is there."""

    def __init__(self, path: Path) -> None:
        super().__init__(None)
        self._path = path

    @property
    def expired(self) -> bool:
        return self._path.exists()


def test_a_graph_is_written_with_all_its_colours() -> None:
    graph = make_graph(5, [[3, 1], [0, 1], [4, 0]], [1, 0, 1, 0, 2])
    assert write_request(graph) == b"l=0 -m p As n=5 g\n0:1 4;\n1:3.\nf=[1,3|0,2|4] x q\n"
    empty = Graph(2, np.zeros((0, 2), dtype=np.int32), np.zeros(2, dtype=np.int32))
    assert write_request(empty) == b"l=0 -m p As n=2 g\n.\nf=[0,1] x q\n"


@pytest.mark.parametrize(
    ("text", "images", "order", "finished"),
    [
        ("[fixing partition]\n 1 0 2\n2 orbits; grpsize=2; 1 gen; 3 nodes\ncpu\n", [[1, 0, 2]], 2, True),
        (" 1 0 2\n 0 2 1\n1 orbit; grpsize=6.097175461031e235; 2 gens\n", [[1, 0, 2], [0, 2, 1]], None, True),
        (" 1 0 2\n 0 2", [[1, 0, 2]], None, False),
        (" 1 0 2\n 0 2 1", [[1, 0, 2]], None, False),
        ("3 orbits; grpsize=1; 0 gens; 1 node; maxlev=1\n", [], 1, True),
        ("", [], None, False),
    ],
)
def test_answers_are_read_as_far_as_they_go(
    text: str, images: list[list[int]], order: int | None, finished: bool
) -> None:
    answer = read_answer(text.encode(), 3)
    assert [image.tolist() for image in answer.permutations] == images
    assert (answer.order, answer.finished) == (order, finished)


def test_the_program_is_asked_by_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = install(tmp_path, monkeypatch, " 1 2 3 0\n 0 3 2 1\n1 orbit; grpsize=8; 2 gens")
    for deadline in (None, Deadline(60)):
        found = find_generators(cycles(4), deadline, Library.DREADNAUT)
        assert ([each.tolist() for each in found.permutations], found.order) == ([[1, 2, 3, 0], [0, 3, 2, 1]], 8)
        assert found.finished
    assert request.read_bytes() == write_request(cycles(4))


def test_the_program_is_asked_for_large_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = install(tmp_path, monkeypatch, " 1 2 3 0\n1 orbit; grpsize=8; 2 gens")
    find_generators(cycles(4), Deadline(60))
    assert not request.exists()
    monkeypatch.setattr(_automorphism, "LARGE", 4)
    find_generators(cycles(4), Deadline(60))
    assert request.exists()


def test_what_was_printed_before_the_deadline_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = install(tmp_path, monkeypatch, " 1 2 3 0\n 0 3", endless=True)
    monkeypatch.setattr(_automorphism.OwnSearch, "step", lambda self: False)
    monkeypatch.setattr("woodstock.symmetry._process.GRACE_SECONDS", 60.0)
    found = find_generators(cycles(4), When(request.with_suffix(".txt.ready")), Library.DREADNAUT)
    assert [each.tolist() for each in found.permutations] == [[1, 2, 3, 0]]
    assert not found.finished


def test_a_program_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_dreadnaut, "find_program", lambda: None)
    with pytest.raises(UsageError, match="dreadnaut"):
        find_generators(cycles(4), None, Library.DREADNAUT)


@pytest.mark.skipif(_dreadnaut.find_program() is None, reason="dreadnaut is not installed")
def test_the_real_program_finds_what_igraph_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_automorphism, "OWN_WORK", 0)
    random = np.random.default_rng(2)
    graphs = [random_graph(random, int(random.integers(1, 12))) for _ in range(20)]
    for graph in [*graphs, misleading_graph(), cycles(3, 3, 4), cycles(5, 5)]:
        orders = [
            PermutationGroup(find_generators(graph, limit, library).permutations, graph.num_vertices).order
            for library, limit in ((Library.IGRAPH, None), (Library.DREADNAUT, Deadline(60)))
        ]
        assert orders[0] == orders[1]

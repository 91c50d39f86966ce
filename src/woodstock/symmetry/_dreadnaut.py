"""The text that `dreadnaut`, the program of nauty, is given and gives: automorphisms of very large sparse graphs.

It is used where it is installed. It prints every generator when it finds it; interrupted, it prints no more and ends,
so what it found until then is known.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import Final

import numpy as np

from woodstock.symmetry.graphs import Graph, Int32Array

PROGRAM: Final = "dreadnaut"
_SETTINGS: Final = "l=0 -m p As"
"""No line is broken, no levels are told, automorphisms are lists of images, graphs are sparse."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What the program printed.

    Attributes:
        permutations: Generators, given by the image of each vertex.
        order: The order of the group; None if it is not told exactly.
        finished: Whether the program came to its end.
    """

    permutations: list[Int32Array]
    order: int | None
    finished: bool


def find_program() -> str | None:
    """Return where the program is, or None if it is not installed."""
    return shutil.which(PROGRAM)


def write_request(graph: Graph) -> bytes:
    r"""Return what asks for the generators of a graph.

    >>> write_request(Graph(3, np.array([[0, 1], [2, 1]], dtype=np.int32), np.array([4, 2, 4], dtype=np.int32)))
    b'l=0 -m p As n=3 g\n0:1;\n1:2.\nf=[1|0,2] x q\n'
    """
    lower, upper = graph.edges.min(axis=1, initial=graph.num_vertices), graph.edges.max(axis=1, initial=0)
    order = np.argsort(lower, kind="stable")
    vertices, first = np.unique(lower[order], return_index=True)
    lists = np.split(upper[order], first[1:]) if len(vertices) else []
    lines = [f"{vertex}:{' '.join(map(str, ends.tolist()))}" for vertex, ends in zip(vertices, lists, strict=True)]
    by_colour = np.argsort(graph.colours, kind="stable")
    _, start = np.unique(graph.colours[by_colour], return_index=True)
    cells = [",".join(map(str, cell.tolist())) for cell in np.split(by_colour, start[1:])]
    edges = ";\n".join(lines)
    return f"{_SETTINGS} n={graph.num_vertices} g\n{edges}.\nf=[{'|'.join(cells)}] x q\n".encode()


def read_answer(data: bytes, num_vertices: int) -> Answer:
    r"""Read what the program printed, as far as it got.

    >>> answer = read_answer(b"[fixing partition]\n 2 1 0\n2 orbits; grpsize=2; 1 gen; 3 nodes; maxlev=2\n", 3)
    >>> answer.permutations[0].tolist(), answer.order, answer.finished
    ([2, 1, 0], 2, True)
    """
    permutations: list[Int32Array] = []
    for line in data.split(b"\n")[:-1]:  # what follows the last line is one that was cut off
        if b"grpsize=" in line:
            size = line.split(b"grpsize=")[1].split(b";")[0].strip()
            return Answer(permutations, int(size) if size.isdigit() else None, True)
        words = line.split()
        if len(words) == num_vertices and all(word.isdigit() for word in words):
            permutations.append(np.array(words, dtype=np.int32))
    return Answer(permutations, None, False)

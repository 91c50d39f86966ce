"""What igraph is asked for; run by its path it is a process that can be ended at any time.

As a process it reads one request from standard input and writes one answer to standard output, both `marshal`: it
imports nothing of ours, and nothing that takes long, since its start counts. It ends with whoever started it.
"""

from __future__ import annotations

import marshal
import os
import sys
import threading
from array import array
from typing import Any

HEURISTIC = "fl"
"""Bliss splits the first of the largest cells: of all choices the quickest on ground programs."""
CANONICAL = "canonical"
"""The argument of a process that is asked for a canonical permutation."""
FEW = 6
"""The order of a group with that many generators is soon counted without igraph, which takes as long to count as to
find; it is asked for more."""


def generators(num_vertices: int, edges: bytes, colours: bytes) -> tuple[list[bytes], int]:
    """Return generators of the automorphism group of a graph, and its order or 0; all arrays are int32."""
    graph = _graph(num_vertices, edges)
    shades = array("i", colours).tolist()
    found = graph.automorphism_group(sh=HEURISTIC, color=shades)
    order = graph.count_automorphisms(sh=HEURISTIC, color=shades) if len(found) > FEW else 0
    return [array("i", each).tobytes() for each in found], int(order)


def canonical_permutation(num_vertices: int, edges: bytes, colours: bytes) -> bytes:
    """Return igraph's canonical permutation of a graph, in igraph's own convention, int32."""
    graph = _graph(num_vertices, edges)
    return array("i", graph.canonical_permutation(sh=HEURISTIC, color=array("i", colours).tolist())).tobytes()


def _graph(num_vertices: int, edges: bytes) -> Any:
    import igraph  # type: ignore[import-untyped]

    ends = array("i", edges)
    return igraph.Graph(num_vertices, list(zip(ends[0::2], ends[1::2], strict=True)))


def _die_with_parent() -> None:
    """End when the parent's end of the pipe closes: the parent has gone."""
    sys.stdin.buffer.read(1)
    os._exit(1)


def main() -> int:
    """Serve one request: (number of vertices, edges, colours), for generators unless the argument says otherwise."""
    request = marshal.load(sys.stdin.buffer)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    try:
        answer = canonical_permutation(*request) if CANONICAL in sys.argv else generators(*request)
    except MemoryError:
        return 1
    marshal.dump(answer, sys.stdout.buffer)
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    os._exit(main())

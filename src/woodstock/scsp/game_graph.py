"""The graph of a network in the language DOT: variables, constraints, and which constraint is about which variable."""

from __future__ import annotations

from typing import Final, TextIO

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.network import Network
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_vars import VarKind
from woodstock.scsp.scopes import count_rows, mentions

MAX_VERTICES: Final = 5000
"""Most variables and constraints of a graph: a larger one cannot be drawn, let alone read."""

_COLOURS: Final = {
    VarKind.FLUENT: "lightblue",
    VarKind.TERMINAL: "lightgrey",
    VarKind.UTILITY: "gold",
    VarKind.CHANCE_LEGAL: "mistyrose",
    VarKind.ACTION: "palegreen",
    VarKind.CHANCE: "salmon",
    VarKind.PERCEPT: "plum",
    VarKind.AUXILIARY: "white",
}


def write_dot(game: GameNetwork, out: TextIO, network: Network | None = None) -> None:
    """Write the graph of a game's network: ellipses are variables, boxes constraints, dashed ones soft.

    Args:
        game: The game's network.
        out: Where it is written.
        network: The same with further constraints, if there are some.

    Raises:
        UsageError: It has too many vertices.
    """
    network = game.network if network is None else network
    entries = [*network.constraints, *network.utilities]
    total = network.num_vars + sum(map(count_rows, entries))
    if total > MAX_VERTICES:
        raise UsageError(f"expected at most {MAX_VERTICES} variables and constraints to draw, found {total}")
    out.write("graph network {\n  node [style=filled];\n")
    for var, name in enumerate(network.names):
        colour = _COLOURS[VarKind(int(game.kinds[var]))]
        out.write(f"  v{var} [label={_quoted(name)}, fillcolor={colour}];\n")
    first = 0
    for entry in entries:
        style = ', style="filled,dashed"' if entry in network.utilities else ""
        label = type(entry).__name__.lower().removesuffix("s")
        for row in range(count_rows(entry)):
            out.write(f"  c{first + row} [label={label}, shape=box, fillcolor=white{style}];\n")
        edges = np.unique(np.stack(mentions(network, entry), axis=1), axis=0)
        for row, var in edges.tolist():
            out.write(f"  c{first + row} -- v{var};\n")
        first += count_rows(entry)
    out.write("}\n")


def _quoted(text: str) -> str:
    r"""Return a text as DOT writes it.

    >>> print(_quoted('say "x"'))
    "say \"x\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

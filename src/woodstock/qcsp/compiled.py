"""A quantified network as arrays for kernels.

Sets of values are *masks*: the bit of a place is set if the value is in the set. A constraint of two variables becomes
two *edges*, one to each of them. An edge has two tables: what the values of a set at its source support at its target,
and what they conflict with there; both are looked up for four values at once (a *nibble*) and joined. All other
constraints become diagrams (`woodstock.qcsp.diagrams`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import UsageError
from woodstock.common.jit import jit
from woodstock.cp.constraints import Int32Array, Int64Array, Table
from woodstock.qcsp.diagrams import REJECT, Diagram, diagrams_of
from woodstock.qcsp.network import QuantifiedNetwork

MAX_VALUES: Final = 62
"""The most values of a variable: a mask is a positive 64-bit number."""

MAX_TURNS: Final = 4000
"""The most variables: a search keeps the domains of all at each of them."""

NIBBLE: Final = 4
NIBBLE_SETS: Final = 16

BoolArray = npt.NDArray[np.bool_]
Int8Array = npt.NDArray[np.int8]

# Columns of `Arrays.edges`.
TARGET: Final = 0
FLIP: Final = 1
"""What is supported is the complement of what the table says: the source is universal and comes after the target, so a
value of the target needs all values of the source."""
BACK: Final = 2
"""The number of the edge from the target to the source."""

ACCEPT: Final = -2
"""Where the last layer of a diagram leads to."""


class Arrays(NamedTuple):
    """A network as kernels see it: n turns, m edges, c diagrams.

    Attributes:
        is_universal: Whether the universal side has a turn, shape (n,), int8.
        domains: All values of each turn, shape (n,), int64.
        edge_start: Where the edges of a source begin, shape (n + 1,), int32; later targets come first.
        edges: See TARGET and those after it, shape (m, 3), int64.
        supports: Joined over the nibbles of a set at the source, shape (m, nibbles, 16), int64.
        conflicts: The values at the target that conflict with some of a set at the source, same shape.
        layer_start: Where the layers of each diagram begin, shape (c + 1,), int32.
        layers: The turn, and the number of the first node, of each layer, shape (layers + 1, 2), int32.
        children: The next node, REJECT or ACCEPT for each place, shape (nodes, values), int32.
        diagram_start: Where the diagrams of a turn begin in `diagrams`, shape (n + 1,), int32.
        diagrams: Numbers of diagrams, int32.
    """

    is_universal: Int8Array
    domains: Int64Array
    edge_start: Int32Array
    edges: Int64Array
    supports: npt.NDArray[np.int64]
    conflicts: npt.NDArray[np.int64]
    layer_start: Int32Array
    layers: Int32Array
    children: Int32Array
    diagram_start: Int32Array
    diagrams: Int32Array


class Relations(NamedTuple):
    """The constraints of two variables, and the others.

    Attributes:
        pairs: The turns of each constraint of two, the earlier one first, shape (k, 2), int64.
        allowed: Which places go together, shape (k, values, values).
        diagrams: All others.
    """

    pairs: Int64Array
    allowed: BoolArray
    diagrams: tuple[Diagram, ...]


def relations_of(quantified: QuantifiedNetwork) -> Relations:
    """Return the constraints of a network, with those of the same two variables joined.

    Raises:
        UsageError: There are too many variables, one has too many values, or a constraint has no diagram.
    """
    sizes = [len(domain) for domain in quantified.domains]
    width = max(sizes)
    if len(sizes) > MAX_TURNS:
        raise UsageError(f"expected at most {MAX_TURNS} variables, found {len(sizes)}")
    if width > MAX_VALUES:
        name = quantified.names[sizes.index(width)]
        raise UsageError(f"expected at most {MAX_VALUES} values for each variable, found {width} for {name}")
    found: dict[tuple[int, int], BoolArray] = {}
    others: list[Diagram] = []
    tables, rest = _parted(quantified)
    for table in tables:
        _join(found, *_matrix_of_table(quantified, table, width))
    for diagram in rest:
        if len(diagram.turns) == 2:
            _join(found, (diagram.turns[0], diagram.turns[1]), _matrix_of_diagram(diagram, width))
        else:
            others.append(diagram)
    pairs = np.array(list(found), np.int64).reshape(-1, 2)
    allowed = np.array(list(found.values()), np.bool_).reshape(-1, width, width)
    return Relations(pairs, allowed, tuple(others))


def _parted(quantified: QuantifiedNetwork) -> tuple[list[Table], list[Diagram]]:
    """Return the tables of two variables, for which there is a short way, and the diagrams of the other constraints."""
    constraints = quantified.network.constraints
    tables = [entry for entry in constraints if isinstance(entry, Table) and len(entry.scope) == 2]
    if len(tables) == len(constraints):
        return tables, []
    others = [entry for entry in constraints if not isinstance(entry, Table) or len(entry.scope) != 2]
    network = replace(quantified.network, constraints=others)
    return tables, list(diagrams_of(replace(quantified, network=network)))


def _matrix_of_table(quantified: QuantifiedNetwork, table: Table, width: int) -> tuple[tuple[int, int], BoolArray]:
    first, second = (quantified.turn_of_var[var] for var in table.scope)
    matrix = np.full((width, width), not table.is_allowed)
    rows = np.asarray(table.tuples, np.int64).reshape(-1, 2)
    if len(rows):
        matrix[rows[:, 0], rows[:, 1]] = table.is_allowed
    return ((first, second), matrix) if first < second else ((second, first), matrix.T)


def _matrix_of_diagram(diagram: Diagram, width: int) -> BoolArray:
    matrix = np.zeros((width, width), np.bool_)
    for place, node in enumerate(diagram.layers[0][0]):
        if node != REJECT:
            row = diagram.layers[1][node]
            matrix[place, : len(row)] = np.array(row) != REJECT
    return matrix


def _join(found: dict[tuple[int, int], BoolArray], pair: tuple[int, int], matrix: BoolArray) -> None:
    found[pair] = found[pair] & matrix if pair in found else matrix


def make_arrays(quantified: QuantifiedNetwork, relations: Relations) -> Arrays:
    """Return a network as arrays."""
    sizes = np.array([len(domain) for domain in quantified.domains], np.int64)
    universal = np.array(quantified.is_universal, np.int8)
    domains = (np.int64(1) << sizes) - 1
    num_turns, width = len(sizes), int(sizes.max())
    pairs = relations.pairs
    sources, targets = np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])
    order = np.lexsort((-targets, sources))
    flips = (universal[sources] == 1) & (sources > targets)
    places = np.argsort(order)
    backs = places[(order + len(pairs)) % max(1, 2 * len(pairs))]
    edges = np.stack([targets[order], np.where(flips, domains[targets], 0)[order], backs], axis=1)
    nibbles = -(-width // NIBBLE)
    supports = np.zeros((len(order), nibbles, NIBBLE_SETS), np.int64)
    conflicts = np.zeros((len(order), nibbles, NIBBLE_SETS), np.int64)
    fill_tables(relations.allowed, np.stack([sources, targets, flips, order], axis=1), sizes, supports, conflicts)
    starts = np.searchsorted(sources[order], np.arange(num_turns + 1)).astype(np.int32)
    return Arrays(
        universal, domains, starts, edges, supports, conflicts, *_diagram_arrays(relations.diagrams, num_turns, width)
    )


@jit
def fill_tables(
    allowed: BoolArray, plan: Int64Array, sizes: Int64Array, supports: Int64Array, conflicts: Int64Array
) -> None:
    """Fill the tables of all edges.

    Args:
        allowed: See `Relations`.
        plan: Source, target, whether the table is flipped, and the number of the entry for each edge, shape (m, 4). The
            first half of the entries are the edges from the earlier variable, the second half those from the later one.
        sizes: Number of values of each turn.
        supports: To be filled, zero before.
        conflicts: To be filled, zero before.
    """
    half = len(allowed)
    for edge in range(len(plan)):
        entry = plan[edge, 3]
        source, target, flip = plan[entry, 0], plan[entry, 1], plan[entry, 2]
        for place in range(sizes[source]):
            support = np.int64(0)
            for other in range(sizes[target]):
                if (entry < half and allowed[entry, place, other]) or (
                    entry >= half and allowed[entry - half, other, place]
                ):
                    support |= np.int64(1) << np.int64(other)
            conflict = ((np.int64(1) << sizes[target]) - 1) & ~support
            nibble, bit = place // NIBBLE, 1 << (place % NIBBLE)
            for subset in range(NIBBLE_SETS):
                if subset & bit:
                    supports[edge, nibble, subset] |= conflict if flip else support
                    conflicts[edge, nibble, subset] |= conflict


def _diagram_arrays(
    diagrams: Sequence[Diagram], num_turns: int, width: int
) -> tuple[Int32Array, Int32Array, Int32Array, Int32Array, Int32Array]:
    """Return what `Arrays` says of diagrams."""
    layer_start = [0]
    layers: list[tuple[int, int]] = []
    children: list[list[int]] = []
    of_turn: list[list[int]] = [[] for _ in range(num_turns)]
    for number, diagram in enumerate(diagrams):
        for depth, (turn, nodes) in enumerate(zip(diagram.turns, diagram.layers, strict=True)):
            layers.append((turn, len(children)))
            following = len(children) + len(nodes)
            is_last = depth == len(diagram.turns) - 1
            for node in nodes:
                row = [REJECT if child == REJECT else ACCEPT if is_last else following + child for child in node]
                children.append(row + [REJECT] * (width - len(row)))
            of_turn[turn].append(number)
        layer_start.append(len(layers))
    layers.append((num_turns, len(children)))
    starts = np.cumsum([0, *map(len, of_turn)])
    return (
        np.array(layer_start, np.int32),
        np.array(layers, np.int32).reshape(-1, 2),
        np.array(children, np.int32).reshape(-1, width),
        starts.astype(np.int32),
        np.array([number for numbers in of_turn for number in numbers], np.int32),
    )

"""Collection: what cannot be reached any more is removed, and what was hardly visited is forgotten.

The tree is compacted in place: nodes, actions and children keep their order, so that each part only ever moves towards
the beginning of its array.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.words import U1
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.amaf import Tables
from woodstock.search.tree import (
    ACTION_COLUMNS,
    CHOOSER,
    ESTIMATE_COLUMNS,
    EXPANDED,
    FIRST_ACTION,
    FIRST_CHILD,
    FLAGS,
    HAS_PROVEN,
    NO_NODE,
    NO_TABLE,
    NOBODY,
    NODE_COLUMNS,
    NUM_ACTIONS,
    NUM_ACTIONS_USED,
    NUM_CHILDREN,
    NUM_CHILDREN_USED,
    NUM_NODES,
    NUM_TABLES,
    PARENT,
    PROVEN,
    STAMP,
    TABLE,
    VISITS,
    Tree,
    enter_bucket,
)

GONE: Final = -1
MANY: Final = 16
"""To find the bucket of a node takes as long as to empty so many in a row, about."""
LEAST_VISITS: Final = 2
"""Nodes that were visited once have no children yet that would be worth keeping."""
NUM_STEPS: Final = 31
"""Powers of two up to the most visits that a node can have."""


@jit
def forget_all(tree: Tree) -> None:
    """Empty a tree; that takes as long as it has nodes, not as long as it has room, unless that is quicker."""
    if tree.sizes[NUM_NODES] > len(tree.buckets) // MANY:
        tree.buckets[:] = 0
        tree.sizes[:] = 0
        return
    mask = np.uint64(len(tree.buckets) - 1)
    for node in range(tree.sizes[NUM_NODES]):
        place = tree.keys[node] & mask
        while tree.buckets[place] != 0:
            tree.buckets[place] = 0
            place = (place + U1) & mask
    tree.sizes[:] = 0


@jit
def collect(tree: Tree, tables: Tables, root: int, most: int, place: Int32Array) -> int:
    """Keep what can be reached from a node; if that is too much, forget the children of nodes that were seldom visited.

    Proven nodes keep their value, but not their children, unless they are the root.

    Args:
        tree: The tree; nothing in it may be waiting for a result.
        tables: The tables of moves.
        root: The node.
        most: About how many nodes may be kept.
        place: Space to work in, shape (capacity,), int32.

    Returns:
        The number that the root has now.
    """
    below = np.zeros(NUM_STEPS, np.int64)
    num = _mark(tree, root, LEAST_VISITS, place, below)
    if num > most:
        least = LEAST_VISITS
        step = 1
        while num > most and step < NUM_STEPS - 1:
            num -= below[step]
            step += 1
            least *= 2
        _mark(tree, root, least, place, below)
    _move_actions(tree, place)
    _move_children(tree, place)
    _move_tables(tree, tables, place)
    _move_nodes(tree, place)
    tree.buckets[:] = 0
    for node in range(tree.sizes[NUM_NODES]):
        enter_bucket(tree, node)
    return int(place[root])


@inner_kernel
def _mark(tree: Tree, root: int, least: int, place: Int32Array, below: Int64Array) -> int:
    """Find the new place of each node, GONE for those that go; close the nodes that lose their children.

    Args:
        tree: The tree.
        root: What can be reached from it stays.
        least: Nodes with fewer visits are no longer expanded.
        place: The new places, written.
        below: For each power of two, how many children the nodes have with so many visits and fewer than twice as
            many, the root left out; added to.

    Returns:
        How many nodes stay.
    """
    num = tree.sizes[NUM_NODES]
    for node in range(num):
        place[node] = GONE
    # The nodes that are found are a list: STAMP says which comes next.
    place[root] = 0
    head = tail = root
    tree.nodes[root, STAMP] = NO_NODE
    while head != NO_NODE:
        flags = tree.nodes[head, FLAGS]
        is_poor = tree.nodes[head, VISITS] < least or flags & PROVEN != 0
        if flags & EXPANDED != 0 and is_poor and head != root:
            _close(tree, head)
        if tree.nodes[head, FLAGS] & EXPANDED != 0:
            first = tree.nodes[head, FIRST_CHILD]
            if head != root:
                below[_log2(tree.nodes[head, VISITS])] += tree.nodes[head, NUM_CHILDREN]
            for child in range(first, first + tree.nodes[head, NUM_CHILDREN]):
                node = tree.children[child]
                if node != NO_NODE and place[node] == GONE:
                    place[node] = 0
                    tree.nodes[node, STAMP] = NO_NODE
                    tree.nodes[tail, STAMP] = node
                    tail = node
        head = tree.nodes[head, STAMP]
    at = 0
    for node in range(num):
        if place[node] != GONE:
            place[node] = at
            at += 1
            tree.nodes[node, STAMP] = 0
            tree.nodes[node, PARENT] = 0
    return at


@inner_kernel
def _log2(number: int) -> int:
    """Return the power of two that a number has at least, 0 for less than one."""
    found = 0
    while number > 1:
        number >>= 1
        found += 1
    return found


@inner_kernel
def _close(tree: Tree, node: int) -> None:
    """Make a node one that is not expanded; it keeps its value."""
    tree.nodes[node, FLAGS] &= ~(EXPANDED | HAS_PROVEN)
    tree.nodes[node, NUM_ACTIONS] = 0
    tree.nodes[node, NUM_CHILDREN] = 0
    tree.nodes[node, CHOOSER] = NOBODY
    tree.nodes[node, TABLE] = NO_TABLE


@jit
def _list_expanded(tree: Tree, place: Int32Array, column: int, size: int) -> Int32Array:
    """Return the expanded nodes that stay and own a part of an array, in the order in which the parts lie there.

    That is the order in which they were expanded, not that of the nodes.

    Args:
        tree: The tree.
        place: GONE for the nodes that go.
        column: Says where the part of a node begins.
        size: How much of the array is used.
    """
    owners = np.full(size, NO_NODE, np.int32)
    num = 0
    for node in range(tree.sizes[NUM_NODES]):
        if place[node] != GONE and tree.nodes[node, FLAGS] & EXPANDED != 0:
            # A table is one entry, and may be missing; the numbers of actions and of children follow their starts.
            if (tree.nodes[node, TABLE] == NO_TABLE) if column == TABLE else (tree.nodes[node, column + 1] == 0):
                continue
            owners[tree.nodes[node, column]] = node
            num += 1
    nodes = np.empty(num, np.int32)
    num = 0
    for begin in range(size):
        if owners[begin] != NO_NODE:
            nodes[num] = owners[begin]
            num += 1
    return nodes


@jit
def _move_actions(tree: Tree, place: Int32Array) -> None:
    num = 0
    for node in _list_expanded(tree, place, FIRST_ACTION, tree.sizes[NUM_ACTIONS_USED]):
        first = tree.nodes[node, FIRST_ACTION]
        tree.nodes[node, FIRST_ACTION] = num
        for action in range(first, first + tree.nodes[node, NUM_ACTIONS]):
            for column in range(ACTION_COLUMNS):
                tree.actions[num, column] = tree.actions[action, column]
            for column in range(ESTIMATE_COLUMNS):
                tree.estimates[num, column] = tree.estimates[action, column]
            num += 1
    tree.sizes[NUM_ACTIONS_USED] = num


@jit
def _move_children(tree: Tree, place: Int32Array) -> None:
    num = 0
    for node in _list_expanded(tree, place, FIRST_CHILD, tree.sizes[NUM_CHILDREN_USED]):
        first = tree.nodes[node, FIRST_CHILD]
        tree.nodes[node, FIRST_CHILD] = num
        for child in range(first, first + tree.nodes[node, NUM_CHILDREN]):
            below = tree.children[child]
            tree.children[num] = NO_NODE if below == NO_NODE else place[below]
            num += 1
    tree.sizes[NUM_CHILDREN_USED] = num


@jit
def _move_tables(tree: Tree, tables: Tables, place: Int32Array) -> None:
    num = 0
    for node in _list_expanded(tree, place, TABLE, tree.sizes[NUM_TABLES]):
        table = tree.nodes[node, TABLE]
        tree.nodes[node, TABLE] = num
        tables.playouts[num] = tables.playouts[table]
        for move in range(tables.counts.shape[1]):
            tables.counts[num, move] = tables.counts[table, move]
            tables.means[num, move] = tables.means[table, move]
        num += 1
    tree.sizes[NUM_TABLES] = num


@jit
def _move_nodes(tree: Tree, place: Int32Array) -> None:
    num = 0
    for node in range(tree.sizes[NUM_NODES]):
        if place[node] != GONE:
            for column in range(NODE_COLUMNS):
                tree.nodes[num, column] = tree.nodes[node, column]
            for role in range(tree.values.shape[1]):
                tree.values[num, role] = tree.values[node, role]
            for role in range(tree.judged.shape[1]):
                tree.judged[num, role] = tree.judged[node, role]
            for word in range(tree.rows.shape[1]):
                tree.rows[num, word] = tree.rows[node, word]
            tree.keys[num] = tree.keys[node]
            num += 1
    tree.sizes[NUM_NODES] = num

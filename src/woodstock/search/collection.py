"""Collection: what cannot be reached any more is removed, and what was hardly visited is forgotten.

The tree is compacted in place: nodes, actions and children keep their order, so that each part only ever moves towards
the beginning of its array.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.circuit.network import Int32Array
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
def collect(tree: Tree, tables: Tables, root: int, least: int, place: Int32Array) -> int:
    """Keep what can be reached from a node, and forget the children of nodes that were visited too seldom.

    Proven nodes keep their value, but not their children, unless they are the root.

    Args:
        tree: The tree; nothing in it may be waiting for a result.
        tables: The tables of moves.
        root: The node.
        least: Nodes with fewer visits are no longer expanded.
        place: Space to work in, shape (capacity,), int32.

    Returns:
        The number that the root has now.
    """
    _mark(tree, root, least, place)
    _move_actions(tree, place)
    _move_children(tree, place)
    _move_tables(tree, tables, place)
    _move_nodes(tree, place)
    for bucket in range(len(tree.buckets)):
        tree.buckets[bucket] = 0
    for node in range(tree.sizes[NUM_NODES]):
        enter_bucket(tree, node)
    return int(place[root])


@inner_kernel
def _mark(tree: Tree, root: int, least: int, place: Int32Array) -> None:
    """Find the new place of each node, GONE for those that go; close the nodes that lose their children."""
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
            for child in range(tree.nodes[head, NUM_CHILDREN]):
                below = tree.children[first + child]
                if below != NO_NODE and place[below] == GONE:
                    place[below] = 0
                    tree.nodes[below, STAMP] = NO_NODE
                    tree.nodes[tail, STAMP] = below
                    tail = below
        head = tree.nodes[head, STAMP]
    at = 0
    for node in range(num):
        if place[node] != GONE:
            place[node] = at
            at += 1
            tree.nodes[node, STAMP] = 0
            tree.nodes[node, PARENT] = 0


@inner_kernel
def _close(tree: Tree, node: int) -> None:
    """Make a node one that is not expanded; it keeps its value."""
    tree.nodes[node, FLAGS] &= ~(EXPANDED | HAS_PROVEN)
    tree.nodes[node, NUM_ACTIONS] = 0
    tree.nodes[node, NUM_CHILDREN] = 0
    tree.nodes[node, CHOOSER] = NOBODY
    tree.nodes[node, TABLE] = NO_TABLE


@jit
def _list_expanded(tree: Tree, place: Int32Array, column: int) -> Int32Array:
    """Return the expanded nodes that stay, in the order of what a column says of them.

    Actions and children lie in the order in which nodes were expanded, which is not that of the nodes.
    """
    nodes = np.empty(tree.sizes[NUM_NODES], np.int32)
    keys = np.empty(tree.sizes[NUM_NODES], np.int64)
    num = 0
    for node in range(tree.sizes[NUM_NODES]):
        if place[node] != GONE and tree.nodes[node, FLAGS] & EXPANDED != 0:
            # Of two spans that begin at the same place one is empty, and comes first. The sizes follow the starts.
            is_empty = column != TABLE and tree.nodes[node, column + 1] == 0
            keys[num] = 2 * np.int64(tree.nodes[node, column]) + (0 if is_empty else 1)
            nodes[num] = node
            num += 1
    return nodes[np.argsort(keys[:num])]


@jit
def _move_actions(tree: Tree, place: Int32Array) -> None:
    num = 0
    for node in _list_expanded(tree, place, FIRST_ACTION):
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
    for node in _list_expanded(tree, place, FIRST_CHILD):
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
    for node in _list_expanded(tree, place, TABLE):
        table = tree.nodes[node, TABLE]
        if table != NO_TABLE:
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
            for word in range(tree.rows.shape[1]):
                tree.rows[num, word] = tree.rows[node, word]
            tree.keys[num] = tree.keys[node]
            num += 1
    tree.sizes[NUM_NODES] = num

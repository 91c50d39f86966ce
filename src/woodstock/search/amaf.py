"""All moves as first: how playouts below a node went in which a move was made, whenever it was made.

A node's *table* has for each move, counted over all roles, the number of playouts below the node in which it was made,
and the mean utility of the role that made it. RAVE (Gelly and Silver 2007) mixes these means with those of the actions;
GRAVE (Cazenave 2015) takes them from the nearest node above that has enough playouts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from woodstock.circuit.network import Int64Array
from woodstock.common.jit import inner_kernel
from woodstock.common.pages import lazy_zeros
from woodstock.search.tree import NO_TABLE, NUM_TABLES, TABLE, Float32Array, Tree


class Tables(NamedTuple):
    """The tables of all nodes that have one.

    Attributes:
        counts: In how many playouts each move was made, shape (num_tables, num_moves), float32.
        means: Mean utility of the role that made it, shape (num_tables, num_moves), float32.
        playouts: Number of playouts below the node, shape (num_tables,), float32.
    """

    counts: Float32Array
    means: Float32Array
    playouts: Float32Array


def make_tables(num_tables: int, num_moves: int) -> Tables:
    """Return room for some tables; it takes memory only when it is used."""
    return Tables(
        lazy_zeros((num_tables, num_moves), np.float32),
        lazy_zeros((num_tables, num_moves), np.float32),
        lazy_zeros((num_tables,), np.float32),
    )


@inner_kernel
def give_table(tree: Tree, tables: Tables, node: int) -> None:
    """Give a node a table of its own if there is one left."""
    table = tree.sizes[NUM_TABLES]
    if tree.nodes[node, TABLE] == NO_TABLE and table < len(tables.playouts):
        tree.sizes[NUM_TABLES] += 1
        tree.nodes[node, TABLE] = table
        tables.playouts[table] = 0
        for move in range(tables.counts.shape[1]):
            tables.counts[table, move] = 0
            tables.means[table, move] = 0


@inner_kernel
def add_to_table(tables: Tables, table: int, visits: Int64Array, rewards: Int64Array, playouts: int) -> None:
    """Add playouts to a table.

    Args:
        tables: The tables.
        table: Which one.
        visits: In how many of the playouts each move was made, shape (num_moves,), int64.
        rewards: The sum of the goals of the role that made it, shape (num_moves,), int64.
        playouts: How many playouts.
    """
    tables.playouts[table] += playouts
    for move in range(len(visits)):
        if visits[move] > 0:
            tables.counts[table, move] += visits[move]
            share = np.float32(visits[move]) / tables.counts[table, move]
            mean = np.float32(rewards[move]) / np.float32(100 * visits[move])
            tables.means[table, move] += share * (mean - tables.means[table, move])

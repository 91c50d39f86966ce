"""Playouts reach the tables of moves of all nodes above (see `woodstock.search.amaf`)."""

from __future__ import annotations

import numpy as np

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.amaf import Tables, add_to_table
from woodstock.search.selection import GROW, Paths, Policy, is_turned, role_of, segment_end
from woodstock.search.tree import CHOOSER, FIRST_ACTION, MATRIX, MOVE, NO_TABLE, NUM_ACTIONS, NUM_CHILDREN, TABLE, Tree


@jit
def add_playouts(
    tree: Tree,
    tables: Tables,
    policy: Policy,
    paths: Paths,
    fresh: tuple[Int32Array, Int32Array, Int32Array],
    results: tuple[Int64Array, Int64Array, Int64Array, Int64Array],
) -> None:
    """Add playouts to the tables of the nodes of the descents that asked for them.

    Args:
        tree: The tree.
        tables: The tables.
        policy: What guides the search.
        paths: The descents.
        fresh: Nodes that were sampled; the descent that asked for each, in order; the moves that led to each.
        results: Playouts from each node; sums of goals; visits and rewards of moves.
    """
    _, descents, moves = fresh
    counts, goal_sums, move_visits, move_rewards = results
    num_moves = move_visits.shape[1]
    num_roles = goal_sums.shape[1]
    visits = np.zeros(num_moves, np.int64)
    rewards = np.zeros(num_moves, np.int64)
    sums = np.zeros(num_roles, np.int64)
    low = 0
    while low < len(descents):
        high = low
        playouts = 0
        visits[:] = 0
        rewards[:] = 0
        sums[:] = 0
        while high < len(descents) and descents[high] == descents[low]:
            playouts += counts[high]
            for move in range(num_moves):
                visits[move] += move_visits[high, move]
                rewards[move] += move_rewards[high, move]
            for role in range(num_roles):
                sums[role] += goal_sums[high, role]
                # The move that led there was made in all of these playouts, whether or not it was made again.
                move = moves[high, role]
                visits[move] += counts[high] - move_visits[high, move]
                rewards[move] += goal_sums[high, role] - move_rewards[high, move]
            high += 1
        _climb(tree, tables, policy, paths, (descents[low], playouts), (visits, rewards, sums))
        low = high


@inner_kernel
def _climb(
    tree: Tree,
    tables: Tables,
    policy: Policy,
    paths: Paths,
    descent: tuple[int, int],
    totals: tuple[Int64Array, Int64Array, Int64Array],
) -> None:
    """Add the playouts of one descent to the tables on its path, from its end upwards."""
    number, playouts = descent
    visits, rewards, sums = totals
    last = paths.lengths[number] - 1
    if paths.kinds[number] == GROW:
        table = tree.nodes[paths.ends[number], TABLE]
        if table != NO_TABLE:
            add_to_table(tables, table, visits, rewards, playouts)
    for step in range(last, -1, -1):
        node = paths.nodes[number, step]
        if policy.merges and step < last and is_turned(tree, node, paths.chosen[number, step]):
            break  # moves have other names above
        if paths.kinds[number] == GROW or step < last:
            _add_chosen(tree, policy, paths, (number, step, playouts), (visits, rewards, sums))
        table = tree.nodes[node, TABLE]
        if table != NO_TABLE:
            add_to_table(tables, table, visits, rewards, playouts)


@inner_kernel
def _add_chosen(
    tree: Tree,
    policy: Policy,
    paths: Paths,
    where: tuple[int, int, int],
    totals: tuple[Int64Array, Int64Array, Int64Array],
) -> None:
    """Count the moves that were chosen in a node as made in all playouts below."""
    number, step, playouts = where
    visits, rewards, sums = totals
    node = paths.nodes[number, step]
    start = tree.nodes[node, FIRST_ACTION]
    end = start + tree.nodes[node, NUM_ACTIONS]
    combinations = max(1, tree.nodes[node, NUM_CHILDREN])
    while start < end:
        role = role_of(policy, tree.actions[start, MOVE])
        stop = segment_end(tree, policy, role, start, end)
        combinations = max(1, combinations // (stop - start))
        is_matrix = tree.nodes[node, CHOOSER] == MATRIX
        pick = paths.picks[number, role] if is_matrix else paths.chosen[number, step] // combinations % (stop - start)
        move = tree.actions[start + pick, MOVE]
        visits[move] = playouts
        rewards[move] = sums[role]
        start = stop

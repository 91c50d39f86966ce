"""What always holds in a search tree, looked up the slow way; and exact values, found the slow way."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from woodstock.circuit.zobrist import find_key
from woodstock.game.protocol import Game, goal
from woodstock.search import tree as layout
from woodstock.search.tree_search import TreeSearch


def find_faults(search: TreeSearch) -> list[str]:
    """Return what is wrong with a tree in which nothing waits for a result."""
    tree = search.tree
    num = int(tree.sizes[layout.NUM_NODES])
    faults = []
    spans: dict[str, list[tuple[int, int]]] = {"actions": [], "children": []}
    for node in range(num):
        row, key = tree.rows[node], tree.keys[node]
        if np.uint64(find_key(search.game.keys, row)) != key:
            faults.append(f"node {node}: the key does not fit the position")
        if layout.find_node(tree, key, row) != node:
            faults.append(f"node {node}: not found by its key")
        first, size, child, count, visits, flags = tree.nodes[node, :6].tolist()
        if flags & layout.PENDING:
            faults.append(f"node {node}: pending")
        if flags & layout.EXPANDED:
            spans["actions"].append((first, first + size))
            spans["children"].append((child, child + count))
            faults += _find_faults_below(search, node)
        if visits and not ((tree.values[node] > -1e-9) & (tree.values[node] < 1 + 1e-9)).all():
            faults.append(f"node {node}: values {tree.values[node]}")
    for name, used in (("actions", layout.NUM_ACTIONS_USED), ("children", layout.NUM_CHILDREN_USED)):
        end = 0
        for low, high in sorted(span for span in spans[name] if span[0] < span[1]):
            if low < end:
                faults.append(f"{name} {low} to {high} overlap with others")
            end = high
        if end > tree.sizes[used]:
            faults.append(f"{name} beyond the end")
    return faults


def _find_faults_below(search: TreeSearch, node: int) -> list[str]:
    """Compare the actions and children of a node with the game."""
    tree, game = search.tree, search.game
    position = game.position(tree.rows[node])
    legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
    choosers = [role for role, moves in enumerate(legal) if len(moves) > 1]
    first, size, first_child, count = tree.nodes[node, :4].tolist()
    found = [
        (role, game.program.moves[role][number - low])
        for number in tree.actions[first : first + size, layout.MOVE].tolist()
        for role, low in [
            next((r, s) for r, s in reversed(list(enumerate(game.program.move_start[:-1]))) if s <= number)
        ]
    ]
    faults = []
    if sorted(found, key=repr) != sorted(((role, move) for role in choosers for move in legal[role]), key=repr):
        faults.append(f"node {node}: actions {found}, legal {legal}")
        return faults
    waiting = tree.actions[first : first + size, layout.WAITING]
    if ((waiting != 0) & (waiting < layout.SETTLED)).any():
        faults.append(f"node {node}: somebody waits")
    if tree.nodes[node, layout.CHOOSER] == layout.MATRIX:
        return faults
    by_role = [
        [move for r, move in found if r == role] if role in choosers else list(legal[role])
        for role in range(len(legal))
    ]
    joint = list(product(*by_role))
    if len(joint) != count:
        faults.append(f"node {node}: {count} children, {len(joint)} joint moves")
        return faults
    for number, moves in enumerate(joint):
        child = int(tree.children[first_child + number])
        if child != layout.NO_NODE and game.next_position(position, moves).row.tolist() != tree.rows[child].tolist():
            faults.append(f"node {node}: child {number} is not what {moves} lead to")
    return faults


def solve(game: Game[Any], position: Any, known: dict[Any, tuple[float, ...]]) -> tuple[float, ...]:
    """Return the goals that max^n play leads to, where one role or nature chooses at a time; ties are averaged."""
    if position in known:
        return known[position]
    roles = range(len(game.roles))
    if game.is_terminal(position):
        values = tuple(float(goal(game, position, role) or 0) for role in roles)
    else:
        legal = [game.legal_moves(position, role) for role in roles]
        (chooser,) = [role for role in roles if len(legal[role]) > 1] or [None]
        below = [solve(game, game.next_position(position, moves), known) for moves in product(*legal)]
        if chooser is not None and game.roles[chooser] != "random":
            best = max(each[chooser] for each in below)
            below = [each for each in below if each[chooser] == best]
        values = tuple(sum(each[role] for each in below) / len(below) for role in roles)
    known[position] = values
    return values


def keeps_value(game: Game[Any], position: Any, role: int, move: Any, known: Mapping[Any, tuple[float, ...]]) -> bool:
    """Tell whether a move of the only role that chooses leads to the value that the position has."""
    legal = [game.legal_moves(position, each) for each in range(len(game.roles))]
    moves = [move if each == role else legal[each][0] for each in range(len(game.roles))]
    return known[game.next_position(position, moves)][role] == max(
        known[game.next_position(position, [m if each == role else legal[each][0] for each in range(len(game.roles))])][
            role
        ]
        for m in legal[role]
    )

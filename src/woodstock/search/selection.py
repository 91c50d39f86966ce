"""Selection: descents from the root to where something is to be learnt.

A descent chooses among the actions of each node until it comes to a node that is not expanded, to a child that has no
node, or to a node whose value is known. Several descents are made before the result of the first is known; the actions
that wait for a result count as visited, so that the next descents look elsewhere.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.words import WordArray
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.amaf import Tables
from woodstock.search.tree import (
    CHOOSER,
    COUNT,
    EXPANDED,
    FIRST_ACTION,
    FIRST_CHILD,
    FLAGS,
    MATRIX,
    MEAN,
    MOVE,
    NATURE,
    NO_NODE,
    NO_TABLE,
    NOBODY,
    NUM_ACTIONS,
    NUM_CHILDREN,
    NUM_DESCENTS,
    PENDING,
    PROVEN,
    REGRET,
    SETTLED,
    STAMP,
    TABLE,
    TURNED,
    VISITS,
    WAITING,
    Float64Array,
    Tree,
    draw,
)

# How a descent ended: `Paths.kinds`.
GROW: Final = 0
"""At a node that is to be expanded."""
VISIT: Final = 1
"""At a child that has no node."""
STAY: Final = 2
"""At a node whose value is taken as it is: it is proven, or was met before on this path, or the path is too long."""
COLLIDED: Final = 3
"""At a node that another descent is about to expand."""

UCB: Final = 0
GRAVE: Final = 1
"""What chooses among the actions of a role: `Policy.rule`."""


class Policy(NamedTuple):
    """What guides a search.

    Attributes:
        rule: UCB or GRAVE.
        exploration: Weight of the confidence in UCB1, for utilities.
        bias: How quickly GRAVE forgets the tables of moves.
        enough: With so many playouts GRAVE believes a node's own table.
        samples: Playouts for each visit.
        minimax: A node at which one role chooses is worth what the best of its children is, not the mean of its visits.
        doubt: What an action is thought to be worth less if all its visits still wait for a result.
        merges: One node stands for all positions that are symmetric to each other.
        mixing: How often a role that chooses at the same time as others tries anything at all, with regret matching;
            negative if it chooses by UCB1 instead.
        nature: The role `random`, or a negative number.
        hearing: How much what an evaluation says counts beside playouts, 0 to 1.
        favourites: How many children of a node are sampled when it is expanded; 0 for all.
        trust: How many visits what is known of a move elsewhere is worth.
        advantages: By how much each move is better than the others are, see `woodstock.search.history`, shape
            (num_moves,), float64.
        times_seen: At how many nodes that was seen, shape (num_moves,), float64.
        best: The greatest utility that each role can get, shape (num_roles,), float64.
        move_start: The moves of role r are those from `move_start[r]` to `move_start[r + 1]`, int64.
    """

    rule: int
    exploration: float
    bias: float
    enough: float
    samples: int
    minimax: bool
    doubt: float
    merges: bool
    mixing: float
    nature: int
    hearing: float
    favourites: int
    trust: float
    advantages: Float64Array
    times_seen: Float64Array
    best: Float64Array
    move_start: Int64Array


class Paths(NamedTuple):
    """Descents.

    Attributes:
        nodes: The nodes at which something was chosen, shape (num, longest), int32.
        chosen: Which of its children was chosen at each, shape (num, longest), int32.
        picks: At a last node whose combinations are not kept, which action of each role, shape (num, num_roles), int32.
        lengths: How many nodes, shape (num,), int32.
        ends: The node where it ended; at first NO_NODE for VISIT, shape (num,), int32.
        kinds: GROW, VISIT or STAY, shape (num,), int32.
    """

    nodes: Int32Array
    chosen: Int32Array
    picks: Int32Array
    lengths: Int32Array
    ends: Int32Array
    kinds: Int32Array


def make_paths(num: int, longest: int, num_roles: int) -> Paths:
    """Return room for some descents."""
    return Paths(
        np.zeros((num, longest), np.int32),
        np.zeros((num, longest), np.int32),
        np.zeros((num, num_roles), np.int32),
        np.zeros(num, np.int32),
        np.zeros(num, np.int32),
        np.zeros(num, np.int32),
    )


@jit
def select(
    tree: Tree, tables: Tables, policy: Policy, paths: Paths, limits: tuple[int, int, int], random: WordArray
) -> int:
    """Make descents.

    Args:
        tree: The tree.
        tables: Tables of moves, for GRAVE.
        policy: What guides the search.
        paths: Where the descents are written.
        limits: The root; how many descents; how many collisions to bear.
        random: State of the random numbers, shape (1,), uint64.

    Returns:
        How many descents were made: fewer than asked for if they collide too often.
    """
    root, most, patience = limits
    number = 0
    while number < most:
        _descend(tree, tables, policy, paths, (root, number), random)
        if paths.kinds[number] == COLLIDED:
            take_back(tree, policy, paths, number)
            patience -= 1
            if patience < 0:
                break
        else:
            number += 1
    return number


@inner_kernel
def _descend(
    tree: Tree, tables: Tables, policy: Policy, paths: Paths, start: tuple[int, int], random: WordArray
) -> None:
    """Make the descent of a number from a node."""
    node, number = start
    longest = paths.nodes.shape[1]
    tree.sizes[NUM_DESCENTS] += 1
    stamp = np.int32(tree.sizes[NUM_DESCENTS] & 0x7FFFFFFF)
    table = NO_TABLE
    length = 0
    kind = STAY
    while True:
        flags = tree.nodes[node, FLAGS]
        if flags & PROVEN != 0 or tree.nodes[node, STAMP] == stamp or length == longest:
            break
        tree.nodes[node, STAMP] = stamp
        if flags & EXPANDED == 0:
            if flags & PENDING != 0:
                kind = COLLIDED
            else:
                kind = GROW
                tree.nodes[node, FLAGS] = flags | PENDING
            break
        if policy.rule == GRAVE:
            own = tree.nodes[node, TABLE]
            if own != NO_TABLE and (table == NO_TABLE or tables.playouts[own] >= policy.enough):
                table = own
        child = _choose(tree, tables, policy, (node, table), paths.picks[number], random)
        paths.nodes[number, length] = node
        paths.chosen[number, length] = child
        length += 1
        if policy.merges and is_turned(tree, node, child):
            table = NO_TABLE  # moves have other names below
        is_kept = tree.nodes[node, CHOOSER] != MATRIX
        node = tree.children[tree.nodes[node, FIRST_CHILD] + child] if is_kept else NO_NODE
        if node == NO_NODE:
            kind = VISIT
            break
    paths.lengths[number] = length
    paths.ends[number] = node
    paths.kinds[number] = kind


@inner_kernel
def is_turned(tree: Tree, node: int, child: int) -> bool:
    """Tell whether moves may have other names below a child than above."""
    chooser = tree.nodes[node, CHOOSER]
    if chooser >= 0 or chooser == NATURE:
        return bool(tree.estimates[tree.nodes[node, FIRST_ACTION] + child, TURNED] != 0)
    return True


@inner_kernel
def _choose(
    tree: Tree, tables: Tables, policy: Policy, at: tuple[int, int], picks: Int32Array, random: WordArray
) -> int:
    """Choose a child of an expanded node, and note that its actions wait for a result; see `Paths`.

    `at` holds the node and the table of moves to use.
    """
    node, table = at
    chooser = tree.nodes[node, CHOOSER]
    first = tree.nodes[node, FIRST_ACTION]
    end = first + tree.nodes[node, NUM_ACTIONS]
    if chooser == NOBODY:
        return 0
    if chooser == NATURE:
        action = rarest_action(tree, first, end, random)
        tree.actions[action, WAITING] += 1
        return int(action - first)
    if chooser >= 0:
        action = best_action(tree, tables, policy, node, (first, end, table), chooser)
        tree.actions[action, WAITING] += 1
        return int(action - first)
    child = 0
    start = first
    while start < end:
        role = role_of(policy, tree.actions[start, MOVE])
        stop = segment_end(tree, policy, role, start, end)
        if role == policy.nature:
            action = rarest_action(tree, start, stop, random)
        elif policy.mixing >= 0:
            action = mixed_action(tree, policy, start, stop, random)
        else:
            action = best_action(tree, tables, policy, node, (start, stop, table), role)
        tree.actions[action, WAITING] += 1
        picks[role] = action - start
        if chooser != MATRIX:
            child = child * (stop - start) + (action - start)
        start = stop
    return int(child)


@inner_kernel
def role_of(policy: Policy, move: int) -> int:
    """Return the role that a move belongs to."""
    role = 0
    while move >= policy.move_start[role + 1]:
        role += 1
    return role


@inner_kernel
def segment_end(tree: Tree, policy: Policy, role: int, start: int, end: int) -> int:
    """Return where the actions of a role end that begin at a place."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if tree.actions[middle, MOVE] < policy.move_start[role + 1]:
            low = middle + 1
        else:
            high = middle
    return int(low)


@inner_kernel
def best_action(tree: Tree, tables: Tables, policy: Policy, node: int, span: tuple[int, int, int], role: int) -> int:
    """Return the action of a role with the greatest upper bound; actions that are settled only if all are.

    `span` holds the first action, the end of the actions, and the table of moves to use.
    """
    first, end, table = span
    size = end - first
    visits = tree.nodes[node, VISITS]
    unknown = tree.values[node, role]
    width = policy.exploration * sqrt(log(visits + size))
    best = first
    best_score = -1e30
    skip = visits % size  # so that among equals the first is not always taken
    for offset in range(size):
        action = first + offset + skip
        if action >= end:
            action -= size
        waiting = tree.actions[action, WAITING]
        if waiting >= SETTLED:
            continue
        count = tree.actions[action, COUNT]
        mean = tree.estimates[action, MEAN] if count > 0 else unknown
        if count == 0 and policy.favourites > 0:
            below = tree.children[tree.nodes[node, FIRST_CHILD] + action - first]
            if below != NO_NODE:
                mean += policy.hearing * (tree.judged[below, role] - unknown)
        seen = max(1, count + waiting)
        mean -= policy.doubt * waiting / seen
        if policy.rule == GRAVE and table != NO_TABLE:
            others = tables.counts[table, tree.actions[action, MOVE]]
            if others > 0:
                own = np.float64(count * policy.samples)
                beta = others / (others + own + policy.bias * others * own)
                mean += beta * (tables.means[table, tree.actions[action, MOVE]] - mean)
        if policy.trust > 0.0:
            mean += policy.trust / (policy.trust + count) * policy.advantages[tree.actions[action, MOVE]]
        score = mean + width / sqrt(seen)
        if score > best_score:
            best_score = score
            best = action
    return int(best)


@inner_kernel
def rarest_action(tree: Tree, first: int, end: int, random: WordArray) -> int:
    """Return an action of nature that was tried least, any of these; not one that is settled unless all are."""
    size = end - first
    skip = draw(random, size)
    best = first
    fewest = SETTLED
    for offset in range(size):
        action = first + offset + skip
        if action >= end:
            action -= size
        waiting = tree.actions[action, WAITING]
        if waiting < SETTLED and tree.actions[action, COUNT] + waiting < fewest:
            fewest = tree.actions[action, COUNT] + waiting
            best = action
    return int(best)


@inner_kernel
def mixed_action(tree: Tree, policy: Policy, first: int, end: int, random: WordArray) -> int:
    """Return an action drawn by regret matching: as likely as it is regretted, or sometimes any (`Policy.mixing`)."""
    size = end - first
    total = 0.0
    for action in range(first, end):
        total += max(np.float32(0), tree.estimates[action, REGRET])
    if total <= 0.0 or draw(random, 1 << 20) < policy.mixing * (1 << 20):
        return int(first + draw(random, size))
    left = total * (draw(random, 1 << 30) / (1 << 30))
    chosen = first
    for action in range(first, end):
        regret = max(np.float32(0), tree.estimates[action, REGRET])
        if regret > 0:
            chosen = action
            left -= regret
            if left < 0:
                break
    return int(chosen)


@inner_kernel
def take_back(tree: Tree, policy: Policy, paths: Paths, number: int) -> None:
    """Make a descent undone: its actions wait no more."""
    for step in range(paths.lengths[number]):
        node = paths.nodes[number, step]
        release(tree, policy, node, paths.chosen[number, step], paths.picks[number])


@inner_kernel
def release(tree: Tree, policy: Policy, node: int, child: int, picks: Int32Array) -> None:
    """Note that the actions that lead to a child do not wait any more for one of the results."""
    chooser = tree.nodes[node, CHOOSER]
    first = tree.nodes[node, FIRST_ACTION]
    if chooser >= 0 or chooser == NATURE:
        if tree.actions[first + child, WAITING] < SETTLED:
            tree.actions[first + child, WAITING] -= 1
    elif chooser != NOBODY:
        end = first + tree.nodes[node, NUM_ACTIONS]
        combinations = tree.nodes[node, NUM_CHILDREN]
        start = first
        while start < end:
            role = role_of(policy, tree.actions[start, MOVE])
            stop = segment_end(tree, policy, role, start, end)
            combinations //= max(1, stop - start)
            pick = picks[role] if chooser == MATRIX else child // max(1, combinations) % (stop - start)
            tree.actions[start + pick, WAITING] -= 1
            start = stop

"""Growth: nodes get their actions, children get nodes."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.expansion import Expansion
from woodstock.circuit.expansion_lanes import Int16Array
from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.packing import BITS
from woodstock.circuit.words import ALL, U0, U1, WordArray, lowest_bit
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.amaf import Tables, give_table
from woodstock.search.selection import GRAVE, GROW, STAY, VISIT, Paths, Policy, role_of, segment_end
from woodstock.search.tree import (
    CHOOSER,
    COUNT,
    DISTANCE,
    EXPANDED,
    FIRST_ACTION,
    FIRST_CHILD,
    FLAGS,
    MATRIX,
    MEAN,
    MOVE,
    NATURE,
    NO_NODE,
    NOBODY,
    NUM_ACTIONS,
    NUM_ACTIONS_USED,
    NUM_CHILDREN,
    NUM_CHILDREN_USED,
    NUM_LINKED,
    NUM_NODES,
    NUM_TURNED,
    PARENT,
    PENDING,
    PROVEN,
    REGRET,
    SEVERAL,
    TERMINAL,
    TURNED,
    TWIN,
    VISITS,
    WAITING,
    Tree,
    add_node,
    draw,
    find_node,
    find_twin,
    is_row,
)

MOST_CHILDREN: Final = 4096
"""Where several roles choose, more combinations than that are not kept: see `woodstock.search.tree.MATRIX`."""


class Children(NamedTuple):
    """The arrays of an `Expansion` that a tree needs."""

    parent: Int32Array
    moves: Int32Array
    rows: WordArray
    keys: WordArray
    terminal: BoolArray
    goals: Int16Array


def children_of(expansion: Expansion) -> Children:
    """Return the arrays of an expansion."""
    return Children(
        expansion.parent, expansion.moves, expansion.rows, expansion.keys, expansion.terminal, expansion.goals
    )


class Fresh(NamedTuple):
    """Nodes that are to be sampled.

    Attributes:
        nodes: The nodes, shape (n,), int32.
        descents: The descent that asked for each, shape (n,), int32.
        child: Its number among the children that were made, shape (n,), int32.
    """

    nodes: Int32Array
    descents: Int32Array
    child: Int32Array


@jit
def list_requests(
    tree: Tree, paths: Paths, num_paths: int, requests: Int32Array, rows: WordArray, keys: WordArray
) -> int:
    """List the descents that want something to be made, and the positions that it is made from; return how many."""
    num = 0
    for number in range(num_paths):
        kind = paths.kinds[number]
        if kind == STAY:
            continue
        node = paths.ends[number] if kind == GROW else paths.nodes[number, paths.lengths[number] - 1]
        requests[num] = number
        keys[num] = tree.keys[node]
        for word in range(tree.rows.shape[1]):
            rows[num, word] = tree.rows[node, word]
        num += 1
    return num


@jit
def open_nodes(
    tree: Tree,
    tables: Tables,
    policy: Policy,
    paths: Paths,
    wanted: tuple[Int32Array, WordArray],
    use: tuple[int, WordArray],
) -> bool:
    """Give the nodes that are to be expanded their actions, and say which of the legal moves lead to wanted children.

    Args:
        tree: The tree.
        tables: Tables of moves, for GRAVE.
        policy: What guides the search.
        paths: The descents.
        wanted: Descents that want something to be made, shape (n,), int32, and the legal moves of the positions that it
            is made from, packed, shape (n, num_move_words), uint64. Changed: what is left of these are moves all
            combinations of which are wanted.
        use: How many children of a node are wanted at once; state of the random numbers.

    Returns:
        Whether there was room for all.
    """
    requests, legal = wanted
    spread, random = use
    has_room = True
    for number in range(len(requests)):
        descent = requests[number]
        if paths.kinds[descent] == GROW:
            node = paths.ends[descent]
            if _add_actions(tree, policy, node, legal[number]):
                if policy.rule == GRAVE:
                    give_table(tree, tables, node)
                _thin(tree, policy, node, legal[number], spread, random)
            else:
                has_room = False
                tree.nodes[node, FLAGS] &= ~PENDING
                paths.kinds[descent] = STAY
                _forget(legal[number])
        else:
            last = paths.lengths[descent] - 1
            node = paths.nodes[descent, last]
            _keep_chosen(tree, policy, (node, paths.chosen[descent, last]), paths.picks[descent], legal[number])
    return has_room


@inner_kernel
def _forget(legal: WordArray) -> None:
    for word in range(len(legal)):
        legal[word] = U0


@inner_kernel
def _word_of_role(policy: Policy, legal: WordArray, role: int, word: int) -> np.uint64:
    """Return the bits of a word of legal moves that belong to a role."""
    start, end = np.uint64(policy.move_start[role]), np.uint64(policy.move_start[role + 1])
    first = np.uint64(word) * BITS
    bits: np.uint64 = legal[word]
    if first < start:
        bits &= ALL << (start - first)
    if first + BITS > end:
        bits &= ALL >> (first + BITS - end)
    return bits


@inner_kernel
def _words_of_role(policy: Policy, role: int) -> tuple[int, int]:
    """Return the first word that has bits of a role, and the end of these words."""
    start, end = policy.move_start[role], policy.move_start[role + 1]
    return (start // 64, start // 64) if start == end else (start // 64, (end - 1) // 64 + 1)


@inner_kernel
def _add_actions(tree: Tree, policy: Policy, node: int, legal: WordArray) -> bool:
    """Write the actions of all roles that have a choice; tell whether there was room."""
    first = tree.sizes[NUM_ACTIONS_USED]
    room = len(tree.actions)
    at = first
    children = 1
    choosers = 0
    chooser = NOBODY
    for role in range(len(policy.move_start) - 1):
        begin = at
        low, high = _words_of_role(policy, role)
        for word in range(low, high):
            bits = _word_of_role(policy, legal, role, word)
            while bits != U0:
                if at >= room:
                    return False
                tree.actions[at, MOVE] = np.uint64(word) * BITS + lowest_bit(bits)
                tree.actions[at, COUNT] = 0
                tree.actions[at, WAITING] = 0
                tree.estimates[at, MEAN] = 0
                tree.estimates[at, REGRET] = 0
                bits &= bits - U1
                at += 1
        size = at - begin
        if size <= 1:
            at = begin  # who has no choice has no actions
        else:
            choosers += 1
            chooser = NATURE if role == policy.nature else role
            children = min(children * size, MOST_CHILDREN + 1)
        if size == 0:
            children = 0
    if choosers > 1:
        chooser = SEVERAL if children <= MOST_CHILDREN else MATRIX
    if chooser == MATRIX:
        children = 0
    first_child = tree.sizes[NUM_CHILDREN_USED]
    if first_child + children > len(tree.children):
        return False
    for child in range(children):
        tree.children[first_child + child] = NO_NODE
    tree.sizes[NUM_ACTIONS_USED] = at
    tree.sizes[NUM_CHILDREN_USED] = first_child + children
    tree.nodes[node, FIRST_ACTION] = first
    tree.nodes[node, NUM_ACTIONS] = at - first
    tree.nodes[node, FIRST_CHILD] = first_child
    tree.nodes[node, NUM_CHILDREN] = children
    tree.nodes[node, CHOOSER] = chooser
    tree.nodes[node, FLAGS] |= EXPANDED
    return True


@inner_kernel
def _thin(tree: Tree, policy: Policy, node: int, legal: WordArray, spread: int, random: WordArray) -> None:
    """Leave only some legal moves, if there are more children than are wanted at once.

    Where one role chooses, any `spread` of its moves are left; where several do, one combination, or none if there is
    no place to keep it.
    """
    chooser = tree.nodes[node, CHOOSER]
    if chooser == MATRIX:
        _forget(legal)
    if chooser in (NOBODY, MATRIX) or tree.nodes[node, NUM_CHILDREN] <= spread:
        return
    start = tree.nodes[node, FIRST_ACTION]
    end = start + tree.nodes[node, NUM_ACTIONS]
    while start < end:
        role = role_of(policy, tree.actions[start, MOVE])
        stop = segment_end(tree, policy, role, start, end)
        wanted = spread if chooser >= 0 or chooser == NATURE else 1
        for action in range(start, stop):
            if draw(random, stop - action) < wanted:
                wanted -= 1
            else:
                _clear(legal, tree.actions[action, MOVE])
        start = stop


@inner_kernel
def _clear(legal: WordArray, move: int) -> None:
    legal[move // 64] &= ~(U1 << np.uint64(move % 64))


@inner_kernel
def _keep_chosen(tree: Tree, policy: Policy, choice: tuple[int, int], picks: Int32Array, legal: WordArray) -> None:
    """Leave only the legal moves that lead to one child."""
    node, child = choice
    start = tree.nodes[node, FIRST_ACTION]
    end = start + tree.nodes[node, NUM_ACTIONS]
    combinations = tree.nodes[node, NUM_CHILDREN]
    is_matrix = tree.nodes[node, CHOOSER] == MATRIX
    while start < end:
        role = role_of(policy, tree.actions[start, MOVE])
        stop = segment_end(tree, policy, role, start, end)
        combinations //= stop - start
        pick = picks[role] if is_matrix else child // max(1, combinations) % (stop - start)
        for action in range(start, stop):
            if action != start + pick:
                _clear(legal, tree.actions[action, MOVE])
        start = stop


@jit
def link_children(
    tree: Tree, policy: Policy, paths: Paths, requests: Int32Array, children: Children, fresh: Fresh
) -> int:
    """Give children that were made nodes, those that there are or new ones.

    Args:
        tree: The tree.
        policy: What guides the search.
        paths: The descents.
        requests: Which descent wanted the children of each parent, shape (n,), int32.
        children: What was made.
        fresh: The nodes that are to be sampled, written.

    Returns:
        How many nodes are to be sampled.
    """
    num_fresh = 0
    for made in range(len(children.parent)):
        descent = requests[children.parent[made]]
        visit = paths.kinds[descent] == VISIT
        parent = paths.nodes[descent, paths.lengths[descent] - 1] if visit else paths.ends[descent]
        if policy.merges:
            node = find_twin(tree, children.keys[made])
        else:
            node = find_node(tree, children.keys[made], children.rows[made])
        if node == NO_NODE:
            if tree.sizes[NUM_NODES] >= len(tree.nodes):
                continue
            node = add_node(tree, children.keys[made], children.rows[made])
            if children.terminal[made]:
                _end(tree, node, children, made)
        if tree.nodes[parent, CHOOSER] != MATRIX:
            place = _place_of(tree, policy, parent, children.moves, made)
            tree.children[tree.nodes[parent, FIRST_CHILD] + place] = node
            if policy.merges:
                is_turned = not is_row(tree.rows, node, children.rows[made])
                tree.sizes[NUM_LINKED] += 1
                tree.sizes[NUM_TURNED] += is_turned
                _note_twins(tree, parent, place, node, is_turned)
        if visit:
            paths.ends[descent] = node
        if tree.nodes[node, VISITS] == 0 and tree.nodes[node, FLAGS] & PENDING == 0:
            tree.nodes[node, FLAGS] |= PENDING
            fresh.nodes[num_fresh] = node
            fresh.descents[num_fresh] = descent
            fresh.child[num_fresh] = made
            num_fresh += 1
    return num_fresh


@jit
def keep_favourites(tree: Tree, policy: Policy, paths: Paths, fresh: Fresh, num: int) -> int:
    """Leave those nodes to be sampled that the evaluation likes best, where one role chooses; the others can wait.

    Args:
        tree: The tree; the evaluation has judged the nodes.
        policy: What guides the search.
        paths: The descents.
        fresh: The nodes that were to be sampled, those of a descent one after the other; changed.
        num: How many.

    Returns:
        How many are left.
    """
    left = 0
    first = 0
    while first < num:
        descent = fresh.descents[first]
        end = first + 1
        while end < num and fresh.descents[end] == descent:
            end += 1
        most = end - first
        if paths.kinds[descent] == GROW and tree.nodes[paths.ends[descent], CHOOSER] >= 0:
            most = min(most, policy.favourites)
            for place in range(first, first + most):
                _bring_best(tree, fresh, tree.nodes[paths.ends[descent], CHOOSER], place, end)
        for place in range(first, end):
            if place < first + most:
                fresh.nodes[left], fresh.child[left] = fresh.nodes[place], fresh.child[place]
                fresh.descents[left] = descent
                left += 1
            else:
                tree.nodes[fresh.nodes[place], FLAGS] &= ~PENDING
        first = end
    return left


@inner_kernel
def _bring_best(tree: Tree, fresh: Fresh, chooser: int, first: int, end: int) -> None:
    """Exchange the first of some fresh nodes for the one that the evaluation likes best."""
    best = first
    for place in range(first + 1, end):
        if tree.judged[fresh.nodes[place], chooser] > tree.judged[fresh.nodes[best], chooser]:
            best = place
    fresh.nodes[first], fresh.nodes[best] = fresh.nodes[best], fresh.nodes[first]
    fresh.child[first], fresh.child[best] = fresh.child[best], fresh.child[first]


@inner_kernel
def _note_twins(tree: Tree, parent: int, place: int, node: int, is_turned: bool) -> None:
    """Note whether a child is another position than its action leads to, and whether another action has it already."""
    chooser = tree.nodes[parent, CHOOSER]
    action = tree.nodes[parent, FIRST_ACTION] + place
    if chooser >= 0 or chooser == NATURE:
        tree.estimates[action, TURNED] = is_turned
    if chooser >= 0 and tree.nodes[node, PARENT] == parent + 1:
        tree.actions[action, WAITING] = TWIN
    tree.nodes[node, PARENT] = parent + 1


@inner_kernel
def _end(tree: Tree, node: int, children: Children, made: int) -> None:
    """Note that a match is over in a node; who has no goal gets nothing."""
    tree.nodes[node, FLAGS] |= PROVEN | TERMINAL
    tree.nodes[node, VISITS] = 1
    tree.nodes[node, DISTANCE] = 0
    for role in range(children.goals.shape[1]):
        tree.values[node, role] = max(0, children.goals[made, role]) / 100.0
    for role in range(tree.judged.shape[1]):
        tree.judged[node, role] = tree.values[node, role]


@inner_kernel
def _place_of(tree: Tree, policy: Policy, node: int, moves: Int32Array, made: int) -> int:
    """Return which child of a node moves lead to."""
    start = tree.nodes[node, FIRST_ACTION]
    end = start + tree.nodes[node, NUM_ACTIONS]
    place = 0
    while start < end:
        role = role_of(policy, tree.actions[start, MOVE])
        stop = segment_end(tree, policy, role, start, end)
        low, high = start, stop - 1  # the moves of a role are in order
        while low < high:
            middle = (low + high) // 2
            if tree.actions[middle, MOVE] < moves[made, role]:
                low = middle + 1
            else:
                high = middle
        place = place * (stop - start) + (low - start)
        start = stop
    return int(place)

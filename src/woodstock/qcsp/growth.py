"""The Monte-Carlo tree search of Baba et al. (IJCAI 2011, §3), as kernels over a tree of arrays.

A *node* is a situation; its *turn* is the next one with more than one value left. The root of the tree is the situation
in which a value is asked for. A *descent* goes from the root to a leaf, always to the child with the greatest UCB
value; the leaf is expanded at once (threshold 1), a random playout starts from one of its children, and the result, 1
for a win of the existential side and else 0, is added to all nodes on the way.

An expansion applies the pure value rule, then propagates every child. A child in which that fails is *dead*: its value
is -∞ for the existential side, which never goes there, and to the universal side it is a win (in sums it counts 0).
That is the *shallow* update. The *deep* one also kills nodes of the existential side whose children are all dead, and
nodes of the universal side with a dead child.

The UCB value of a child is `X · (1 - l/L) + sqrt(2 ln t / t_j)` for the existential side, and the same with `-X` for
the universal one: `X` is the mean of its results, `t_j` and `t` the visits of the child and of its parent. `l/L` is the
share of the endings below the child that propagation has pruned, where L counts those that are left at the root of the
tree; without propagation it is 0.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import inner_kernel, jit
from woodstock.cp.constraints import Int32Array, Int64Array
from woodstock.qcsp.compiled import Arrays
from woodstock.qcsp.playouts import play_blindly, play_out
from woodstock.qcsp.propagation import Work, count_values, propagate_turn, pure_values
from woodstock.qcsp.randomness import RandomState, draw

Float64Array = npt.NDArray[np.float64]

# Columns of `Tree.nodes`.
FIRST_CHILD: Final = 0
NUM_CHILDREN: Final = 1
TURN: Final = 2
"""The turn of an expanded node."""
PLACE: Final = 3
"""The value that led here, as its place."""
VISITS: Final = 4
STATE: Final = 5
ROW: Final = 6
"""Where the domains of an expanded node are."""
NODE_COLUMNS: Final = 7

# What STATE says.
LEAF: Final = 0
EXPANDED: Final = 1
DEAD: Final = 2
ENDED: Final = 3
"""No turn is left with a choice: the existential side has won."""

# Columns of `Tree.values`.
WINS: Final = 0
LEFT: Final = 1
VALUE_COLUMNS: Final = 2

# Entries of `Tree.sizes`.
NUM_NODES: Final = 0
NUM_ROWS: Final = 1
PLAYOUTS: Final = 2
NUM_SIZES: Final = 3

# Entries of a mode.
PROPAGATES: Final = 0
DEEP: Final = 1
STRICT: Final = 2
NUM_MODES: Final = 3

NO_NODE: Final = -1


class Tree(NamedTuple):
    """The arrays of a search tree, over n turns with at most w values.

    Attributes:
        nodes: See FIRST_CHILD and those after it, shape (capacity, NODE_COLUMNS), int32.
        values: See WINS and LEFT, shape (capacity, VALUE_COLUMNS), float64.
        rows: Domains of expanded nodes, shape (rows, n), int64.
        child_rows: Domains of the children of the node that is being expanded, shape (w, n), int64.
        path: The nodes on the way down, shape (n + 1,), int32.
        sizes: See NUM_NODES and those after it, int64.
    """

    nodes: Int32Array
    values: Float64Array
    rows: Int64Array
    child_rows: Int64Array
    path: Int32Array
    sizes: Int64Array


class Growth(NamedTuple):
    """A tree and all that it grows with.

    Attributes:
        net: The network.
        work: For propagation.
        tree: The tree.
        mode: See PROPAGATES and those after it, int64.
        random: Random numbers.
    """

    net: Arrays
    work: Work
    tree: Tree
    mode: Int64Array
    random: RandomState


def make_tree(num_turns: int, width: int, num_nodes: int, num_rows: int) -> Tree:
    """Return an empty tree; its arrays take memory only when they are used."""
    return Tree(
        np.zeros((num_nodes, NODE_COLUMNS), np.int32),
        np.zeros((num_nodes, VALUE_COLUMNS), np.float64),
        np.zeros((num_rows, num_turns), np.int64),
        np.zeros((width, num_turns), np.int64),
        np.zeros(num_turns + 1, np.int32),
        np.zeros(NUM_SIZES, np.int64),
    )


@jit
def grow(growth: Growth, descents: int) -> bool:
    """Make descents; tell whether the root is known to be dead, or not worth another one.

    The domains of the root are in the first row; its turn is in its node, which is a leaf the first time.
    """
    tree = growth.tree
    for _ in range(descents):
        if tree.nodes[0, STATE] == DEAD or tree.nodes[0, STATE] == ENDED:
            return True
        _descend(growth)
    return bool(tree.nodes[0, STATE] == DEAD)


@inner_kernel
def _descend(growth: Growth) -> None:
    tree = growth.tree
    node, length = 0, 1
    tree.path[0] = 0
    while tree.nodes[node, STATE] == EXPANDED:
        child = _select(growth, node)
        if child == NO_NODE:
            break
        node = child
        tree.path[length] = node
        length += 1
    state = tree.nodes[node, STATE]
    result = 0.0
    if state == ENDED:
        result = 1.0
    elif state == LEAF:
        parent = tree.path[length - 2] if length > 1 else NO_NODE
        child, result = _visit_leaf(growth, node, parent)
        if child != NO_NODE:
            tree.path[length] = child
            length += 1
        if growth.mode[DEEP] == 1:
            _kill_upwards(growth.net, tree, length)
    for step in range(length):
        tree.nodes[tree.path[step], VISITS] += 1
        tree.values[tree.path[step], WINS] += result


@inner_kernel
def _select(growth: Growth, node: int) -> int:
    """Return the child with the greatest UCB value for the side that has the turn; NO_NODE if all are dead to it."""
    tree = growth.tree
    first, count = tree.nodes[node, FIRST_CHILD], tree.nodes[node, NUM_CHILDREN]
    is_universal = growth.net.is_universal[tree.nodes[node, TURN]] == 1
    exploration = 2.0 * math.log(max(1, tree.nodes[node, VISITS]))
    best, best_value = NO_NODE, -math.inf
    offset = draw(growth.random, count)
    for step in range(count):
        child = first + (step + offset) % count
        is_dead = tree.nodes[child, STATE] == DEAD
        if is_dead and not is_universal:
            continue
        visits = tree.nodes[child, VISITS]
        if visits == 0:
            return int(child)
        value = tree.values[child, WINS] / visits * tree.values[child, LEFT]
        value = (-value if is_universal else value) + math.sqrt(exploration / visits)
        if value > best_value:
            best, best_value = child, value
    return int(best)


@inner_kernel
def _visit_leaf(growth: Growth, node: int, parent: int) -> tuple[int, float]:
    """Expand a leaf and play out from one of its children; return that child, if there is one, and the result."""
    tree = growth.tree
    row = _enter_row(growth, node, parent)
    turn = tree.nodes[node, TURN]
    if turn == len(growth.net.domains):
        is_won = _play(growth, tree.rows[row], turn)
        tree.nodes[node, STATE] = ENDED if is_won else DEAD
        return NO_NODE, 1.0 if is_won else 0.0
    width = tree.child_rows.shape[0]
    if tree.sizes[NUM_NODES] + width > len(tree.nodes) or row == len(tree.rows) - 1:
        # No room: the last row is kept for those that are not expanded any more.
        return NO_NODE, 1.0 if _play(growth, tree.rows[row], turn) else 0.0
    _expand(growth, node)
    child = _draw_child(growth, node)
    if child == NO_NODE or tree.nodes[child, STATE] == DEAD:
        return child, 0.0
    scratch = tree.child_rows[child - tree.nodes[node, FIRST_CHILD]]
    return child, 1.0 if _play(growth, scratch, turn + 1) else 0.0


@inner_kernel
def _play(growth: Growth, domains: Int64Array, turn: int) -> bool:
    """Play out from domains, in place; tell whether the existential side won."""
    growth.tree.sizes[PLAYOUTS] += 1
    if growth.mode[PROPAGATES] == 1:
        return play_out(growth.net, domains, growth.work, turn, growth.mode[STRICT] == 1, growth.random)
    return play_blindly(growth.net, domains, turn, growth.random)


@inner_kernel
def _enter_row(growth: Growth, node: int, parent: int) -> int:
    """Compute the domains and the turn of a leaf; return their row."""
    tree = growth.tree
    if parent == NO_NODE:
        return 0
    row = tree.sizes[NUM_ROWS]
    if row < len(tree.rows) - 1:
        tree.sizes[NUM_ROWS] += 1
    above, turn = tree.nodes[parent, ROW], tree.nodes[parent, TURN]
    num_turns = len(growth.net.domains)
    for other in range(num_turns):
        tree.rows[row, other] = tree.rows[above, other]
    tree.rows[row, turn] = 1 << int(tree.nodes[node, PLACE])
    if growth.mode[PROPAGATES] == 1:
        propagate_turn(growth.net, tree.rows[row], growth.work, turn, growth.mode[STRICT] == 1)
    turn += 1
    while turn < num_turns and tree.rows[row, turn] & (tree.rows[row, turn] - 1) == 0:
        turn += 1
    tree.nodes[node, TURN] = turn
    tree.nodes[node, ROW] = row
    return int(row)


@inner_kernel
def _expand(growth: Growth, node: int) -> None:
    """Give a leaf its children."""
    tree, net = growth.tree, growth.net
    row, turn = tree.nodes[node, ROW], tree.nodes[node, TURN]
    mask = tree.rows[row, turn]
    pure = pure_values(net, tree.rows[row], growth.work, turn)
    if net.is_universal[turn] == 1:
        mask = mask & ~pure if mask != pure else mask & -mask
    elif pure != 0:
        mask = pure & -pure
    first = tree.sizes[NUM_NODES]
    count, place = 0, 0
    while mask != 0:
        if mask & 1:
            _add_child(growth, node, count, place)
            count += 1
        mask >>= 1
        place += 1
    tree.nodes[node, FIRST_CHILD] = first
    tree.nodes[node, NUM_CHILDREN] = count
    tree.nodes[node, STATE] = EXPANDED


@inner_kernel
def _add_child(growth: Growth, node: int, number: int, place: int) -> None:
    """Add a child; its domains are kept as long as its siblings are added."""
    tree, mode = growth.tree, growth.mode
    row, turn = tree.nodes[node, ROW], tree.nodes[node, TURN]
    child = tree.sizes[NUM_NODES]
    tree.sizes[NUM_NODES] += 1
    for column in range(NODE_COLUMNS):
        tree.nodes[child, column] = 0
    tree.nodes[child, PLACE] = place
    tree.values[child, WINS] = 0.0
    tree.values[child, LEFT] = 1.0
    domains = tree.child_rows[number]
    for other in range(len(domains)):
        domains[other] = tree.rows[row, other]
    domains[turn] = 1 << place
    if mode[PROPAGATES] == 0:
        return
    if not propagate_turn(growth.net, domains, growth.work, turn, mode[STRICT] == 1):
        tree.nodes[child, STATE] = DEAD
        return
    left = 1.0
    for other in range(turn + 1, len(domains)):
        if domains[other] != tree.rows[0, other]:
            left *= count_values(domains[other]) / count_values(tree.rows[0, other])
    tree.values[child, LEFT] = left


@inner_kernel
def _draw_child(growth: Growth, node: int) -> int:
    """Return a random child; the existential side takes none that is dead."""
    tree = growth.tree
    first, count = tree.nodes[node, FIRST_CHILD], tree.nodes[node, NUM_CHILDREN]
    offset = draw(growth.random, count)
    if growth.net.is_universal[tree.nodes[node, TURN]] == 1:
        return int(first + offset)
    for step in range(count):
        child = first + (step + offset) % count
        if tree.nodes[child, STATE] != DEAD:
            return int(child)
    return NO_NODE


@inner_kernel
def _kill_upwards(net: Arrays, tree: Tree, length: int) -> None:
    """Make nodes on the way dead that must be, from the last one up: the deep update."""
    for step in range(length - 1, -1, -1):
        node = tree.path[step]
        if tree.nodes[node, STATE] != EXPANDED:
            continue
        first, count = tree.nodes[node, FIRST_CHILD], tree.nodes[node, NUM_CHILDREN]
        dead = 0
        for child in range(first, first + count):
            if tree.nodes[child, STATE] == DEAD:
                dead += 1
        is_universal = net.is_universal[tree.nodes[node, TURN]] == 1
        if dead < (1 if is_universal else count):
            return
        tree.nodes[node, STATE] = DEAD

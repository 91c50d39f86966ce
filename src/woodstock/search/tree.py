"""The search tree as arrays.

A *node* is a position; positions that are reached in several ways have one node, so the tree is a graph. A node is
*expanded* once its actions are known. An *action* is a legal move of a role that has a choice there, a *chooser*;
nature counts as one. A *child* is a combination of one action of each chooser: the actions of the last chooser change
quickest. So where one role chooses, actions and children are the same; where several do, each has statistics of its own
for its actions (decoupled). A child has a node once somebody went there.

All values are utilities, goals divided by 100, as means. The value of a *proven* node is exact.

With symmetries, keys are the same for all positions that are symmetric to each other, and one node may stand for all of
them: that of the position that was met first.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.words import U1, WordArray
from woodstock.common.jit import inner_kernel
from woodstock.common.pages import lazy_zeros

Float32Array = npt.NDArray[np.float32]
Float64Array = npt.NDArray[np.float64]

NO_NODE: Final = -1
"""Stands for a child that nobody went to."""

# Columns of `Tree.nodes`.
FIRST_ACTION: Final = 0
NUM_ACTIONS: Final = 1
FIRST_CHILD: Final = 2
NUM_CHILDREN: Final = 3
VISITS: Final = 4
FLAGS: Final = 5
CHOOSER: Final = 6
DISTANCE: Final = 7
"""Of a proven node: how many joint moves away the end is, if the value is kept to as quickly or as long as can be."""
STAMP: Final = 8
"""The last descent that came through."""
TABLE: Final = 9
"""Number of the node's table of moves seen in playouts (`woodstock.search.amaf`), or NO_TABLE."""
PARENT: Final = 10
"""1 + the last node of which it became a child."""
NODE_COLUMNS: Final = 11

NO_TABLE: Final = -1

# What CHOOSER says if it is not the number of the only role that chooses.
NATURE: Final = -1
NOBODY: Final = -2
SEVERAL: Final = -3
MATRIX: Final = -4
"""Several choose, and their combinations are too many to be kept: there are statistics of actions, but no children."""

# Bits of FLAGS.
EXPANDED: Final = 1
PROVEN: Final = 2
PENDING: Final = 4
"""Somebody is about to expand it, or to sample it."""
HAS_PROVEN: Final = 8
"""Some child is proven."""
TERMINAL: Final = 16

# Columns of `Tree.actions`.
MOVE: Final = 0
COUNT: Final = 1
WAITING: Final = 2
"""How many descents went that way whose result is not yet known."""
ACTION_COLUMNS: Final = 3

SETTLED: Final = 1 << 29
"""What WAITING says of an action whose child is proven: no descent goes there any more."""
TWIN: Final = 1 << 30
"""What WAITING says of an action that leads to the same child as another one, or to one that is symmetric to it."""

# Columns of `Tree.estimates`.
MEAN: Final = 0
REGRET: Final = 1
TURNED: Final = 1
"""Where one role chooses nobody regrets anything: there the same column is 1 if the child is not the position that the
action leads to, but one that is symmetric to it."""
ESTIMATE_COLUMNS: Final = 2

# Entries of `Tree.sizes`.
NUM_NODES: Final = 0
NUM_ACTIONS_USED: Final = 1
NUM_CHILDREN_USED: Final = 2
NUM_TABLES: Final = 3
NUM_DESCENTS: Final = 4
NUM_LINKED: Final = 5
"""Children that were given a node, an old or a new one."""
NUM_TURNED: Final = 6
"""Those of them whose node has another position, symmetric to theirs."""
NUM_SIZES: Final = 7


class Tree(NamedTuple):
    """The arrays of a search tree; what is unused at their ends has no meaning.

    Attributes:
        nodes: What is known of each node, see FIRST_ACTION and those after it, shape (capacity, NODE_COLUMNS), int32.
        values: Its value for each role, shape (capacity, num_roles), float64.
        judged: What an evaluation says of it for each role, carried up by minimax, shape (capacity, num_roles),
            float64; (capacity, 0) if there is none beside the values.
        rows: Its packed position, shape (capacity, num_words), uint64.
        keys: The key of its position, shape (capacity,), uint64.
        actions: See MOVE and those after it, moves counted over all roles, shape (num, ACTION_COLUMNS), int32.
        estimates: What an action is worth to its role, and its regret, shape (num, ESTIMATE_COLUMNS), float32.
        children: Nodes, or NO_NODE, shape (num,), int32.
        buckets: Open addressing from keys to nodes, 1 + node or 0 if empty; a power of two, int32.
        sizes: How much of each array is used, see NUM_NODES and those after it, int64.
    """

    nodes: Int32Array
    values: Float64Array
    judged: Float64Array
    rows: WordArray
    keys: WordArray
    actions: Int32Array
    estimates: Float32Array
    children: Int32Array
    buckets: Int32Array
    sizes: Int64Array


def bytes_per_node(num_roles: int, num_words: int, num_judged: int = 0) -> int:
    """Return what a node takes with its share of everything: about one action, one child and two to four buckets."""
    of_actions = 4 * ACTION_COLUMNS + 4 * ESTIMATE_COLUMNS + 4 + 16
    return 4 * NODE_COLUMNS + 8 * (num_roles + num_judged) + 8 * num_words + 8 + of_actions


def make_tree(num_nodes: int, num_roles: int, num_words: int, num_judged: int = 0) -> Tree:
    """Return an empty tree with room for so many nodes, and as many actions and children.

    The arrays are not written to, so they take memory only when they are used.
    """
    return Tree(
        nodes=lazy_zeros((num_nodes, NODE_COLUMNS), np.int32),
        values=lazy_zeros((num_nodes, num_roles), np.float64),
        judged=lazy_zeros((num_nodes, num_judged), np.float64),
        rows=lazy_zeros((num_nodes, num_words), np.uint64),
        keys=lazy_zeros((num_nodes,), np.uint64),
        actions=lazy_zeros((num_nodes, ACTION_COLUMNS), np.int32),
        estimates=lazy_zeros((num_nodes, ESTIMATE_COLUMNS), np.float32),
        children=lazy_zeros((num_nodes,), np.int32),
        buckets=lazy_zeros((1 << max(4, (2 * num_nodes - 1).bit_length()),), np.int32, scattered=True),
        sizes=np.zeros(NUM_SIZES, np.int64),
    )


@inner_kernel
def find_node(tree: Tree, key: np.uint64, row: WordArray) -> int:
    """Return the node of a position, or NO_NODE."""
    mask = np.uint64(len(tree.buckets) - 1)
    place = key & mask
    while tree.buckets[place] != 0:
        node = tree.buckets[place] - 1
        if tree.keys[node] == key and is_row(tree.rows, node, row):
            return int(node)
        place = (place + U1) & mask
    return NO_NODE


@inner_kernel
def find_twin(tree: Tree, key: np.uint64) -> int:
    """Return a node with a key, whatever its position, or NO_NODE."""
    mask = np.uint64(len(tree.buckets) - 1)
    place = key & mask
    while tree.buckets[place] != 0:
        node = tree.buckets[place] - 1
        if tree.keys[node] == key:
            return int(node)
        place = (place + U1) & mask
    return NO_NODE


@inner_kernel
def is_row(rows: WordArray, node: int, row: WordArray) -> bool:
    """Tell whether a node has a position."""
    for word in range(rows.shape[1]):  # noqa: SIM110 (a kernel)
        if rows[node, word] != row[word]:
            return False
    return True


@inner_kernel
def enter_bucket(tree: Tree, node: int) -> None:
    """Make a node found by its key."""
    mask = np.uint64(len(tree.buckets) - 1)
    place = tree.keys[node] & mask
    while tree.buckets[place] != 0:
        place = (place + U1) & mask
    tree.buckets[place] = node + 1


@inner_kernel
def add_node(tree: Tree, key: np.uint64, row: WordArray) -> int:
    """Return a new node for a position that has none; there must be room."""
    node = tree.sizes[NUM_NODES]
    tree.sizes[NUM_NODES] += 1
    for column in range(NODE_COLUMNS):
        tree.nodes[node, column] = 0
    tree.nodes[node, CHOOSER] = NOBODY
    tree.nodes[node, TABLE] = NO_TABLE
    tree.keys[node] = key
    for word in range(tree.rows.shape[1]):
        tree.rows[node, word] = row[word]
    for role in range(tree.values.shape[1]):
        tree.values[node, role] = 0.0
    for role in range(tree.judged.shape[1]):
        tree.judged[node, role] = 0.0
    enter_bucket(tree, node)
    return int(node)


@inner_kernel
def draw(random: WordArray, bound: int) -> int:
    """Return a random number below a bound (xorshift, Marsaglia 2003; the state must not be 0)."""
    state = random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    random[0] = state
    return int(((state >> np.uint64(33)) * np.uint64(bound)) >> np.uint64(31))

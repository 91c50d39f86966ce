"""History: which moves are better than others, wherever they are made.

Whenever a node is expanded, all its children are sampled at once, so it is seen by how much each move is better there
than the others are on the average. The mean of that over all nodes costs next to nothing, and it says of a move that
was hardly tried at a node what to expect of it there: the idea of RAVE, without counting the moves of playouts.
"""

from __future__ import annotations

from typing import Final

from woodstock.common.jit import inner_kernel
from woodstock.search.selection import Policy
from woodstock.search.tree import (
    CHOOSER,
    FIRST_ACTION,
    FIRST_CHILD,
    MOVE,
    NO_NODE,
    NUM_ACTIONS,
    VISITS,
    Tree,
)

MEMORY: Final = 500.0
"""Over how many nodes the mean of a move goes at most, so that what was long ago is forgotten."""
CAUTION: Final = 10.0
"""So many nodes at which a move was like the others are assumed at first."""


@inner_kernel
def note_advantages(tree: Tree, policy: Policy, node: int) -> None:
    """Learn from a node that was just expanded, and at which one role chooses."""
    chooser = tree.nodes[node, CHOOSER]
    first = tree.nodes[node, FIRST_ACTION]
    first_child = tree.nodes[node, FIRST_CHILD]
    total = 0.0
    num = 0
    for number in range(tree.nodes[node, NUM_ACTIONS]):
        below = tree.children[first_child + number]
        if below != NO_NODE and tree.nodes[below, VISITS] > 0:
            total += tree.values[below, chooser]
            num += 1
    for number in range(tree.nodes[node, NUM_ACTIONS]):
        below = tree.children[first_child + number]
        if below != NO_NODE and tree.nodes[below, VISITS] > 0:
            move = tree.actions[first + number, MOVE]
            advantage = tree.values[below, chooser] - total / num
            policy.times_seen[move] = min(policy.times_seen[move] + 1.0, MEMORY)
            policy.advantages[move] += (advantage - policy.advantages[move]) / (CAUTION + policy.times_seen[move])

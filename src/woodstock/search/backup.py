"""Back-up: what was learnt at the end of a descent reaches the nodes above.

Values are means of what came up from below (max^n, Sturtevant 2008: each role looks at its own part), or, with
`Policy.minimax`, those of the child that the role that chooses likes best. There are three exceptions. The value of a
node at which nature alone chooses is the mean of its children, each as likely as the others. A role that could have had
a proven value does not get less. And a proven value replaces the mean: a node is proven if its role has a child that is
proven to be as good as can be, which then stands for all that are as good, or if all children are proven.

What an evaluation says beside playouts goes up on a way of its own, by minimax (`Tree.judged`; implicit minimax:
Lanctot, Winands, Pepels and Sturtevant 2014), and counts for some of what actions are worth.
"""

from __future__ import annotations

import numpy as np

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.history import note_advantages
from woodstock.search.selection import GROW, Paths, Policy, role_of, segment_end
from woodstock.search.tree import (
    CHOOSER,
    COUNT,
    DISTANCE,
    FIRST_ACTION,
    FIRST_CHILD,
    FLAGS,
    HAS_PROVEN,
    MATRIX,
    MEAN,
    MOVE,
    NATURE,
    NO_NODE,
    NOBODY,
    NUM_ACTIONS,
    NUM_CHILDREN,
    PENDING,
    PROVEN,
    REGRET,
    SETTLED,
    VISITS,
    WAITING,
    Float64Array,
    Tree,
)


@jit
def record_samples(tree: Tree, nodes: Int32Array, counts: Int64Array, goal_sums: Int64Array) -> None:
    """Give nodes their first values.

    Args:
        tree: The tree.
        nodes: Nodes that were sampled, shape (n,), int32.
        counts: Playouts from each, shape (n,), int64; with none, a node stays as it is.
        goal_sums: Sum of the goals of each role, shape (n, num_roles), int64.
    """
    for number in range(len(nodes)):
        node = nodes[number]
        tree.nodes[node, FLAGS] &= ~PENDING
        if counts[number] > 0:
            tree.nodes[node, VISITS] = 1
            for role in range(tree.values.shape[1]):
                tree.values[node, role] = goal_sums[number, role] / (100.0 * counts[number])


@jit
def back_up(tree: Tree, policy: Policy, paths: Paths, num_paths: int, sample: Float64Array) -> None:
    """Carry the results of descents up to the root.

    Args:
        tree: The tree.
        policy: What guides the search.
        paths: The descents.
        num_paths: How many.
        sample: Space to work in, shape (num_roles,), float64.
    """
    for number in range(num_paths):
        end = paths.ends[number]
        kind = paths.kinds[number]
        if kind == GROW:
            tree.nodes[end, FLAGS] &= ~PENDING
            if tree.judged.shape[1] > 0:
                _carry_up(tree, policy, end)
            _settle_children(tree, policy, end, paths.picks[number, :0])
            if policy.trust > 0.0 and tree.nodes[end, CHOOSER] >= 0:
                note_advantages(tree, policy, end)
            if _average_children(tree, end, sample) > 0 or tree.nodes[end, VISITS] > 0:
                _learn(tree, policy, end, sample)
        elif end != NO_NODE:
            _take_value(tree, end, sample)
        if (end == NO_NODE or tree.nodes[end, VISITS] == 0) and paths.lengths[number] > 0:
            # There was no room, or no time: nothing was learnt.
            _take_value(tree, paths.nodes[number, paths.lengths[number] - 1], sample)
        for step in range(paths.lengths[number] - 1, -1, -1):
            node = paths.nodes[number, step]
            _credit(tree, policy, (node, paths.chosen[number, step]), paths.picks[number], sample)
            if tree.judged.shape[1] > 0:
                _carry_up(tree, policy, node)
            _learn(tree, policy, node, sample)


@inner_kernel
def _take_value(tree: Tree, node: int, sample: Float64Array) -> None:
    for role in range(len(sample)):
        sample[role] = tree.values[node, role]


@inner_kernel
def _settle_children(tree: Tree, policy: Policy, node: int, no_picks: Int32Array) -> None:
    """Let the actions of a node that was just expanded know what its children are worth."""
    chooser = tree.nodes[node, CHOOSER]
    first_child = tree.nodes[node, FIRST_CHILD]
    for child in range(tree.nodes[node, NUM_CHILDREN]):
        below = tree.children[first_child + child]
        if below == NO_NODE or tree.nodes[below, VISITS] == 0:
            continue
        if chooser >= 0 or chooser == NATURE:
            _assess(tree, policy, (node, child), below)
        elif chooser != NOBODY:
            _credit_joint(tree, policy, (node, child), no_picks, tree.values[below])
        if tree.nodes[below, FLAGS] & PROVEN != 0:
            tree.nodes[node, FLAGS] |= HAS_PROVEN


@inner_kernel
def _assess(tree: Tree, policy: Policy, choice: tuple[int, int], below: int) -> None:
    """Set what an action is worth to the node that it leads to, where one role chooses."""
    node, child = choice
    chooser = tree.nodes[node, CHOOSER]
    action = tree.nodes[node, FIRST_ACTION] + child
    tree.actions[action, COUNT] += 1
    if chooser >= 0:
        tree.estimates[action, MEAN] = tree.values[below, chooser]
        if tree.judged.shape[1] > 0 and tree.nodes[below, FLAGS] & PROVEN == 0:
            said = policy.hearing * (tree.judged[below, chooser] - tree.values[below, chooser])
            tree.estimates[action, MEAN] += np.float32(said)
    if tree.nodes[below, FLAGS] & PROVEN != 0:
        tree.actions[action, WAITING] = SETTLED
        tree.nodes[node, FLAGS] |= HAS_PROVEN


@inner_kernel
def _average_children(tree: Tree, node: int, sample: Float64Array) -> int:
    """Find the mean of the children that have a value, the node's own if none has; return how many have."""
    num = 0
    for role in range(len(sample)):
        sample[role] = 0.0
    first_child = tree.nodes[node, FIRST_CHILD]
    for child in range(tree.nodes[node, NUM_CHILDREN]):
        below = tree.children[first_child + child]
        if below != NO_NODE and tree.nodes[below, VISITS] > 0:
            num += 1
            for role in range(len(sample)):
                sample[role] += tree.values[below, role]
    for role in range(len(sample)):
        sample[role] = sample[role] / num if num > 0 else tree.values[node, role]
    return num


@inner_kernel
def _credit(tree: Tree, policy: Policy, choice: tuple[int, int], picks: Int32Array, sample: Float64Array) -> None:
    """Give the actions that were chosen in a node what came of them; they wait no more."""
    node, child = choice
    chooser = tree.nodes[node, CHOOSER]
    if chooser == NOBODY:
        below = tree.children[tree.nodes[node, FIRST_CHILD]]
        if below != NO_NODE and tree.nodes[below, FLAGS] & PROVEN != 0:
            tree.nodes[node, FLAGS] |= HAS_PROVEN
        return
    if chooser >= 0 or chooser == NATURE:
        action = tree.nodes[node, FIRST_ACTION] + child
        if tree.actions[action, WAITING] < SETTLED:
            tree.actions[action, WAITING] -= 1
        below = tree.children[tree.nodes[node, FIRST_CHILD] + child]
        if below != NO_NODE and tree.nodes[below, VISITS] > 0:
            _assess(tree, policy, (node, child), below)
        return
    _credit_joint(tree, policy, choice, picks, sample)
    if chooser != MATRIX:
        below = tree.children[tree.nodes[node, FIRST_CHILD] + child]
        if below != NO_NODE and tree.nodes[below, FLAGS] & PROVEN != 0:
            tree.nodes[node, FLAGS] |= HAS_PROVEN


@inner_kernel
def _credit_joint(tree: Tree, policy: Policy, choice: tuple[int, int], picks: Int32Array, sample: Float64Array) -> None:
    """Give the actions of several roles what came of their combination.

    With regret matching, each other action of a role would have brought what its child with the same actions of the
    others is worth, or, if there is none, what the action is worth on the whole.
    """
    node, child = choice
    chooser = tree.nodes[node, CHOOSER]
    first_child = tree.nodes[node, FIRST_CHILD]
    start = tree.nodes[node, FIRST_ACTION]
    end = start + tree.nodes[node, NUM_ACTIONS]
    combinations = tree.nodes[node, NUM_CHILDREN]
    while start < end:
        role = role_of(policy, tree.actions[start, MOVE])
        stop = segment_end(tree, policy, role, start, end)
        size = stop - start
        combinations //= size
        pick = picks[role] if chooser == MATRIX else child // combinations % size
        action = start + pick
        if len(picks) > 0:
            tree.actions[action, WAITING] -= 1
        tree.actions[action, COUNT] += 1
        share = np.float32(1) / np.float32(tree.actions[action, COUNT])
        tree.estimates[action, MEAN] += share * (np.float32(sample[role]) - tree.estimates[action, MEAN])
        if policy.mixing >= 0 and role != policy.nature and len(picks) > 0:
            for other in range(size):
                value = tree.estimates[start + other, MEAN] if tree.actions[start + other, COUNT] > 0 else 0.5
                if chooser != MATRIX:
                    below = tree.children[first_child + child + (other - pick) * combinations]
                    if below != NO_NODE and tree.nodes[below, VISITS] > 0:
                        value = tree.values[below, role]
                if other != pick:
                    tree.estimates[start + other, REGRET] += value - sample[role]
        start = stop


@inner_kernel
def _learn(tree: Tree, policy: Policy, node: int, sample: Float64Array) -> None:
    """Let a node learn from a sample, and make the sample what the node above is to learn."""
    flags = tree.nodes[node, FLAGS]
    if flags & PROVEN == 0:
        chooser = tree.nodes[node, CHOOSER]
        if flags & HAS_PROVEN != 0:
            prove(tree, policy, node)
        elif tree.nodes[node, NUM_CHILDREN] == 0 and chooser == NOBODY:
            tree.nodes[node, FLAGS] |= PROVEN  # some role has no move: the match stops here
        if tree.nodes[node, FLAGS] & PROVEN == 0:
            if chooser == NATURE:
                _average_children(tree, node, sample)
            elif chooser >= 0 and policy.minimax:
                _take_best(tree, node, sample)
            elif chooser >= 0 and flags & HAS_PROVEN != 0:
                _take_better(tree, node, sample)
            tree.nodes[node, VISITS] += 1
            share = 1.0 if chooser >= 0 and policy.minimax else 1.0 / tree.nodes[node, VISITS]
            for role in range(len(sample)):
                tree.values[node, role] += share * (sample[role] - tree.values[node, role])
    if tree.nodes[node, FLAGS] & PROVEN != 0:
        tree.nodes[node, VISITS] += 1
        _take_value(tree, node, sample)


@inner_kernel
def _carry_up(tree: Tree, policy: Policy, node: int) -> None:
    """Make what the evaluation says of a node what it says of the child that is chosen, or on the average of all.

    It has nothing to say yet of those that another thread is sampling.
    """
    chooser = tree.nodes[node, CHOOSER]
    first_child = tree.nodes[node, FIRST_CHILD]
    num = 0
    best = NO_NODE
    for child in range(tree.nodes[node, NUM_CHILDREN]):
        below = tree.children[first_child + child]
        if below == NO_NODE:
            continue
        if tree.nodes[below, VISITS] == 0 and (policy.favourites == 0 or tree.nodes[below, FLAGS] & PENDING != 0):
            continue
        if tree.nodes[below, FLAGS] & PROVEN != 0:
            for role in range(tree.judged.shape[1]):
                tree.judged[below, role] = tree.values[below, role]
        if chooser >= 0:
            if best == NO_NODE or tree.judged[below, chooser] > tree.judged[best, chooser]:
                best = below
        else:
            num += 1
            for role in range(tree.judged.shape[1]):
                said = 0.0 if num == 1 else tree.judged[node, role]
                tree.judged[node, role] = said + (tree.judged[below, role] - said) / num
    if best != NO_NODE:
        for role in range(tree.judged.shape[1]):
            tree.judged[node, role] = tree.judged[best, role]


@inner_kernel
def _take_best(tree: Tree, node: int, sample: Float64Array) -> None:
    """Replace a sample by the child that the role that chooses likes best."""
    chooser = tree.nodes[node, CHOOSER]
    first_child = tree.nodes[node, FIRST_CHILD]
    best = NO_NODE
    for child in range(tree.nodes[node, NUM_CHILDREN]):
        below = tree.children[first_child + child]
        if below == NO_NODE or tree.nodes[below, VISITS] == 0:
            continue
        if best == NO_NODE or tree.values[below, chooser] > tree.values[best, chooser]:
            best = below
    if best != NO_NODE:
        _take_value(tree, best, sample)


@inner_kernel
def _take_better(tree: Tree, node: int, sample: Float64Array) -> None:
    """Replace a sample by a proven child that the role that chooses likes better."""
    chooser = tree.nodes[node, CHOOSER]
    first = tree.nodes[node, FIRST_ACTION]
    first_child = tree.nodes[node, FIRST_CHILD]
    for number in range(tree.nodes[node, NUM_ACTIONS]):
        if tree.actions[first + number, WAITING] >= SETTLED:
            below = tree.children[first_child + number]
            if tree.nodes[below, FLAGS] & PROVEN != 0 and tree.values[below, chooser] > sample[chooser]:
                _take_value(tree, below, sample)


@inner_kernel
def prove(tree: Tree, policy: Policy, node: int) -> None:
    """Find out whether the value of a node follows from proven children.

    Among equally good children of a role that chooses, any may be taken: the others get the mean of these.
    """
    chooser = tree.nodes[node, CHOOSER]
    first_child = tree.nodes[node, FIRST_CHILD]
    size = tree.nodes[node, NUM_CHILDREN]
    best = -1.0
    is_complete = True
    for child in range(size):
        below = tree.children[first_child + child]
        if below == NO_NODE or tree.nodes[below, FLAGS] & PROVEN == 0:
            is_complete = False
        elif chooser >= 0:
            best = max(best, tree.values[below, chooser])
    if chooser >= 0:
        if is_complete or best >= policy.best[chooser] - 1e-9:
            _conclude(tree, node, chooser, best)
    elif is_complete and size > 0 and (chooser in (NATURE, NOBODY) or _agree(tree, node)):
        _conclude(tree, node, chooser, best)


@inner_kernel
def _agree(tree: Tree, node: int) -> bool:
    """Tell whether all children of a node are worth the same to everyone."""
    first_child = tree.nodes[node, FIRST_CHILD]
    for child in range(1, tree.nodes[node, NUM_CHILDREN]):
        for role in range(tree.values.shape[1]):
            difference = tree.values[tree.children[first_child + child], role]
            if abs(difference - tree.values[tree.children[first_child], role]) > 1e-9:
                return False
    return True


@inner_kernel
def _conclude(tree: Tree, node: int, chooser: int, best: float) -> None:
    """Make a node proven: with the mean of its proven children, of the best of these where a role chooses.

    Who wins hurries, who does not lingers.
    """
    first_child = tree.nodes[node, FIRST_CHILD]
    num = 0
    distance = 0
    for role in range(tree.values.shape[1]):
        tree.values[node, role] = 0.0
    for child in range(tree.nodes[node, NUM_CHILDREN]):
        below = tree.children[first_child + child]
        if below == NO_NODE or tree.nodes[below, FLAGS] & PROVEN == 0:
            continue
        if chooser >= 0 and tree.values[below, chooser] < best - 1e-9:
            continue
        steps = tree.nodes[below, DISTANCE]
        hurries = chooser >= 0 and best > 0.5
        if num == 0 or (steps < distance if hurries else steps > distance):
            distance = steps
        num += 1
        for role in range(tree.values.shape[1]):
            tree.values[node, role] += tree.values[below, role]
    for role in range(tree.values.shape[1]):
        tree.values[node, role] /= num
    tree.nodes[node, DISTANCE] = distance + 1
    tree.nodes[node, FLAGS] |= PROVEN

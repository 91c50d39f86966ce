"""Back-up in the search tree of any game: what `woodstock.search.backup` says, one descent at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from woodstock.search.plain_tree import Node, Picks, PlainPolicy
from woodstock.search.tree import NATURE, NOBODY, SEVERAL

P = TypeVar("P")

TOLERANCE: Final = 1e-9
"""Utilities that differ by less are the same."""


def back_up(policy: PlainPolicy, path: Sequence[tuple[Node[P], Picks]], sample: Sequence[float]) -> None:
    """Carry what came of a descent up to the root.

    Args:
        policy: What guides the search.
        path: The nodes at which something was chosen, and what.
        sample: What was learnt at its end, a utility for each role.
    """
    for node, picks in reversed(path):
        _credit(policy, node, picks, sample)
        sample = _learn(policy, node, sample)


def _credit(policy: PlainPolicy, node: Node[P], picks: Picks, sample: Sequence[float]) -> None:
    """Give the actions that were chosen in a node what came of them."""
    below = node.children[picks]
    if node.chooser == SEVERAL:
        _credit_joint(policy, node, picks, sample)
    elif node.chooser != NOBODY:
        action = node.actions[0][picks[0]]
        action.count += 1
        action.is_settled = below.is_proven
        if node.chooser >= 0:
            action.mean = below.values[node.chooser]
    node.has_proven |= below.is_proven


def _credit_joint(policy: PlainPolicy, node: Node[P], picks: Picks, sample: Sequence[float]) -> None:
    """Give the actions of several roles what came of their combination.

    With regret matching, each other action of a role would have brought what its child with the same actions of the
    others is worth, or, if there is none, what the action is worth on the whole.
    """
    for place, (role, actions) in enumerate(zip(node.roles, node.actions, strict=True)):
        chosen = actions[picks[place]]
        chosen.count += 1
        chosen.mean += (sample[role] - chosen.mean) / chosen.count
        if policy.options.mixing < 0 or role == policy.nature:
            continue
        for pick, action in enumerate(actions):
            if action is not chosen:
                below = node.children.get((*picks[:place], pick, *picks[place + 1 :]))
                value = action.mean if action.count else 0.5
                if below is not None and below.visits:
                    value = below.values[role]
                action.regret += value - sample[role]


def _learn(policy: PlainPolicy, node: Node[P], sample: Sequence[float]) -> Sequence[float]:
    """Let a node learn from a sample; return what the node above is to learn."""
    if node.has_proven and not node.is_proven:
        prove(policy, node)
    node.visits += 1
    if node.is_proven:
        return node.values
    if node.chooser == NATURE:
        sample = _mean(below.values for below in node.children.values() if below.visits)
    elif node.chooser >= 0 and node.has_proven:
        sample = _take_better(node, sample)
    for role, value in enumerate(node.values):
        node.values[role] += (sample[role] - value) / node.visits
    return sample


def _mean(values: Iterable[Sequence[float]]) -> list[float]:
    """Return the mean for each role."""
    return [sum(column) / len(column) for column in zip(*values, strict=True)]


def _take_better(node: Node[P], sample: Sequence[float]) -> Sequence[float]:
    """Return a sample, or the value of a proven child that the role that chooses likes better."""
    for pick, action in enumerate(node.actions[0]):
        if action.is_settled and node.children[pick,].values[node.chooser] > sample[node.chooser]:
            sample = node.children[pick,].values
    return sample


def prove(policy: PlainPolicy, node: Node[P]) -> None:
    """Find out whether the value of a node follows from proven children.

    Among equally good children of a role that chooses, any may be taken: the others get the mean of these.
    """
    proven = [below for below in node.children.values() if below.is_proven]
    is_complete = len(proven) == node.num_children
    if node.chooser >= 0:
        best = max((below.values[node.chooser] for below in proven), default=-1.0)
        if is_complete or best >= policy.best[node.chooser] - TOLERANCE:
            alike = [below for below in proven if below.values[node.chooser] >= best - TOLERANCE]
            _conclude(node, alike, hurries=best > 0.5)
    elif is_complete and (node.chooser != SEVERAL or _agree(proven)):
        _conclude(node, proven, hurries=False)


def _agree(nodes: Sequence[Node[P]]) -> bool:
    """Tell whether all nodes are worth the same to everyone."""
    return all(
        abs(value - other) <= TOLERANCE
        for node in nodes
        for value, other in zip(node.values, nodes[0].values, strict=True)
    )


def _conclude(node: Node[P], nodes: Sequence[Node[P]], hurries: bool) -> None:
    """Make a node proven, with the mean of proven children; who wins hurries, who does not lingers."""
    distances = [below.distance for below in nodes]
    node.values = _mean(below.values for below in nodes)
    node.distance = 1 + (min(distances) if hurries else max(distances))
    node.is_proven = True

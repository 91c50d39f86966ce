"""Advice: what a search tree says about its root.

Which move is chosen: if the value of the root is proven, one that keeps to it, as quickly as can be if it is good and
as slowly as can be if it is not. Else the move that was visited most, unless one whose value is proven is as good.
Where others choose at the same time, a move is drawn as often as it was visited: any fixed choice could be foreseen.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from random import Random

import numpy as np

from woodstock.circuit.game import CircuitPosition
from woodstock.game.protocol import JointMove, Move
from woodstock.search.explanation import Candidate, Explanation
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
    NUM_CHILDREN,
    PROVEN,
    SEVERAL,
    VISITS,
)
from woodstock.search.tree_search import TreeSearch

LONGEST_LINE = 12
"""Joint moves of the line that is expected."""
LEAST_VISITS = 8
"""A node of that line was visited at least so often."""
RARE = 0.05
"""A mixed choice leaves out moves that were visited less than this share of the most visited one."""


@dataclass(frozen=True)
class _Option:
    """An action of the root: its number, its move, and what is known of it."""

    action: int
    move: Move
    value: float
    count: int
    proven: bool
    distance: int


def advise(search: TreeSearch, role: int, random: Random | None = None) -> Explanation | None:
    """Return what a search says about the moves of a role at its root; None if the role has no choice there.

    Args:
        search: The search.
        role: The role.
        random: What a mixed choice is drawn from, where others choose at the same time; the most visited if None.
    """
    options = _options(search, role)
    if not options:
        return None
    chosen = _choose(search, options, random)
    rest = sorted((option for option in options if option is not chosen), key=lambda each: (-each.value, -each.count))
    spread = search.options.samples
    statistics = search.statistics
    facts: dict[str, float | int | str] = {
        "seconds": statistics.seconds,
        "nodes": search.num_nodes,
        "descents": statistics.descents,
        "visits": statistics.visits,
        "playouts": statistics.playouts,
    }
    if statistics.seconds > 0:
        facts["visits/s"] = round(statistics.visits / statistics.seconds)
        facts["playouts/s"] = round(statistics.playouts / statistics.seconds)
    if statistics.linked:
        facts["merged by symmetry"] = statistics.merged
    if search.is_proven:
        facts["proven in"] = int(search.tree.nodes[search.root, DISTANCE])
    return Explanation(
        role=search.game.roles[role],
        candidates=tuple(_candidate(option, spread) for option in (chosen, *rest)),
        line=_line(search, chosen.action),
        roles=search.game.roles,
        statistics=facts,
    )


def choose_move(search: TreeSearch, role: int, random: Random | None = None) -> Move | None:
    """Return the move that `advise` names first, without any words about it."""
    options = _options(search, role)
    return _choose(search, options, random).move if options else None


def _options(search: TreeSearch, role: int) -> list[_Option]:
    tree, root = search.tree, search.root
    if root == NO_NODE or not tree.nodes[root, FLAGS] & EXPANDED:
        return []
    program = search.game.program
    low, high = program.move_start[role : role + 2]
    first = int(tree.nodes[root, FIRST_ACTION])
    found = []
    for action in range(first, first + int(tree.nodes[root, NUM_ACTIONS])):
        number, count, _ = tree.actions[action].tolist()
        if low <= number < high:
            child = _child(search, root, action - first)
            proven = child != NO_NODE and bool(tree.nodes[child, FLAGS] & PROVEN)
            value = (
                float(tree.values[child, role]) if proven and child != NO_NODE else float(tree.estimates[action, MEAN])
            )
            distance = int(tree.nodes[child, DISTANCE]) if proven else 0
            found.append(_Option(action, program.moves[role][number - low], value, count, proven, distance))
    return found


def _child(search: TreeSearch, node: int, number: int) -> int:
    """Return the child that an action leads to, NO_NODE if that is not for one role to say."""
    tree = search.tree
    if tree.nodes[node, CHOOSER] in (SEVERAL, MATRIX):
        return NO_NODE
    return int(tree.children[tree.nodes[node, FIRST_CHILD] + number])


def _choose(search: TreeSearch, options: list[_Option], random: Random | None) -> _Option:
    proven = [option for option in options if option.proven]
    if search.is_proven and proven:
        best = max(option.value for option in proven)
        alike = [option for option in proven if option.value >= best - 1e-6]
        return min(alike, key=lambda each: each.distance if best > 0.5 else -each.distance)
    if search.tree.nodes[search.root, CHOOSER] in (SEVERAL, MATRIX) and random is not None:
        # Some visits only tried things out: `mixing` says how many.
        tried = max(0.0, search.options.mixing) * sum(option.count for option in options) / len(options)
        most = max(option.count - tried for option in options)
        weights = [max(0.0, option.count - tried) if option.count - tried >= RARE * most else 0.0 for option in options]
        return random.choices(options, weights if most > 0 else None)[0]
    open_ones = [option for option in options if not option.proven] or options
    favourite = max(open_ones, key=lambda each: (each.count, each.value))
    surest = max(proven, key=lambda each: each.value, default=favourite)
    return surest if surest.value >= favourite.value else favourite


def _candidate(option: _Option, samples: int) -> Candidate:
    """Return an option for people: goals instead of utilities, and how far the mean may be off."""
    if not option.count and not option.proven:
        return Candidate(option.move, None, None, 0)
    spread = sqrt(max(option.value * (1 - option.value), 1e-4) / max(1, option.count * samples))
    margin = 0.0 if option.proven else 100 * 1.96 * spread
    return Candidate(option.move, 100 * option.value, margin, option.count, option.proven)


def _line(search: TreeSearch, action: int) -> tuple[JointMove, ...]:
    """Return the play that is expected after an action of the root, while every node on the way is known well."""
    tree, game = search.tree, search.game
    node = search.root
    line: list[JointMove] = []
    while len(line) < LONGEST_LINE and tree.nodes[node, FLAGS] & EXPANDED:
        actions = [action] if not line else []
        actions += _best_actions(search, node, {_role_of(search, each) for each in actions})
        moves = _joint_move(search, node, actions)
        child = _joint_child(search, node, actions)
        if moves is None:
            break
        line.append(moves)
        if child == NO_NODE or tree.nodes[child, VISITS] < LEAST_VISITS:
            break
        node = child
    assert game is not None
    return tuple(line)


def _role_of(search: TreeSearch, action: int) -> int:
    return int(np.searchsorted(search.policy.move_start, search.tree.actions[action, MOVE], side="right")) - 1


def _best_actions(search: TreeSearch, node: int, done: set[int]) -> list[int]:
    """Return the action of each chooser that was visited most, or is proven to be best."""
    tree = search.tree
    first = int(tree.nodes[node, FIRST_ACTION])
    best: dict[int, int] = {}
    for action in range(first, first + int(tree.nodes[node, NUM_ACTIONS])):
        role = _role_of(search, action)
        if role not in done and (role not in best or _rank(search, node, action) > _rank(search, node, best[role])):
            best[role] = action
    return list(best.values())


def _rank(search: TreeSearch, node: int, action: int) -> tuple[float, float]:
    tree = search.tree
    mean, count = float(tree.estimates[action, MEAN]), float(tree.actions[action, COUNT])
    if tree.nodes[node, CHOOSER] != NATURE and tree.nodes[node, FLAGS] & PROVEN:
        child = _child(search, node, action - int(tree.nodes[node, FIRST_ACTION]))
        is_proven = child != NO_NODE and tree.nodes[child, FLAGS] & PROVEN
        return (mean, count) if is_proven else (-1.0, count)
    return (count, mean)


def _joint_move(search: TreeSearch, node: int, actions: list[int]) -> JointMove | None:
    """Return the joint move that actions of choosers stand for; the other roles have one move each."""
    tree, game = search.tree, search.game
    chosen = {_role_of(search, action): int(tree.actions[action, MOVE]) for action in actions}
    position = CircuitPosition(tree.rows[node].tobytes(), int(tree.keys[node]))
    moves: list[Move] = []
    for role in range(len(game.roles)):
        if role in chosen:
            moves.append(game.program.moves[role][chosen[role] - int(game.program.move_start[role])])
        else:
            legal = game.legal_moves(position, role)
            if not legal:
                return None
            moves.append(legal[0])
    return tuple(moves)


def _joint_child(search: TreeSearch, node: int, actions: list[int]) -> int:
    """Return the node that actions of all choosers lead to, or NO_NODE."""
    tree = search.tree
    chooser = int(tree.nodes[node, CHOOSER])
    first = int(tree.nodes[node, FIRST_ACTION])
    first_child = int(tree.nodes[node, FIRST_CHILD])
    if chooser == MATRIX or not tree.nodes[node, NUM_CHILDREN]:
        return NO_NODE
    if chooser == NOBODY:
        return int(tree.children[first_child])
    spans: dict[int, list[int]] = {}
    for action in range(first, first + int(tree.nodes[node, NUM_ACTIONS])):
        spans.setdefault(_role_of(search, action), []).append(action)
    place = 0
    for span in spans.values():
        place = place * len(span) + next((span.index(action) for action in actions if action in span), 0)
    return int(tree.children[first_child + place])

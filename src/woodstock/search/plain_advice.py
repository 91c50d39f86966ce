"""What the search tree of any game says about its root: the choices of `woodstock.search.advice`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import Final, TypeVar

from woodstock.game.protocol import JointMove, Move
from woodstock.search.advice import LEAST_VISITS, LONGEST_LINE, RARE
from woodstock.search.explanation import Candidate
from woodstock.search.plain_backup import TOLERANCE
from woodstock.search.plain_tree import Action, Node, PlainPolicy

P = TypeVar("P")

NOT_CHOOSING: Final = -1
"""Stands for the place of a role, among those that choose, that has no choice."""

Findings = tuple[tuple[Candidate, ...], tuple[JointMove, ...]]
"""Candidates, the chosen one first, and the line that is expected."""


@dataclass(frozen=True, slots=True)
class _Option:
    """An action as seen by its role: what it is worth, and, if that is proven, how far away the end is."""

    pick: int
    move: Move
    value: float
    count: int
    proven: bool = False
    distance: int = 0


def advise(policy: PlainPolicy, node: Node[P], role: int, legal: Sequence[Move], random: Random) -> Findings | None:
    """Return what a node says about the moves of a role.

    Args:
        policy: What guides the search.
        node: The node.
        role: The role.
        legal: Its legal moves there.
        random: What a choice is drawn from where other players choose at the same time.

    Returns:
        None if the role has no legal move.
    """
    if not legal:
        return None
    place = node.roles.index(role) if role in node.roles else NOT_CHOOSING
    if place == NOT_CHOOSING:
        return tuple(_unchosen(node, role, legal)), _line(policy, node, {})
    options = _options(node, place)
    is_contested = sum(each != policy.nature for each in node.roles) > 1
    chosen = _draw(policy, options, random) if is_contested and not node.is_proven else _decide(node, options)
    rest = sorted((each for each in options if each is not chosen), key=lambda each: (-each.value, -each.count))
    return tuple(map(_candidate, (chosen, *rest))), _line(policy, node, {place: chosen.pick})


def _unchosen(node: Node[P], role: int, legal: Sequence[Move]) -> list[Candidate]:
    """Return candidates where there is nothing to choose, or nothing was looked at."""
    if len(legal) > 1 or not node.visits:
        return [Candidate(move, None, None, 0) for move in legal]
    return [_candidate(_Option(0, legal[0], node.values[role], node.visits, node.is_proven))]


def _options(node: Node[P], place: int) -> list[_Option]:
    return [_option(node, place, pick, action) for pick, action in enumerate(node.actions[place])]


def _option(node: Node[P], place: int, pick: int, action: Action) -> _Option:
    role = node.roles[place]
    if len(node.roles) > 1:
        # Where several choose, an action is proven only if all combinations of actions are worth the same.
        value = node.values[role] if node.is_proven else action.mean
        return _Option(pick, action.move, value, action.count, node.is_proven, node.distance)
    if action.is_settled:
        below = node.children[pick,]
        return _Option(pick, action.move, below.values[role], action.count, True, below.distance)
    return _Option(pick, action.move, action.mean if action.count else -1.0, action.count)


def _decide(node: Node[P], options: Sequence[_Option]) -> _Option:
    """Return the action to choose where it need not be hidden.

    If the node is proven, that is one that keeps to its value, as quickly as can be if it is good and as slowly as can
    be if it is not; else the most visited one, unless one whose value is proven is as good.
    """
    proven = [option for option in options if option.proven]
    if node.is_proven and proven:
        best = max(option.value for option in proven)
        alike = [option for option in proven if option.value >= best - TOLERANCE]
        return min(alike, key=lambda each: each.distance if best > 0.5 else -each.distance)
    open_ones = [option for option in options if not option.proven] or options
    favourite = max(open_ones, key=lambda each: (each.count, each.value))
    surest = max(proven, key=lambda each: each.value, default=favourite)
    return surest if surest.value >= favourite.value else favourite


def _draw(policy: PlainPolicy, options: Sequence[_Option], random: Random) -> _Option:
    """Return an action drawn from the average strategy: the visits, without those that were made just to try.

    Actions that were visited far less than the most visited one are left out.
    """
    tries = max(0.0, policy.options.mixing) * sum(option.count for option in options) / len(options)
    weights = [max(0.0, option.count - tries) for option in options]
    most = max(weights)
    weights = [weight if weight >= RARE * most else 0.0 for weight in weights]
    return random.choices(options, weights if most > 0 else None)[0]


def _candidate(option: _Option) -> Candidate:
    """Return an option for people: goals instead of utilities, and how far the mean may be off."""
    if option.proven:
        return Candidate(option.move, 100 * option.value, 0.0, option.count, True)
    if not option.count:
        return Candidate(option.move, None, None, 0)
    # As Agresti and Coull (1998) do: two good and two bad results more, so that one visit does not look certain.
    num = option.count + 4
    middle = (option.value * option.count + 2) / num
    margin = 1.96 * sqrt(middle * (1 - middle) / num)
    return Candidate(option.move, 100 * option.value, 100 * margin, option.count)


def _line(policy: PlainPolicy, node: Node[P], first: dict[int, int]) -> tuple[JointMove, ...]:
    """Return the play that is expected, while every node on the way is known well.

    Args:
        policy: What guides the search.
        node: Where it begins.
        first: The actions that are already chosen there, by the place of their role among those that choose.
    """
    line: list[JointMove] = []
    while node.legal is not None and len(line) < LONGEST_LINE:
        picks = tuple(_expected(policy, node, place) for place in range(len(node.roles)))
        if not line:
            picks = tuple(first.get(place, pick) for place, pick in enumerate(picks))
        line.append(node.joint_move(picks))
        below = node.children.get(picks)
        if below is None or not (below.is_proven or below.visits >= LEAST_VISITS):
            break
        node = below
    return tuple(line)


def _expected(policy: PlainPolicy, node: Node[P], place: int) -> int:
    """Return which of its actions a role is expected to take."""
    if node.roles[place] == policy.nature:
        counts = [action.count for action in node.actions[place]]
        return counts.index(max(counts))
    return _decide(node, _options(node, place)).pick

"""Lassos: lines of play that come back to a position they have been in, which shows that play need not end."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from typing import TypeVar

from woodstock.game.walk import Exploration

P = TypeVar("P")

MAX_STARTS = 50
"""From so many positions, those nearest to the start, is the shortest way back searched."""


def find_lasso(exploration: Exploration[P]) -> list[P] | None:
    """Return the positions of a short line of play that ends in a position seen before, or None if play always ends.

    The exploration must be complete for the answer None to be certain.
    """
    cyclic = _on_cycles(exploration.successors)
    best: list[P] | None = None
    for start in sorted(cyclic, key=exploration.depth)[:MAX_STARTS]:
        bound = None if best is None else len(best) - 1 - exploration.depth(start)
        way = _way_back(start, exploration.successors, cyclic, bound)
        if way is not None:
            best = [*exploration.path(start), *way]
    return best


def _on_cycles(successors: Mapping[P, Collection[P]]) -> set[P]:
    """Return the positions on cycles, and some between two cycles: what is left when all others are peeled off."""
    forward: dict[P, set[P]] = {position: set(found) for position, found in successors.items()}
    backward: dict[P, set[P]] = {}
    for position, found in forward.items():
        for successor in found:
            backward.setdefault(successor, set()).add(position)
    left = set(forward) & set(backward)
    for ahead, behind in ((forward, backward), (backward, forward)):
        degree = {position: len(ahead[position] & left) for position in left}
        ends = [position for position in left if not degree[position]]
        while ends:
            end = ends.pop()
            left.discard(end)
            for neighbour in behind[end] & left:
                degree[neighbour] -= 1
                if not degree[neighbour]:
                    ends.append(neighbour)
    return left


def _way_back(start: P, successors: Mapping[P, Collection[P]], cyclic: set[P], bound: int | None) -> list[P] | None:
    """Return the positions after `start` on a shortest way back to it, `start` the last, if shorter than `bound`."""
    parents: dict[P, P] = {}
    depth = {start: 0}
    queue = deque([start])
    while queue:
        position = queue.popleft()
        if bound is not None and depth[position] + 1 >= bound:
            return None
        for successor in successors.get(position, ()):
            if successor == start:
                way = [start]
                while position != start:
                    way.append(position)
                    position = parents[position]
                return way[::-1]
            if successor in cyclic and successor not in depth:
                depth[successor] = depth[position] + 1
                parents[successor] = position
                queue.append(successor)
    return None

"""The one graph algorithm that several packages need."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def strongly_connected(nodes: Iterable[N], successors: Callable[[N], Iterable[N]]) -> tuple[tuple[N, ...], ...]:
    """Return the strongly connected components, successors first (Tarjan 1972, without recursion).

    >>> strongly_connected("abc", {"a": "b", "b": "ac", "c": ""}.__getitem__)
    (('c',), ('a', 'b'))
    """
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    stack: list[N] = []
    on_stack: set[N] = set()
    found: list[tuple[N, ...]] = []

    def enter(node: N) -> tuple[N, Iterator[N]]:
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        return node, iter(successors(node))

    for root in nodes:
        work = [] if root in index else [enter(root)]
        while work:
            node, rest = work[-1]
            for successor in rest:
                if successor not in index:
                    work.append(enter(successor))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    found.append(_pop_component(stack, on_stack, node))
    return tuple(found)


def _pop_component(stack: list[N], on_stack: set[N], root: N) -> tuple[N, ...]:
    """Take a finished component off the stack."""
    place = len(stack) - 1
    while stack[place] != root:
        place -= 1
    members = tuple(stack[place:])
    del stack[place:]
    on_stack.difference_update(members)
    return members

"""Groups of inputs of which one holds, drawn at random, and inputs that keep to them."""

from __future__ import annotations

import numpy as np

from woodstock.circuit.builder import NO_GROUP, Groups


def no_groups(num_inputs: int) -> Groups:
    """Return no groups at all."""
    return make_groups(num_inputs, [], [])


def make_groups(num_inputs: int, members: list[list[int]], is_exact: list[bool]) -> Groups:
    """Return groups of nodes."""
    of_node = np.full(num_inputs, NO_GROUP, np.int32)
    for number, group in enumerate(members):
        of_node[group] = number
    return Groups(
        of_node,
        np.cumsum([0, *map(len, members)]).astype(np.int64),
        np.array([node for group in members for node in sorted(group)], np.int32),
        np.array(is_exact, np.bool_),
    )


def random_groups(rng: np.random.Generator, first: int, num_inputs: int) -> Groups:
    """Return groups of nodes from `first` on, some of which are in none."""
    nodes = rng.permutation(np.arange(first, num_inputs)).tolist()
    members: list[list[int]] = []
    while nodes:
        size = int(rng.integers(1, 7))
        group, nodes = sorted(nodes[:size]), nodes[size:]
        if len(group) > 1 and rng.random() < 0.8:
            members.append(group)
    return make_groups(num_inputs, members, (rng.random(len(members)) < 0.6).tolist())


def random_inputs(rng: np.random.Generator, groups: Groups) -> np.ndarray:
    """Return values of all inputs, the constant first, that keep to the groups."""
    values = rng.random(len(groups.of_node)) < 0.5
    values[0] = True
    for group, is_exact in enumerate(groups.is_exact.tolist()):
        members = groups.data[groups.start[group] : groups.start[group + 1]]
        values[members] = False
        if is_exact or rng.random() < 0.7:
            values[rng.choice(members)] = True
    return values


def inputs_like(rng: np.random.Generator, groups: Groups, known: np.ndarray, is_fixed: np.ndarray) -> np.ndarray:
    """Return other values that keep to the groups, but are the known ones where these are fixed."""
    for _ in range(20):
        values = np.where(is_fixed, known, random_inputs(rng, groups))
        counts = [values[groups.data[a:b]].sum() for a, b in zip(groups.start, groups.start[1:], strict=False)]
        if all(count == 1 or (count == 0 and not exact) for count, exact in zip(counts, groups.is_exact, strict=True)):
            return values
    return known

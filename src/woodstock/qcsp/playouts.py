"""Random playouts: all turns that are left get random values, with propagation after each or without any."""

from __future__ import annotations

from woodstock.common.jit import inner_kernel, jit
from woodstock.cp.constraints import Int64Array
from woodstock.qcsp.compiled import TARGET, Arrays
from woodstock.qcsp.diagrams import REJECT
from woodstock.qcsp.propagation import Work, count_values, join, propagate_turn
from woodstock.qcsp.randomness import RandomState, draw


@inner_kernel
def draw_value(random: RandomState, mask: int) -> int:
    """Return a random value of a set, as a set of its own."""
    for _ in range(draw(random, count_values(mask))):
        mask &= mask - 1
    return mask & -mask


@inner_kernel
def play_out(net: Arrays, domains: Int64Array, work: Work, turn: int, strict: bool, random: RandomState) -> bool:
    """Play to the end from consistent domains, in place, with propagation; tell whether the existential side won.

    A domain that propagation empties is a loss, and in a strict playout so is a value that a universal variable cannot
    have.
    """
    for current in range(turn, len(domains)):
        mask = domains[current]
        if mask & (mask - 1) != 0:
            domains[current] = draw_value(random, mask)
            if not propagate_turn(net, domains, work, current, strict):
                return False
    return True


@inner_kernel
def play_blindly(net: Arrays, domains: Int64Array, turn: int, random: RandomState) -> bool:
    """Play to the end without propagation, in place; tell whether all constraints hold."""
    for current in range(turn, len(domains)):
        domains[current] = draw_value(random, domains[current])
    return is_satisfied(net, domains)


@inner_kernel
def is_satisfied(net: Arrays, domains: Int64Array) -> bool:
    """Tell whether all constraints hold where all turns have one value."""
    for turn in range(len(domains)):
        for edge in range(net.edge_start[turn], net.edge_start[turn + 1]):
            target = net.edges[edge, TARGET]
            if target > turn and join(net.conflicts, edge, domains[turn]) & domains[target] != 0:
                return False
    for diagram in range(len(net.layer_start) - 1):
        node = net.layers[net.layer_start[diagram], 1]
        for layer in range(net.layer_start[diagram], net.layer_start[diagram + 1]):
            mask, place = domains[net.layers[layer, 0]], 0
            while mask > 1:
                mask >>= 1
                place += 1
            node = net.children[node, place]
            if node == REJECT:
                return False
    return True


@jit
def count_wins(
    net: Arrays, work: Work, start: Int64Array, scratch: Int64Array, random: RandomState, playouts: int
) -> int:
    """Make playouts with strict propagation from the first turn; return how many the existential side won."""
    wins = 0
    for _ in range(playouts):
        for turn in range(len(start)):
            scratch[turn] = start[turn]
        if play_out(net, scratch, work, 0, True, random):
            wins += 1
    return wins

"""Common parts of gates: pairs of literals that many gates have become gates of their own.

In each round the pairs of literals are counted; each gate picks pairs that do not overlap, the most frequent first;
what was picked often enough becomes a gate (a simple form of the extraction of common cubes in multi-level logic
synthesis, Brayton and McMullen 1982). Rounds go on as long as they save enough.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.builder import FULL, LOW_BITS, SCATTER, STATUS, Builder, Groups, make_builder
from woodstock.circuit.conjunctions import make_known_and
from woodstock.circuit.loops import Loops, finish_network, make_loops
from woodstock.circuit.network import NO_LOOP, Int32Array, Int64Array, Network
from woodstock.circuit.specialise import Gates, count_uses, gates_of, no_facts, rebuild_loop
from woodstock.common.jit import jit

MIN_USES: Final = 4
"""A pair that so many gates have saves more loads than its own gate costs."""
MAX_ROUNDS: Final = 12
ENOUGH: Final = 0.02
"""The last round is one that saves less than this share of the edges."""
WINDOW: Final = 12
"""How far apart the literals of a pair may stand in a gate of many."""
FEW: Final = 32
"""In gates of so few literals all pairs are looked at."""


class _Pairs(NamedTuple):
    """A hash table of pairs of literals.

    Attributes:
        keys: First literal times 2^32 plus the second, -1 where empty; the size is a power of two; int64.
        counts: How many gates have the pair, int32.
        picks: How many gates picked it, int32.
        occurs: How many gates have each literal, int32: those of which there are few are in no pair that counts.
    """

    keys: Int64Array
    counts: Int32Array
    picks: Int32Array
    occurs: Int32Array


def share(network: Network, groups: Groups) -> Network:
    """Return the network with gates for what many gates have in common."""
    for _ in range(MAX_ROUNDS):
        shared = _run_round(network, groups)
        saved = network.num_edges - shared.num_edges
        if saved <= 0:
            return network
        network = shared
        if saved < ENOUGH * network.num_edges:
            break
    return network


def _run_round(network: Network, groups: Groups) -> Network:
    gates = gates_of(network)
    uses = count_uses(network)
    occurs = np.zeros(2 * (network.num_inputs + network.num_gates), np.int32)
    num_pairs = _number_of_pairs(gates, uses, occurs)
    size = 1 << max(4, int(2 * num_pairs).bit_length())
    pairs = _Pairs(np.full(size, -1, np.int64), np.zeros(size, np.int32), np.zeros(size, np.int32), occurs)
    _count_pairs(gates, uses, pairs)
    _pick_pairs(gates, uses, pairs)
    sizes = np.bincount(network.gate_loop[network.gate_loop != NO_LOOP])
    builder = make_builder(groups, no_facts(network.num_moves), 2 * network.num_edges + 3 * network.num_gates + 1024)
    loops = make_loops(builder, int(sizes.max(initial=0)))
    literal_of = np.zeros(network.num_inputs + network.num_gates, dtype=np.int32)
    literal_of[: network.num_inputs] = 2 * np.arange(network.num_inputs)
    _rebuild_with_pairs(gates, uses, pairs, builder, loops, literal_of)
    if builder.counts[STATUS] == FULL:
        return network
    signed = np.stack([literal_of, literal_of ^ 1], axis=1).ravel()
    return finish_network(builder, loops, network.outputs.mapped(signed))


@jit
def _reach(count: int) -> int:
    """Return how far apart the literals of a pair may stand in a gate of so many."""
    return count if count <= FEW else WINDOW


@jit
def _has_pairs(gates: Gates, uses: Int32Array, gate: int) -> bool:
    """Tell whether a gate is one whose pairs are looked at."""
    count = gates.start[gate + 1] - gates.start[gate]
    return bool(2 < count < 1 << 16 and uses[gates.num_inputs + gate] > 0 and gates.loop[gate] == NO_LOOP)


@jit
def _number_of_pairs(gates: Gates, uses: Int32Array, occurs: Int32Array) -> int:
    """Count how many gates have each literal; return the number of pairs that may count, or a little more."""
    for gate in range(len(gates.start) - 1):
        if _has_pairs(gates, uses, gate):
            for place in range(gates.start[gate], gates.start[gate + 1]):
                occurs[gates.data[place]] += 1
    total = 0
    for gate in range(len(gates.start) - 1):
        if _has_pairs(gates, uses, gate):
            often = 0
            for place in range(gates.start[gate], gates.start[gate + 1]):
                often += occurs[gates.data[place]] >= MIN_USES
            total += often * min(_reach(gates.start[gate + 1] - gates.start[gate]), often)
    return total


@jit
def _find(pairs: _Pairs, first: int, second: int) -> int:
    """Return the place of a pair in the table, or of the empty one where it belongs."""
    key = (np.int64(first) << 32) | np.int64(second)
    code = (np.int64(first) * SCATTER) & LOW_BITS
    code = ((code ^ (code >> 15) ^ np.int64(second)) * SCATTER) & LOW_BITS
    mask = len(pairs.keys) - 1
    place = (code ^ (code >> 15)) & mask
    while pairs.keys[place] != -1 and pairs.keys[place] != key:
        place = (place + 1) & mask
    return int(place)


@jit
def _count_pairs(gates: Gates, uses: Int32Array, pairs: _Pairs) -> None:
    """Count in how many gates of three literals and more each pair occurs."""
    for gate in range(len(gates.start) - 1):
        if not _has_pairs(gates, uses, gate):
            continue
        first, last = gates.start[gate], gates.start[gate + 1]
        reach = _reach(last - first)
        for one in range(first, last):
            if pairs.occurs[gates.data[one]] < MIN_USES:
                continue
            for two in range(one + 1, min(last, one + reach + 1)):
                if pairs.occurs[gates.data[two]] >= MIN_USES:
                    place = _find(pairs, gates.data[one], gates.data[two])
                    pairs.keys[place] = (np.int64(gates.data[one]) << 32) | np.int64(gates.data[two])
                    pairs.counts[place] += 1


@jit
def _choose_pairs(literals: Int32Array, numbers: Int32Array, pairs: _Pairs, chosen: Int64Array) -> int:
    """Choose pairs of literals that do not overlap, those with the largest numbers first; return how many.

    Args:
        literals: The literals of a gate.
        numbers: Counts or picks.
        pairs: The table.
        chosen: The places of what is chosen are left here.
    """
    count = len(literals)
    reach = _reach(count)
    found = 0
    for one in range(count):
        if pairs.occurs[literals[one]] >= MIN_USES:
            for two in range(one + 1, min(count, one + reach + 1)):
                if pairs.occurs[literals[two]] >= MIN_USES:
                    number = numbers[_find(pairs, literals[one], literals[two])]
                    if number >= MIN_USES:
                        # The most frequent come first, and of these the first.
                        chosen[found] = -((np.int64(number) << 32) - np.int64(one << 16 | two))
                        found += 1
    if found == 0:
        return 0
    chosen[:found].sort()
    is_taken = np.zeros(count, dtype=np.bool_)
    number = 0
    for place in range(found):
        code = chosen[place] & 0xFFFFFFFF
        one, two = code >> 16, code & 0xFFFF
        if not is_taken[one] and not is_taken[two]:
            is_taken[one] = is_taken[two] = True
            chosen[number] = _find(pairs, literals[one], literals[two])
            number += 1
    return number


@jit
def _pick_pairs(gates: Gates, uses: Int32Array, pairs: _Pairs) -> None:
    """Let each gate pick pairs, and count how often each is picked."""
    chosen = np.zeros(_room(gates), dtype=np.int64)
    for gate in range(len(gates.start) - 1):
        if _has_pairs(gates, uses, gate):
            literals = gates.data[gates.start[gate] : gates.start[gate + 1]]
            for number in range(_choose_pairs(literals, pairs.counts, pairs, chosen)):
                pairs.picks[chosen[number]] += 1


@jit
def _room(gates: Gates) -> int:
    """Return the largest number of pairs of a gate."""
    most = 0
    for gate in range(len(gates.start) - 1):
        count = gates.start[gate + 1] - gates.start[gate]
        most = max(most, count * _reach(count))
    return most


@jit
def _rebuild_with_pairs(
    gates: Gates, uses: Int32Array, pairs: _Pairs, builder: Builder, loops: Loops, literal_of: Int32Array
) -> None:
    """Build all gates that are used anew, with gates for the pairs that were picked often."""
    scratch = np.zeros(len(gates.data) + 64, dtype=np.int32)
    pair = np.zeros(4, dtype=np.int32)
    chosen = np.zeros(_room(gates), dtype=np.int64)
    gate = 0
    while gate < len(gates.start) - 1 and builder.counts[STATUS] == 0:
        if gates.loop[gate] != NO_LOOP:
            gate = rebuild_loop(gates, builder, loops, gate, literal_of)
            continue
        first, last = gates.start[gate], gates.start[gate + 1]
        if uses[gates.num_inputs + gate] > 0:
            count = 0
            for place in range(first, last):
                scratch[count] = gates.data[place]
                count += 1
            if _has_pairs(gates, uses, gate):
                added = 0
                for number in range(_choose_pairs(gates.data[first:last], pairs.picks, pairs, chosen)):
                    key = pairs.keys[chosen[number]]
                    one, two = np.int32(key >> 32), np.int32(key & 0xFFFFFFFF)
                    pair[0] = literal_of[one >> 1] ^ (one & 1)
                    pair[1] = literal_of[two >> 1] ^ (two & 1)
                    for place in range(count):
                        if scratch[place] == one or scratch[place] == two:
                            scratch[place] = -1
                    scratch[count + added] = make_known_and(builder, pair, 2)
                    added += 1
                kept = 0
                for place in range(count + added):
                    literal = scratch[place]
                    if literal >= 0:
                        scratch[kept] = literal_of[literal >> 1] ^ (literal & 1) if place < count else literal
                        kept += 1
                count = kept
            else:
                for place in range(count):
                    scratch[place] = literal_of[scratch[place] >> 1] ^ (scratch[place] & 1)
            literal_of[gates.num_inputs + gate] = make_known_and(builder, scratch, count)
        gate += 1

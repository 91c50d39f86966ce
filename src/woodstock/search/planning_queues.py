"""Queues of nodes by bucket, and what is novel about a position: the orders of a guided search."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.words import U0, U1, WordArray, lowest_bit
from woodstock.common.jit import jit

Uint8Array = npt.NDArray[np.uint8]

NUM_BUCKETS: Final = 4096
FINE: Final = 2048
"""Costs below are buckets of their own; above them buckets are as wide as a power of two says."""
NOBODY: Final = -1

NOVEL: Final = 0
"""Some fluent holds for the first time at such a distance from the goal."""
NEW_PAIR: Final = 1
"""Two fluents hold together for the first time."""
KNOWN: Final = 2
MOST_PAIR_BYTES: Final = 1 << 26
MOST_CLASSES: Final = 128


class Queue:
    """Nodes in buckets; those of the lowest one come first, the oldest or the youngest of them."""

    def __init__(self, capacity: int, *, youngest_first: bool) -> None:
        self._ends = np.full((2, NUM_BUCKETS), NOBODY, np.int32)
        self._next = np.empty(capacity, np.int32)
        self._lowest = np.zeros(1, np.int32)
        self._youngest_first = youngest_first

    def push(self, first: int, buckets: Int32Array) -> None:
        """Add nodes, which are numbered from `first` on."""
        push(self._ends, self._next, self._lowest, first, buckets, self._youngest_first)

    def pop(self, count: int, is_done: BoolArray) -> Int32Array:
        """Take out some nodes that are not done, and mark them as done."""
        found = np.empty(count, np.int32)
        return found[: pop(self._ends, self._next, self._lowest, is_done, found)]


def to_buckets(costs: Int32Array) -> Int32Array:
    """Return buckets for costs."""
    beyond = FINE + 64 * np.log2(np.maximum(costs, FINE) / FINE)
    return np.where(costs < FINE, costs, np.minimum(beyond, NUM_BUCKETS - 1)).astype(np.int32)


@jit
def push(
    ends: Int32Array, following: Int32Array, lowest: Int32Array, first: int, buckets: Int32Array, youngest_first: bool
) -> None:
    """Add nodes to a queue; see `Queue.push`."""
    head, tail = ends[0], ends[1]
    for number in range(len(buckets)):
        bucket, node = buckets[number], np.int32(first + number)
        if head[bucket] == NOBODY:
            head[bucket] = tail[bucket] = node
            following[node] = NOBODY
        elif youngest_first:
            following[node] = head[bucket]
            head[bucket] = node
        else:
            following[tail[bucket]] = node
            following[node] = NOBODY
            tail[bucket] = node
        lowest[0] = min(lowest[0], bucket)


@jit
def pop(ends: Int32Array, following: Int32Array, lowest: Int32Array, is_done: BoolArray, found: Int32Array) -> int:
    """Take nodes out of a queue; see `Queue.pop`."""
    head = ends[0]
    count = 0
    bucket = lowest[0]
    while count < len(found) and bucket < len(head):
        node = head[bucket]
        if node == NOBODY:
            bucket += 1
            continue
        head[bucket] = following[node]
        if not is_done[node]:
            is_done[node] = True
            found[count] = node
            count += 1
    lowest[0] = min(bucket, len(head) - 1)
    return count


class Novelty:
    """What has been seen in positions so far, for each class of them apart (Lipovetzky and Geffner 2017).

    Classes are distances from the goal: a position is novel if one that is as near had none of its fluents, or none of
    its pairs of fluents.
    """

    def __init__(self, num_fluents: int, ignored: WordArray) -> None:
        """Begin with nothing seen.

        Args:
            num_fluents: Number of fluents.
            ignored: Fluents that do not count, packed, shape (num_words,), uint64.
        """
        self._kept = ~ignored
        self._num_fluents = num_fluents
        size = (num_fluents * num_fluents + 7) // 8
        self._num_classes = max(1, min(MOST_CLASSES, MOST_PAIR_BYTES // size))
        self._seen = np.zeros((self._num_classes, len(ignored)), np.uint64)
        has_pairs = size <= MOST_PAIR_BYTES
        self._pairs = np.zeros((self._num_classes, size if has_pairs else 0), np.uint8)

    def rate(self, rows: WordArray, parents: WordArray, costs: Int32Array) -> Int32Array:
        """Return NOVEL, NEW_PAIR or KNOWN for packed positions, which count as seen afterwards, shape (n,), int32.

        Args:
            rows: Packed positions, shape (n, num_words), uint64.
            parents: Where they come from, the same shape: what held there is not new.
            costs: How near they are, shape (n,), int32.
        """
        found = np.empty(len(rows), np.int32)
        classes = np.minimum(costs, self._num_classes - 1).astype(np.int32)
        rate(self._seen, self._pairs, self._kept, (rows, parents, classes), self._num_fluents, found)
        return found


@jit
def rate(
    seen: WordArray,
    pairs: Uint8Array,
    kept: WordArray,
    positions: tuple[WordArray, WordArray, Int32Array],
    num_fluents: int,
    found: Int32Array,
) -> None:
    """Rate positions; see `Novelty.rate`."""
    rows, parents, classes = positions
    held = np.empty(num_fluents, np.int64)
    for number in range(len(rows)):
        group = classes[number]
        result = KNOWN
        count = 0
        for place in range(rows.shape[1]):
            word = rows[number, place] & kept[place]
            if word & ~seen[group, place] != U0:
                result = NOVEL
                seen[group, place] |= word
            while word != U0:
                held[count] = 64 * place + np.int64(lowest_bit(word))
                count += 1
                word &= word - U1
        if pairs.shape[1] > 0:
            for place in range(rows.shape[1]):
                word = rows[number, place] & ~parents[number, place] & kept[place]
                while word != U0:
                    one = 64 * place + np.int64(lowest_bit(word))
                    word &= word - U1
                    for other in range(count):
                        low, high = min(one, held[other]), max(one, held[other])
                        bit = low * num_fluents + high
                        mask = np.uint8(1 << (bit & 7))
                        if pairs[group, bit >> 3] & mask == 0:
                            pairs[group, bit >> 3] |= mask
                            result = min(result, NEW_PAIR)
        found[number] = result

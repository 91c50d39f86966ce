"""One position at a time: what a single position of a large game costs when lanes are of no use.

A *path* holds a current position, and moves that are made in it, and tells what the rules say about them. There are two
kinds: one evaluates only what changes, the other all gates; `choose_path` measures which is faster for a network. Both
give the same answers. What is asked for is packed: move m, counted over all roles, is bit `m & 63` of word `m >> 6`.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import BoolArray, Int64Array, Network
from woodstock.circuit.packing import num_words, pack, unpack
from woodstock.circuit.scalar_dense import answer_dense, arrange
from woodstock.circuit.scalar_kernels import VALUE, answer
from woodstock.circuit.scalar_layers import GOALS, NEXT, PERCEPTS, POSITION
from woodstock.circuit.scalar_wiring import NO_PLACE, FloatArray, wire
from woodstock.circuit.words import WordArray

TRACE_STEPS: Final = 100
"""Steps of random playouts on which paths are timed; they also tell which nodes flip often."""
TRACE_SEED: Final = 1
TRIALS: Final = 3
"""How often a path is timed; the first time compiles its kernels, the best one counts."""


class ScalarPath(ABC):
    """A current position, at first one without fluents, and moves made in it; see the module."""

    def __init__(self, network: Network, held: WordArray, output_start: Sequence[int]) -> None:
        """Make a path; the outputs are words of `held`: legal moves, the end, the next position, goals, percepts."""
        self.network = network
        self._legal, self._terminal, self._next, self._goals, self._percepts = (
            held[start:end] for start, end in pairwise(output_start)
        )
        self._position = np.zeros(num_words(network.num_fluents), np.uint64)
        self._moves = np.zeros(0, np.int64)
        self._answered: set[int] = set()

    @abstractmethod
    def _answer(self, cone: int) -> None:
        """Find the outputs of a cone."""

    def _ask(self, cone: int) -> None:
        if cone not in self._answered:
            self._answer(cone)
            self._answered.add(cone)

    def set_position(self, position: WordArray | BoolArray) -> None:
        """Make a position the current one, without moves.

        Args:
            position: Packed, shape (num_words,), uint64, or whether each fluent holds, shape (num_fluents,), bool.
        """
        is_packed = position.dtype == np.uint64
        self._position = position.astype(np.uint64) if is_packed else pack(position.astype(np.bool_))
        self.make_moves(())

    def make_moves(self, moves: Sequence[int] | Int64Array) -> None:
        """Make moves in the current position, and no others; they are counted over all roles."""
        self._moves = np.array(moves, np.int64)
        self._answered.clear()

    def unmake_moves(self) -> None:
        """Take all moves back."""
        self.make_moves(())

    def legal(self) -> WordArray:
        """Return which moves are legal, packed."""
        self._ask(POSITION)
        return self._legal.copy()

    def is_terminal(self) -> bool:
        self._ask(POSITION)
        return bool(self._terminal[0])

    def next_position(self) -> WordArray:
        """Return the position, packed, that follows by the moves that are made."""
        self._ask(NEXT)
        return self._next.copy()

    def goals(self) -> WordArray:
        """Return which goal entries apply, packed."""
        self._ask(GOALS)
        return self._goals.copy()

    def percepts(self) -> WordArray:
        """Return which percept entries apply, packed."""
        self._ask(PERCEPTS)
        return self._percepts.copy()


class IncrementalPath(ScalarPath):
    """A path that evaluates only what changes."""

    def __init__(self, network: Network, flips: FloatArray | None = None) -> None:
        """Make a path for a network.

        Args:
            network: The network.
            flips: How often each node flips in a step (`record_trace`); it makes the path of a large game faster.
        """
        self.wiring, self.places = wire(network, flips)
        super().__init__(network, self.wiring.held, self.places.output_start.tolist())

    def _answer(self, cone: int) -> None:
        answer(self.wiring, self._position, self._moves, cone)


class DensePath(ScalarPath):
    """A path that evaluates all gates that are asked for."""

    def __init__(self, network: Network) -> None:
        self.dense = arrange(network)
        sizes = [network.num_moves, 1, network.num_fluents, len(network.goals), len(network.percepts)]
        starts = int(self.dense.num_input_words) + np.cumsum([0] + [num_words(size) for size in sizes])
        super().__init__(network, self.dense.held, starts.tolist())

    def _answer(self, cone: int) -> None:
        answer_dense(self.dense, self._position, self._moves, cone)


class Trace(NamedTuple):
    """Steps of random playouts.

    Attributes:
        positions: Packed, shape (num_steps, num_words), uint64.
        moves: A move of each role in each position, shape (num_steps, num_roles), int64.
        flips: How often each node flips in a step, shape (num_inputs + num_gates,), float64.
    """

    positions: WordArray
    moves: Int64Array
    flips: FloatArray


def choose_path(network: Network, initial: BoolArray, move_start: Sequence[int]) -> ScalarPath:
    """Return the path that is fastest on some steps of random playouts.

    Args:
        network: The network.
        initial: Whether each fluent holds at the start, shape (num_fluents,), bool.
        move_start: Number of the first move of each role, and the number of moves.
    """
    return min(time_paths(network, initial, move_start), key=lambda timed: timed[1])[0]


def time_paths(network: Network, initial: BoolArray, move_start: Sequence[int]) -> list[tuple[ScalarPath, float]]:
    """Return paths of all kinds, and the seconds that a step of random playouts takes on each."""
    plain = IncrementalPath(network)
    trace = record_trace(plain, initial, move_start)
    paths = (plain, IncrementalPath(network, trace.flips), DensePath(network))
    return [(path, time_trace(path, trace)) for path in paths]


def record_trace(
    path: IncrementalPath, initial: BoolArray, move_start: Sequence[int], num_steps: int = TRACE_STEPS
) -> Trace:
    """Return steps of random playouts, always the same ones; a role without legal moves makes its first one."""
    random = np.random.default_rng(TRACE_SEED)
    positions = np.zeros((num_steps, num_words(path.network.num_fluents)), np.uint64)
    moves = np.zeros((num_steps, len(move_start) - 1), np.int64)
    place = path.places.of_node
    flips = np.zeros(len(place), np.int64)
    values = path.wiring.state[place] & VALUE
    position = start = pack(initial)
    for step in range(num_steps):
        path.set_position(position)
        if path.is_terminal():
            position = start
            path.set_position(start)
        positions[step] = position
        legal = unpack(path.legal(), path.network.num_moves)
        for role, (first, end) in enumerate(pairwise(move_start)):
            choices = np.flatnonzero(legal[first:end])
            moves[step, role] = first + (random.choice(choices) if len(choices) else 0)
        path.make_moves(moves[step])
        position = path.next_position()
        before, values = values, path.wiring.state[place] & VALUE
        flips += before != values
    return Trace(positions, moves, np.where(place == NO_PLACE, 0, flips) / num_steps)


def time_trace(path: ScalarPath, trace: Trace) -> float:
    """Return the seconds that a path takes for a step of a trace: to tell what is legal and what comes next."""
    best = math.inf
    for _ in range(TRIALS):
        began = time.thread_time()
        for position, moves in zip(trace.positions, trace.moves, strict=True):
            path.set_position(position)
            path.is_terminal()
            path.make_moves(moves)
            path.next_position()
        best = min(best, time.thread_time() - began)
    return best / len(trace.positions)

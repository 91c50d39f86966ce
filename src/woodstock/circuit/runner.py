"""Playouts from Python: batches of positions, cut into pieces that threads can take.

The pieces and their random numbers depend on the batch and the seed alone, so the same batch gives the same result on
any number of threads.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.circuit.choice import role_sizes, scratch_size
from woodstock.circuit.circuit import Circuit
from woodstock.circuit.lanes import NOBODY, NUM_COUNTERS, OWNER, Extras, Lanes, Queue
from woodstock.circuit.network import Int64Array
from woodstock.circuit.packing import check_rows
from woodstock.circuit.playouts import DONE, run_playouts
from woodstock.circuit.randomness import STATE_WORDS, seed_state
from woodstock.circuit.tape import Tape, make_tape
from woodstock.circuit.weighted import WeightedCandidates, weigh_candidates, weighted_scratch_size
from woodstock.circuit.words import ALL, WordArray, aligned, zero
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.common.threads import PinnedThreads

WIDTH: Final = 8
"""Words of a batch: 512 lanes."""
MIN_PIECE: Final = 4096
MAX_PIECE: Final = 1 << 18
"""Playouts of a piece: enough that the last lanes, which play alone, hardly matter."""
MAX_PIECES: Final = 1024
"""Pieces of a batch, however many playouts it asks for: they are cut before the first of them is played."""
PIECE_READS: Final = 100_000_000
"""A piece of a circuit with so many reads a step would be one playout; it makes pieces of some milliseconds."""
HORIZON: Final = 10_000
"""Most moves of a playout, if nothing else is said."""
SLICE_SECONDS: Final = 0.005
"""How long a kernel runs before it looks at the clock; well below 20 ms."""


@dataclass(frozen=True, eq=False)
class PlayoutResults:
    """What came of playouts.

    Attributes:
        counts: Playouts that came to an end, for each position, shape (n,), int64.
        cuts: How many of these were cut at the horizon, or because a role had no move, shape (n,), int64.
        moves: Joint moves of all of these together, shape (n,), int64.
        goal_sums: Sum of the goals of each role, shape (n, num_roles), int64.
        goal_squares: Sum of the squares of the goals of each role, shape (n, num_roles), int64.
        finished: All playouts that were asked for were made; else the time was over before.
        move_visits: In how many playouts each move was made, shape (n, num_moves), int64; empty if nobody asked. Moves
            of roles without a choice are left out.
        move_rewards: The sum of the goals of these playouts, of the role whose move it is, shape (n, num_moves), int64.
    """

    counts: Int64Array
    cuts: Int64Array
    moves: Int64Array
    goal_sums: Int64Array
    goal_squares: Int64Array
    finished: bool
    move_visits: Int64Array
    move_rewards: Int64Array

    def __add__(self, other: PlayoutResults) -> PlayoutResults:
        """Return the results of two runs from the same positions together."""
        return PlayoutResults(
            self.counts + other.counts,
            self.cuts + other.cuts,
            self.moves + other.moves,
            self.goal_sums + other.goal_sums,
            self.goal_squares + other.goal_squares,
            self.finished and other.finished,
            self.move_visits + other.move_visits,
            self.move_rewards + other.move_rewards,
        )


@dataclass(frozen=True, eq=False)
class Batch:
    """Playouts that are asked for.

    Attributes:
        rows: Packed positions to play from, shape (n, num_words), uint64.
        counts: How many playouts from each, shape (n,), int64.
        seed: Same seed, same batch, same results.
        horizon: Most joint moves of a playout.
        weights: How likely each move is to be chosen compared with the others of its role that are legal, numbers from
            1 to 255, shape (num_moves,); all alike if None.
        with_moves: Count in how many playouts each move was made and what came of these.
    """

    rows: WordArray
    counts: Int64Array
    seed: int = 0
    horizon: int = HORIZON
    weights: npt.NDArray[np.integer] | None = None
    with_moves: bool = False

    def __post_init__(self) -> None:
        if np.shape(self.counts) != (len(self.rows),) or (np.asarray(self.counts) < 0).any():
            raise UsageError(
                f"expected a number of playouts for each of {len(self.rows)} positions, found {self.counts}"
            )
        if self.horizon < 1:
            raise UsageError(f"expected a horizon of 1 joint move or more, found {self.horizon}")


@dataclass(frozen=True, eq=False)
class _Piece:
    """A part of a batch: some positions, a share of their playouts, and the random numbers that it takes."""

    tape: Tape
    positions: Int64Array
    counts: Int64Array
    stream: int


class _Outcome(NamedTuple):
    """What came of a piece: results as in `Queue`, visits and rewards of moves, and whether there was time for all."""

    results: Int64Array
    moves: Int64Array
    finished: bool


class Runner:
    """Makes playouts on a circuit; it keeps what can be used again, and several threads may use it at once."""

    def __init__(self, circuit: Circuit, width: int = WIDTH) -> None:
        self.circuit = circuit
        self.width = width
        self._free: dict[tuple[int, int], list[Lanes]] = {}

    @cached_property
    def tape(self) -> Tape:
        """The plans of all phases."""
        clock = self.circuit.clock
        next_phase = np.zeros(1, np.int64) if clock is None else clock.next_phase
        return make_tape(self.circuit.program, self.circuit.phases, next_phase, self.width)

    @cached_property
    def general_tape(self) -> Tape:
        """The plan for positions of no phase."""
        return make_tape(self.circuit.program, [self.circuit.general], np.zeros(1, np.int64), self.width)

    def run(
        self, batch: Batch, deadline: Deadline | None = None, threads: PinnedThreads | None = None
    ) -> PlayoutResults:
        """Make the playouts of a batch, or as many as there is time for."""
        check_rows(batch.rows, self.circuit.program.num_fluents)
        phases = self.circuit.phases_of(batch.rows)
        pieces = self._cut(batch, phases)
        results = np.zeros((len(batch.rows), 3 + 2 * len(self.circuit.program.roles)), np.int64)
        moves = np.zeros((2, len(batch.rows) if batch.with_moves else 0, self.circuit.program.num_moves), np.int64)

        def play(piece: _Piece) -> _Outcome | None:
            if piece.stream and deadline is not None and deadline.expired:
                return None  # the first is always begun: a short deadline is no reason to give nothing
            return self._play(batch, piece, np.maximum(phases[piece.positions], 0), deadline or Deadline(None))

        finished = True
        found = threads.map(play, pieces) if threads is not None else [play(piece) for piece in pieces]
        for piece, outcome in zip(pieces, found, strict=True):
            if outcome is None:
                finished = False
                continue
            results[piece.positions] += outcome.results
            if batch.with_moves:
                moves[:, piece.positions] += outcome.moves
            finished = finished and outcome.finished
        return PlayoutResults(
            counts=results[:, 0],
            cuts=results[:, 1],
            moves=results[:, 2],
            goal_sums=results[:, 3::2],
            goal_squares=results[:, 4::2],
            finished=finished,
            move_visits=moves[0],
            move_rewards=moves[1],
        )

    def _cut(self, batch: Batch, phases: Int64Array) -> list[_Piece]:
        """Cut a batch into pieces of about the same size."""
        pieces: list[_Piece] = []
        total = int(batch.counts.sum())
        size = max(MIN_PIECE, min(PIECE_READS // (self.circuit.num_edges + 1), MAX_PIECE), -(-total // MAX_PIECES))
        if 0 < total <= size and phases.min() >= 0 and batch.counts.min() > 0:
            return [_Piece(self.tape, np.arange(len(phases)), batch.counts, 0)]
        for tape, chosen in (
            ((None, phases >= 0), (self.general_tape, phases < 0)) if (phases < 0).any() else ((None, phases >= 0),)
        ):
            positions = np.flatnonzero(chosen & (batch.counts > 0))
            ends = np.cumsum(batch.counts[positions])
            starts = ends - batch.counts[positions]
            for low in range(0, int(ends[-1]) if len(ends) else 0, size):
                part = np.minimum(ends, low + size) - np.maximum(starts, low)
                inside = part > 0
                pieces.append(_Piece(tape or self.tape, positions[inside], part[inside], len(pieces)))
        return pieces

    def _play(self, batch: Batch, piece: _Piece, phases: Int64Array, deadline: Deadline) -> _Outcome:
        """Make the playouts of a piece."""
        queue = make_queue(piece.tape, batch.rows[piece.positions], piece.counts, phases, batch.horizon)
        lanes = self.take_lanes(piece.tape, batch.seed, piece.stream, batch.horizon)
        extras = self._make_extras(batch, piece)
        if extras is not None and extras.is_weighted:
            # Weights ask for more working space; these lanes are not kept.
            lanes = lanes._replace(scratch=aligned(weighted_scratch_size(extras.weighted, self.width) + 2 * self.width))
        finished = drive(piece.tape, lanes, queue, deadline, extras)
        if extras is None or not extras.is_weighted:
            self.give_back(piece.tape, lanes)
        moves = np.zeros((2, 0, 0), np.int64) if extras is None else np.stack([extras.visits, extras.rewards])
        return _Outcome(queue.results, moves, finished)

    def _make_extras(self, batch: Batch, piece: _Piece) -> Extras | None:
        """Return what a batch asks for besides uniform playouts."""
        if batch.weights is None and not batch.with_moves:
            return None
        candidates = piece.tape.candidates
        num_moves = self.circuit.program.num_moves
        weighted = WeightedCandidates(candidates, candidates)
        if batch.weights is not None:
            weighted = weigh_candidates(candidates, np.asarray(batch.weights)[self._candidate_moves(piece.tape)])
        shape = (len(piece.positions), num_moves) if batch.with_moves else (0, 0)
        return Extras(
            is_weighted=batch.weights is not None,
            weighted=weighted,
            played=aligned(num_moves * self.width if batch.with_moves else 0),
            visits=np.zeros(shape, np.int64),
            rewards=np.zeros(shape, np.int64),
        )

    def _candidate_moves(self, tape: Tape) -> Int64Array:
        """Return the number of each move to choose from, in the order of the lists."""
        places = (tape.candidates.moves[::2] >> np.uint64(32)).astype(np.int64)
        chosen = [places[first : first + size] for first, size in zip(*role_sizes(tape.candidates), strict=True)]
        return (np.concatenate([np.zeros(0, np.int64), *chosen]) - tape.first_move) // self.width

    def take_lanes(self, tape: Tape, seed: int, stream: int, horizon: int) -> Lanes:
        """Return lanes that are free, with random numbers of their own."""
        bits = int(horizon).bit_length()
        key = (id(tape), bits)
        kept = self._free.setdefault(key, [])
        try:
            lanes = kept.pop()
        except IndexError:  # to look first is not enough: another thread may be faster
            lanes = make_lanes(tape, bits, self.width)
        for array in (lanes.alive, lanes.held, lanes.expired):
            array[:] = 0
        # Idle lanes are evaluated too, and how many random numbers a choice takes depends on them: what was left there
        # would change the results.
        lanes.values[self.width :] = 0
        lanes.counters[:] = 0
        lanes.counters[OWNER] = NOBODY
        lanes.random[:] = seed_state(seed, stream, self.width)
        return lanes

    def give_back(self, tape: Tape, lanes: Lanes) -> None:
        """Keep lanes for the next time."""
        self._free[(id(tape), len(lanes.age) // self.width)].append(lanes)


def drive(tape: Tape, lanes: Lanes, queue: Queue, deadline: Deadline, extras: Extras | None = None) -> bool:
    """Run the kernel until all is done or the time is over, in slices; tell whether all is done."""
    steps = 1
    like = zero(len(lanes.alive))
    while True:
        began = time.perf_counter()
        if run_playouts(tape, lanes, queue, extras, steps, like) == DONE:
            return True
        if deadline.expired:
            return False
        slower = (time.perf_counter() - began) / steps
        steps = max(1, min(int(min(SLICE_SECONDS, deadline.seconds_left) / max(slower, 1e-9)), 4 * steps))


def make_lanes(tape: Tape, age_bits: int, width: int) -> Lanes:
    """Return lanes for a tape whose ages have so many bits."""
    values = aligned(tape.num_slots * width)
    values[:width] = ALL
    num_phases = len(tape.next_phase)
    return Lanes(
        values=values,
        random=aligned(STATE_WORDS * width),
        scratch=aligned(max(scratch_size(tape.candidates, width), 2 * width)),
        alive=aligned(width),
        held=aligned(num_phases * width),
        expired=aligned(width),
        age=aligned(age_bits * width),
        owner=np.zeros(64 * width, np.int32),
        born=np.zeros(64 * width, np.int64),
        counters=np.zeros(NUM_COUNTERS, np.int64),
        buffer=aligned(int(np.diff(tape.moved.start).max(initial=0)) * width),
    )


def make_queue(tape: Tape, rows: WordArray, counts: Int64Array, phases: Int64Array, horizon: int) -> Queue:
    """Return a queue of positions, each with the number of playouts that are asked for and its phase."""
    num_phases = len(tape.next_phase)
    starts = np.concatenate([[0], np.cumsum(np.bincount(phases, minlength=num_phases))]).astype(np.int64)
    return Queue(
        rows=np.ascontiguousarray(rows),
        order=np.argsort(phases, kind="stable"),
        cursor=starts[:-1].copy(),
        end=starts[1:].copy(),
        left=counts.astype(np.int64),
        results=np.zeros((len(rows), 3 + 2 * tape.num_roles), np.int64),
        horizon=horizon,
    )

"""The kernel of playouts, step by step: slices, phases, owners and the choice of moves."""

from __future__ import annotations

import numpy as np
import pytest

from naive.playouts import outcomes
from naive.small_games import CAPTURE, ENDLESS, STEP_COUNTER, THREE_IN_TURN, choice_sheet, program_of
from woodstock.circuit.circuit import Circuit
from woodstock.circuit.lanes import MIXED, MOVES, NOBODY, OWNER, PHASE, PLAYED, STEP, Lanes, Queue
from woodstock.circuit.packing import pack
from woodstock.circuit.playouts import DONE, UNFINISHED, run_playouts
from woodstock.circuit.runner import Runner, make_queue
from woodstock.circuit.words import zero
from woodstock.common.jit import JIT_DISABLED
from woodstock.game.ground_game import GroundGame
from woodstock.ground import GroundProgram

widths = pytest.mark.parametrize("width", [1, 8])


class Stage:
    """A circuit with lanes and a queue, ready to be run."""

    def __init__(
        self,
        program: GroundProgram,
        rows: np.ndarray,
        counts: list[int],
        width: int,
        horizon: int = 50,
        stream: int = 0,
    ) -> None:
        self.runner = Runner(Circuit(program), width)
        self.tape = self.runner.tape
        self.like = zero(width)
        phases = self.runner.circuit.phases_of(rows)
        self.queue: Queue = make_queue(self.tape, rows, np.array(counts), phases, horizon)
        self.lanes: Lanes = self.runner.take_lanes(self.tape, 1, stream, horizon)

    def run(self, steps: int) -> int:
        return run_playouts(self.tape, self.lanes, self.queue, None, steps, self.like)


def rows_of(program: GroundProgram, *fluents: object) -> np.ndarray:
    holds = np.zeros((len(fluents), program.num_fluents), np.bool_)
    game = GroundGame(program)
    for number, position in enumerate(fluents):
        chosen = game.initial_position() if position is None else game.position_of(position)  # type: ignore[arg-type]
        holds[number, list(chosen)] = True
    return pack(holds)


def capture_rows() -> np.ndarray:
    """Return positions of both phases."""
    stones = [("stone", "1", "a"), ("stone", "5", "b"), ("stone", "3", "a")]
    return rows_of(
        program_of(CAPTURE),
        None,
        [("control", "b"), stones[0]],
        [("control", "a"), *stones[:2]],
        [("control", "b"), *stones],
        None,
    )


@widths
@pytest.mark.parametrize("counts", [[300, 0, 0, 0, 0], [40, 30, 1, 0, 7], [3, 600, 2, 700, 100], [1, 1, 1, 1, 1]])
def test_slices_of_any_length_give_the_same(counts: list[int], width: int) -> None:
    if JIT_DISABLED:
        counts = [min(count, 70) for count in counts]
    program = program_of(CAPTURE)
    whole = Stage(program, capture_rows(), counts, width)
    assert whole.run(10_000) == DONE
    assert whole.queue.results[:, 0].tolist() == counts
    rng = np.random.default_rng(3)
    for most in (1, 2, 7):
        part = Stage(program, capture_rows(), counts, width)
        while part.run(int(rng.integers(0, most + 1))) == UNFINISHED:
            assert (part.queue.results[:, 0] <= counts).all()
        assert np.array_equal(part.queue.results, whole.queue.results)
        assert np.array_equal(part.lanes.counters, whole.lanes.counters)
    assert whole.run(10) == DONE
    assert whole.queue.results[:, 0].tolist() == counts
    assert whole.lanes.counters[MOVES] == whole.queue.results[:, 2].sum()
    assert whole.lanes.counters[PLAYED] == sum(counts)


@widths
def test_all_lanes_are_in_one_phase(width: int) -> None:
    program = program_of(THREE_IN_TURN)
    last = rows_of(program, [("control", "c"), ("count", "6")])
    stage = Stage(program, last, [3], width)
    assert stage.lanes.counters[PHASE] == 0
    assert stage.runner.circuit.phases_of(last).tolist() == [2]
    assert stage.run(2) == UNFINISHED
    assert stage.lanes.counters[PHASE] == 2
    assert not stage.lanes.alive.any()
    assert stage.run(1) == UNFINISHED
    assert stage.lanes.counters[STEP] == 3
    assert stage.lanes.counters[MOVES] == 3


@widths
def test_owners(width: int) -> None:
    program = program_of(STEP_COUNTER)
    lanes = 64 * width
    rows = rows_of(program, None, None, None)
    stage = Stage(program, rows, [2 * lanes, 3, 2 * lanes], width)
    assert stage.lanes.counters[OWNER] == NOBODY
    seen = []
    while stage.run(1) == UNFINISHED:
        seen.append(int(stage.lanes.counters[OWNER]))
    # The first alone; when it is done the others come in together; then the last alone once more.
    order = [owner for number, owner in enumerate(seen) if number == 0 or seen[number - 1] != owner]
    assert order[0] == 0
    assert MIXED in order
    assert order[-1] == 2
    assert stage.queue.results[:, 0].tolist() == [2 * lanes, 3, 2 * lanes]
    assert stage.queue.results[:, 2].tolist() == [12 * lanes, 18, 12 * lanes]


@widths
def test_more_positions_than_lanes(width: int) -> None:
    number = 100 if JIT_DISABLED else 1500
    program = program_of(CAPTURE)
    rows = np.repeat(capture_rows(), number // 5, axis=0)
    stage = Stage(program, rows, [1] * len(rows), width, horizon=4)
    assert stage.run(10_000) == DONE
    results = stage.queue.results
    assert (results[:, 0] == 1).all()
    game = GroundGame(program)
    possible = [set(outcomes(game, start, 4)) for start in _positions(program, capture_rows())]
    for place, row in enumerate(results.tolist()):
        found = (row[2], bool(row[1]), tuple(row[3::2]), tuple(row[4::2]))
        assert found in possible[place // (number // 5)]


def _positions(program: GroundProgram, rows: np.ndarray) -> list[tuple[int, ...]]:
    bits = (rows[:, :, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    return [tuple(np.flatnonzero(row).tolist()) for row in bits.reshape(len(rows), -1)]


@widths
@pytest.mark.parametrize("count", [2, 3, 7, 100, 3000])
def test_each_move_is_as_likely_as_any_other(count: int, width: int) -> None:
    if JIT_DISABLED and count > 100:
        pytest.skip("slow")
    program = program_of(choice_sheet(count))
    picked = np.array([program.fluent_index["picked", str(number)] for number in range(count)])
    found = np.zeros(count, np.int64)
    rounds = 1 if JIT_DISABLED else 24 * 8 // width
    runner = Runner(Circuit(program), width)
    rows = rows_of(program, [])
    for stream in range(rounds):
        queue = make_queue(runner.tape, rows, np.array([64 * width]), np.zeros(1, np.int64), 50)
        lanes = runner.take_lanes(runner.tape, 9, stream, 50)
        run_playouts(runner.tape, lanes, queue, None, 1, zero(width))
        words = lanes.values.reshape(-1, width)[1 + picked]
        assert np.bitwise_count(words).sum() == 64 * width  # one move in each lane
        found += np.bitwise_count(words).sum(axis=1).astype(np.int64)
        runner.give_back(runner.tape, lanes)
    expected = 64 * width * rounds / count
    statistic = ((found - expected) ** 2).sum() / expected
    assert statistic < count - 1 + 4.5 * np.sqrt(2 * (count - 1)) + 8


@widths
def test_ages_end_at_the_horizon(width: int) -> None:
    program = program_of(ENDLESS)
    for horizon in (1, 2, 3, 4, 5):
        stage = Stage(program, rows_of(program, None), [64 * width + 5], width, horizon)
        assert stage.run(100) == DONE
        assert stage.queue.results[0, :3].tolist() == [64 * width + 5, 64 * width + 5, (64 * width + 5) * horizon]

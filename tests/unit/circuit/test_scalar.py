from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from naive.network import make_network, random_network
from naive.scalar import NaivePath, naive_layers
from woodstock.circuit import scalar
from woodstock.circuit.network import FALSE, NO_LOOP, TRUE, Network
from woodstock.circuit.packing import num_words, pack, unpack
from woodstock.circuit.scalar import (
    DensePath,
    IncrementalPath,
    ScalarPath,
    choose_path,
    record_trace,
    time_paths,
    time_trace,
)
from woodstock.circuit.scalar_layers import NEEDS, NUM_CONES, find_layers
from woodstock.circuit.scalar_wiring import HUB_FLIPS, find_hubs

QUESTIONS = ("legal", "is_terminal", "next_position", "goals", "percepts")


def make_paths(network: Network, random: np.random.Generator) -> list[ScalarPath]:
    """Return paths of all kinds; the last one has many hubs."""
    flips = random.random(network.num_inputs + network.num_gates) ** 4
    return [DensePath(network), IncrementalPath(network), IncrementalPath(network, flips)]


def ask(path: ScalarPath, question: str) -> object:
    """Return the answer of a path, as bits."""
    network = path.network
    found = getattr(path, question)()
    if question == "is_terminal":
        return found
    sizes = {"legal": network.num_moves, "next_position": network.num_fluents}
    return unpack(found, sizes.get(question, len(getattr(network, question, ())))).tolist()


def play(network: Network, random: np.random.Generator, steps: int) -> None:
    """Change positions and moves at random and compare the paths with the naive one."""
    paths, naive = make_paths(network, random), NaivePath(network)
    fluents = np.zeros(network.num_fluents, np.bool_)
    for step in range(steps):
        if step % 3 != 2:
            changed = random.random(network.num_fluents) < random.choice([0.1, 0.5])
            fluents = fluents ^ changed
            naive.set_position(fluents.tolist())
            for path in paths:
                path.set_position(pack(fluents) if step % 2 else fluents)
        moves = random.integers(0, network.num_moves, random.integers(0, 3)).tolist() if network.num_moves else []
        naive.make_moves(moves)
        for path in paths:
            path.make_moves(moves) if moves else path.unmake_moves()
        # What is not asked for waits, and must be right later.
        for question in random.permutation(QUESTIONS)[: random.integers(0, 6)]:
            for path in paths:
                assert ask(path, str(question)) == getattr(naive, str(question))(), (step, question, path)
        if step % 4 == 0:
            compare_nodes(paths, naive)


def compare_nodes(paths: list[ScalarPath], naive: NaivePath) -> None:
    """Compare all gates that outputs need."""
    network = naive.network
    is_needed = find_layers(network).rank < len(NEEDS)
    expected = np.array(naive.node_values(), np.bool_)[network.num_inputs :]
    for path in paths:
        for question in QUESTIONS:
            ask(path, question)
        if isinstance(path, IncrementalPath):
            found = path.wiring.state[path.places.of_node[network.num_inputs :]] & 1
        else:
            found = path.dense.truth[2 * network.num_inputs :: 2]
            assert np.array_equal(found ^ 1, path.dense.truth[2 * network.num_inputs + 1 :: 2])
        assert np.array_equal(found[is_needed], expected[is_needed])


@pytest.mark.parametrize("loop_chance", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_random_networks(seed: int, loop_chance: float) -> None:
    random = np.random.default_rng(seed)
    play(random_network(random, int(random.integers(1, 100)), loop_chance), random, 14)


def test_wide_network() -> None:
    """More inputs and gates of a level than a word has bits."""
    random = np.random.default_rng(1)
    gates = [(2 * random.integers(0, 250, 3) + (random.random(3) < 0.3)).tolist() for _ in range(300)]
    gates.append([2 * (251 + gate) + 1 for gate in range(200)])
    network = make_network(150, 100, gates, [2 * (251 + gate) for gate in range(301)])
    network = dataclasses.replace(
        network,
        next=(2 * random.integers(0, 552, 150)).astype(np.int32),
        legal=(2 * random.integers(0, 552, 100) + 1).astype(np.int32),
    )
    play(network, random, 12)


def test_long_loop() -> None:
    """A ring of cells that fill from a source past walls: withdrawn when the source dries up, whatever the order."""
    size = 150
    first = 1 + 2 * size
    # Cell c is full if its source flows, or if it has no wall and the cell before it is full.
    gates = []
    for cell in range(size):
        before = 2 * (first + 2 * ((cell - 1) % size) + 1) + 1
        gates.append([before, 2 * (1 + size + cell) + 1])
        gates.append([2 * (first + 2 * cell) + 1, 2 * (1 + cell) + 1])
    network = dataclasses.replace(
        make_network(2 * size, 0, gates, [2 * (first + 2 * cell + 1) + 1 for cell in range(size)]),
        gate_loop=np.zeros(2 * size, np.int32),
        starts_true=np.arange(2 * size) % 2 == 1,
    )
    path, naive = IncrementalPath(network), NaivePath(network)
    random = np.random.default_rng(2)
    fluents = np.zeros(2 * size, np.bool_)
    for step in range(12):
        fluents[:size] = random.random(size) < (0.02 if step % 3 else 0)
        fluents[size + random.integers(0, size, 3)] ^= True
        path.set_position(fluents)
        naive.set_position(fluents.tolist())
        assert unpack(path.goals(), size).tolist() == naive.goals()


def test_no_gates() -> None:
    network = dataclasses.replace(
        make_network(3, 2, [], [TRUE, FALSE, 2, 3, 9]), next=np.array([8, 1, 3], np.int32), terminal=10
    )
    play(network, np.random.default_rng(3), 8)


def test_no_inputs() -> None:
    network = make_network(0, 0, [[TRUE], [TRUE, FALSE]], [2, 3, 4, 5])
    for path in make_paths(network, np.random.default_rng(4)):
        assert unpack(path.goals(), 4).tolist() == [True, False, False, True]
        assert len(path.legal()) == len(path.next_position()) == len(path.percepts()) == 0
        assert not path.is_terminal()


def test_first_answers_need_no_position() -> None:
    network = random_network(np.random.default_rng(5), 40, 0.2)
    naive = NaivePath(network)
    for path in make_paths(network, np.random.default_rng(5)):
        assert ask(path, "goals") == naive.goals()


def test_answers_are_copies() -> None:
    network = random_network(np.random.default_rng(6), 40, 0.2)
    for path in make_paths(network, np.random.default_rng(6)):
        position = np.zeros(num_words(network.num_fluents), np.uint64)
        path.set_position(position)
        before = path.legal()
        position[:] = 1
        path.legal()[:] = 77
        assert np.array_equal(path.legal(), before)
        path.make_moves([0])
        path.unmake_moves()
        assert np.array_equal(path.legal(), before)


@pytest.mark.parametrize("seed", range(5))
def test_layers(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = random_network(random, 60, 0.2)
    needs, levels = naive_layers(network)
    layers = find_layers(network)
    expected = [NEEDS.index(1 if need & 1 else need) if need else len(NEEDS) for need in needs]
    assert layers.rank.tolist() == expected[network.num_inputs :]
    assert layers.level.tolist() == levels[network.num_inputs :]


def test_ranks_read_earlier_ranks() -> None:
    assert sorted(NEEDS) == [1, *range(2, 1 << NUM_CONES, 2)]
    for rank, need in enumerate(NEEDS):
        for other in NEEDS[rank + 1 :]:
            assert other == need or other & need != need or need == 1


def test_hubs() -> None:
    # Fluent 0 flips in every step, the others seldom: it is the hub of the gates that read it, but for those in loops.
    network = make_network(4, 0, [[2, 4], [3, 4, 7], [4, 6], [2, 11]], [10, 12, 14, 16])
    flips = np.array([0, 1, 0.1, 0.25, 0, *[0.5] * 4])
    assert find_hubs(network, flips).tolist() == [True, False, True, False, False, False, True, True, False]
    looped = dataclasses.replace(network, gate_loop=np.array([NO_LOOP, 0, NO_LOOP, NO_LOOP], np.int32))
    assert not find_hubs(looped, flips)[2:5].any()
    assert not find_hubs(network, np.full(9, HUB_FLIPS / 2)).any()


def test_hub_waits() -> None:
    """A gate that has left the list of its hub comes back."""
    network = make_network(3, 0, [[2, 4], [3, 6]], [8, 10])
    path, naive = IncrementalPath(network, np.array([0, 1.0, 0, 0, 0, 0])), NaivePath(network)
    assert find_hubs(network, np.array([0, 1.0, 0, 0, 0, 0])).tolist() == [True, False, True, False]
    random = np.random.default_rng(7)
    for _ in range(60):
        fluents = random.random(3) < 0.5
        path.set_position(fluents)
        naive.set_position(fluents.tolist())
        assert unpack(path.goals(), 2).tolist() == naive.goals()


@pytest.fixture
def few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scalar, "TRIALS", 2)


def counter_network() -> tuple[Network, np.ndarray, tuple[int, ...]]:
    """Two roles push, or wait, until a counter is full; it moves if one pushes alone."""
    # Fluent f: the counter is at f. Moves: wait and push, of each role.
    first = 1 + 5 + 4
    gates = [[2 * 7, 2 * 8], [2 * 6, 2 * 9], [2 * first + 1, 2 * (first + 1) + 1]]
    stays = 2 * (first + 2)
    following = []
    for fluent in range(5):
        at = first + len(gates)
        come = [2 * fluent if fluent else FALSE, stays ^ 1]
        gates += [[2 * (1 + fluent), stays], come, [2 * at + 1, 2 * (at + 1) + 1]]
        following.append(2 * (at + 2) + 1)
    network = dataclasses.replace(
        make_network(5, 4, gates, [10]),
        next=np.array(following, np.int32),
        legal=np.array([TRUE, 11, TRUE, TRUE], np.int32),
        terminal=10,
    )
    return network, np.array([True, False, False, False, False]), (0, 2, 4)


def test_trace() -> None:
    network, initial, move_start = counter_network()
    trace = record_trace(IncrementalPath(network), initial, move_start, 60)
    naive = NaivePath(network)
    nodes = [[True] + [False] * (network.num_inputs + network.num_gates - 1)]
    num_ends = 0
    for step, (position, moves) in enumerate(zip(trace.positions, trace.moves, strict=True)):
        naive.set_position(unpack(position, 5).tolist())
        assert all(naive.legal()[move] for move in moves)
        naive.make_moves(moves.tolist())
        nodes.append(naive.node_values())
        if step + 1 < 60:
            naive.set_position(naive.next_position())
            num_ends += naive.is_terminal()
            following = initial.tolist() if naive.is_terminal() else naive._fluents
            assert unpack(trace.positions[step + 1], 5).tolist() == following
    assert num_ends > 1
    assert np.allclose(trace.flips, np.diff(np.array(nodes), axis=0).sum(axis=0) / 60)
    again = record_trace(IncrementalPath(network, trace.flips), initial, move_start, 60)
    assert np.array_equal(again.positions, trace.positions)
    assert np.array_equal(again.moves, trace.moves)
    assert time_trace(DensePath(network), trace) >= 0


@pytest.mark.usefixtures("few_trials")
def test_choose_path() -> None:
    network, initial, move_start = counter_network()
    timed = time_paths(network, initial, move_start)
    assert [type(path) for path, _ in timed] == [IncrementalPath, IncrementalPath, DensePath]
    assert all(seconds >= 0 for _, seconds in timed)
    path = choose_path(network, initial, move_start)
    path.set_position(initial)
    assert unpack(path.legal(), 4).tolist() == [True, True, True, True]
    path.make_moves([1, 2])
    assert unpack(path.next_position(), 5).tolist() == [False, True, False, False, False]
    path.make_moves([0, 2])
    assert unpack(path.next_position(), 5).tolist() == initial.tolist()


@pytest.mark.usefixtures("few_trials")
def test_choose_path_without_moves() -> None:
    """A match that is over at the start, and one where nobody can move."""
    for terminal in (TRUE, FALSE):
        network = dataclasses.replace(make_network(1, 1, [[2]], [4]), legal=np.array([FALSE], np.int32))
        network = dataclasses.replace(network, terminal=terminal)
        path = choose_path(network, np.array([True]), (0, 1))
        path.set_position(np.array([True]))
        assert path.is_terminal() == (terminal == TRUE)

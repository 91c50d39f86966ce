"""Tables: long ones, forbidden ones, and what becomes of small ones."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.constraints import Table
from woodstock.cp.engine import FORBIDDEN, TABLE
from woodstock.cp.network import Network
from woodstock.cp.propagators import tables
from woodstock.cp.propagators.rows import count_bits
from woodstock.cp.propagators.tables import SMALL
from woodstock.cp.solver import Solver

NUM_WALKS = 8 if JIT_DISABLED else 12


def network_of(sizes: list[int]) -> Network:
    network = Network()
    for number, size in enumerate(sizes):
        network.add_var(f"x{number}", range(size))
    return network


def kinds_of(solver: Solver) -> list[int]:
    return [int(kind) for kind in solver._machine.engine.wiring.kind]


def supported(tuples: np.ndarray, domains: list[set[int]], is_allowed: bool) -> list[set[int]] | None:
    """Return what generalised arc consistency leaves, by looking at all tuples; None if it is nothing."""
    possible = tuples[np.all([np.isin(tuples[:, column], list(left)) for column, left in enumerate(domains)], axis=0)]
    found = []
    for column, left in enumerate(domains):
        counts = np.bincount(possible[:, column], minlength=max(left) + 1)
        num_others = math.prod(len(other) for place, other in enumerate(domains) if place != column)
        found.append({place for place in left if (counts[place] > 0 if is_allowed else counts[place] < num_others)})
    if not all(found):
        return None
    return found if found == domains else supported(tuples, found, is_allowed)


def random_tuples(random: np.random.Generator, sizes: list[int], count: int) -> np.ndarray:
    return np.stack([random.integers(size, size=count) for size in sizes], axis=1)


@pytest.mark.parametrize(
    ("sizes", "count", "is_allowed"),
    [
        ([4, 4, 4], 40, True),
        ([12, 3, 7, 2], 300, True),
        ([300, 300], 900, True),
        ([30, 4, 2, 30], 2000, True),
        # Few words are left when the first variable is assigned, and the rows of the last one are sparse.
        ([60, 3, 150], 6000, True),
        ([60, 3, 150], 6000, False),
        ([200, 3], 580, False),
        ([2] * 13, 2000, True),
        ([2] * 10, 700, True),
        ([3, 3, 2, 2, 2, 2, 2, 2], 1500, True),
        ([5, 5], 12, False),
        ([2, 2, 2], 6, False),
        ([3, 3, 2], 22, False),
        ([9, 9, 9, 9], 5500, False),
        ([60, 50, 4], 4000, False),
    ],
)
def test_long_tables_keep_what_has_a_support(
    sizes: list[int], count: int, is_allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Forbidden tuples stay what they are, however many.
    monkeypatch.setattr(tables, "SMALL", -1)
    monkeypatch.setattr(tables, "TIMES_AS_MANY", -1)
    for seed in range(NUM_WALKS if len(sizes) > 3 or count > 30 else 10 * NUM_WALKS):
        random = np.random.default_rng(seed)
        tuples = random_tuples(random, sizes, count)
        network = network_of(sizes)
        network.add(Table(tuple(range(len(sizes))), tuples.astype(np.int32), is_allowed))
        solver = Solver(network)
        unique = np.unique(tuples, axis=0)
        expected = supported(unique, [set(range(size)) for size in sizes], is_allowed)
        assert solver.is_failed == (expected is None)
        if expected is None:
            continue
        assert kinds_of(solver) == [TABLE if is_allowed else FORBIDDEN]
        kept = []
        for _ in range(40):
            assert [set(solver.domain(var)) for var in range(len(sizes))] == expected
            kept.append(expected)
            solver.push()
            var = int(random.integers(len(sizes)))
            place = int(random.choice(solver.domain(var)))
            if random.random() < 0.25:
                is_possible = solver.assign(var, place)
                told = {place}
            else:
                is_possible = solver.remove(var, place)
                told = expected[var] - {place}
            wanted = [told if number == var else left for number, left in enumerate(expected)]
            expected = supported(unique, wanted, is_allowed) if told else None
            assert is_possible == (expected is not None)
            while expected is None or random.random() < 0.15:
                solver.pop()
                expected = kept.pop()
                if not kept:
                    break


def test_forbidden_tuples_become_allowed_ones_if_these_are_few() -> None:
    few, many = network_of([8, 8]), network_of([80, 80])
    few.add(Table((0, 1), [(0, 0)], is_allowed=False))
    many.add(Table((0, 1), [(0, 0)], is_allowed=False))
    assert SMALL < 80 * 80
    assert kinds_of(Solver(few)) == [TABLE]
    assert kinds_of(Solver(many)) == [FORBIDDEN]
    assert len(Solver(few).enumerate()) == 63
    assert len(Solver(many).enumerate()) == 80 * 80 - 1


def test_all_tuples_of_a_choice_may_be_forbidden() -> None:
    network = network_of([100, 100])
    network.add(Table((0, 1), [(7, place) for place in range(100)] + [(8, 3)] * 2, is_allowed=False))
    solver = Solver(network)
    assert 7 not in solver.domain(0)
    assert len(solver.domain(0)) == 99
    for place in range(100):
        if place not in (3, 50):
            assert solver.remove(1, place)
    assert 8 in solver.domain(0)
    assert solver.remove(1, 50)
    assert solver.domain(1) == (3,)
    assert 8 not in solver.domain(0)


def test_unary_tables_are_domains() -> None:
    network = network_of([5, 5])
    network.add(Table((0,), [(1,), (3,), (4,)]), Table((0,), [(4,)], is_allowed=False), Table((1,), [(2,)]))
    solver = Solver(network)
    assert kinds_of(solver) == []
    assert (solver.domain(0), solver.domain(1)) == ((1, 3), (2,))
    network.add(Table((1,), [(3,)]))
    assert Solver(network).is_failed


@pytest.mark.parametrize(
    ("tuples", "is_allowed", "count"), [((), True, 0), ([()], True, 2), ([()], False, 0), ((), False, 2)]
)
def test_tables_without_variables_hold_or_not(tuples: list[tuple[()]], is_allowed: bool, count: int) -> None:
    network = network_of([2])
    network.add(Table((), tuples, is_allowed))
    assert len(Solver(network).enumerate()) == count


def test_a_table_without_tuples_fails() -> None:
    network = network_of([2, 2])
    network.add(Table((0, 1), ()))
    assert Solver(network).is_failed


def test_a_table_of_everything_removes_nothing() -> None:
    network = network_of([3, 3])
    network.add(Table((0, 1), list(itertools.product(range(3), repeat=2))), Table((0, 1), (), is_allowed=False))
    assert len(Solver(network).enumerate()) == 9


def test_a_table_with_as_many_choices_as_tuples_takes_little_more_room_than_its_tuples() -> None:
    size = 3000
    network = network_of([size, size])
    network.add(Table((0, 1), np.stack([np.arange(size), np.arange(size)[::-1]], axis=1)))
    solver = Solver(network)
    assert 2 * size <= len(solver._machine.engine.tables.entry_bits) < 3 * size
    assert solver.assign(0, 10)
    assert solver.domain(1) == (size - 11,)


@pytest.mark.parametrize(
    ("scope", "tuples", "message"),
    [
        ((0, 0), [(0, 0)], r"different variables in a table, found \['x0', 'x0'\]"),
        ((0, 2), [(0, 0)], "from 0 to 1 in a table, found 2"),
        ((0, 1), [(0, 0, 0)], r"tuples of 2 places, found an array of shape \(1, 3\)"),
        ((0, 1), [(0, 1), (3, 0)], r"domains of sizes \[3, 2\], found \[3, 0\]"),
        ((0, 1), [(0, -1)], r"found \[0, -1\]"),
    ],
)
def test_wrong_tables_are_refused(scope: tuple[int, ...], tuples: list[tuple[int, ...]], message: str) -> None:
    network = network_of([3, 2])
    network.add(Table(scope, tuples))
    with pytest.raises(UsageError, match=message):
        Solver(network)


def test_bits_are_counted() -> None:
    random = np.random.default_rng(3)
    for word in [0, -1, 1, -(1 << 63), (1 << 63) - 1, *random.integers(-(1 << 63), (1 << 63) - 1, 50).tolist()]:
        assert count_bits(word) == (word & 0xFFFFFFFFFFFFFFFF).bit_count()

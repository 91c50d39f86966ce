"""Domains, the trail, and the way back: bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from naive.constraints import KINDS, full_domains, random_network
from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.compiled import compile_network
from woodstock.cp.domains import Domains, has_room, make_true, mark_assigned, pop_level, push_level, remember
from woodstock.cp.engine import view
from woodstock.cp.network import Network
from woodstock.cp.registers import LEVEL, NUM_OPEN, NUM_SAVED, TRAIL_SIZE, UNDO_SIZE
from woodstock.cp.solver import Solver, Strength

Snapshot = dict[str, list[int]]


def new_domains(sizes: list[int], *, cascades: bool = True) -> Domains:
    network = Network()
    for number, size in enumerate(sizes):
        network.add_var(f"x{number}", range(size))
    compiled = compile_network(network, cascades=cascades, decisions=np.zeros(0, np.int32))
    return view(compiled.pools).domains


def snapshot(domains: Domains) -> Snapshot:
    """Return all that a level restores."""
    registers = domains.registers
    return {
        "registers": registers[: NUM_SAVED + 1].tolist(),
        "truth": domains.truth.tolist(),
        "size": domains.size.tolist(),
        "trail": domains.trail[: registers[TRAIL_SIZE]].tolist(),
        "memory": domains.memory.tolist(),
        "undo": domains.undo[: registers[UNDO_SIZE]].ravel().tolist(),
        "open": sorted(domains.open_vars[: registers[NUM_OPEN]].tolist()),
    }


def check(domains: Domains, expected: list[set[int]]) -> None:
    """Check all arrays against domains as sets of places."""
    trail = domains.trail[: domains.registers[TRAIL_SIZE]].tolist()
    assert sorted(trail) == np.flatnonzero(domains.truth).tolist()
    assert (domains.choices[domains.place_of] == np.arange(len(domains.choices))).all()
    assert (domains.open_vars[domains.open_place] == np.arange(len(domains.open_vars))).all()
    for var, places in enumerate(expected):
        first, end = int(domains.first[var]), int(domains.first[var + 1])
        size = int(domains.size[var])
        assert {choice - first for choice in domains.choices[first : first + size].tolist()} == places
        for choice in range(first, end):
            assert domains.truth[2 * choice] == (places == {choice - first})
            assert domains.truth[2 * choice + 1] == (choice - first not in places)


def literal_of(domains: Domains, var: int, place: int, *, holds: bool = True) -> int:
    return 2 * (int(domains.first[var]) + place) + (not holds)


def test_a_choice_is_removed_and_the_last_one_is_made() -> None:
    domains = new_domains([3, 2])
    assert make_true(domains, literal_of(domains, 0, 1, holds=False))
    check(domains, [{0, 2}, {0, 1}])
    assert domains.registers[NUM_OPEN] == 2
    assert make_true(domains, literal_of(domains, 0, 0, holds=False))
    check(domains, [{2}, {0, 1}])
    assert domains.registers[NUM_OPEN] == 1
    assert make_true(domains, literal_of(domains, 0, 2))
    assert not make_true(domains, literal_of(domains, 0, 2, holds=False))
    assert not make_true(domains, literal_of(domains, 0, 1))
    check(domains, [{2}, {0, 1}])


def test_a_choice_that_is_made_removes_the_others() -> None:
    domains = new_domains([4])
    push_level(domains)
    assert make_true(domains, literal_of(domains, 0, 2))
    check(domains, [{2}])
    pop_level(domains)
    check(domains, [{0, 1, 2, 3}])


def test_what_was_removed_last_stands_behind_what_is_left() -> None:
    """Tables find there what a variable has lost since they looked at it."""
    random = np.random.default_rng(1)
    domains = new_domains([9])
    for _ in range(50):
        push_level(domains)
        for _ in range(2):
            if domains.size[0] > 1:
                before, left = int(domains.size[0]), set(domains.choices[: domains.size[0]].tolist())
                choice = int(random.choice(domains.choices[:before]))
                make_true(domains, 2 * choice + int(random.random() < 0.8))
                size = int(domains.size[0])
                assert set(domains.choices[size:before].tolist()) == left - set(domains.choices[:size].tolist())
        while domains.registers[LEVEL] > 0 and (domains.size[0] == 1 or random.random() < 0.4):
            pop_level(domains)


def test_single_values_are_made_from_the_beginning() -> None:
    check(new_domains([1, 2]), [{0}, {0, 1}])
    assert new_domains([1, 2]).registers[NUM_OPEN] == 1
    assert new_domains([1, 2], cascades=False).registers[NUM_OPEN] == 2


def test_in_forward_checking_a_variable_is_assigned_by_a_decision_alone() -> None:
    domains = new_domains([2, 2], cascades=False)
    make_true(domains, literal_of(domains, 0, 1))
    assert domains.registers[NUM_OPEN] == 2
    mark_assigned(domains, 0)
    mark_assigned(domains, 0)
    assert domains.registers[NUM_OPEN] == 1
    assert domains.open_vars[0] == 1


def test_any_way_forward_leads_back_bit_for_bit() -> None:
    random = np.random.default_rng(7)
    sizes = [1, 2, 2, 3, 5, 8]
    domains = new_domains(sizes)
    expected = [set(range(size)) for size in sizes]
    kept: list[tuple[Snapshot, list[set[int]]]] = []
    for _ in range(600):
        if kept and random.random() < 0.3:
            pop_level(domains)
            before, expected = kept.pop()
            assert snapshot(domains) == before
        elif random.random() < 0.4 and len(kept) < 50:
            kept.append((snapshot(domains), [set(places) for places in expected]))
            push_level(domains)
        else:
            var = int(random.integers(len(sizes)))
            place, holds = int(random.integers(sizes[var])), bool(random.integers(2))
            left = expected[var] & {place} if holds else expected[var] - {place}
            assert make_true(domains, literal_of(domains, var, place, holds=holds)) == bool(left)
            expected[var] = left or expected[var]
        check(domains, expected)


def test_memory_is_restored_in_the_right_order() -> None:
    domains = new_domains([2])._replace(memory=np.arange(4), undo=np.zeros((3, 2), np.int64))
    remember(domains, 1)
    domains.memory[1] = 10
    push_level(domains)
    for value in (20, 30):
        remember(domains, 1)
        domains.memory[1] = value
    assert not has_room(domains, 1)
    pop_level(domains)
    assert domains.memory.tolist() == [0, 10, 2, 3]
    assert has_room(domains, 2)


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize("kind", KINDS)
def test_a_solver_comes_back_bit_for_bit(kind: str, strength: Strength) -> None:
    for seed in range(2 if JIT_DISABLED else 10):
        network = random_network(50 + seed, [kind], num_constraints=4)
        solver = Solver(network, strength=strength)
        random = np.random.default_rng(seed)
        kept: list[Snapshot] = []

        for _ in range(30):
            before = snapshot(solver._machine.engine.domains)
            if seed % 3 == 0:
                solver.enumerate()
                assert snapshot(solver._machine.engine.domains) == before
            if solver.is_failed or not solver.open_vars or random.random() < 0.3:
                if not kept:
                    break
                solver.pop()
                assert snapshot(solver._machine.engine.domains) == kept.pop()
            else:
                kept.append(before)
                solver.push()
                var = int(random.choice(solver.open_vars))
                place = int(random.choice(solver.domain(var)))
                (solver.assign if random.random() < 0.7 else solver.remove)(var, place)
                for earlier, later in zip(full_domains(network), range(network.num_vars), strict=True):
                    assert set(solver.domain(later)) <= earlier

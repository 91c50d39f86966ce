"""What is known about positions makes circuits smaller, never wrong, not even in positions that are not like that."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from naive.small_games import program_of
from woodstock.circuit.circuit import NO_PHASE, Circuit
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.knowledge import _make_checks, find_knowledge, obeys
from woodstock.circuit.lane_game import LaneGame
from woodstock.circuit.packing import pack
from woodstock.circuit.words import WordArray
from woodstock.common.jit import JIT_DISABLED
from woodstock.game.difference import View
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.ground.invariants import FluentGroup
from woodstock.ground.program import GroundProgram

# Two take turns, in an order that no clock knows; what happens if both push at once is never seen.
TURNS = """
(role white) (role black)
(init (control white)) (init (lamp off))
(<= (legal ?r push) (true (control ?r)))
(<= (legal ?r pull) (true (control ?r)))
(<= (legal white wait) (true (control black)))
(<= (legal black wait) (true (control white)))
(<= lit (does ?r push))
(<= (next (control white)) lit)
(<= (next (control black)) (not lit))
(<= both (does white push) (does black push))
(<= (next broken) both)
(<= (next (lamp on)) lit)
(<= (next (lamp off)) (not lit))
(<= terminal (true broken))
(<= (goal ?r 50) (role ?r))
"""


def naive_obeys(groups: tuple[FluentGroup, ...], fluents: set[int]) -> bool:
    counts = [(len(fluents & set(group.fluents)), group.exactly_one) for group in groups]
    return all(count == 1 or (count == 0 and not exactly_one) for count, exactly_one in counts)


@pytest.mark.parametrize("num_fluents", [3, 64, 65, 200])
def test_the_check_counts_the_fluents_of_each_group(num_fluents: int) -> None:
    rng = np.random.default_rng(num_fluents)
    seen = set()
    for _ in range(20 if JIT_DISABLED else 200):
        groups = tuple(
            FluentGroup(
                tuple(sorted(rng.choice(num_fluents, rng.integers(2, 4), replace=False).tolist())),
                bool(rng.random() < 0.3),
            )
            for _ in range(rng.integers(0, 3))
        )
        bits = rng.random((10, num_fluents)) < rng.choice([0.01, 0.1, 0.4])
        checks = _make_checks(groups, num_fluents)
        found = np.array([obeys(checks, row) for row in pack(bits)])
        expected = [naive_obeys(groups, set(np.flatnonzero(row).tolist())) for row in bits]
        assert found.tolist() == expected
        seen.update(expected)
    assert seen == {False, True}


def test_what_needs_two_moves_at_once_has_no_gates() -> None:
    program = program_of(TURNS)
    knowledge = find_knowledge(program)
    assert knowledge.impossible.sum() == 1
    circuit = Circuit(program)
    assert circuit.network.next[program.fluents.index("broken")] == 0 ^ 1
    assert circuit.general.network.next[program.fluents.index("broken")] != 0 ^ 1


@pytest.mark.parametrize("width", [1, 8])
def test_positions_that_break_the_rule_are_right_too(width: int) -> None:
    program = program_of(TURNS)
    ground_game, circuit_game, lanes = GroundGame(program), CircuitGame(program), LaneGame(program, width)
    rows, kinds = [], []
    for chosen in product((False, True), repeat=program.num_fluents):
        fluents = [fluent for fluent, holds in zip(program.fluents, chosen, strict=True) if holds]
        position = ground_game.position_of(fluents)
        expected = View.of(ground_game, position)
        assert View.of(lanes, lanes.position_of(fluents)) == expected
        assert View.of(circuit_game, circuit_game.position_of(fluents)) == expected
        rows.append(pack(np.array(chosen)))
        kinds.append(sum(name[0] == "control" for name in fluents if isinstance(name, tuple)) == 1)
        moves = [ground_game.legal_moves(position, role) for role in range(2)]
        expansion = circuit_game.expand([circuit_game.position_of(fluents)])
        if not ground_game.is_terminal(position):
            successors = {
                frozenset(ground_game.fluents(ground_game.next_position(position, joint))) for joint in product(*moves)
            }
            found = {
                frozenset(f for f, holds in zip(program.fluents, bits, strict=True) if holds)
                for bits in unpacked(expansion.rows, program.num_fluents)
            }
            assert found == successors
    phases = Circuit(program).phases_of(np.array(rows))
    assert ((phases == NO_PHASE) | np.array(kinds)).all()


def unpacked(rows: WordArray, num_fluents: int) -> list[list[bool]]:
    return [[bool(int(row[f >> 6]) >> (f & 63) & 1) for f in range(num_fluents)] for row in rows]


def random_like(program: GroundProgram, groups: tuple[FluentGroup, ...], rng: np.random.Generator) -> list[int]:
    """Return a random position that obeys the groups, which need not be one that can be reached."""
    fluents = set(np.flatnonzero(rng.random(program.num_fluents) < 0.3).tolist())
    for group in groups:
        members = sorted(fluents & set(group.fluents))
        fluents -= set(members)
        if group.exactly_one or (members and rng.random() < 0.8):
            fluents.add(int(rng.choice(members or group.fluents)))
    return sorted(fluents) if naive_obeys(groups, fluents) else []


@pytest.mark.parametrize("name", ["breakthrough_small", "tic_tac_toe", "hex_small"])
def test_positions_that_obey_the_groups_and_cannot_be_reached(name: str) -> None:
    program = ground(load_rules(name))
    groups = find_knowledge(program).groups
    ground_game, lanes = GroundGame(program), LaneGame(program, 8)
    rng = np.random.default_rng(1)
    for _ in range(5 if JIT_DISABLED else 60):
        fluents = [program.fluents[fluent] for fluent in random_like(program, groups, rng)]
        one, two = ground_game.position_of(fluents), lanes.position_of(fluents)
        assert View.of(ground_game, one) == View.of(lanes, two)
        if ground_game.is_terminal(one):
            continue
        moves = [ground_game.legal_moves(one, role) for role in range(len(program.roles))]
        if all(moves):
            joint = tuple(options[rng.integers(len(options))] for options in moves)
            after = ground_game.next_position(one, joint)
            assert set(ground_game.fluents(after)) == set(lanes.fluents(lanes.next_position(two, joint)))

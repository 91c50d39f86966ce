"""From ground programs to networks: every atom against the evaluator, in positions of all kinds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from naive.exclusion import all_steps
from naive.network import literal_value, network_values
from naive.small_games import (
    ALL_GAMES,
    ASKING,
    RECURSIVE,
    make_program,
    program_of,
    random_game,
    random_loops,
    rules_of,
    with_all_atoms,
)
from woodstock.circuit import translate as module
from woodstock.circuit.builder import NO_GROUP
from woodstock.circuit.circuit import Circuit
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.network import NO_LOOP, Network
from woodstock.circuit.translate import make_groups, translate
from woodstock.common.jit import JIT_DISABLED
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.game.verify import walk_together
from woodstock.game.walk import Budget
from woodstock.ground import GroundProgram, ground
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.invariants import FluentGroup
from woodstock.ground.program import NO_ATOM

NUM_PROGRAMS = 15 if JIT_DISABLED else 150


def read(network: Network, values: Sequence[bool], name: str) -> list[bool]:
    return [literal_value(values, literal) for literal in getattr(network.outputs, name).tolist()]


def check(program: GroundProgram, network: Network, fluents: Sequence[int], moves: Sequence[int] | None) -> None:
    """Compare the outputs of a network with the evaluator in a position, and after moves if there are any."""
    evaluator = Evaluator(program)
    before = evaluator.position(fluents)
    inputs = np.zeros(network.num_inputs - 1, np.bool_)
    inputs[list(fluents)] = True
    values = network_values(network, inputs.tolist())
    assert read(network, values, "legal") == holds(before, program.legal_atom).tolist()
    assert read(network, values, "goals") == holds(before, program.goals.atoms).tolist()
    assert read(network, values, "terminal") == holds(before, np.array([program.terminal_atom])).tolist()
    if moves is not None:
        after = evaluator.after(before, moves)
        inputs[[program.num_fluents + move for move in moves]] = True
        values = network_values(network, inputs.tolist())
        assert read(network, values, "next") == holds(after, program.next_atom).tolist()
        if program.percepts is not None:
            assert read(network, values, "percepts") == holds(after, program.percepts.atoms).tolist()


def check_shape(network: Network) -> None:
    """Check that gates stand behind what they depend on, and the gates of a loop together."""
    loops = network.gate_loop.tolist()
    first = {}
    for gate, loop in enumerate(loops):
        if loop != NO_LOOP:
            assert loops[first.setdefault(loop, gate) : gate + 1] == [loop] * (gate + 1 - first[loop])
        for literal in network.gate_data[network.gate_start[gate] : network.gate_start[gate + 1]].tolist():
            other = (literal >> 1) - network.num_inputs
            assert other < gate or (loop != NO_LOOP and loops[other] == loop)
    assert set(first) == set(range(len(first)))


def random_position(rng: np.random.Generator, program: GroundProgram) -> tuple[list[int], list[int] | None]:
    """Return any fluents, and a move of each role, legal or not; None if a role has none."""
    fluents = np.flatnonzero(rng.random(program.num_fluents) < rng.random()).tolist()
    bounds = list(zip(program.move_start, program.move_start[1:], strict=False))
    if any(first == end for first, end in bounds):
        return fluents, None
    return fluents, [int(rng.integers(first, end)) for first, end in bounds]


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_every_atom_of_random_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = with_all_atoms(random_loops(rng) if seed % 3 else random_game(rng))
    network = translate(program)
    check_shape(network)
    for _ in range(10):
        check(program, network, *random_position(rng, program))


@pytest.mark.parametrize("name", ALL_GAMES)
def test_every_atom_of_written_games(name: str) -> None:
    rng = np.random.default_rng(1)
    program = with_all_atoms(program_of(ALL_GAMES[name]))
    network = translate(program)
    check_shape(network)
    for _ in range(20):
        check(program, network, *random_position(rng, program))


@pytest.mark.parametrize("name", ["atari_go", "hex_small", "pig", "treasure_hunt"])
def test_any_position_of_bundled_games(name: str) -> None:
    rng = np.random.default_rng(2)
    program = ground(load_rules(name))
    network = translate(program)
    check_shape(network)
    for _ in range(3):
        check(program, network, *random_position(rng, program))


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_legal_moves_may_be_assumed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = random_game(rng)
    network = translate(program, assume_legal=True)
    check_shape(network)
    for step in all_steps(program, most=15):
        first = 1 + program.num_fluents
        moves = np.flatnonzero(step.atoms[first : first + program.num_moves]).tolist()
        check(program, network, sorted(step.before), moves)
        check(program, network, sorted(step.after), None)


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_groups_make_networks_that_are_right_where_they_hold(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = random_game(rng)
    numbers = rng.permutation(program.num_fluents)
    cut = int(rng.integers(0, len(numbers) + 1))
    groups = tuple(
        FluentGroup(tuple(sorted(part.tolist())), bool(rng.random() < 0.5))
        for part in (numbers[:cut], numbers[cut:])
        if len(part)
    )
    network = translate(program, groups)
    check_shape(network)
    for _ in range(8):
        fluents, moves = random_position(rng, program)
        for group in groups:
            kept = rng.choice(group.fluents) if group.exactly_one or rng.random() < 0.8 else None
            fluents = [fluent for fluent in fluents if fluent not in group.fluents]
            fluents += [] if kept is None else [int(kept)]
        check(program, network, sorted(fluents), moves)


def test_groups_of_moves_and_fluents() -> None:
    program = program_of(ALL_GAMES["simultaneous"])
    groups = make_groups(program, (FluentGroup((0, 1), True), FluentGroup((0, 1, 2), False), FluentGroup((2, 3), True)))
    first = 1 + program.num_fluents
    assert groups.of_node[0] == NO_GROUP
    assert groups.of_node[first:].tolist() == [0, 0, 0, 1, 1, 2, 2]
    # A fluent is in the largest of its groups; what is left of one alone is none.
    assert groups.of_node[1:5].tolist() == [3, 3, 3, NO_GROUP]
    assert groups.is_exact.tolist() == [True, True, True, False]
    assert groups.data[groups.start[3] : groups.start[4]].tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", RECURSIVE)
def test_recursion_is_as_the_reference_reasoner_sees_it(name: str) -> None:
    game = CircuitGame(program_of(RECURSIVE[name]))
    found = walk_together(ReferenceGame(rules_of(RECURSIVE[name])), game, Budget(positions=20 if JIT_DISABLED else 300))
    assert found.failure == ""
    assert found.difference is None, found.difference.render()


def test_what_supports_only_itself_never_holds() -> None:
    # Fluents are atoms 1 and 2, the move is 3. Atom 4 needs itself, 5 and 6 each other; 7 and 8 too, with a way in.
    rules = [(4, [8]), (5, [12, 2]), (6, [10]), (7, [16]), (7, [2]), (8, [14, 5]), (9, [9, 11, 16])]
    program = make_program(2, 1, rules, [7, 9])
    for network in (translate(program), translate(program, assume_legal=True)):
        check_shape(network)
        for fluents in ([], [0], [1], [0, 1]):
            check(program, network, fluents, [0])


def test_goals_that_ask_for_moves_see_none() -> None:
    program = program_of(ASKING)
    for network in (translate(program), Circuit(program).network):
        values = network_values(network, [*program.initial.tolist(), *[True] * program.num_moves])
        assert not literal_value(values, network.terminal)
        legal = dict(zip(program.moves[0], read(network, values, "legal"), strict=True))
        assert legal["go"]
        assert not legal.get("never", False)


def test_a_builder_that_is_too_small_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = []
    real = module.make_builder

    def make_builder(groups: object, facts: object, room: int) -> object:
        rooms.append(room)
        return real(groups, facts, room if len(rooms) > 1 else 4)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "make_builder", make_builder)
    program = with_all_atoms(program_of(ALL_GAMES["capture"]))
    network = translate(program)
    assert rooms[1] == 2 * rooms[0]
    check(program, network, *random_position(np.random.default_rng(0), program))


def test_an_output_that_never_holds() -> None:
    program = program_of(ALL_GAMES["endless"])
    assert program.terminal_atom == NO_ATOM
    network = translate(program)
    assert not literal_value(network_values(network, [False] * (network.num_inputs - 1)), network.terminal)

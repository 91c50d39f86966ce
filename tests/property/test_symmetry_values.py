"""Symmetries keep values: propositions 1 to 4 of IJCAI'17 on games that are small enough to be solved.

`WOODSTOCK_SYMMETRY_POSITIONS=1000000` looks at larger games too, and at every position of the small ones.
"""

from __future__ import annotations

import os
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

from naive.symmetry import TOYS, Solved, rule_symmetries, solve
from woodstock.circuit.packing import pack, unpack
from woodstock.circuit.zobrist import make_keys
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.games import game_names
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import GroundProgram, ground
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import GameNetwork
from woodstock.search.clausal_form import clausal_form
from woodstock.symmetry._automorphism import find_generators
from woodstock.symmetry.canonical_choice import make_canonical_keys
from woodstock.symmetry.detection import DetectionOptions, find_symmetries
from woodstock.symmetry.group import SymmetryGroup
from woodstock.symmetry.microstructure import Microstructure
from woodstock.symmetry.one_stage import make_stage
from woodstock.symmetry.orbits import MoveOrbits
from woodstock.symmetry.residual import ResidualForms
from woodstock.symmetry.rule_graph import rule_graph

pytest.importorskip("igraph")

MAX_POSITIONS = int(os.environ.get("WOODSTOCK_SYMMETRY_POSITIONS", "10000" if JIT_DISABLED else "100000"))
EVERYWHERE = "WOODSTOCK_SYMMETRY_POSITIONS" in os.environ

GAMES = ("tic_tac_toe", "nim", "two_by_two_random", *TOYS)


def make_program(name: str) -> GroundProgram:
    sheet = TOYS.get(name)
    return ground(load_rules(name)) if sheet is None else ground(parse_rules(sheet), use_cache=False)


@cache
def solved(name: str) -> Solved | None:
    return solve(make_program(name), MAX_POSITIONS)


def small(name: str) -> Solved:
    game = solved(name)
    assert game is not None
    return game


def open_positions(game: Solved, count: int) -> list[int]:
    """Some positions where the match goes on, or all of them."""
    found = np.flatnonzero(~game.terminal)
    numbers: list[int] = (found if EVERYWHERE else found[:: max(1, len(found) // count)]).tolist()
    return numbers


def assert_one_value(game: Solved, number: int, orbits: np.ndarray) -> None:
    """Equivalent moves are worth the same to whoever makes them."""
    values: dict[int, float] = {}
    for move, value in game.move_values(number).items():
        assert values.setdefault(int(orbits[move]), value) == value, GroundGame(game.program).fluents(
            tuple(np.flatnonzero(game.bits(number)).tolist())
        )


@pytest.mark.parametrize("name", GAMES)
def test_proposition_1_symmetries_of_the_rules_are_structural(name: str) -> None:
    """Images of positions have the images of legal moves and successors, the same end and the same values."""
    game = small(name)
    number_of = game.number_of()
    bits = unpack(game.rows, game.program.num_fluents)
    legal = unpack(game.legal, game.program.num_moves)
    step = {
        (int(parent), *moves): int(child)
        for parent, moves, child in zip(game.parent, game.moves.tolist(), game.child, strict=True)
    }
    for symmetry in rule_symmetries(game.program).generators:
        images = [number_of.get(row.tobytes()) for row in pack(symmetry.apply_to_position(bits))]
        for number, image in enumerate(images):
            if image is not None:
                assert np.array_equal(legal[image][symmetry.moves], legal[number])
                assert game.terminal[image] == game.terminal[number]
                assert np.array_equal(game.values[image], game.values[number])
        for (parent, *moves), child in step.items():
            image = images[parent]
            if image is not None:
                assert step[(image, *symmetry.moves[moves].tolist())] == images[child]


@pytest.mark.parametrize("name", ["doors", "two_by_two_random"])
def test_proposition_2_symmetries_of_a_network_of_several_stages_take_plays_to_plays(name: str) -> None:
    game = small(name)
    program = game.program
    horizon = 2
    network = GameNetwork(program, horizon, encoding=Encoding.BOOLEAN)
    start = tuple(np.flatnonzero(program.initial).tolist())
    legal = [set(range(first, last)) for first, last in pairwise(program.move_start)]
    graph = Microstructure(clausal_form(network, start, legal)).graph()
    plays = set(all_plays(network, horizon))
    generators = find_generators(graph).permutations
    assert generators
    for image in generators:
        assert {frozenset(image[list(play)].tolist()) for play in plays} == plays


def all_plays(network: GameNetwork, horizon: int) -> list[frozenset[int]]:
    """The choices of all ways in which the game may go, but for auxiliary variables."""
    game = GroundGame(network.program)
    first = network.network.first_choices
    plays = []

    def go_on(position: tuple[int, ...], stage: int, choices: list[int]) -> None:
        here = network.stages[stage]
        pairs = zip(here.fluents.tolist(), network.places(position).tolist(), strict=True)
        choices = choices + [first[var] + place for var, place in pairs]
        if stage == horizon:
            plays.append(frozenset(choices))
            return
        assert not game.is_terminal(position)
        choices.append(network.network.choice(here.terminal, False))
        choices += [network.network.choice(var, 0) for var in here.utilities if var >= 0]
        roles = range(len(game.roles))
        for joint in product(*(game.legal_moves(position, role) for role in roles)):
            places = network.places_of_moves(joint).tolist()
            made = [first[var] + place for var, place in zip(here.actions, places, strict=True)]
            go_on(game.next_position(position, joint), stage + 1, choices + made)

    go_on(game.initial_position(), 0, [])
    return plays


@pytest.mark.parametrize("name", GAMES)
def test_proposition_3_equivalent_positions_have_one_value(name: str) -> None:
    """By the symmetries of the rules, and by what is left of the rules after a position."""
    game = small(name)
    assert_keys_have_one_value(game, rule_symmetries(game.program))
    forms = ResidualForms(game.program)
    values: dict[bytes, np.ndarray] = {}
    for number in range(0, len(game.rows), 1 if EVERYWHERE else max(1, len(game.rows) // 200)):
        found = values.setdefault(forms.form(game.bits(number)), game.values[number])
        assert np.array_equal(found, game.values[number])


@pytest.mark.parametrize("name", GAMES)
def test_proposition_4_equivalent_moves_have_one_value(name: str) -> None:
    """By the stabiliser of the position, by one stage linked to the rules, and by the residual."""
    game = small(name)
    program = game.program
    rules, forms = rule_graph(program), ResidualForms(program)
    board = MoveOrbits(rule_symmetries(program)).find(game.rows, game.legal)
    for number in np.flatnonzero(~game.terminal).tolist() if len(game.rows) < 1000 or EVERYWHERE else ():
        assert_one_value(game, number, board[number])
    for number in open_positions(game, 60):
        assert_one_value(game, number, board[number])
        structure = Microstructure(make_stage(program, game.bits(number)))
        structure.link_rules(rules)
        linked = structure.move_orbits(program.num_moves)
        assert_one_value(game, number, linked)
        # What keeps the position and the rules is an automorphism of the linked graph, and of the residual.
        legal = np.flatnonzero(board[number] >= 0)
        residual = forms.move_orbits(game.bits(number))
        assert_one_value(game, number, residual)
        for found in (linked, residual):
            assert np.array_equal(found[board[number][legal]], found[legal])


def assert_keys_have_one_value(game: Solved, group: SymmetryGroup) -> int:
    """All positions with one canonical key have one value; return how many keys there are."""
    keys = make_canonical_keys(group, make_keys(game.program.num_fluents)).keys(game.rows)
    found, place = np.unique(keys, return_inverse=True)
    least = np.full((len(found), game.values.shape[1]), np.inf)
    most = -least
    np.minimum.at(least, place, game.values)
    np.maximum.at(most, place, game.values)
    # Means of the same values in another order differ in the last digits.
    assert np.allclose(least, most, rtol=0, atol=1e-6)
    return len(found)


SMALL_GAMES = {
    "guess_dice": 4,
    "kuhn_poker": 49,
    "leduc_poker": 1006,
    "lights_out": 306,
    "matching_pennies": 7,
    "monty_hall": 8,
    "nim": 232,
    "rock_paper_scissors": 20,
    "tic_tac_toe": 765,
    "treasure_hunt": 679,
    "two_by_two_opponent": 7,
    "two_by_two_random": 14,
    "vacuum_cleaner": 7543,
}
"""The bundled games of at most 100,000 positions, and how many there are of them up to symmetry, at most."""


@pytest.mark.parametrize("name", game_names() if MAX_POSITIONS > 100_000 else sorted(SMALL_GAMES))
def test_no_unsound_merge(name: str) -> None:
    """By all symmetries that are found, those beyond the syntax among them."""
    game = solved(name)
    if game is None:
        pytest.skip(f"more than {MAX_POSITIONS:,} positions")
    options = DetectionOptions(deadline=Deadline(60), use_cache=False)
    assert assert_keys_have_one_value(game, find_symmetries(game.program, options).group) <= SMALL_GAMES.get(
        name, len(game.rows)
    )

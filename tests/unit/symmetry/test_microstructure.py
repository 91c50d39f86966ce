"""Equivalent moves by the microstructure complement: sound with values or with the rules, and not without them."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from naive.symmetry import TOYS, Solved, solve
from woodstock.circuit.packing import unpack
from woodstock.common.errors import UsageError
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import ground
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import GameNetwork
from woodstock.search.clausal_form import clausal_form
from woodstock.symmetry.microstructure import NO_ORBIT, Microstructure, Stage
from woodstock.symmetry.one_stage import make_stage
from woodstock.symmetry.rule_graph import rule_graph

pytest.importorskip("igraph")

GAMES = ("tic_tac_toe", "two_by_two_random", *TOYS)


@cache
def solved(name: str) -> Solved:
    sheet = TOYS.get(name)
    program = ground(load_rules(name)) if sheet is None else ground(parse_rules(sheet), use_cache=False)
    found = solve(program)
    assert found is not None
    return found


def some_positions(game: Solved, count: int) -> list[int]:
    open_ = np.flatnonzero(~game.terminal)
    found: list[int] = open_[:: max(1, len(open_) // count)].tolist()
    return found


def mixes_values(game: Solved, number: int, orbits: np.ndarray) -> bool:
    """Whether some moves that are said to be equivalent differ in value."""
    values: dict[int, float] = {}
    return any(values.setdefault(int(orbits[move]), value) != value for move, value in game.move_values(number).items())


@pytest.mark.parametrize("name", GAMES)
def test_linked_to_the_rules_equivalent_moves_have_one_value(name: str) -> None:
    game = solved(name)
    rules = rule_graph(game.program)
    for number in some_positions(game, 30):
        structure = Microstructure(make_stage(game.program, game.bits(number)))
        structure.link_rules(rules)
        assert not mixes_values(game, number, structure.move_orbits(game.program.num_moves))


def test_stage_alone_mixes_values_and_is_refused() -> None:
    """In most positions of tic-tac-toe all moves look alike if nothing is known of what follows."""
    game = solved("tic_tac_toe")
    numbers = some_positions(game, 50)
    mixed = 0
    for number in numbers:
        structure = Microstructure(make_stage(game.program, game.bits(number)))
        mixed += mixes_values(game, number, structure.stage_orbits(game.program.num_moves))
        with pytest.raises(UsageError, match="does not tell values: add those of all moves, or the rules"):
            structure.move_orbits(game.program.num_moves)
    assert mixed > len(numbers) / 2


def clausal_stage(game: Solved, number: int, network: GameNetwork) -> Stage:
    position = tuple(np.flatnonzero(game.bits(number)).tolist())
    legal = np.flatnonzero(unpack(game.legal[number], game.program.num_moves)).tolist()
    by_role = [{move for move in legal if start <= move < end} for start, end in pairwise(game.program.move_start)]
    return clausal_form(network, position, by_role)


@pytest.mark.parametrize("name", GAMES)
def test_what_is_alike_in_the_network_of_the_game_is_alike(name: str) -> None:
    """The stage with all its variables, from `scsp`, against the one in which the position is folded away.

    Folding makes a little more alike: two moves of chance that take the last one from a heap.
    """
    game = solved(name)
    network = GameNetwork(game.program, encoding=Encoding.BOOLEAN)
    rules = rule_graph(game.program)
    for number in some_positions(game, 12):
        found = []
        for stage in (make_stage(game.program, game.bits(number)), clausal_stage(game, number, network)):
            structure = Microstructure(stage)
            structure.link_rules(rules)
            found.append(structure.move_orbits(game.program.num_moves))
        folded, full = found
        legal = np.flatnonzero(full != NO_ORBIT)
        assert np.array_equal(folded[full[legal]], folded[legal])
        assert np.array_equal(folded == NO_ORBIT, full == NO_ORBIT)
        assert not mixes_values(game, number, full)


def joint_values(game: Solved, number: int, players: list[int]) -> dict[tuple[int, ...], list[float]]:
    """What each joint move of the players is worth to them, on average over what chance does."""
    made: dict[tuple[int, ...], list[int]] = {}
    for edge in np.flatnonzero(game.parent == number).tolist():
        made.setdefault(tuple(game.moves[edge, players].tolist()), []).append(edge)
    return {joint: game.values[game.child[edges]].mean(axis=0)[players].tolist() for joint, edges in made.items()}


@pytest.mark.parametrize("name", GAMES)
def test_with_all_values_equivalent_moves_have_one_value(name: str) -> None:
    game = solved(name)
    players = [role for role, role_name in enumerate(game.program.roles) if role_name != "random"]
    for number in some_positions(game, 30):
        structure = Microstructure(make_stage(game.program, game.bits(number)))
        structure.add_values(players, joint_values(game, number, players))
        assert not mixes_values(game, number, structure.move_orbits(game.program.num_moves))


def test_example_5_of_the_paper() -> None:
    """After (1, 1) is marked by one and (2, 2) by two all moves of player one are alike, once values are known."""
    game = solved("two_by_two_random")
    program = game.program
    marks = {("1", "1"): "one", ("2", "2"): "two"}
    cells = [("cell", row, column, marks.get((row, column), "empty")) for row in "12" for column in "12"]
    position = GroundGame(program).position_of([("turn", "one"), *cells])
    bits = np.zeros(program.num_fluents, dtype=np.bool_)
    bits[list(position)] = True
    number = next(each for each in range(len(game.rows)) if np.array_equal(game.bits(each), bits))
    moves = list(program.move_index[0].values())
    structure = Microstructure(make_stage(program, bits))
    structure.link_rules(rule_graph(program))
    by_rules = structure.move_orbits(program.num_moves)[moves]
    structure = Microstructure(make_stage(program, bits))
    structure.add_values([0, 1], joint_values(game, number, [0, 1]))
    by_values = structure.move_orbits(program.num_moves)[moves]
    legal = by_rules != NO_ORBIT
    assert legal.sum() == 4
    assert len(set(by_rules[legal].tolist())) == 2
    assert len(set(by_values[legal].tolist())) == 1


def test_some_values_are_not_enough_but_may_be_added_to_the_rules() -> None:
    game = solved("collection")
    values = joint_values(game, 0, [0, 1])
    structure = Microstructure(make_stage(game.program, game.program.initial))
    structure.add_values([0, 1], dict(list(values.items())[:2]))
    with pytest.raises(UsageError, match="does not tell values"):
        structure.move_orbits(game.program.num_moves)
    structure.link_rules(rule_graph(game.program))
    orbits = structure.move_orbits(game.program.num_moves)
    # Two moves have a value that the other four have not: so they are no longer like those.
    assert len({int(orbits[move]) for (move, _) in values}) == 2


def test_values_of_illegal_moves() -> None:
    game = solved("collection")
    structure = Microstructure(make_stage(game.program, game.program.initial))
    with pytest.raises(UsageError, match="move 99 is not legal for role 0"):
        structure.add_values([0, 1], {(99, 0): [0.0, 0.0]})


def test_roles_must_stay_in_their_places() -> None:
    game = solved("collection")
    structure = Microstructure(make_stage(game.program, game.program.initial))
    with pytest.raises(UsageError, match="the roles must stay in their places"):
        structure.link_rules(rule_graph(game.program, permute_roles=True))


def test_loops_through_moves_are_refused() -> None:
    sheet = """
    (role a) (init s) (edge 1 2) (edge 2 3) (edge 3 1) (node 1) (node 2) (node 3)
    (<= (legal a (start ?x)) (node ?x)) (<= (legal a (cut ?x)) (node ?x))
    (<= (wet ?x) (does a (start ?x))) (<= (wet ?y) (wet ?x) (edge ?x ?y) (not (true (dry ?y))))
    (<= (next (dry ?x)) (does a (cut ?x))) (<= (next (at ?x)) (wet ?x)) (<= terminal (true (at 1)))
    (<= (goal a 100) (true (at 1)))
    """
    program = ground(parse_rules(sheet), use_cache=False)
    with pytest.raises(UsageError, match="has a positive loop: take the residual instead"):
        make_stage(program, program.initial)

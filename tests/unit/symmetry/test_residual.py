"""What never changes again, what is left of the rules after a position, and what is then alike."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from naive.exclusion import random_program
from naive.small_games import REACHABILITY, random_loops
from naive.symmetry import TOYS, Solved, rule_symmetries, solve
from woodstock.circuit.zobrist import make_keys
from woodstock.common.errors import LimitError, UsageError
from woodstock.common.limits import Deadline
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import GroundProgram, ground
from woodstock.ground.program import RoleTerms
from woodstock.symmetry.canonical_choice import make_canonical_keys
from woodstock.symmetry.latches import Latches
from woodstock.symmetry.orbits import MoveOrbits
from woodstock.symmetry.residual import NO_ORBIT, ResidualForms

pytest.importorskip("igraph")

NUM_PROGRAMS = int(os.environ.get("WOODSTOCK_FUZZ_RESIDUALS", "5"))


@cache
def solved(name: str) -> Solved:
    sheet = TOYS.get(name)
    program = ground(load_rules(name)) if sheet is None else ground(parse_rules(sheet), use_cache=False)
    found = solve(program)
    assert found is not None
    return found


def check_values(game: Solved, numbers: list[int]) -> int:
    """Positions with one form have the same values; return how many forms there are."""
    forms = ResidualForms(game.program)
    values: dict[bytes, np.ndarray] = {}
    for number in numbers:
        found = values.setdefault(forms.form(game.bits(number)), game.values[number])
        assert np.array_equal(found, game.values[number]), GroundGame(game.program).fluents(
            tuple(np.flatnonzero(game.bits(number)).tolist())
        )
    return len(values)


def test_tic_tac_toe_as_in_the_feasibility_study() -> None:
    """5,478 positions are 765 under the board's symmetries; blocked lines are gone in the residual: 418 at most.

    Here are fewer than 418 because a rule that another one makes superfluous is dropped as well.
    """
    game = solved("tic_tac_toe")
    assert len(game.rows) == 5478
    keys = make_canonical_keys(rule_symmetries(game.program), make_keys(game.program.num_fluents))
    _, first = np.unique(keys.keys(game.rows), return_index=True)
    assert len(first) == 765
    assert check_values(game, first.tolist()) == 320


def test_forms_are_the_same_for_symmetric_positions() -> None:
    game = solved("tic_tac_toe")
    forms = ResidualForms(game.program)
    for number in range(0, 5478, 500):
        bits = game.bits(number)
        images = [each.apply_to_position(bits) for each in rule_symmetries(game.program).elements()]
        assert len({forms.form(image) for image in images}) == 1


def test_a_form_within_a_deadline() -> None:
    program = solved("tic_tac_toe").program
    forms = ResidualForms(program)
    assert forms.form(program.initial, Deadline(60)) == forms.form(program.initial)
    with pytest.raises(LimitError, match="no time"):
        forms.form(program.initial, Deadline(0))


@pytest.mark.parametrize("name", [*TOYS, "nim", "two_by_two_random", "kuhn_poker", "monty_hall"])
def test_positions_with_one_form_have_one_value(name: str) -> None:
    game = solved(name)
    step = max(1, len(game.rows) // 250)
    check_values(game, list(range(0, len(game.rows), step)))


def test_rules_with_loops() -> None:
    game = solve(ground(parse_rules(REACHABILITY), use_cache=False))
    assert game is not None
    check_values(game, list(range(0, len(game.rows), max(1, len(game.rows) // 200))))


@pytest.mark.parametrize("name", [*TOYS, "tic_tac_toe", "two_by_two_random"])
def test_equivalent_moves_have_one_value(name: str) -> None:
    game = solved(name)
    forms = ResidualForms(game.program)
    open_ = np.flatnonzero(~game.terminal)
    for number in open_[:: max(1, len(open_) // 40)].tolist():
        orbits = forms.move_orbits(game.bits(number))
        values: dict[int, float] = {}
        for move, value in game.move_values(number).items():
            assert orbits[move] != NO_ORBIT
            assert values.setdefault(int(orbits[move]), value) == value


def test_blocked_lines_make_more_moves_alike() -> None:
    """What the board's symmetries join is joined, and more than that."""
    game = solved("tic_tac_toe")
    forms = ResidualForms(game.program)
    board = MoveOrbits(rule_symmetries(game.program))
    open_ = np.flatnonzero(~game.terminal)[::40]
    least = board.find(game.rows[open_], game.legal[open_])
    num_before, num_after = 0, 0
    for number, before in zip(open_.tolist(), least, strict=True):
        after = forms.move_orbits(game.bits(number))
        legal = np.flatnonzero(before != NO_ORBIT)
        assert np.array_equal(after[before[legal]], after[legal])
        num_before += len(set(before[legal].tolist()))
        num_after += len(set(after[legal].tolist()))
    assert num_after < num_before


def test_terminal_positions_are_their_goals() -> None:
    game = solved("tic_tac_toe")
    forms = ResidualForms(game.program)
    ended = np.flatnonzero(game.terminal)[::20]
    found = {forms.form(game.bits(number)): tuple(game.values[number]) for number in ended.tolist()}
    assert len(found) == len(set(found.values())) == 3
    residual = forms.residual(game.bits(int(ended[0])))
    assert len(residual.fluents) == len(residual.moves) == 0


def test_latches() -> None:
    program = solved("tic_tac_toe").program
    position = program.initial.copy()
    position[program.fluent_index["square", "2", "2", "empty"]] = False
    position[program.fluent_index["square", "2", "2", "x"]] = True
    values = Latches(program).values_after(position)
    assert values[1 + program.fluent_index["square", "2", "2", "x"]] == 1
    assert values[1 + program.fluent_index["square", "2", "2", "o"]] == -1
    assert values[1 + program.fluent_index["square", "2", "2", "empty"]] == -1
    assert values[1 + program.fluent_index["square", "1", "1", "empty"]] == 0
    first_move = 1 + program.num_fluents
    assert values[first_move + program.move_index[1]["place", "2", "2"]] == -1
    assert values[first_move + program.move_index[1]["place", "1", "1"]] == 0


@pytest.mark.parametrize("name", ["connect_three", "tic_tac_toe", "two_by_two_random", "nim"])
def test_latches_hold_in_all_that_follows(name: str) -> None:
    game = solved(name)
    latches = Latches(game.program)
    children: dict[int, set[int]] = {}
    for parent, child in zip(game.parent.tolist(), game.child.tolist(), strict=True):
        children.setdefault(parent, set()).add(child)
    for number in range(0, len(game.rows), max(1, len(game.rows) // 12)):
        values = latches.values_after(game.bits(number))[1 : 1 + game.program.num_fluents]
        seen, waiting = {number}, [number]
        for position in waiting:
            bits = game.bits(position)
            assert bits[values == 1].all()
            assert not bits[values == -1].any()
            fresh = children.get(position, set()) - seen
            seen |= fresh
            waiting += fresh


def tree(game: GroundGame, position: tuple[int, ...], depth: int) -> tuple[object, ...]:
    """How the game may go on for some steps, without names: goals, numbers of moves, all that follows."""
    roles = range(len(game.roles))
    goals = tuple(game.goal_values(position, role) for role in roles)
    if game.is_terminal(position):
        return ("over", goals)
    legal = [game.legal_moves(position, role) for role in roles]
    sizes = tuple(len(moves) for moves in legal)
    if not all(sizes):
        return ("stuck", goals)
    if depth == 0:
        return (goals, sizes)
    following = [tree(game, game.next_position(position, joint), depth - 1) for joint in product(*legal)]
    return (goals, sizes, tuple(sorted(following, key=repr)))


@pytest.mark.parametrize("make", [random_program, random_loops])
def test_random_programs(make: Callable[[np.random.Generator], GroundProgram]) -> None:
    """Positions with one form go on in the same way, in programs of any shape, in whatever position."""
    num_equal, num_forms = 0, 0
    for seed in range(NUM_PROGRAMS):
        rng = np.random.default_rng(seed)
        program = make(rng)
        outputs = rng.choice(np.arange(1 + program.num_fluents), 2)
        goals = RoleTerms(np.zeros(2, np.int32), ("0", "1"), outputs.astype(np.int32))
        program = replace(program, goals=goals)
        try:
            forms = ResidualForms(program)
        except UsageError:
            continue
        game = GroundGame(program)
        trees: dict[bytes, object] = {}
        for bits in rng.random((40, program.num_fluents)) < rng.random():
            found = tree(game, tuple(np.flatnonzero(bits).tolist()), 2)
            form = forms.form(bits)
            num_equal += form in trees
            assert trees.setdefault(form, found) == found, seed
        num_forms += len(trees)
    assert num_forms > NUM_PROGRAMS
    assert num_equal > NUM_PROGRAMS


def test_goals_that_depend_on_moves_are_refused() -> None:
    sheet = "(role a) (legal a go) (legal a stay) (<= (next x) (does a go)) (<= terminal (does a go)) (goal a 1)"
    with pytest.raises(UsageError, match="depend on the moves that are made in the same step"):
        ResidualForms(ground(parse_rules(sheet), use_cache=False))


def test_the_only_move_is_made() -> None:
    sheet = "(role a) (init x) (legal a go) (<= (next x) (true x) (does a go)) (<= (next y) (true x) (not (does a go)))"
    program = ground(parse_rules(sheet), use_cache=False)
    values = Latches(program).values_after(program.initial)
    assert values[1 + program.fluent_index["x"]] == 1

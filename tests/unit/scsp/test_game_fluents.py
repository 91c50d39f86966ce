"""How positions are divided into variables."""

from __future__ import annotations

import numpy as np
import pytest

from naive.small_games import program_of
from woodstock.common.errors import UsageError
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.ground.exclusion import prove_exclusions
from woodstock.ground.invariants import FluentGroup
from woodstock.scsp.game_fluents import FluentVars, divide_fluents

SHEET = """
(role a) (legal a x)
(init (cell 1 b)) (init (cell 2 b)) (init (at 1 king)) (init lit)
(<= (next (cell ?n x)) (true (cell ?n b)) (does a x))
(<= (next (at 2 king)) (true (at 1 king))) (<= (next off) (true lit))
(<= (next ?f) (kept ?f) (true ?f)) (kept (cell 1 x)) (kept (cell 2 x)) (kept (at 2 king)) (kept off)
(<= terminal (true off)) (goal a 0)
"""
PROGRAM = program_of(SHEET)
INDEX = PROGRAM.fluent_index


def group(exactly_one: bool, *fluents: object) -> FluentGroup:
    return FluentGroup(tuple(INDEX[fluent] for fluent in fluents), exactly_one)  # type: ignore[index]


CELL_1 = group(True, ("cell", "1", "b"), ("cell", "1", "x"))
CELL_2 = group(False, ("cell", "2", "b"), ("cell", "2", "x"))
KING = group(True, ("at", "1", "king"), ("at", "2", "king"))
LIGHT = group(True, "lit", "off")


def described(fluents: FluentVars) -> dict[str, tuple[object, ...]]:
    return dict(zip(fluents.names, fluents.domains, strict=True))


def test_without_groups_every_fluent_is_a_boolean_variable() -> None:
    fluents = divide_fluents(PROGRAM, ())
    assert set(fluents.names) == {
        "cell 1 b",
        "cell 1 x",
        "cell 2 b",
        "cell 2 x",
        "at 1 king",
        "at 2 king",
        "lit",
        "off",
    }
    assert set(fluents.domains) == {(False, True)}
    assert fluents.var_of_fluent.tolist() == list(range(8))


def test_groups_are_variables_in_the_words_of_the_game() -> None:
    assert described(divide_fluents(PROGRAM, [CELL_1, CELL_2, KING, LIGHT])) == {
        "cell 1": ("b", "x"),
        "cell 2": ("b", "x", None),
        "at ? king": ("1", "2"),
        "lit or off": ("lit", "off"),
    }


def test_large_groups_come_first_and_others_keep_what_is_left() -> None:
    cells = group(True, *(("cell", number, mark) for number in "12" for mark in "bx"))
    lit = group(True, ("cell", "1", "x"), "lit", "off")
    found = described(divide_fluents(PROGRAM, [CELL_1, lit, cells]))
    assert found["cell"] == ("1 b", "1 x", "2 b", "2 x")
    assert found["lit or off"] == ("lit", "off", None), "one of three is missing, so none of the rest may hold"
    assert found["at 1 king"] == (False, True)


def test_names_differ_although_groups_are_alike() -> None:
    first = group(False, ("cell", "1", "b"), ("cell", "2", "x"))
    second = group(False, ("cell", "1", "x"), ("cell", "2", "b"))
    names = divide_fluents(PROGRAM, [first, second]).names
    assert len(set(names)) == len(names) == 6


def test_positions_and_places_are_the_same_thing() -> None:
    rng = np.random.default_rng(4)
    fluents = divide_fluents(PROGRAM, [CELL_2, KING])
    rows = rng.random((50, PROGRAM.num_fluents)) < 0.5
    for exclusive in (CELL_2, KING):
        rows[:, list(exclusive.fluents)] = False
        chosen = rng.choice(exclusive.fluents, 50)
        rows[np.arange(50), chosen] = exclusive.exactly_one | (rng.random(50) < 0.5)
    places = fluents.places_of_rows(rows)
    assert places.shape == (50, fluents.num_vars)
    assert np.array_equal(fluents.fluents_of_rows(places), rows)
    for row, expected in zip(rows, places, strict=True):
        numbers = tuple(np.flatnonzero(row).tolist())
        assert fluents.places(numbers).tolist() == expected.tolist()
        assert fluents.fluents(expected) == numbers


def test_positions_that_break_a_group_are_refused() -> None:
    fluents = divide_fluents(PROGRAM, [CELL_1, LIGHT])
    cell = [INDEX["cell", "1", "b"], INDEX["cell", "1", "x"]]
    with pytest.raises(UsageError, match=r"one value of cell 1 .* found \(cell 1 b\) and \(cell 1 x\)"):
        fluents.places([*cell, INDEX["lit"]])
    with pytest.raises(UsageError, match="expected a value of lit or off, of which every position has one, found none"):
        fluents.places(cell[:1])


def test_groups_of_real_games_cover_their_boards() -> None:
    program = ground(load_rules("tic_tac_toe"))
    fluents = divide_fluents(program, prove_exclusions(program).groups)
    assert fluents.num_vars == 10
    assert described(fluents)["square 2 2"] == ("empty", "o", "x")
    assert sorted(map(len, fluents.domains)) == [2, *[3] * 9]

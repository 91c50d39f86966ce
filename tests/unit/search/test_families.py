"""Families: fluents of a relation that agree in an argument."""

from __future__ import annotations

from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.search.families import find_families


def test_squares_by_row_column_and_mark() -> None:
    fluents = ground(load_rules("tic_tac_toe")).fluents
    found = [{fluents[number] for number in family} for family in find_families(fluents)]
    squares = {fluent for fluent in fluents if fluent[0] == "square"}
    for place in (1, 2, 3):
        for value in {fluent[place] for fluent in squares}:
            assert {fluent for fluent in squares if fluent[place] == value} in found
    movers = {fluent for fluent in fluents if fluent[0] == "turn"}
    assert movers in found
    assert len(found) == 3 + 3 + 3 + 1


def test_names_with_different_numbers_of_arguments_are_different_relations() -> None:
    assert find_families((("at", "1"), ("at", "1", "2"), ("at", "1", "3"), ("at", "2"))) == [(0, 3), (1, 2)]


def test_who_is_alone_has_no_family_and_none_comes_twice() -> None:
    assert find_families((("over",), "done", ("own", "a", "1"), ("own", "a", "2"))) == [(2, 3)]
    assert find_families((("own", "a", "b"), ("own", "a", "b"))) == [(0, 1)]
    assert find_families(()) == []


def test_arguments_may_be_terms() -> None:
    assert find_families((("on", ("f", "1"), "x"), ("on", ("f", "1"), "y"), ("on", "1", "z"))) == [(0, 1)]

"""Probability tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from woodstock.cp.network import Network
from woodstock.scsp.chance import ProbabilityTable, UniformTable, as_fraction, unconditional, uniform

HALF = Fraction(1, 2)


def places(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


@pytest.mark.parametrize("denominator", [1, 3, 7, 100, 997, 999_983, 10**6])
def test_a_float_stands_for_the_fraction_that_it_was_made_from(denominator: int) -> None:
    for numerator in (0, 1, denominator // 3, denominator - 1, denominator):
        assert as_fraction(numerator / denominator) == Fraction(numerator, denominator)


def test_fractions_stay_what_they_are() -> None:
    tiny = Fraction(1, 10**9)
    assert as_fraction(tiny) == tiny
    assert as_fraction(1) == 1


def test_a_conditional_table_depends_on_its_scope_alone() -> None:
    table = ProbabilityTable(2, (1,), [(0,), (1,)], [(0.25, 0.75), (0, 1)])
    assert table.distribution(places(5, 0, 0)) == {0: Fraction(1, 4), 1: Fraction(3, 4)}
    assert table.distribution(places(9, 1, 0)) == {1: Fraction(1)}


def test_a_combination_that_is_not_listed_has_no_distribution() -> None:
    table = ProbabilityTable(1, (0,), [(1,)], [(1, 0)])
    assert table.distribution(places(0, 0)) == {}


def test_all_values_of_a_uniform_variable_are_equally_likely() -> None:
    network = Network()
    die = network.add_var("die", range(6))
    assert uniform(network, die).distribution(places(0)) == dict.fromkeys(range(6), Fraction(1, 6))
    assert unconditional(0, [1, 0, 0]).distribution(places(0)) == {0: Fraction(1)}


def test_what_literals_make_possible_is_equally_likely() -> None:
    network = Network()
    colour = network.add_var("colour", ("red", "green", "blue"))
    flag = network.add_var("flag")
    drawn = network.add_var("drawn", "abc")
    literals = [network.literal(colour, "green"), network.literal(flag), network.literal(colour, "red", holds=False)]
    table = uniform(network, drawn, literals)
    assert isinstance(table, UniformTable)
    assert table.scope == (colour, flag)
    assert table.distribution(places(0, 0, 0)) == {}
    assert table.distribution(places(0, 1, 0)) == {1: Fraction(1)}
    assert table.distribution(places(1, 1, 0)) == dict.fromkeys(range(3), Fraction(1, 3))
    assert table.distribution(places(2, 1, 0)) == {1: HALF, 2: HALF}


def test_what_is_wrong_with_a_table_is_said_in_words() -> None:
    network = Network()
    network.add_vars("xy")
    assert ProbabilityTable(1, (0,), [(0,), (1,)], [(HALF, HALF), (1, 0)]).problems(network) == []
    wrong = {
        "probabilities of y": [
            ProbabilityTable(1, (), [()], [(HALF, HALF, 0)]),
            ProbabilityTable(1, (), [()], [(HALF, 0.4)]),
            ProbabilityTable(1, (), [()], [(2, -1)]),
        ],
        "tuple of places": [
            ProbabilityTable(1, (0,), [(0, 1)], [(1, 0)]),
            ProbabilityTable(1, (0,), [(2,)], [(1, 0)]),
        ],
        "twice": [ProbabilityTable(1, (0,), [(0,), (0,)], [(1, 0), (0, 1)])],
        "2 tuples but 1": [ProbabilityTable(1, (0,), [(0,), (1,)], [(1, 0)])],
    }
    for words, tables in wrong.items():
        for table in tables:
            (problem,) = table.problems(network)
            assert words in problem
    (problem,) = UniformTable(1, (0,), (1,), (True,)).problems(network)
    assert "a literal for each of the 2 values of y" in problem

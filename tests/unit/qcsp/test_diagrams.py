"""Diagrams hold for the values for which their constraints do."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from naive.qcsp import alone, random_any
from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Clauses, Linear, OneHot, Predicate, Table
from woodstock.cp.network import Network
from woodstock.qcsp.compiled import MAX_TURNS, MAX_VALUES, relations_of
from woodstock.qcsp.diagrams import REJECT, Diagram, diagrams_of
from woodstock.qcsp.json_form import tuples_of
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of
from woodstock.qcsp.situation import Compiled


def accepts(diagram: Diagram, places: tuple[int, ...]) -> bool:
    node = 0
    for turn, layer in zip(diagram.turns, diagram.layers, strict=True):
        node = layer[node][places[turn]]
        if node == REJECT:
            return False
    return True


def test_diagrams_mean_what_constraints_mean() -> None:
    for number in range(60):
        quantified = random_any(f"diagram {number}")
        for entry in range(len(quantified.network.constraints)):
            part = alone(quantified, entry)
            diagrams = list(diagrams_of(part))
            for places in itertools.product(*(range(len(domain)) for domain in part.domains)):
                expected = part.is_solution(places)
                assert all(accepts(diagram, places) for diagram in diagrams) == expected, (number, entry, places)


def test_the_tuples_of_a_diagram_are_all_there_is() -> None:
    for number in range(30):
        quantified = random_any(f"tuples {number}")
        for diagram in diagrams_of(quantified):
            sizes = [len(quantified.domains[turn]) for turn in diagram.turns]
            allowed, forbidden = (set(tuples_of(diagram, sizes, kind)) for kind in (True, False))
            assert not allowed & forbidden
            assert allowed | forbidden == set(itertools.product(*map(range, sizes)))


def test_a_long_sum_has_a_small_diagram() -> None:
    network = Network()
    network.add_vars([f"x{number}" for number in range(40)])
    literals = tuple(network.literal(var) for var in range(40))
    network.add(Linear(literals, (1,) * 40, 3, 5))
    (diagram,) = diagrams_of(QuantifiedNetwork(network, blocks_of([False] * 40)))
    assert diagram.num_nodes < 40 * 8


def test_constraints_of_nothing_hold_or_do_not() -> None:
    for entry, expected in (
        (Clauses(np.array([0, 0], np.int64), np.array([], np.int32)), False),
        (OneHot((), exactly=False), True),
        (OneHot(()), False),
        (Linear((), (), 0, 1), True),
        (Linear((), (), 1, 1), False),
        (Table((), np.zeros((1, 0), np.int32)), True),
        (Predicate((), lambda: False), False),
    ):
        network = Network()
        network.add_vars("xy")
        network.add(entry)
        compiled = Compiled(QuantifiedNetwork(network, blocks_of([False, True])))
        assert compiled.is_consistent is expected, entry


def test_what_is_too_large_is_refused() -> None:
    network = Network()
    network.add_vars([f"x{number}" for number in range(8)], range(9))
    network.add(Predicate(tuple(range(8)), lambda *values: True, "everything"))
    with pytest.raises(UsageError, match="everything, found 43046721"):
        list(diagrams_of(QuantifiedNetwork(network, blocks_of([False] * 8))))
    long = Network()
    long.add_vars([str(number) for number in range(MAX_TURNS + 1)])
    with pytest.raises(UsageError, match="at most 4000 variables, found 4001"):
        relations_of(QuantifiedNetwork(long, blocks_of([False] * (MAX_TURNS + 1))))
    wide = Network()
    wide.add_var("w", range(MAX_VALUES + 1))
    with pytest.raises(UsageError, match="at most 62 values for each variable, found 63 for w"):
        relations_of(QuantifiedNetwork(wide, blocks_of([False])))

"""Stochastic networks: order, stages, utilities, and what is refused."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from naive.stochastic import random_stochastic, utility
from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Table, Utility
from woodstock.cp.network import Network
from woodstock.scsp.chance import ProbabilityTable, uniform
from woodstock.scsp.stochastic import Stage, StochasticNetwork


def five() -> Network:
    network = Network()
    network.add_vars("abcde")
    return network


def test_stages_are_runs_of_decisions_and_draws() -> None:
    network = five()
    tables = (uniform(network, 1), uniform(network, 3))
    assert StochasticNetwork(network, tables).stages == (Stage((0,), (1,)), Stage((2,), (3,)), Stage((4,), ()))
    together = StochasticNetwork(network, tables, order=(4, 2, 3, 1, 0))
    assert together.stages == (Stage((4, 2), (3, 1)), Stage((0,), ()))
    assert StochasticNetwork(network, tables, order=(1, 3, 0)).stages == (Stage((), (1, 3)), Stage((0,), ()))
    assert StochasticNetwork(network).stages == (Stage((0, 1, 2, 3, 4), ()),)


def test_the_order_tells_how_early_a_variable_is_decided() -> None:
    assert StochasticNetwork(five(), order=(4, 0, 2)).position_of.tolist() == [1, -1, 2, -1, 0]


def test_thresholds_are_exact_and_zero_by_default() -> None:
    network = five()
    assert StochasticNetwork(network).threshold == (0,)
    network.add(Utility((0,), [(1,)], [[1.0, 0.5, 0.0]]))
    assert StochasticNetwork(network).threshold == (0, 0, 0)
    assert StochasticNetwork(network, threshold=(0.1, 1, Fraction(1, 3))).threshold == (
        Fraction(1, 10),
        1,
        Fraction(1, 3),
    )


def test_utilities_are_sums_over_the_soft_constraints() -> None:
    rng = random.Random(3)
    for _ in range(40):
        network = random_stochastic(rng)
        for _ in range(5):
            places = np.array([rng.randrange(len(domain)) for domain in network.network.domains], np.int32)
            assert network.utility(places) == utility(network, tuple(places.tolist()))


def test_the_hard_part_has_the_hard_constraints_alone() -> None:
    network = five()
    network.add(Table((0, 1), [(0, 1)]), Utility((0,), [(1,)], [[1.0]]))
    hard = StochasticNetwork(network).hard_part
    assert (hard.constraints, hard.utilities) == (network.constraints, [])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"order": (0, 0, 1)}, "order of different variables"),
        ({"order": (0, 7)}, "order of different variables"),
        ({"tables": (2, 2)}, "two tables"),
        ({"tables": (2,), "order": (0, 1)}, "c has a table but is outside the order"),
        ({"tables": (1,), "order": (1, 0, 2, 3, 4)}, "the table of b depends on a, not decided before it"),
        ({"tables": (1,), "order": (1, 2, 3, 4)}, "the table of b depends on a, not decided before it"),
        ({"threshold": (2,)}, "thresholds in [0, 1], found 2"),
        ({"threshold": (-0.5,)}, "thresholds in [0, 1], found -1/2"),
        ({"scope": (0, 3), "order": (0, 1, 2)}, "mentions a variable outside the order"),
        ({"utilities": [[1.0, 1.0]], "threshold": (0,)}, "utilities for 1 players, found rows of [2]"),
    ],
)
def test_what_is_no_network_is_refused(options: dict[str, object], words: str) -> None:
    network = five()
    if "scope" in options:
        network.add(Table(options["scope"], [(0, 0)]))  # type: ignore[arg-type]
    if "utilities" in options:
        network.add(Utility((0,), [(1,)], options["utilities"]))  # type: ignore[arg-type]
    rows = [(0,), (1,)]
    tables = [
        ProbabilityTable(var, (0,) if var == 1 else (), rows if var == 1 else [()], [(1, 0)] * (2 if var == 1 else 1))
        for var in options.get("tables", ())  # type: ignore[attr-defined]
    ]
    with pytest.raises(UsageError) as raised:
        StochasticNetwork(network, tuple(tables), options.get("order", ()), options.get("threshold", ()))  # type: ignore[arg-type]
    assert words in str(raised.value)


def test_all_problems_are_told_at_once() -> None:
    network = five()
    table = ProbabilityTable(0, (1,), [(0,)], [(1, 1)])
    with pytest.raises(UsageError, match=r"sum 1.*depends on b.*thresholds"):
        StochasticNetwork(network, (table,), threshold=(3,))

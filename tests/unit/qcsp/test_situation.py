"""Situations: what propagation leaves after each value, and what it says."""

from __future__ import annotations

import pytest

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Table
from woodstock.cp.network import Network
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of
from woodstock.qcsp.situation import Change, Compiled, Situation, Standing, find_pure

EQUAL = [(0, 0), (1, 1), (2, 2)]


def network(universal: list[bool], *tables: Table) -> QuantifiedNetwork:
    made = Network()
    made.add_vars([f"x{number}" for number in range(len(universal))], (0, 1, 2))
    made.add(*tables)
    return QuantifiedNetwork(made, blocks_of(universal))


@pytest.mark.parametrize(
    ("universal", "tuples", "expected"),
    [
        # Both existential: a value needs one partner.
        ([False, False], [(0, 1), (1, 1)], [0b011, 0b010]),
        # The universal one comes first: each of its values needs a partner, else all is lost.
        ([True, False], [(0, 1), (1, 1), (2, 0)], [0b111, 0b011]),
        ([True, False], [(0, 1), (1, 1)], None),
        # It comes last: a value of the existential one needs all of its values.
        ([False, True], [(0, 0), (0, 1), (0, 2), (1, 0)], [0b001, 0b111]),
        ([False, True], EQUAL, None),
        # Both universal: everything has to be allowed.
        ([True, True], [(one, other) for one in range(3) for other in range(3)], [0b111, 0b111]),
        ([True, True], [(one, other) for one in range(3) for other in range(3) if one or other], None),
    ],
)
def test_quantified_arc_consistency(universal: list[bool], tuples: list[tuple[int, int]], expected) -> None:
    compiled = Compiled(network(universal, Table((0, 1), tuples)))
    assert compiled.is_consistent == (expected is not None)
    if expected is not None:
        assert compiled.root.tolist() == expected


def test_a_value_that_no_strategy_uses_goes_though_each_pair_of_values_is_fine() -> None:
    # ∃x0 x1 ∀x2 ∃x3: with x0 = x1 = 0 the last variable has no value if x2 is 1, so nothing leads to x3 = 2.
    rows = [
        (one, two, three, four)
        for one in range(3)
        for two in range(3)
        for three in range(3)
        for four in range(3)
        if ((one, two) != (0, 0) and four < 2) or ((one, two) == (0, 0) and three == 0 and four == 2)
    ]
    compiled = Compiled(network([False, False, True, False], Table((0, 1, 2, 3), rows)))
    assert compiled.root.tolist() == [0b111, 0b111, 0b111, 0b011]


def test_values_shrink_other_domains() -> None:
    situation = Situation(Compiled(network([False, True, False], Table((0, 2), EQUAL))))
    assert situation.give(1) == [Change(2, (0, 2))]
    assert situation.standing is Standing.WON
    assert situation.places_left(2) == [1]
    assert situation.give(0) == []
    assert situation.is_universal is False
    situation.give(1)
    assert situation.is_over
    with pytest.raises(UsageError, match="all variables have one"):
        situation.give(0)


def test_a_situation_is_shaky_until_the_universal_side_misses_its_chance_or_takes_it() -> None:
    quantified = network(
        [False, True, False], Table((1, 2), [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]), Table((0, 2), EQUAL)
    )
    compiled = Compiled(quantified)
    assert compiled.root.tolist() == [0b111, 0b111, 0b111]
    start = Situation(compiled, [1])
    assert start.standing is Standing.SHAKY
    assert Situation(compiled, [1, 0]).standing is Standing.WON
    assert Situation(compiled, [1, 1]).standing is Standing.LOST
    assert Situation(compiled, [1, 1, 2]).standing is Standing.LOST


def test_pure_values_conflict_with_nothing() -> None:
    compiled = Compiled(network([False, True], Table((0, 1), [(0, 0), (1, 2)], is_allowed=False)))
    assert find_pure(compiled.full, compiled.full.domains, compiled.work, 0) == 0b100
    assert find_pure(compiled.full, compiled.full.domains, compiled.work, 1) == 0b010


def test_a_place_has_to_exist() -> None:
    situation = Situation(Compiled(network([False])))
    with pytest.raises(UsageError, match="0 to 2, found 3"):
        situation.give(3)

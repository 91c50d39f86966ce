from __future__ import annotations

import numpy as np
import pytest

from naive.diagrams import Tables, least_nodes
from woodstock.common.errors import LimitError
from woodstock.common.limits import Deadline
from woodstock.symmetry import diagrams as module
from woodstock.symmetry.diagrams import FALSE, TRUE, Diagrams


@pytest.mark.parametrize("seed", range(12))
def test_diagrams_are_equal_iff_functions_are(seed: int) -> None:
    random = np.random.default_rng(seed)
    num_variables = 1 + seed % 6
    diagrams, tables = Diagrams(num_variables, max_nodes=5000), Tables(num_variables)
    pairs = [(FALSE, tables.constant(False)), (TRUE, tables.constant(True))]
    pairs += [(diagrams.variable(number), tables.variable(number)) for number in range(num_variables)]
    for _ in range(60):
        chosen = [pairs[place] for place in random.integers(0, len(pairs), 3)]
        nodes, values = zip(*chosen, strict=True)
        pairs.append((diagrams.choose(*nodes), tables.choose(*values)))
    number_of: dict[tuple[bool, ...], int] = {}
    for node, table in pairs:
        assert number_of.setdefault(table, node) == node
    assert len(set(number_of.values())) == len(number_of)


@pytest.mark.parametrize("seed", range(6))
def test_a_diagram_has_no_node_too_many(seed: int) -> None:
    random = np.random.default_rng(seed)
    tables = Tables(4)
    target = tuple((random.random(16) < 0.5).tolist())
    diagrams = Diagrams(4, max_nodes=1000)
    variables = [diagrams.variable(number) for number in range(4)]
    node = _build(diagrams, variables, target)
    assert node == _build(diagrams, variables, tables.choose(target, target, target))
    assert _count(diagrams, node) == least_nodes(target)


def _build(diagrams: Diagrams, variables: list[int], table: tuple[bool, ...]) -> int:
    """Make a diagram by asking for the last variable first, so that nodes are made which are not needed."""
    if len(table) == 1:
        return TRUE if table[0] else FALSE
    last = variables[: len(table).bit_length() - 1][-1]
    high, low = (_build(diagrams, variables, table[start::2]) for start in (1, 0))
    return diagrams.choose(last, high, low)


def _count(diagrams: Diagrams, node: int) -> int:
    tables = diagrams._tables
    found: set[int] = set()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each > TRUE and each not in found:
            found.add(each)
            waiting += [int(tables.low[each]), int(tables.high[each])]
    return len(found)


def test_two_ways_to_say_the_same() -> None:
    diagrams = Diagrams(3, max_nodes=100)
    x, y, z = (diagrams.variable(number) for number in range(3))
    assert diagrams.both(x, diagrams.either(y, z)) == diagrams.either(diagrams.both(x, y), diagrams.both(z, x))
    assert diagrams.negation(diagrams.negation(x)) == x


def test_no_room() -> None:
    diagrams = Diagrams(3, max_nodes=6)
    x, y, z = (diagrams.variable(number) for number in range(3))
    both = diagrams.both(x, y)
    with pytest.raises(LimitError, match="full"):
        diagrams.either(both, z)


def test_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEPS", 1)
    diagrams = Diagrams(2, max_nodes=20, deadline=Deadline(0))
    with pytest.raises(LimitError, match="no time"):
        diagrams.both(diagrams.variable(0), diagrams.variable(1))
    patient = Diagrams(2, max_nodes=20)
    assert patient.both(patient.variable(0), patient.variable(1)) > TRUE

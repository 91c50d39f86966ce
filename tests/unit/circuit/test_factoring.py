"""Disjunctions of conjunctions: what is factored means the same, and common literals are taken out."""

from __future__ import annotations

import numpy as np
import pytest

from naive.groups import no_groups, random_groups, random_inputs
from woodstock.circuit.builder import EDGES, GATES, STATUS, Builder, make_builder
from woodstock.circuit.factoring import CUBES, DATA, MANY_CUBES, OUTS, factor, make_cubes, push_cube
from woodstock.circuit.network import FALSE, TRUE
from woodstock.circuit.specialise import no_facts
from woodstock.common.jit import JIT_DISABLED

NUM_RUNS = 20 if JIT_DISABLED else 200


def disjunction(builder: Builder, cubes: list[list[int]]) -> int:
    """Return the literal of a disjunction of conjunctions."""
    space = make_cubes(
        max(len(cubes), 1), max(sum(map(len, cubes)), 1), len(builder.groups.of_node) + len(builder.start)
    )
    for array in (DATA, CUBES, OUTS):
        space.tops[array] = 0
    for cube in cubes:
        space.scratch[: len(cube)] = cube
        if push_cube(builder, space, len(cube)) == 0:
            return TRUE
    result = int(factor(builder, space, int(space.tops[CUBES])))
    assert not space.occurs.any()
    return result


def value_of(builder: Builder, inputs: np.ndarray, literal: int) -> bool:
    values = inputs.tolist()
    for gate in range(int(builder.counts[GATES])):
        literals = builder.data[builder.start[gate] : builder.start[gate + 1]].tolist()
        values.append(all(values[other >> 1] != bool(other & 1) for other in literals))
    return bool(values[literal >> 1] != bool(literal & 1))


def random_cubes(rng: np.random.Generator, num_inputs: int, count: int) -> list[list[int]]:
    common = rng.integers(2, 2 * num_inputs, 3)
    return [
        [*rng.integers(2, 2 * num_inputs, int(rng.integers(1, 5))).tolist(), *common[rng.random(3) < 0.4].tolist()]
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(NUM_RUNS))
def test_random_disjunctions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    num_inputs = int(rng.integers(3, 30))
    groups = random_groups(rng, 1, num_inputs) if seed % 2 else no_groups(num_inputs)
    count = int(rng.choice([0, 1, 2, 8, 30])) if seed % 10 else MANY_CUBES + 30
    cubes = random_cubes(rng, num_inputs, count)
    builder = make_builder(groups, no_facts(0), 20_000)
    result = disjunction(builder, cubes)
    assert builder.counts[STATUS] == 0
    for _ in range(30):
        inputs = random_inputs(rng, groups)
        wanted = any(all(inputs[literal >> 1] != bool(literal & 1) for literal in cube) for cube in cubes)
        assert value_of(builder, inputs, result) == wanted


def test_common_literals_are_taken_out() -> None:
    builder = make_builder(no_groups(8), no_facts(0), 200)
    # a b + a c + a d is a (b + c + d): two gates, five literals.
    result = disjunction(builder, [[2, 4], [2, 6], [2, 8]])
    assert result > FALSE
    assert (builder.counts[GATES], builder.counts[EDGES]) == (2, 5)


def test_a_literal_alone_absorbs_the_cubes_that_have_it() -> None:
    builder = make_builder(no_groups(8), no_facts(0), 200)
    assert disjunction(builder, [[2], [2, 4], [8, 2, 6]]) == 2
    assert disjunction(builder, [[2], [3]]) == TRUE
    assert disjunction(builder, [[2], [4], [3, 5]]) == TRUE
    assert disjunction(builder, []) == FALSE
    assert disjunction(builder, [[2, 3]]) == FALSE


def test_many_cubes_with_few_literals() -> None:
    rng = np.random.default_rng(0)
    cubes = [[2 * one, 2 * two] for one in range(1, 30) for two in range(one + 1, 30)]
    builder = make_builder(no_groups(31), no_facts(0), 20_000)
    result = disjunction(builder, cubes)
    for _ in range(10):
        inputs = rng.random(31) < 0.06
        inputs[0] = True
        assert value_of(builder, inputs, result) == (inputs[1:30].sum() >= 2)
    assert builder.counts[EDGES] < sum(map(len, cubes))

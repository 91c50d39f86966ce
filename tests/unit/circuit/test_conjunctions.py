"""Gates under construction: conjunctions and disjunctions mean what they say, wherever the groups hold."""

from __future__ import annotations

import numpy as np
import pytest

from naive.groups import make_groups, no_groups, random_groups, random_inputs
from woodstock.circuit.builder import FULL, GATES, MARK, STATUS, VOTES, Builder, Facts, Groups, make_builder
from woodstock.circuit.conjunctions import make_and, make_or, tidy_literals
from woodstock.circuit.network import FALSE, TRUE
from woodstock.circuit.specialise import no_facts
from woodstock.common.jit import JIT_DISABLED

NUM_RUNS = 20 if JIT_DISABLED else 200


def conjunction(builder: Builder, *literals: int) -> int:
    """Return what a conjunction becomes."""
    space = np.zeros(len(builder.groups.of_node) + len(literals) + 8, np.int32)
    space[: len(literals)] = literals
    return int(make_and(builder, space, len(literals)))


def gate_values(builder: Builder, inputs: np.ndarray) -> list[bool]:
    """Return the values of all nodes."""
    values = inputs.tolist()
    for gate in range(int(builder.counts[GATES])):
        literals = builder.data[builder.start[gate] : builder.start[gate + 1]].tolist()
        values.append(all(values[literal >> 1] != bool(literal & 1) for literal in literals))
    return values


def check_scratch(builder: Builder) -> None:
    """Check that what is used for a while is as it was."""
    assert not builder.of_group.any()
    assert not builder.of_input[[MARK, VOTES]].any()


@pytest.mark.parametrize("seed", range(NUM_RUNS))
def test_random_gates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    num_inputs = int(rng.integers(3, 25))
    groups = random_groups(rng, 1, num_inputs) if seed % 4 else no_groups(num_inputs)
    builder = make_builder(groups, no_facts(2), 4000)
    asked: list[tuple[bool, list[int], int]] = []
    known = [TRUE, *range(2, 2 * num_inputs)]
    for _ in range(30):
        size = int(rng.choice([0, 1, 2, 3, 5, num_inputs, 30]))
        literals = rng.choice(known, size).tolist()
        if rng.random() < 0.5:
            # Mostly complements, so that most members of a group are excluded.
            literals = [literal | 1 if literal > 1 and rng.random() < 0.9 else literal for literal in literals]
        space = np.zeros(num_inputs + 64, np.int32)
        space[:size] = literals
        is_and = bool(rng.random() < 0.6)
        result = int((make_and if is_and else make_or)(builder, space, size))
        check_scratch(builder)
        asked.append((is_and, literals, result))
        known += [result, result ^ 1] if result > FALSE else []
    assert builder.counts[STATUS] == 0
    for _ in range(20):
        values = gate_values(builder, random_inputs(rng, groups))
        for is_and, literals, result in asked:
            parts = [values[literal >> 1] != bool(literal & 1) for literal in literals]
            assert (values[result >> 1] != bool(result & 1)) == (all(parts) if is_and else any(parts))


def test_equal_gates_are_one() -> None:
    builder = make_builder(no_groups(6), no_facts(0), 100)
    one = conjunction(builder, 2, 5, 8)
    assert conjunction(builder, 8, 2, 5, 2, TRUE) == one
    assert conjunction(builder, 8, 2, 4) != one
    assert builder.counts[GATES] == 2


def test_constants_and_contradictions() -> None:
    builder = make_builder(no_groups(6), no_facts(0), 100)
    assert conjunction(builder) == TRUE
    assert conjunction(builder, TRUE, 6) == 6
    assert conjunction(builder, 6, FALSE) == FALSE
    assert conjunction(builder, 6, 4, 7) == FALSE
    assert builder.counts[GATES] == 0


def groups_of_six() -> Groups:
    return make_groups(8, [[1, 2, 3, 4, 5, 6]], [True])


def test_members_exclude_each_other() -> None:
    builder = make_builder(groups_of_six(), no_facts(0), 100)
    assert conjunction(builder, 2, 4) == FALSE
    assert conjunction(builder, 2, 5, 7) == 2
    assert builder.counts[GATES] == 0


def test_most_members_excluded_is_one_of_the_others() -> None:
    builder = make_builder(groups_of_six(), no_facts(0), 100)
    assert conjunction(builder, 3, 5, 7, 9, 11) == 12
    assert conjunction(builder, 3, 5, 7, 9, 11, 13) == FALSE
    either = conjunction(builder, 3, 5, 7, 9)
    assert either & 1 == 1
    assert builder.data[:2].tolist() == [11, 13]
    # Without the certainty that one holds nothing is known of the others.
    loose = make_builder(make_groups(8, [[1, 2, 3, 4, 5, 6]], [False]), no_facts(0), 100)
    result = conjunction(loose, 3, 5, 7, 9, 11)
    assert result & 1 == 0
    assert loose.counts[GATES] == 1


def test_facts_of_moves() -> None:
    # Node 3 is a move that is made only if fluent 1 holds and fluent 2 does not.
    facts = Facts(np.array([0, 2], np.int64), np.array([2, 5], np.int32))
    builder = make_builder(no_groups(4), facts, 100)
    assert conjunction(builder, 6, 2) == 6
    assert conjunction(builder, 6, 2, 5) == 6
    assert conjunction(builder, 6, 4) == FALSE
    assert conjunction(builder, 6, 3) == FALSE
    assert conjunction(builder, 7, 4) > FALSE


def test_a_full_builder_says_so() -> None:
    builder = make_builder(no_groups(40), no_facts(0), 10)
    for number in range(10):
        conjunction(builder, 2 + 2 * number, 4 + 2 * number, 6 + 2 * number)
    assert builder.counts[STATUS] == FULL


@pytest.mark.parametrize("size", [0, 1, 5, 23, 24, 60])
def test_literals_are_tidied(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(30):
        literals = 2 * rng.integers(0, 40, size) + (rng.random(size) < 0.02)
        space = literals.astype(np.int32)
        left = tidy_literals(space, size)
        wanted = set(literals.tolist()) - {TRUE}
        if any(literal ^ 1 in wanted | {TRUE} for literal in wanted):
            assert left == -1
        else:
            assert space[:left].tolist() == sorted(wanted)

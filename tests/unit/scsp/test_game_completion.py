"""Clark's completion as gates: their shape, and what they mean."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from woodstock.ground.program import NO_LOOP
from woodstock.ground.rulebase import RuleBase, levels_and_loops, offsets
from woodstock.scsp.game_completion import NO_LITERAL, NO_REGION, Completion, complete

Rules = list[tuple[int, list[int]]]


def base_of(num_atoms: int, rules: Rules) -> RuleBase:
    rules = sorted(rules, key=lambda rule: rule[0])
    return RuleBase(
        num_atoms,
        np.array([head for head, _ in rules], np.int64),
        offsets(np.array([len(body) for _, body in rules], np.int64)),
        np.array([literal for _, body in rules for literal in body], np.int64),
    )


def completion_of(num_inputs: int, num_atoms: int, rules: Rules, outputs: dict[int, int] | None = None) -> Completion:
    """Return the completion; inputs are the first signals, then come those that outputs have."""
    base = base_of(num_atoms, rules)
    given = np.full(num_atoms, NO_LITERAL)
    given[:num_inputs] = 2 * np.arange(num_inputs)
    region = np.zeros(num_atoms, np.int64)
    region[:num_inputs] = NO_REGION
    outputs = outputs or {}
    for atom, signal in outputs.items():
        given[atom] = 2 * signal
    loop = levels_and_loops(base)[1]
    return complete(base, loop, region, given, num_inputs + len(outputs))


def gates_of(found: Completion) -> list[tuple[int, list[int]]]:
    pairs = itertools.pairwise(found.gates.start.tolist())
    bodies = [sorted(found.gates.data[start:end].tolist()) for start, end in pairs]
    return sorted(zip(found.gates.outs.tolist(), bodies, strict=True))


def test_one_rule_is_one_gate() -> None:
    found = completion_of(3, 4, [(3, [0, 3, 4])])
    assert gates_of(found) == [(6, [0, 3, 4])]
    assert found.literal_of.tolist() == [0, 2, 4, 6]
    assert found.atom_of_new.tolist() == [3]


def test_several_rules_are_a_gate_of_complements() -> None:
    found = completion_of(3, 4, [(3, [0]), (3, [3]), (3, [2, 4])])
    body = 2 * 4
    assert gates_of(found) == [(7, [1, 2, body + 1]), (body, [2, 4])]
    assert found.atom_of_new.tolist() == [3, NO_LITERAL]


def test_bodies_that_are_alike_share_a_gate() -> None:
    found = completion_of(3, 5, [(3, [0, 2]), (3, [4]), (4, [2, 0]), (4, [5])])
    assert len(gates_of(found)) == 3
    assert [body for out, body in gates_of(found) if not out & 1] == [[0, 2]]


def test_an_atom_that_equals_a_literal_needs_neither_signal_nor_gate() -> None:
    found = completion_of(2, 5, [(2, [1]), (3, [5]), (4, [6, 2])])
    assert found.literal_of.tolist() == [0, 2, 1, 0, 4], "not the first input, and not that again"
    assert gates_of(found) == [(4, [0, 2])]


def test_an_output_that_equals_a_literal_needs_a_gate() -> None:
    found = completion_of(2, 3, [(2, [1])], {2: 2})
    assert gates_of(found) == [(4, [1])]


@pytest.mark.parametrize(
    ("rules", "units"),
    [
        ([], [5]),
        ([(2, [])], [4]),
        ([(2, []), (2, [0])], [4]),
        ([(2, [0, 1])], [5]),
    ],
)
def test_what_is_constant_is_a_unit(rules: Rules, units: list[int]) -> None:
    found = completion_of(2, 3, rules, {2: 2})
    assert found.units.tolist() == units
    assert gates_of(found) == []


def test_rules_of_atoms_that_nothing_needs_are_left_out() -> None:
    base = base_of(4, [(2, [0, 2]), (3, [1, 3])])
    given = np.array([0, 2, NO_LITERAL, NO_LITERAL])
    found = complete(base, np.full(4, NO_LOOP), np.array([NO_REGION, NO_REGION, NO_REGION, 1]), given, 2)
    assert gates_of(found) == [(4, [1, 3])]
    assert found.literal_of[2] == NO_LITERAL
    assert found.region_of_new.tolist() == [1]


def test_a_shared_body_belongs_to_the_first_region_that_needs_it() -> None:
    base = base_of(5, [(3, [0, 2]), (3, [4]), (4, [0, 2]), (4, [5])])
    given = np.array([0, 2, 4, NO_LITERAL, NO_LITERAL])
    region = np.array([NO_REGION, NO_REGION, NO_REGION, 2, 1])
    found = complete(base, np.full(5, NO_LOOP), region, given, 3)
    assert found.region_of_new.tolist() == [2, 1, 1]


def test_the_rules_of_a_loop_are_kept_besides() -> None:
    found = completion_of(1, 4, [(1, [4]), (2, [2]), (2, [0]), (3, [2])])
    assert found.loop_rules.outs.tolist() == [2, 4, 4]
    assert found.loop_rules.data.tolist() == [4, 2, 0]
    assert len(set(found.loop_of_rule.tolist())) == 1
    assert gates_of(found) == [(2, [4]), (5, [1, 3])], "atoms of a loop stay apart although one equals the other"
    assert found.literal_of[3] == 2, "and one above it is the atom itself"


def test_gates_mean_what_the_rules_say() -> None:
    """Without loops, the gates of a random program have one solution for all inputs: the meaning of its rules."""
    rng = np.random.default_rng(7)
    for _ in range(60):
        num_inputs, num_atoms = 3, 3 + int(rng.integers(1, 6))
        rules: Rules = [
            (atom, [2 * int(rng.integers(atom)) + int(rng.integers(2)) for _ in range(int(rng.integers(0, 4)))])
            for atom in range(num_inputs, num_atoms)
            for _ in range(int(rng.integers(0, 4)))
        ]
        found = completion_of(num_inputs, num_atoms, rules)
        for inputs in itertools.product((False, True), repeat=num_inputs):
            values = list(inputs)
            for atom in range(num_inputs, num_atoms):
                bodies = [body for head, body in rules if head == atom]
                values.append(any(all(values[lit >> 1] != bool(lit & 1) for lit in body) for body in bodies))
            signals = solve(found, list(inputs))
            for atom in range(num_inputs, num_atoms):
                literal = int(found.literal_of[atom])
                assert (signals[literal >> 1] != bool(literal & 1)) == values[atom]


def solve(found: Completion, inputs: list[bool]) -> list[bool]:
    """Return the values of all signals, found by looking at gates whose inputs are known."""
    num_signals = len(inputs) + len(found.atom_of_new)
    signals: list[bool | None] = [*inputs, *[None] * (num_signals - len(inputs))]
    for unit in found.units.tolist():
        signals[unit >> 1] = not unit & 1
    for _ in range(num_signals):
        for out, body in gates_of(found):
            values = [signals[literal >> 1] for literal in body]
            if None not in values:
                conjunction = all(value != bool(lit & 1) for value, lit in zip(values, body, strict=True))
                signals[out >> 1] = conjunction != bool(out & 1)
    assert None not in signals
    return [bool(value) for value in signals]

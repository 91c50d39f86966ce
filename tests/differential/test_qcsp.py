"""Random small quantified networks: the exact solver, the naive one and a solver of QBF say the same.

WOODSTOCK_FUZZ_QUANTIFIED sets how many networks are made; the seeds, and so the networks, are the same ones every time.
"""

from __future__ import annotations

import os

import pytest

from naive.qcsp import alone, is_possible, is_true, pure, random_any, random_binary, sqgac
from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.constraints import Channel
from woodstock.cp.network import count_constraints
from woodstock.qcsp.network import QuantifiedNetwork
from woodstock.qcsp.qdimacs import read_qdimacs, write_qdimacs
from woodstock.qcsp.situation import Compiled, Situation, Standing, find_pure
from woodstock.qcsp.solver import Solver

NUM_NETWORKS = int(os.environ.get("WOODSTOCK_FUZZ_QUANTIFIED", "60" if JIT_DISABLED else "1500"))
KINDS = {"binary": random_binary, "any": random_any}


def networks(kind: str, count: int) -> list[tuple[str, QuantifiedNetwork]]:
    return [(f"{kind} {number}", KINDS[kind](f"{kind} {number}")) for number in range(count)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_solver_agrees_with_brute_force(kind: str) -> None:
    answers = []
    for seed, quantified in networks(kind, NUM_NETWORKS):
        answer = Solver(Compiled(quantified)).solve()
        assert answer.is_true == is_true(quantified), seed
        answers.append(answer.is_true)
        first = quantified.is_universal[0]
        assert (answer.place is None) == (answer.is_true == first), seed
        if answer.place is not None:
            assert is_true(quantified, [answer.place]) == answer.is_true, seed
    assert min(answers.count(True), answers.count(False)) > NUM_NETWORKS // 10


def check_definition(seed: str, quantified: QuantifiedNetwork) -> bool:
    """Compare what propagation leaves with what the definition says; tell whether something is left."""
    expected = sqgac(quantified)
    compiled = Compiled(quantified)
    assert compiled.is_consistent == (expected is not None), seed
    if expected is not None:
        assert [set(compiled.places_in(mask)) for mask in compiled.root] == expected, seed
    return expected is not None


def test_propagation_leaves_what_qac_says() -> None:
    results = [check_definition(seed, quantified) for seed, quantified in networks("binary", NUM_NETWORKS // 3)]
    assert len(set(results)) == 2


def test_propagation_leaves_what_sqgac_says_of_each_constraint() -> None:
    results = [check_definition(seed, quantified) for seed, quantified in single_constraints(NUM_NETWORKS // 3)]
    assert len(set(results)) == 2


def single_constraints(count: int) -> list[tuple[str, QuantifiedNetwork]]:
    """Return networks of one constraint each; a channel is made of several."""
    return [
        (f"{seed}, {number}", alone(quantified, number))
        for seed, quantified in networks("any", count)
        for number, entry in enumerate(quantified.network.constraints)
        if count_constraints(entry) == 1 and not isinstance(entry, Channel)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_pure_values_are_those_of_the_definition(kind: str) -> None:
    found = 0
    count = NUM_NETWORKS // 6
    for seed, quantified in single_constraints(count) if kind == "any" else networks(kind, count):
        compiled = Compiled(quantified)
        domains = [set(compiled.places_in(mask)) for mask in compiled.full.domains]
        for turn in range(quantified.num_turns):
            mask = find_pure(compiled.full, compiled.full.domains, compiled.work, turn)
            assert set(compiled.places_in(mask)) == pure(quantified, domains, turn), (seed, turn)
            found += mask != 0
    assert found > 10


@pytest.mark.parametrize("kind", KINDS)
def test_a_situation_never_says_more_than_is_true(kind: str) -> None:
    seen = set()
    for seed, quantified in networks(kind, NUM_NETWORKS // 3):
        situation = Situation(Compiled(quantified))
        while True:
            seen.add(situation.standing)
            if situation.standing is Standing.WON:
                assert is_true(quantified, situation.places), seed
            elif situation.standing is not Standing.OPEN:
                assert not is_true(quantified, situation.places), seed
            if situation.standing is Standing.LOST:
                assert not is_possible(quantified, situation.places), seed
            if situation.is_over:
                assert (situation.standing is Standing.WON) == quantified.is_solution(situation.places), seed
                break
            situation.give((len(seed) + situation.turn) % len(quantified.domains[situation.turn]))
    assert seen == set(Standing)


def z3_says(z3, text: str) -> bool:
    """Return what z3 says of a formula in QDIMACS."""
    lines = [line.split() for line in text.splitlines()]
    prefix = [(words[0], words[1:-1]) for words in lines if words[0] in ("a", "e")]
    clauses = [words[:-1] for words in lines if words[0] not in ("a", "e", "p")]

    def literal(word: str):
        variable = z3.Bool(word.lstrip("-"))
        return z3.Not(variable) if word.startswith("-") else variable

    formula = z3.And([z3.Or([literal(word) for word in clause]) for clause in clauses])
    for quantifier, names in reversed(prefix):
        formula = (z3.ForAll if quantifier == "a" else z3.Exists)([z3.Bool(name) for name in names], formula)
    solver = z3.Tactic("qsat").solver()
    solver.add(formula)
    return str(solver.check()) == "sat"


@pytest.mark.parametrize("kind", KINDS)
def test_a_solver_of_quantified_formulas_agrees(kind: str) -> None:
    z3 = pytest.importorskip("z3", reason="z3-solver is not installed")
    for seed, quantified in networks(kind, NUM_NETWORKS // 10):
        assert z3_says(z3, write_qdimacs(quantified)) == Solver(Compiled(quantified)).solve().is_true, seed


def test_a_formula_read_back_is_true_if_the_network_is() -> None:
    for seed, quantified in networks("any", NUM_NETWORKS // 10):
        again = read_qdimacs(write_qdimacs(quantified))
        assert Solver(Compiled(again)).solve().is_true == is_true(quantified), seed

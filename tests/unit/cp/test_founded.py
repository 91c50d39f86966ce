"""Founded atoms against the least fixpoint from the beginning."""

from __future__ import annotations

import numpy as np
import pytest

from naive.constraints import founded
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.constraints import Founded
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver, Strength

Rules = list[tuple[int, list[int]]]


def loop_network(num_vars: int, rules: Rules) -> Network:
    """Return a network of Boolean variables whose true literals are numbered `4 * var + 2`."""
    network = Network()
    network.add_vars([f"a{number}" for number in range(num_vars)])
    network.add(founded(*rules))
    return network


def atom(var: int) -> int:
    return 4 * var + 2


def not_(var: int) -> int:
    return 4 * var + 3


def without_unfounded(rules: Rules, possible: list[set[int]]) -> list[set[int]] | None:
    """Return the domains once everything unfounded is false."""
    heads = {head for head, _ in rules}

    def may_hold(literal: int) -> bool:
        return (1 - (literal & 1)) in possible[literal >> 2]

    reached: set[int] = set()
    while True:
        new = {
            head
            for head, body in rules
            if may_hold(head) and all(literal in reached if literal in heads else may_hold(literal) for literal in body)
        }
        if new <= reached:
            break
        reached |= new
    left = [set(domain) for domain in possible]
    for head in heads - reached:
        left[head >> 2].discard(1 - (head & 1))
    if not all(left):
        return None
    return left if left == possible else without_unfounded(rules, left)


def random_rules(random: np.random.Generator, num_vars: int) -> Rules:
    """Return rules for two thirds of the variables, some of them negated, with many circles."""
    heads = [atom(var) if random.random() < 0.8 else not_(var) for var in range(2 * num_vars // 3)]
    rules = []
    for head in heads:
        for _ in range(int(random.integers(1, 4))):
            body = [heads[int(random.integers(len(heads)))] for _ in range(int(random.integers(0, 3)))]
            body += [int(random.choice([atom(var), not_(var)])) for var in random.integers(num_vars, size=1)]
            rules.append((head, body))
    return rules


@pytest.mark.parametrize("strength", Strength)
def test_unfounded_atoms_are_false_on_all_ways(strength: Strength) -> None:
    num_false = 0
    for seed in range(4 if JIT_DISABLED else 60):
        random = np.random.default_rng(seed)
        num_vars = int(random.integers(5, 30))
        rules = random_rules(random, num_vars)
        solver = Solver(loop_network(num_vars, rules), strength=strength)
        solver.propagate()
        expected = without_unfounded(rules, [{0, 1} for _ in range(num_vars)])
        assert (expected is None) == solver.is_failed
        kept: list[list[set[int]]] = []
        for _ in range(40):
            if expected is None:
                if not kept:
                    break
                solver.pop()
                expected = kept.pop()
            assert [set(solver.domain(var)) for var in range(num_vars)] == expected
            if kept and random.random() < 0.3:
                solver.pop()
                expected = kept.pop()
                continue
            kept.append(expected)
            solver.push()
            variables = random.permutation(num_vars)[: int(random.integers(1, 4))]
            places = random.integers(2, size=len(variables))
            is_possible = solver.fix(variables, places) and solver.propagate()
            told = [
                domain & {int(places[variables.tolist().index(var)])} if var in variables else domain
                for var, domain in enumerate(expected)
            ]
            expected = without_unfounded(rules, told) if all(told) else None
            assert is_possible == (expected is not None)
            num_false += sum(domain == {0} for domain in expected or ())
    assert num_false > 0


def test_two_atoms_that_derive_each_other_are_false() -> None:
    solver = Solver(loop_network(2, [(atom(0), [atom(1)]), (atom(1), [atom(0)])]))
    assert solver.enumerate().places.tolist() == [[0, 0]]


def test_an_atom_with_an_empty_body_is_founded() -> None:
    solver = Solver(loop_network(2, [(atom(0), []), (atom(1), [atom(0), atom(0)])]))
    assert not solver.is_failed
    assert solver.domain(1) == (0, 1)


def test_an_old_source_is_good_again_after_the_return() -> None:
    rules = [(atom(0), [atom(2)]), (atom(1), [atom(0)]), (atom(0), [atom(1), atom(3)])]
    solver = Solver(loop_network(4, rules))
    for _ in range(3):
        solver.push()
        assert solver.assign(2, 0)
        assert (solver.domain(0), solver.domain(1)) == ((0,), (0,))
        solver.pop()
        assert (solver.domain(0), solver.domain(1)) == ((0, 1), (0, 1))


def test_each_loop_is_looked_at_alone() -> None:
    """Heads of other rules are given."""
    network = Network()
    network.add_vars("ab")
    network.add(founded((atom(0), [atom(1)])), founded((atom(1), [atom(0)])))
    assert Solver(network).enumerate().places.tolist() == [[0, 0], [1, 1]]


def test_literals_that_say_the_same_are_one_atom() -> None:
    """That a Boolean is not false is that it is true."""
    network = Network()
    network.add_vars("ab")
    network.add(founded((atom(0), [atom(1)]), (4 * 1 + 1, [4 * 0 + 1])))
    assert Solver(network).enumerate().places.tolist() == [[0, 0]]


def test_long_chains_are_looked_at_where_they_change() -> None:
    """A chain that closes a circle: the last atom has another source until that is taken away."""
    length = 50 if JIT_DISABLED else 5000
    chain = [(atom(var + 1), [atom(var)]) for var in range(length - 1)]
    rules = [*chain, (atom(0), [atom(length - 1)]), (atom(0), [atom(length)])]
    solver = Solver(loop_network(length + 1, rules))
    assert len(solver.open_vars) == length + 1
    solver.push()
    assert solver.assign(length, 0)
    assert solver.open_vars == ()
    solver.pop()
    assert solver.assign(length - 1, 1)
    assert not solver.assign(length, 0)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (Founded(np.array([2]), np.array([0, 1, 2]), np.array([2, 2])), "start of 1 bodies"),
        (
            Founded(np.array([9]), np.array([0, 0]), np.array([], np.int64)),
            "from 0 to 7 in the heads of rules, found 9",
        ),
        (Founded(np.array([2]), np.array([0, 1]), np.array([-1])), "in the bodies of rules, found -1"),
    ],
)
def test_wrong_rules_are_refused(rules: Founded, message: str) -> None:
    network = Network()
    network.add_vars("ab")
    network.add(rules)
    with pytest.raises(UsageError, match=message):
        Solver(network)

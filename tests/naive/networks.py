"""Constraint networks: all solutions by trying everything and by CP-SAT, and a source of random small networks."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from woodstock.cp.constraints import (
    Channel,
    Clauses,
    Constraint,
    Founded,
    Gates,
    Linear,
    OneHot,
    Predicate,
    Table,
)
from woodstock.cp.network import BOOLEANS, Network

Places = tuple[int, ...]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

KINDS = ("allowed", "forbidden", "clauses", "gates", "one-hot", "channel", "linear", "founded", "predicate")


def brute_force(network: Network) -> set[Places]:
    """Return all solutions, as places of values: every combination is tried."""
    sizes = [len(domain) for domain in network.domains]
    places = np.indices(sizes).reshape(len(sizes), -1).T
    holds = literals_that_hold(network, places)
    is_solution = np.ones(len(places), np.bool_)
    for constraint in network.constraints:
        is_solution &= satisfied(network, constraint, places, holds)
    return {tuple(row) for row in places[is_solution].tolist()}


def literals_that_hold(network: Network, places: IntArray) -> BoolArray:
    """Return which literals hold in each assignment, shape (n, 2 * num_choices)."""
    chosen = np.zeros((len(places), network.num_choices), np.bool_)
    for var, first in enumerate(network.first_choices[:-1]):
        chosen[np.arange(len(places)), first + places[:, var]] = True
    return np.stack([chosen, ~chosen], axis=2).reshape(len(places), -1)


def satisfied(network: Network, constraint: Constraint, places: IntArray, holds: BoolArray) -> BoolArray:
    """Return which assignments an entry of a network allows, shape (n,)."""
    match constraint:
        case Table():
            tuples = {tuple(row) for row in np.asarray(constraint.tuples).tolist()}
            rows = places[:, list(constraint.scope)].tolist()
            return np.array([(tuple(row) in tuples) == constraint.is_allowed for row in rows])
        case Clauses():
            return all_of([holds[:, clause].any(axis=1) for clause in rows_of(constraint)])
        case Gates():
            bodies = zip(constraint.outs, rows_of(constraint), strict=True)
            return all_of([holds[:, out] == holds[:, body].all(axis=1) for out, body in bodies])
        case OneHot():
            count = holds[:, list(constraint.literals)].sum(axis=1)
            return np.asarray((count == 1) | ((count == 0) & (not constraint.exactly)))
        case Channel():
            values = enumerate(constraint.literals)
            return all_of([holds[:, literal] == (places[:, constraint.var] == place) for place, literal in values])
        case Linear():
            total = holds[:, list(constraint.literals)].astype(np.int64) @ np.array(constraint.weights, np.int64)
            return np.asarray((constraint.low <= total) & (total <= constraint.high))
        case Founded():
            return founded(rules_of(network, constraint), holds)
        case Predicate():
            domains = [network.domains[var] for var in constraint.scope]
            rows = places[:, list(constraint.scope)].tolist()
            asked = [[domain[place] for domain, place in zip(domains, row, strict=True)] for row in rows]
            return np.array([constraint.holds(*values) for values in asked])


def all_of(columns: list[Any]) -> BoolArray:
    return np.asarray(np.all(columns, axis=0))


def rows_of(constraint: Clauses | Gates | Founded) -> list[list[int]]:
    """Return the literals of each clause, conjunction or body."""
    return [constraint.data[a:b].tolist() for a, b in itertools.pairwise(constraint.start)]


def rules_of(network: Network, constraint: Founded) -> list[tuple[int, list[int]]]:
    """Return heads and bodies, with one literal for all that say the same: a two-valued variable has two of each."""
    same = {literal: literal for literal in range(2 * network.num_choices)}
    for first, domain in zip(network.first_choices, network.domains, strict=False):
        if len(domain) == 2:
            same |= {2 * first: 2 * first + 3, 2 * first + 1: 2 * first + 2}
    bodies = ([same[literal] for literal in body] for body in rows_of(constraint))
    return list(zip((same[head] for head in constraint.heads.tolist()), bodies, strict=True))


def founded(rules: list[tuple[int, list[int]]], holds: BoolArray) -> BoolArray:
    """Return in which assignments all heads that hold are derived, shape (n,)."""
    heads = [head for head, _ in rules]
    derived = np.zeros_like(holds)
    for _ in heads:
        for head, body in rules:
            fires = holds[:, body].all(axis=1)
            fires &= derived[:, [literal for literal in body if literal in heads]].all(axis=1)
            derived[:, head] |= fires
    return np.asarray((~holds | derived)[:, heads].all(axis=1))


def cp_sat(network: Network) -> set[Places]:
    """Return all solutions, as places of values: those that CP-SAT enumerates."""
    from ortools.sat.python import cp_model

    class Collector(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            row = tuple(self.value(variable) for variable in variables)
            assert row not in found
            found.add(row)

    found: set[Places] = set()
    model = cp_model.CpModel()
    variables = [model.new_int_var(0, len(domain) - 1, "") for domain in network.domains]
    literals: list[Any] = []
    for variable, domain in zip(variables, network.domains, strict=True):
        for place in range(len(domain)):
            literal = model.new_bool_var("")
            model.add(variable == place).only_enforce_if(literal)
            model.add(variable != place).only_enforce_if(~literal)
            literals += [literal, ~literal]
    for constraint in network.constraints:
        post(model, network, constraint, variables, literals)
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    status = solver.solve(model, Collector())
    assert status in (cp_model.OPTIMAL, cp_model.INFEASIBLE), solver.status_name(status)
    return found


def post(model: Any, network: Network, constraint: Constraint, variables: Sequence[Any], literals: list[Any]) -> None:
    """Add an entry of a network to a model of CP-SAT; variables that it adds are functions of the others."""
    match constraint:
        case Table() | Predicate():
            scope = [variables[var] for var in constraint.scope]
            rows, is_allowed = tuples_of(network, constraint)
            add = model.add_allowed_assignments if is_allowed else model.add_forbidden_assignments
            add(scope, rows)
        case Clauses():
            for clause in rows_of(constraint):
                model.add_bool_or([literals[literal] for literal in clause])
        case Gates():
            for out, body in zip(constraint.outs, rows_of(constraint), strict=True):
                equal_conjunction(model, literals[out], [literals[literal] for literal in body])
        case OneHot():
            add = model.add_exactly_one if constraint.exactly else model.add_at_most_one
            add([literals[literal] for literal in constraint.literals])
        case Channel():
            first = network.first_choices[constraint.var]
            for place, literal in enumerate(constraint.literals):
                model.add(literals[literal] == literals[2 * (first + place)])
        case Linear():
            terms = zip(constraint.weights, constraint.literals, strict=True)
            model.add_linear_constraint(sum(w * literals[x] for w, x in terms), constraint.low, constraint.high)
        case Founded():
            post_founded(model, rules_of(network, constraint), literals)


def tuples_of(network: Network, constraint: Table | Predicate) -> tuple[list[Places], bool]:
    """Return tuples of places, and whether they are the allowed ones."""
    if isinstance(constraint, Table):
        return [tuple(map(int, row)) for row in constraint.tuples], constraint.is_allowed
    domains = [list(enumerate(network.domains[var])) for var in constraint.scope]
    rows = [row for row in itertools.product(*domains) if constraint.holds(*(value for _, value in row))]
    return [tuple(place for place, _ in row) for row in rows], True


def equal_conjunction(model: Any, out: Any, body: list[Any]) -> None:
    for literal in body:
        model.add_implication(out, literal)
    model.add_bool_or([out, *(~literal for literal in body)])


def post_founded(model: Any, rules: list[tuple[int, list[int]]], literals: list[Any]) -> None:
    """Unroll the derivation: in each round, what the rules derive from what the round before derived."""
    heads = dict.fromkeys(head for head, _ in rules)
    derived = dict.fromkeys(heads, model.new_constant(0))
    for _ in heads:
        fires: dict[int, list[Any]] = {head: [] for head in heads}
        for head, body in rules:
            fires[head].append(model.new_bool_var(""))
            before = [derived[literal] for literal in body if literal in heads]
            equal_conjunction(model, fires[head][-1], [literals[literal] for literal in body] + before)
        derived = {head: model.new_bool_var("") for head in heads}
        for head in heads:
            equal_conjunction(model, ~derived[head], [~rule for rule in fires[head]])
    for head in heads:
        model.add_implication(literals[head], derived[head])


class RandomNetworks:
    """Makes random small networks of mixed constraints, from a source of random numbers."""

    def __init__(self, rng: random.Random, kinds: Sequence[str] = KINDS, largest: int = 400) -> None:
        self._rng = rng
        self._kinds = kinds
        self._largest = largest
        self._network = Network()

    def draw(self, num_constraints: int | None = None) -> Network:
        """Return a network; there are at most `largest` combinations of its values."""
        self._network = Network()
        combinations = 1
        for number in range(self._rng.randint(2, 7)):
            domain = self._domain()
            combinations *= len(domain)
            if combinations > self._largest:
                break
            self._network.add_var(f"x{number}", domain)
        for _ in range(self._rng.randint(1, 5) if num_constraints is None else num_constraints):
            self._network.add(self._constraint(self._rng.choice(self._kinds)))
        return self._network

    def _domain(self) -> tuple[Any, ...]:
        size = self._rng.choice((1, 2, 2, 2, 3, 3, 4, 5))
        if size == 2 and self._rng.random() < 0.7:
            return BOOLEANS
        values = list(range(size))
        self._rng.shuffle(values)
        return tuple(values)

    def _constraint(self, kind: str) -> Constraint:
        makers: dict[str, Callable[[], Constraint]] = {
            "allowed": lambda: self._table(is_allowed=True),
            "forbidden": lambda: self._table(is_allowed=False),
            "clauses": self._clauses,
            "gates": self._gates,
            "one-hot": self._one_hot,
            "channel": self._channel,
            "linear": self._linear,
            "founded": self._founded,
            "predicate": self._predicate,
        }
        return makers[kind]()

    def _scope(self, most: int) -> tuple[int, ...]:
        """Draw at least one variable."""
        size = self._rng.randint(1, min(most, self._network.num_vars))
        return tuple(self._rng.sample(range(self._network.num_vars), size))

    def _literal(self, var: int | None = None) -> int:
        var = self._rng.randrange(self._network.num_vars) if var is None else var
        value = self._rng.choice(self._network.domains[var])
        return self._network.literal(var, value, holds=self._rng.random() < 0.6)

    def _literals(self, least: int, most: int) -> list[int]:
        """Draw literals, some of which may be equal, complements or of one variable."""
        return [self._literal() for _ in range(self._rng.randint(least, most))]

    def _rows(self, count: int, least: int, most: int) -> tuple[IntArray, npt.NDArray[np.int32]]:
        rows = [self._literals(least, most) for _ in range(count)]
        start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        return start, np.array([literal for row in rows for literal in row], np.int32)

    def _table(self, is_allowed: bool) -> Table:
        scope = self._scope(4)
        rows = list(itertools.product(*(range(len(self._network.domains[var])) for var in scope)))
        share = self._rng.choice((0.0, 0.2, 0.5, 0.8, 1.0)) if self._rng.random() < 0.3 else self._rng.random()
        kept = [row for row in rows if (self._rng.random() < share) == is_allowed]
        kept += self._rng.choices(kept, k=self._rng.choice((0, 0, 2))) if kept else []
        self._rng.shuffle(kept)
        return Table(scope, np.array(kept, np.int32).reshape(-1, len(scope)), is_allowed)

    def _clauses(self) -> Clauses:
        least = 0 if self._rng.random() < 0.02 else 1
        return Clauses(*self._rows(self._rng.randint(1, 4), least, 4))

    def _gates(self) -> Gates:
        count = self._rng.randint(1, 3)
        outs = np.array([self._literal() for _ in range(count)], np.int32)
        return Gates(outs, *self._rows(count, self._rng.choice((0, 1, 1, 2)), 4))

    def _one_hot(self) -> OneHot:
        literals = tuple(self._literal(var) for var in self._scope(5))
        return OneHot(literals, exactly=self._rng.random() < 0.5)

    def _channel(self) -> Constraint:
        """Return a channel whose literals are mostly such that some assignment satisfies it."""
        var = self._rng.randrange(self._network.num_vars)
        others = [other for other in range(self._network.num_vars) if other != var]
        size = len(self._network.domains[var])
        if not others:
            return self._one_hot()
        drawn = self._rng.sample(others, size) if size <= len(others) else self._rng.choices(others, k=size)
        return Channel(var, tuple(self._literal(other) for other in drawn))

    def _linear(self) -> Linear:
        literals = tuple(self._literals(1, 6))
        weights = tuple(self._rng.randint(-3, 4) for _ in literals)
        total = sum(weight for weight in weights if self._rng.random() < 0.5)
        width = self._rng.choice((0, 0, 1, 3, 100))
        return Linear(literals, weights, total - width, total + self._rng.choice((0, width, 100)))

    def _founded(self) -> Founded:
        atoms = [self._literal(var) for var in self._scope(4)]
        rows, heads = [], []
        for _ in range(self._rng.randint(1, 6)):
            heads.append(self._rng.choice(atoms))
            rows.append(self._literals(0, 2) + self._rng.sample(atoms, self._rng.randint(0, min(2, len(atoms)))))
        start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        data = np.array([literal for row in rows for literal in row], np.int32)
        return Founded(np.array(heads, np.int32), start, data)

    def _predicate(self) -> Predicate:
        modulus = self._rng.randint(2, 5)
        remainders = frozenset(self._rng.sample(range(modulus), self._rng.randint(1, modulus)))
        return Predicate(self._scope(4), lambda *values: sum(values) % modulus in remainders, f"modulo {modulus}")


def random_network(rng: random.Random, kinds: Sequence[str] = KINDS, largest: int = 400) -> Network:
    """Return a random network of constraints of some kinds."""
    return RandomNetworks(rng, kinds, largest).draw()

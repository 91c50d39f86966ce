"""Constraints by their meaning alone: solutions by trying everything, consistency by looking for supports.

The same numbers as in `woodstock.cp`: an assignment is the place of each variable's value, a domain a set of places.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    Utility,
)
from woodstock.cp.network import Network

Places = Sequence[int]
Domains = list[set[int]]


def literal_holds(network: Network, literal: int, places: Places) -> bool:
    var = network.var_of_choice(literal >> 1)
    return (places[var] == (literal >> 1) - network.first_choices[var]) != bool(literal & 1)


def lists_of(start: npt.NDArray[np.int64], data: npt.NDArray[np.int32]) -> list[list[int]]:
    return [data[begin:end].tolist() for begin, end in itertools.pairwise(start.tolist())]


def single_constraints(network: Network) -> list[Constraint]:
    """Return the constraints of a network one by one."""
    found: list[Constraint] = []
    for constraint in network.constraints:
        match constraint:
            case Clauses():
                found += [clauses(clause) for clause in lists_of(constraint.start, constraint.data)]
            case Gates():
                inputs = lists_of(constraint.start, constraint.data)
                found += [gates((int(out), body)) for out, body in zip(constraint.outs, inputs, strict=True)]
            case _:
                found.append(constraint)
    return found


def clauses(*lists: Sequence[int]) -> Clauses:
    start = np.cumsum([0, *map(len, lists)])
    return Clauses(start.astype(np.int64), np.array([literal for clause in lists for literal in clause], np.int32))


def gates(*pairs: tuple[int, Sequence[int]]) -> Gates:
    inputs = clauses(*(body for _, body in pairs))
    return Gates(np.array([out for out, _ in pairs], np.int32), inputs.start, inputs.data)


def founded(*rules: tuple[int, Sequence[int]]) -> Founded:
    bodies = clauses(*(body for _, body in rules))
    return Founded(np.array([head for head, _ in rules], np.int32), bodies.start, bodies.data)


def scope_of(network: Network, constraint: Constraint) -> list[int]:
    """Return the variables of a constraint, in order."""
    match constraint:
        case Table() | Predicate():
            return sorted(constraint.scope)
        case Channel():
            literals = constraint.literals
            return sorted({constraint.var, *(network.var_of_choice(literal >> 1) for literal in literals)})
        case OneHot() | Linear():
            literals = constraint.literals
        case Clauses():
            literals = tuple(constraint.data)
        case Gates():
            literals = (*constraint.outs, *constraint.data)
        case Founded():
            literals = (*constraint.heads, *constraint.data)
    return sorted({network.var_of_choice(int(literal) >> 1) for literal in literals})


def is_satisfied(network: Network, constraint: Constraint, places: Places) -> bool:
    """Tell whether an assignment of (at least) the scope satisfies a constraint."""

    def holds(literal: int) -> bool:
        return literal_holds(network, int(literal), places)

    match constraint:
        case Table():
            tuples = {tuple(map(int, row)) for row in constraint.tuples}
            return (tuple(places[var] for var in constraint.scope) in tuples) == constraint.is_allowed
        case Clauses():
            return all(any(map(holds, clause)) for clause in lists_of(constraint.start, constraint.data))
        case Gates():
            inputs = lists_of(constraint.start, constraint.data)
            return all(holds(out) == all(map(holds, body)) for out, body in zip(constraint.outs, inputs, strict=True))
        case OneHot():
            count = sum(map(holds, constraint.literals))
            return count == 1 or (count == 0 and not constraint.exactly)
        case Channel():
            return all(
                holds(literal) == (places[constraint.var] == place) for place, literal in enumerate(constraint.literals)
            )
        case Linear():
            pairs = zip(constraint.literals, constraint.weights, strict=True)
            return constraint.low <= sum(weight for literal, weight in pairs if holds(literal)) <= constraint.high
        case Predicate():
            return bool(constraint.holds(*(network.domains[var][places[var]] for var in constraint.scope)))
        case Founded():
            founded_heads = derived(network, constraint, places)
            return all(int(head) in founded_heads for head in constraint.heads if holds(head))


def derived(network: Network, rules: Founded, places: Places) -> set[int]:
    """Return the heads that follow from the literals that hold, in the end."""
    heads = [canonical(network, int(head)) for head in rules.heads]
    bodies = [[canonical(network, literal) for literal in body] for body in lists_of(rules.start, rules.data)]
    holding = {literal for literal in {*heads, *itertools.chain(*bodies)} if literal_holds(network, literal, places)}
    found = holding - set(heads)
    for _ in heads:
        for head, body in zip(heads, bodies, strict=True):
            if head in holding and found.issuperset(body):
                found.add(head)
    return {int(literal) for literal, head in zip(rules.heads, heads, strict=True) if head in found}


def canonical(network: Network, literal: int) -> int:
    """Return the one of several literals that say the same, because their variable has two values."""
    var = network.var_of_choice(literal >> 1)
    is_first_of_two = len(network.domains[var]) == 2 and literal >> 1 == network.first_choices[var]
    return (literal + 2) ^ 1 if is_first_of_two else literal


def full_domains(network: Network) -> Domains:
    return [set(range(len(domain))) for domain in network.domains]


def assignments(domains: Sequence[set[int]], scope: Sequence[int]) -> Iterator[list[int]]:
    """Yield all assignments of a scope; variables outside have no value."""
    for places in itertools.product(*(sorted(domains[var]) for var in scope)):
        found = [-1] * len(domains)
        for var, place in zip(scope, places, strict=True):
            found[var] = place
        yield found


def solutions(network: Network, domains: Domains | None = None) -> list[tuple[int, ...]]:
    """Return all solutions, in order, by trying everything."""
    everything = range(network.num_vars)
    return [
        tuple(places)
        for places in assignments(full_domains(network) if domains is None else domains, everything)
        if all(is_satisfied(network, constraint, places) for constraint in network.constraints)
    ]


def revise(network: Network, constraint: Constraint, domains: Domains) -> bool:
    """Remove the values without a support in one constraint; return whether none of its domains is empty."""
    scope = scope_of(network, constraint)
    supported: dict[int, set[int]] = {var: set() for var in scope}
    is_possible = False
    for places in assignments(domains, scope):
        if is_satisfied(network, constraint, places):
            is_possible = True
            for var in scope:
                supported[var].add(places[var])
    for var in scope:
        domains[var] = supported[var]
    return is_possible


def arc_consistent(network: Network, domains: Domains) -> Domains | None:
    """Return the domains with what generalised arc consistency leaves, or None if a constraint fails."""
    left = [set(domain) for domain in domains]
    constraints = single_constraints(network)
    changed = all(left)
    while changed:
        before = [set(domain) for domain in left]
        if not all(revise(network, constraint, left) for constraint in constraints):
            return None
        changed = left != before
    return left if all(left) else None


def singleton_consistent(network: Network, domains: Domains) -> Domains | None:
    """Return what singleton arc consistency leaves, or None if a constraint fails."""
    left = arc_consistent(network, domains)
    changed = True
    while changed and left is not None:
        changed = False
        for var, place in [(var, place) for var, domain in enumerate(left) for place in sorted(domain)]:
            if place not in left[var] or len(left[var]) == 1:
                continue
            if arc_consistent(network, [*left[:var], {place}, *left[var + 1 :]]) is None:
                left[var] = left[var] - {place}
                left = arc_consistent(network, left)
                changed = True
                if left is None:
                    break
    return left


def worth(utilities: Sequence[Utility], places: Places, player: int) -> float:
    """Return what a solution is worth to a player."""
    total = 0.0
    for utility in utilities:
        for row, values in zip(utility.tuples, utility.utilities, strict=True):
            if all(places[var] == place for var, place in zip(utility.scope, row, strict=True)):
                total += float(values[player])
    return total


@dataclass
class NaiveSearch:
    """Depth-first search in the order of the variables, with one value after the other; it counts its nodes.

    Attributes:
        network: The network.
        maintains: Whether arc consistency is maintained (MAC); else each constraint of the variable that was assigned
            is revised once (nFC2).
    """

    network: Network
    maintains: bool
    nodes: int = 0

    def solutions(self) -> list[tuple[int, ...]]:
        left: Domains | None = full_domains(self.network)
        assert left is not None
        if self.maintains:
            left = arc_consistent(self.network, left)
        else:
            for constraint in single_constraints(self.network):
                if len(scope_of(self.network, constraint)) < 2 and not revise(self.network, constraint, left):
                    return []
        return [] if left is None else list(self._below(left, frozenset()))

    def _below(self, domains: Domains, assigned: frozenset[int]) -> Iterator[tuple[int, ...]]:
        num_vars = self.network.num_vars
        is_open = [len(domain) > 1 if self.maintains else var not in assigned for var, domain in enumerate(domains)]
        if True not in is_open:
            yield tuple(min(domain) for domain in domains)
            return
        var = is_open.index(True)
        assert var < num_vars
        for place in sorted(domains[var]):
            self.nodes += 1
            left = self._after([*domains[:var], {place}, *domains[var + 1 :]], var)
            if left is not None:
                yield from self._below(left, assigned | {var})

    def _after(self, domains: Domains, var: int) -> Domains | None:
        if self.maintains:
            return arc_consistent(self.network, domains)
        for constraint in single_constraints(self.network):
            if var in scope_of(self.network, constraint) and not revise(self.network, constraint, domains):
                return None
        return domains


# Random networks.


def random_literals(network: Network, random: np.random.Generator, count: int) -> list[int]:
    """Return literals of different variables."""
    variables = random.permutation(network.num_vars)[:count]
    found = []
    for var in variables.tolist():
        choice = network.first_choices[var] + int(random.integers(len(network.domains[var])))
        found.append(2 * choice + int(random.integers(2)))
    return found


def random_vars(network: Network, random: np.random.Generator, count: int) -> tuple[int, ...]:
    return tuple(random.permutation(network.num_vars)[:count].tolist())


def random_table(network: Network, random: np.random.Generator, arity: int, share: float = 0.4) -> Table:
    """Return a table with about a share of all tuples."""
    scope = random_vars(network, random, arity)
    everything = itertools.product(*(range(len(network.domains[var])) for var in scope))
    tuples = [row for row in everything if random.random() < share]
    return Table(scope, np.array(tuples, np.int32).reshape(len(tuples), len(scope)))


def random_forbidden(network: Network, random: np.random.Generator, arity: int) -> Table:
    table = random_table(network, random, arity, 0.5)
    return Table(table.scope, table.tuples, is_allowed=False)


def random_constraint(network: Network, random: np.random.Generator, kind: str) -> Constraint:
    """Return a constraint of a kind, over variables of a network that has at least five."""
    size = int(random.integers(2, 5))
    literals = random_literals(network, random, size)
    match kind:
        case "table":
            return random_table(network, random, size - 1)
        case "forbidden":
            return random_forbidden(network, random, size - 1)
        case "clauses":
            return clauses(*(random_literals(network, random, int(random.integers(1, 6))) for _ in range(2)))
        case "gates":
            return gates((literals[0], literals[1:]))
        case "one_hot":
            return OneHot(tuple(literals), exactly=bool(random.integers(2)))
        case "channel":
            return random_channel(network, random)
        case "linear":
            many = literals + random_literals(network, random, size)
            weights = random.integers(-3, 4, len(many)).tolist()
            low = int(random.integers(-4, 4))
            return Linear(tuple(many), tuple(weights), low, low + int(random.integers(0, 4)))
        case "founded":
            return random_founded(network, random)
        case "predicate":
            return random_predicate(network, random, size - 1)
    raise ValueError(kind)


def random_channel(network: Network, random: np.random.Generator) -> Channel:
    """Return a channel of a variable that has no more values than there are other variables."""
    var = int(random.integers(network.num_vars))
    others = [other for other in random.permutation(network.num_vars).tolist() if other != var]
    literals = []
    for other in others[: len(network.domains[var])]:
        choice = network.first_choices[other] + int(random.integers(len(network.domains[other])))
        literals.append(2 * choice + int(random.integers(2)))
    return Channel(var, tuple(literals))


def random_founded(network: Network, random: np.random.Generator) -> Founded:
    """Return rules that go round in circles."""
    atoms = random_literals(network, random, 3)
    rules = []
    for _ in range(int(random.integers(3, 7))):
        body = [atoms[int(random.integers(len(atoms)))] for _ in range(int(random.integers(0, 3)))]
        body += random_literals(network, random, int(random.integers(0, 2)))
        rules.append((atoms[int(random.integers(len(atoms)))], body))
    return founded(*rules)


def random_predicate(network: Network, random: np.random.Generator, arity: int) -> Predicate:
    scope = random_vars(network, random, arity)
    modulus, rest = int(random.integers(2, 4)), int(random.integers(2))

    def holds(*values: int) -> bool:
        return (sum(values) + values[0]) % modulus != rest

    return Predicate(scope, holds, "sum")


KINDS = ("table", "forbidden", "clauses", "gates", "one_hot", "channel", "linear", "founded", "predicate")


def random_network(seed: int, kinds: Sequence[str], num_constraints: int, num_vars: int = 6) -> Network:
    """Return a network with variables of one to four values and constraints of some kinds."""
    random = np.random.default_rng(seed)
    network = Network()
    for number in range(num_vars):
        network.add_var(f"x{number}", range(int(random.choice([1, 2, 2, 2, 3, 4]))))
    for _ in range(num_constraints):
        network.add(random_constraint(network, random, kinds[int(random.integers(len(kinds)))]))
    return network

"""Quantified networks by their definitions: every value is tried, every strategy of a constraint is looked for."""

from __future__ import annotations

import random
from collections.abc import Sequence

from naive.networks import KINDS, random_network
from woodstock.cp.constraints import Table
from woodstock.cp.network import Network
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of

Domains = list[set[int]]


def is_true(quantified: QuantifiedNetwork, places: Sequence[int] = ()) -> bool:
    """Tell whether the existential side wins after some values; constraints are looked at when all values are given."""
    turn = len(places)
    if turn == quantified.num_turns:
        return quantified.is_solution(places)
    results = (is_true(quantified, [*places, place]) for place in range(len(quantified.domains[turn])))
    return all(results) if quantified.is_universal[turn] else any(results)


def is_possible(quantified: QuantifiedNetwork, places: Sequence[int] = ()) -> bool:
    """Tell whether any values after these make a solution."""
    turn = len(places)
    if turn == quantified.num_turns:
        return quantified.is_solution(places)
    return any(is_possible(quantified, [*places, place]) for place in range(len(quantified.domains[turn])))


def alone(quantified: QuantifiedNetwork, number: int) -> QuantifiedNetwork:
    """Return the network with one entry of its constraints."""
    network = Network(
        quantified.network.names,
        quantified.network.domains,
        quantified.network.first_choices,
        [quantified.network.constraints[number]],
    )
    return QuantifiedNetwork(network, quantified.blocks)


def wins(quantified: QuantifiedNetwork, domains: Domains, places: Sequence[int] = ()) -> bool:
    """Tell whether the existential side wins if all values come from these domains."""
    turn = len(places)
    if turn == len(domains):
        return quantified.is_solution(places)
    results = (wins(quantified, domains, [*places, place]) for place in sorted(domains[turn]))
    return all(results) if quantified.is_universal[turn] else any(results)


def used_values(quantified: QuantifiedNetwork, domains: Domains) -> Domains | None:
    """Return the values that some winning strategy uses; None if there is none."""
    if not wins(quantified, domains):
        return None
    used: Domains = [set() for _ in domains]

    def follow(places: list[int]) -> None:
        turn = len(places)
        if turn == len(domains):
            return
        for place in domains[turn]:
            if wins(quantified, domains, [*places, place]):
                used[turn].add(place)
                follow([*places, place])

    follow([])
    return used


def sqgac(quantified: QuantifiedNetwork) -> Domains | None:
    """Return what is left when every constraint alone is SQGAC; None if one cannot be won."""
    domains: Domains = [set(range(len(domain))) for domain in quantified.domains]
    parts = [alone(quantified, number) for number in range(len(quantified.network.constraints))]
    while True:
        before = [set(domain) for domain in domains]
        for part in parts:
            used = used_values(part, domains)
            if used is None:
                return None
            domains = used
        if domains == before:
            return domains


def pure(quantified: QuantifiedNetwork, domains: Domains, turn: int) -> set[int]:
    """Return the values of a turn that are compatible with all values of the others."""

    def always(places: list[int], place: int) -> bool:
        if len(places) == len(domains):
            return quantified.is_solution(places)
        choices = {place} if len(places) == turn else domains[len(places)]
        return all(always([*places, choice], place) for choice in choices)

    parts = [alone(quantified, number) for number in range(len(quantified.network.constraints))]
    about = [part for part in parts if turn in scope_of(part)]
    found = set()
    for place in domains[turn]:
        fits = True
        for part in about:
            quantified = part
            fits = fits and always([], place)
        if fits:
            found.add(place)
    return found


def scope_of(part: QuantifiedNetwork) -> set[int]:
    """Return the turns of the variables of the only entry of a network."""
    (constraint,) = part.network.constraints
    if hasattr(constraint, "scope"):
        return {part.turn_of_var[var] for var in constraint.scope}
    found = set()
    for literal in literals(constraint):
        found.add(part.turn_of_var[part.network.var_of_choice(literal >> 1)])
    if hasattr(constraint, "var"):
        found.add(part.turn_of_var[constraint.var])
    return found


def literals(constraint: object) -> list[int]:
    """Return all literals of a constraint."""
    found = list(getattr(constraint, "literals", ()))
    found += [int(literal) for literal in getattr(constraint, "data", ())]
    return found + [int(literal) for literal in getattr(constraint, "outs", ())]


def random_binary(seed: str) -> QuantifiedNetwork:
    """Return a small network of tables of two variables."""
    source = random.Random(seed)
    network = Network()
    num = source.randint(2, 6)
    for number in range(num):
        network.add_var(f"x{number}", range(source.randint(1, 3)))
    density = source.choice((0.6, 0.75, 0.9))
    for first in range(num):
        for second in range(first + 1, num):
            if source.random() < 0.5:
                rows = [
                    (one, other)
                    for one in range(len(network.domains[first]))
                    for other in range(len(network.domains[second]))
                    if source.random() < density
                ]
                network.add(Table((first, second), rows))
    return QuantifiedNetwork(network, blocks_of(source.random() < 0.5 for _ in range(num)))


def random_any(seed: str) -> QuantifiedNetwork:
    """Return a small network of constraints of any kind, with a prefix in any order."""
    source = random.Random(seed)
    kinds = [kind for kind in KINDS if kind != "founded"]
    network = random_network(source, source.sample(kinds, source.randint(1, len(kinds))))
    order = list(range(network.num_vars))
    source.shuffle(order)
    blocks = blocks_of(source.random() < 0.4 for _ in order)
    renamed = tuple(block._replace(vars=tuple(order[var] for var in block.vars)) for block in blocks)
    network.utilities.clear()
    return QuantifiedNetwork(network, renamed)

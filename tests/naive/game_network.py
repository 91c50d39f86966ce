"""Networks of games: their solutions found the slow way, and what the ground game says that they should tell."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from naive.networks import rows_of
from woodstock.cp.constraints import Clauses, Founded, Gates, Int32Array, Table
from woodstock.cp.network import Network
from woodstock.game.ground_game import GroundGame, GroundPosition
from woodstock.game.protocol import Move, Percept, goal
from woodstock.scsp.game_network import GameNetwork

Domains = list[set[int]]


class NaiveSolver:
    """Enumerates the solutions of networks of clauses, gates, tables and loops.

    Domains are sets, and all constraints are looked at again and again until nothing changes; then the first open
    variable is tried with all its values.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.var_of = [var for var, domain in enumerate(network.domains) for _ in domain]
        self.place_of = [place for domain in network.domains for place in range(len(domain))]
        self.clauses: list[list[int]] = []
        self.gates: list[tuple[int, list[int]]] = []
        self.tables: list[tuple[tuple[int, ...], list[tuple[int, ...]]]] = []
        self.loops: list[list[tuple[int, list[int]]]] = []
        for constraint in network.constraints:
            match constraint:
                case Clauses():
                    self.clauses += rows_of(constraint)
                case Gates():
                    self.gates += zip(constraint.outs.tolist(), rows_of(constraint), strict=True)
                case Table():
                    assert constraint.is_allowed
                    self.tables.append((constraint.scope, [tuple(map(int, row)) for row in constraint.tuples]))
                case Founded():
                    self.loops.append(list(zip(constraint.heads.tolist(), rows_of(constraint), strict=True)))
                case _:
                    raise AssertionError(constraint)

    def solutions(self, fixed: Mapping[int, int]) -> list[Int32Array]:
        """Return all solutions in which some variables have given places."""
        domains = [
            {fixed[var]} if var in fixed else set(range(len(domain))) for var, domain in enumerate(self.network.domains)
        ]
        return list(self._search(domains))

    def _search(self, domains: Domains) -> Iterator[Int32Array]:
        if not self._propagate(domains):
            return
        open_var = next((var for var, domain in enumerate(domains) if len(domain) > 1), None)
        if open_var is None:
            yield np.array([min(domain) for domain in domains], dtype=np.int32)
            return
        for place in sorted(domains[open_var]):
            yield from self._search([{place} if var == open_var else set(domain) for var, domain in enumerate(domains)])

    def _propagate(self, domains: Domains) -> bool:
        """Remove values; tell whether each variable has one left."""
        size = -1
        while size != sum(map(len, domains)):
            size = sum(map(len, domains))
            steps = (self._clause(domains, clause) for clause in self.clauses)
            if not all(steps) or not all(self._gate(domains, *gate) for gate in self.gates):
                return False
            if not all(self._table(domains, *table) for table in self.tables):
                return False
            if not all(self._loop(domains, loop) for loop in self.loops):
                return False
        return True

    def _value(self, domains: Domains, literal: int) -> bool | None:
        domain, place = domains[self.var_of[literal >> 1]], self.place_of[literal >> 1]
        if place not in domain:
            return bool(literal & 1)
        return None if len(domain) > 1 else not literal & 1

    def _hold(self, domains: Domains, literal: int) -> bool:
        domain, place = domains[self.var_of[literal >> 1]], self.place_of[literal >> 1]
        if literal & 1:
            domain.discard(place)
        else:
            domain.intersection_update({place})
        return bool(domain)

    def _clause(self, domains: Domains, clause: list[int]) -> bool:
        values = [self._value(domains, literal) for literal in clause]
        if True in values:
            return True
        left = [literal for literal, value in zip(clause, values, strict=True) if value is None]
        return bool(left) if len(left) != 1 else self._hold(domains, left[0])

    def _gate(self, domains: Domains, out: int, body: list[int]) -> bool:
        implications = [[out ^ 1, literal] for literal in body]
        return all(self._clause(domains, clause) for clause in [*implications, [out, *(lit ^ 1 for lit in body)]])

    def _table(self, domains: Domains, scope: tuple[int, ...], tuples: list[tuple[int, ...]]) -> bool:
        left = [row for row in tuples if all(place in domains[var] for var, place in zip(scope, row, strict=True))]
        for var, column in zip(scope, zip(*left, strict=True), strict=False):
            domains[var] &= set(column)
        return bool(left)

    def _loop(self, domains: Domains, rules: list[tuple[int, list[int]]]) -> bool:
        heads = {head for head, _ in rules}
        derived: set[int] = set()
        while True:
            new = {
                head
                for head, body in rules
                if all(self._value(domains, lit) is not False and (lit not in heads or lit in derived) for lit in body)
            }
            if new <= derived:
                break
            derived |= new
        return all(self._hold(domains, head ^ 1) for head in heads - derived)


class Told(NamedTuple):
    """What there is to tell about a position and a joint move, as `Step` of the game's network has it."""

    is_terminal: bool
    goals: tuple[int | None, ...]
    moves: tuple[Move, ...] | None
    successor: GroundPosition
    percepts: tuple[frozenset[Percept], ...]


def told_by_game(game: GroundGame, position: GroundPosition) -> set[Told]:
    """Return what the ground game tells: one entry for each joint move, or for the end."""
    roles = range(len(game.roles))
    if game.is_terminal(position):
        goals = tuple(None if game.roles[role] == "random" else goal(game, position, role) or 0 for role in roles)
        return {Told(True, goals, None, position, (frozenset(),) * len(game.roles))}
    return {
        Told(
            False,
            (None,) * len(game.roles),
            moves,
            game.next_position(position, moves),
            tuple(game.percepts(position, moves, role) for role in roles),
        )
        for moves in itertools.product(*(game.legal_moves(position, role) for role in roles))
    }


def told_by_network(game: GameNetwork, solutions: Iterable[Int32Array], position: GroundPosition) -> set[Told]:
    """Return what solutions of the first stage tell; each has to tell something else."""
    steps = [game.step(places) for places in solutions]
    assert all(step.position == position for step in steps)
    found = {Told(step.is_terminal, step.goals, step.moves, step.successor, step.percepts) for step in steps}
    assert len(found) == len(steps)
    return found


def fixed_position(game: GameNetwork, position: GroundPosition) -> dict[int, int]:
    """Return the places of the first position, by variables."""
    return dict(zip(game.stages[0].fluents.tolist(), game.places(position).tolist(), strict=True))


def random_positions(game: GroundGame, seed: int, count: int) -> list[GroundPosition]:
    """Return different positions of random matches, terminal ones too, as many of `count` as are met in time."""
    rng = random.Random(seed)
    found: dict[GroundPosition, None] = {}
    position = game.initial_position()
    for _ in range(20 * count):
        found[position] = None
        legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
        is_over = game.is_terminal(position) or not all(legal)
        position = game.initial_position() if is_over else game.next_position(position, list(map(rng.choice, legal)))
    return rng.sample(list(found), min(count, len(found)))

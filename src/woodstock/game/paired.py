"""Two reasoners as one: a game whose positions are pairs, so that every walk through it takes both along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar

from woodstock.game.difference import Mismatch, View, compare_by_role, compare_views
from woodstock.game.protocol import Fluent, Game, JointMove, Move, Percept
from woodstock.game.walk import joint_moves
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm

A = TypeVar("A")
B = TypeVar("B")

MAX_PERCEPT_CHECKS = 16
"""In so many joint moves of a position are the percepts compared."""


class PairedGame(Generic[A, B]):
    """Two reasoners that play one game side by side: a position is a pair, and the first one names the moves."""

    def __init__(self, first: Game[A], second: Game[B]) -> None:
        self.first = first
        self.second = second

    @property
    def roles(self) -> tuple[str, ...]:
        return self.first.roles

    def initial_position(self) -> tuple[A, B]:
        return self.first.initial_position(), self.second.initial_position()

    def legal_moves(self, position: tuple[A, B], role: int) -> tuple[Move, ...]:
        return self.first.legal_moves(position[0], role)

    def next_position(self, position: tuple[A, B], moves: JointMove) -> tuple[A, B]:
        return self.first.next_position(position[0], moves), self.second.next_position(position[1], moves)

    def is_terminal(self, position: tuple[A, B]) -> bool:
        return self.first.is_terminal(position[0])

    def goal_values(self, position: tuple[A, B], role: int) -> tuple[GroundTerm, ...]:
        return self.first.goal_values(position[0], role)

    def percepts(self, position: tuple[A, B], moves: JointMove, role: int) -> frozenset[Percept]:
        return self.first.percepts(position[0], moves, role)

    def fluents(self, position: tuple[A, B]) -> frozenset[Fluent]:
        return self.first.fluents(position[0])

    def position_of(self, fluents: Iterable[Fluent]) -> tuple[A, B]:
        known = tuple(fluents)
        return self.first.position_of(known), self.second.position_of(known)

    def mismatches(self, position: tuple[A, B]) -> tuple[Mismatch, ...]:
        """Return what the two see differently in a position."""
        view = View.of(self.first, position[0])
        found = compare_views(self.roles, view, View.of(self.second, position[1]))
        return found or tuple(self._percept_mismatches(position, view.legal or ()))

    def _percept_mismatches(self, position: tuple[A, B], legal: Sequence[frozenset[Move]]) -> Iterator[Mismatch]:
        roles = range(len(self.roles))
        if not legal:
            return
        choices = [sorted(moves, key=to_kif) for moves in legal]
        for moves in islice(joint_moves(choices), MAX_PERCEPT_CHECKS):
            one = [self.first.percepts(position[0], moves, role) for role in roles]
            other = [self.second.percepts(position[1], moves, role) for role in roles]
            yield from compare_by_role(f"percepts at ({' '.join(map(to_kif, moves))})", self.roles, one, other)

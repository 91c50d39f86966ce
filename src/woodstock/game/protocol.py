"""The one protocol that every reasoner satisfies.

A *game* is the rules; a *position* is a state of it, an opaque value that only the game that made it understands. Roles
are numbered in the order of the rules; moves, fluents and percepts are ground terms (see `woodstock.gdl.terms`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeAlias, TypeVar

from woodstock.gdl.keywords import goal_number
from woodstock.gdl.terms import GroundTerm

Fluent: TypeAlias = GroundTerm
Move: TypeAlias = GroundTerm
JointMove: TypeAlias = Sequence[GroundTerm]
"""One move per role, in role order."""
Percept: TypeAlias = GroundTerm

P = TypeVar("P")


class Game(Protocol[P]):
    """Rules that can be played.

    Everything is a pure function of the position; positions are hashable and equal iff their fluents are.
    """

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, in the order of the rules."""

    def initial_position(self) -> P:
        """Return the position in which every match starts."""

    def legal_moves(self, position: P, role: int) -> tuple[Move, ...]:
        """Return the legal moves of a role, each once, in no special but a reproducible order."""

    def next_position(self, position: P, moves: JointMove) -> P:
        """Return the position after every role has made its move."""

    def is_terminal(self, position: P) -> bool:
        """Tell whether the match is over."""

    def goal_values(self, position: P, role: int) -> tuple[GroundTerm, ...]:
        """Return every value that the rules give a role here, as they write it; a good sheet gives one at the end."""

    def percepts(self, position: P, moves: JointMove, role: int) -> frozenset[Percept]:
        """Return what a role is shown when `moves` are made in `position`: all moves, in a game without `sees`."""

    def fluents(self, position: P) -> frozenset[Fluent]:
        """Return what is true in a position."""

    def position_of(self, fluents: Iterable[Fluent]) -> P:
        """Return the position in which just these fluents are true."""


def goal(game: Game[P], position: P, role: int) -> int | None:
    """Return the goal of a role if the rules give it exactly one, a whole number 0..100; else None."""
    values = game.goal_values(position, role)
    return goal_number(values[0]) if len(values) == 1 else None


def default_percepts(roles: Sequence[str], moves: JointMove) -> frozenset[Percept]:
    """Return what every role is shown in a game without `sees`: who did what."""
    return frozenset(("did", role, move) for role, move in zip(roles, moves, strict=True))

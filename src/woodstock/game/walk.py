"""Walks through the positions of a game: random playouts and exhaustive exploration, within a budget."""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import prod
from typing import Generic, TypeVar

from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game, Move
from woodstock.gdl.printer import to_kif

P = TypeVar("P")

Line = tuple[tuple[Move, ...], ...]
"""A line of play: joint moves from the initial position on."""


class Budget:
    """How many positions may still be made, and until when."""

    def __init__(self, seconds: float | None = None, positions: int = sys.maxsize) -> None:
        self._deadline = Deadline(seconds)
        self.positions_left = positions

    def spend(self, positions: int = 1) -> None:
        """Count positions that were made."""
        self.positions_left -= positions

    @property
    def exhausted(self) -> bool:
        return self.positions_left <= 0 or self._deadline.expired

    @property
    def seconds_left(self) -> float:
        return self._deadline.seconds_left


def legal_moves(game: Game[P], position: P) -> tuple[tuple[Move, ...], ...]:
    """Return the legal moves of each role."""
    return tuple(game.legal_moves(position, role) for role in range(len(game.roles)))


def num_joint_moves(legal: Sequence[Sequence[Move]]) -> int:
    """Return how many joint moves there are when each role has these legal moves."""
    return prod(map(len, legal))


def joint_moves(legal: Sequence[Sequence[Move]]) -> Iterator[tuple[Move, ...]]:
    """Yield every joint move; none if a role has no legal move."""
    return product(*legal)


def render_line(line: Line) -> str:
    """Return a line of play in KIF, one joint move a line."""
    return "\n".join("(" + " ".join(map(to_kif, moves)) + ")" for moves in line)


def find_line(game: Game[P], positions: Sequence[P]) -> Line:
    """Return joint moves that lead through positions, each a successor of the one before."""
    return tuple(
        next(moves for moves in joint_moves(legal_moves(game, before)) if game.next_position(before, moves) == after)
        for before, after in pairwise(positions)
    )


def replay(game: Game[P], line: Line) -> P:
    """Return the position at the end of a line of play."""
    position = game.initial_position()
    for moves in line:
        position = game.next_position(position, moves)
    return position


@dataclass(slots=True)
class Playout(Generic[P]):
    """One simulated play.

    Attributes:
        positions: Every position on the way, one more than there are joint moves.
        line: The joint moves.
        ended: The last position is terminal.
        stuck: The last position is not terminal, and a role has no legal move there.
    """

    positions: list[P]
    line: list[tuple[Move, ...]] = field(default_factory=list)
    ended: bool = False
    stuck: bool = False


def iter_playout(game: Game[P], rng: random.Random, start: P | None = None) -> Iterator[tuple[P, tuple[Move, ...]]]:
    """Yield positions of a random play with the joint move made in each; at its end, the last position and no move.

    Moves are drawn from the legal ones in the order of their text, so that every reasoner plays the same from one seed.
    """
    position = game.initial_position() if start is None else start
    while True:
        legal = () if game.is_terminal(position) else legal_moves(game, position)
        if not legal or not all(legal):
            yield position, ()
            return
        moves = tuple(rng.choice(sorted(choices, key=to_kif)) for choices in legal)
        yield position, moves
        position = game.next_position(position, moves)


def random_playout(game: Game[P], rng: random.Random, max_steps: int, budget: Budget) -> Playout[P]:
    """Play at random until the end, a stuck role, the step limit or the end of the budget."""
    playout: Playout[P] = Playout([])
    for position, moves in iter_playout(game, rng):
        playout.positions.append(position)
        budget.spend()
        if not moves:
            playout.ended = game.is_terminal(position)
            playout.stuck = not playout.ended
        elif len(playout.line) >= max_steps or budget.exhausted:
            break
        else:
            playout.line.append(moves)
    return playout


class Exploration(Generic[P]):
    """The positions of a game, breadth first, each once, with a shortest line of play to each.

    It can be continued: iterate over `explore` again with another budget.
    """

    def __init__(self, game: Game[P]) -> None:
        self._game = game
        start = game.initial_position()
        self._parents: dict[P, tuple[P, tuple[Move, ...]] | None] = {start: None}
        self._depths: dict[P, int] = {start: 0}
        self._queue: deque[P] = deque([start])
        self._unseen: deque[P] = deque([start])
        self._pending: Iterator[tuple[Move, ...]] | None = None
        self.successors: dict[P, list[P]] = {}

    @property
    def complete(self) -> bool:
        """Every reachable position has been found and yielded."""
        return not self._queue and not self._unseen

    def __len__(self) -> int:
        return len(self._parents)

    def __contains__(self, position: P) -> bool:
        return position in self._parents

    def depth(self, position: P) -> int:
        """Return the length of a shortest line of play to a position that was found."""
        return self._depths[position]

    def line(self, position: P) -> Line:
        """Return a shortest line of play to a position that was found."""
        moves: list[tuple[Move, ...]] = []
        step = self._parents[position]
        while step is not None:
            moves.append(step[1])
            step = self._parents[step[0]]
        return tuple(reversed(moves))

    def path(self, position: P) -> list[P]:
        """Return the positions on that line, from the initial one to the given one."""
        found = [position]
        while (step := self._parents[found[-1]]) is not None:
            found.append(step[0])
        return found[::-1]

    @property
    def current(self) -> P | None:
        """The position whose successors are being made."""
        return self._queue[0] if self._queue else None

    def explore(self, budget: Budget) -> Iterator[P]:
        """Yield positions that were not yielded before until all are known or the budget is spent."""
        while True:
            while self._unseen:
                yield self._unseen.popleft()
            if not self._queue or budget.exhausted:
                return
            self._expand(budget)

    def _expand(self, budget: Budget) -> None:
        """Make successors of the first position in the queue, all of them if the budget allows."""
        position = self._queue[0]
        if self._pending is None:
            legal = () if self._game.is_terminal(position) else legal_moves(self._game, position)
            self._pending = joint_moves(legal) if legal else iter(())
            self.successors[position] = []
        for moves in self._pending:
            successor = self._game.next_position(position, moves)
            self.successors[position].append(successor)
            budget.spend()
            if successor not in self._parents:
                self._parents[successor] = (position, moves)
                self._depths[successor] = self._depths[position] + 1
                self._queue.append(successor)
                self._unseen.append(successor)
            if budget.exhausted:
                return
        self._pending = None
        self._queue.popleft()

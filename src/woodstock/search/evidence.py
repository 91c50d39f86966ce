"""Evidence: what a role has seen of a match, and which histories agree with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Final, Generic, NamedTuple, TypeVar

from woodstock.game.protocol import Game, Move, Percept
from woodstock.game.walk import Budget, Line, legal_moves
from woodstock.search.particles import Particle

P = TypeVar("P")

MOST_TRIES: Final = 64
"""So many joint moves are tried in one position to find those that agree with what was seen."""
MOST_DEAD: Final = 100_000
"""So many positions are remembered as contradicting what was seen later."""


class Sight(NamedTuple):
    """What a role saw of one joint move: its own move, if it knows it, and its percepts."""

    move: Move | None
    percepts: frozenset[Percept]


class Continuations(NamedTuple):
    """The joint moves of a position that agree with what was seen.

    Attributes:
        moves: These joint moves, in random order.
        tried: How many joint moves were tried: each is as likely as the others.
        is_complete: All there are were tried.
    """

    moves: list[tuple[Move, ...]]
    tried: int
    is_complete: bool


@dataclass(slots=True)
class _Branch(Generic[P]):
    """A particle that is played on from: what is still to be tried, and whether all that failed is impossible."""

    particle: Particle[P]
    left: Continuations
    is_certain: bool


class Evidence(Generic[P]):
    """What a role has seen; a *level* is a number of joint moves.

    Args:
        game: The game.
        role: The role.
        random: Where random numbers come from.

    Attributes:
        sights: What it saw of each joint move.
    """

    def __init__(self, game: Game[P], role: int, random: Random) -> None:
        self._game = game
        self._role = role
        self._random = random
        self.sights: list[Sight] = []
        self._legal: dict[int, frozenset[Move]] = {}
        self._dead: set[tuple[int, P]] = set()

    def demand(self, legal: Collection[Move]) -> bool:
        """Note that the match goes on now, and which legal moves the role has; tell whether that is new."""
        wanted = frozenset(legal)
        is_new = self._legal.get(len(self.sights)) != wanted
        self._legal[len(self.sights)] = wanted
        return is_new

    def is_dead(self, level: int, position: P) -> bool:
        """Tell whether a position is known to contradict what was seen later."""
        return (level, position) in self._dead

    def allows(self, level: int, position: P) -> bool:
        """Tell whether a position agrees with the legal moves that the role had, and is not known to be dead."""
        if (level, position) in self._dead:
            return False
        legal = self._legal.get(level)
        if legal is None:
            return True
        if not self._game.is_terminal(position) and legal == set(self._game.legal_moves(position, self._role)):
            return True
        self._bury(level, position)
        return False

    def follow(self, particle: Particle[P], moves: tuple[Move, ...], weight: float) -> Particle[P]:
        """Return a history that is one joint move longer."""
        return Particle(self._game.next_position(particle.position, moves), weight, moves, particle)

    def continuations(self, level: int, position: P, budget: Budget) -> Continuations:
        """Return the joint moves of a position that agree with what was seen of it, or some of them."""
        sight = self.sights[level]
        choices = self._choices(position, sight)
        total = prod(map(len, choices))
        numbers: Iterable[int] = range(total)
        if total > MOST_TRIES:
            numbers = dict.fromkeys(self._random.randrange(total) for _ in range(MOST_TRIES))
        tried = 0
        found = []
        for number in numbers:
            if tried and budget.exhausted:
                break
            tried += 1
            budget.spend()
            moves = _combination(choices, number)
            if self._game.percepts(position, moves, self._role) == sight.percepts:
                found.append(moves)
        if tried == total and not found:
            self._bury(level, position)
        self._random.shuffle(found)
        return Continuations(found, max(1, tried), tried == total)

    def _choices(self, position: P, sight: Sight) -> list[tuple[Move, ...]]:
        """Return what each role may have done in a position; nothing if the match was over."""
        if self._game.is_terminal(position):
            return [()]
        choices = list(legal_moves(self._game, position))
        if sight.move is not None:
            choices[self._role] = (sight.move,) if sight.move in choices[self._role] else ()
        return choices

    def _bury(self, level: int, position: P) -> None:
        """Remember that a position contradicts what was seen later."""
        if len(self._dead) >= MOST_DEAD:
            self._dead.clear()
        self._dead.add((level, position))

    def play_on(
        self, particle: Particle[P], span: tuple[int, int], budget: Budget, guide: Line | None = None
    ) -> Particle[P] | None:
        """Continue a history at random, turning back from dead ends, but not for ever.

        Args:
            particle: The history; that what comes of it continues has its weight times the chance of what was seen.
            span: How long it is, and how long it is to become.
            budget: What it may cost.
            guide: A line of play to stay close to: its joint moves come first where they are possible, but for the one
                that the history is continued with, which is to be another.

        Returns:
            The longer history, or None if none was found.
        """
        level, end = span
        patience = (32 + 8 * (end - level)) if guide is None else (16 + end - level)
        stack = [self._branch(level, particle, budget, None)]
        if guide is not None and guide[level] in stack[0].left.moves:
            stack[0].left.moves.remove(guide[level])
            stack[0].is_certain = False
        while stack and patience > 0 and not budget.exhausted:
            branch = stack[-1]
            if not branch.left.moves:
                stack.pop()
                if branch.is_certain:
                    self._bury(level, branch.particle.position)
                elif stack:
                    stack[-1].is_certain = False
                level -= 1
                continue
            patience -= 1
            budget.spend()
            weight = branch.particle.weight * len(branch.left.moves) / branch.left.tried
            after = self.follow(branch.particle, branch.left.moves.pop(), weight)
            if self.allows(level + 1, after.position):
                level += 1
                if level == end:
                    return after
                stack.append(self._branch(level, after, budget, guide))
        return None

    def _branch(self, level: int, particle: Particle[P], budget: Budget, guide: Line | None) -> _Branch[P]:
        """Return what can be tried from a particle, what a guide did last: from there it is taken."""
        found = self.continuations(level, particle.position, budget)
        if guide is not None and guide[level] in found.moves:
            found.moves.remove(guide[level])
            found.moves.append(guide[level])
        return _Branch(particle, found, found.is_complete)


def _combination(choices: Sequence[Sequence[Move]], number: int) -> tuple[Move, ...]:
    """Return the combination of a number: one of each, the last changes quickest."""
    found = []
    for each in reversed(choices):
        number, place = divmod(number, len(each))
        found.append(each[place])
    return tuple(reversed(found))

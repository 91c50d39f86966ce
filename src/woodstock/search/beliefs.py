"""Beliefs: positions that agree with what a role has seen, in a game that hides something.

The role knows its own moves and its percepts. Nature and the other roles are thought to move uniformly at random, which
is right for nature, and no more than a guess for the others. While there are few positions that are possible, all of
them are known with their exact probabilities. Else some are: a particle filter goes on from each with the joint moves
that agree with what was seen next. When too few are left, more are made: histories are taken up again at earlier points
and played on at random, turning back where what was seen cannot have happened any more.

>>> from random import Random
>>> from woodstock.game.load import load_rules
>>> from woodstock.game.reference import ReferenceGame
>>> beliefs = Beliefs(ReferenceGame(load_rules("monty_hall")), role=0, random=Random(1))
>>> beliefs.observe("wait", frozenset())
>>> beliefs.observe(("pick", "1"), frozenset())
>>> beliefs.observe("wait", frozenset({("goat_behind", "3")}))
>>> {position & {("car", "1"), ("car", "2")}: round(chance, 2) for position, chance in beliefs.chances().items()}
{frozenset({('car', '1')}): 0.33, frozenset({('car', '2')}): 0.67}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from math import inf
from random import Random
from typing import Final, Generic, TypeVar

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game, Move, Percept
from woodstock.game.walk import Budget, Line
from woodstock.search.evidence import Evidence, Sight
from woodstock.search.particles import Particle, level_out, merge, thin

P = TypeVar("P")

MOST_STEPS: Final = 20_000
"""So many joint moves are tried in a call without a deadline."""
CHILDREN: Final = 4
"""So many times as many positions as are kept are made in a step, to choose from."""

_Step = tuple[Particle[P], tuple[Move, ...], float]
"""A particle, a joint move that it goes on with, and the weight of what comes of it."""


class Beliefs(Generic[P]):
    """What a role thinks the position may be.

    Observing costs nothing unless there is a deadline; the work is done when the answer is wanted, or when `update` is
    called. Whatever has a deadline is done by then, but for a question or two to the game. Without one it is done after
    a fixed amount of work at the latest, so that it can be repeated.

    Args:
        game: The game.
        role: Who looks.
        random: Where random numbers come from.
        size: How many positions to keep.
    """

    def __init__(self, game: Game[P], role: int, random: Random, size: int = 64) -> None:
        if size < 1:
            raise UsageError(f"beliefs must have room for 1 position or more, found size = {size}")
        self._game = game
        self._random = random
        self._size = size
        self._role = role
        self.restart()

    def restart(self) -> None:
        """Go back to the beginning of a match."""
        self._evidence = Evidence(self._game, self._role, self._random)
        self._levels: list[list[Particle[P]]] = [[Particle(self._game.initial_position(), 1.0)]]
        self._complete = [True]
        # What the weights of each level were divided by, so that what is made later can be compared.
        self._scales = [1.0]
        self._is_replenished = False

    @property
    def number(self) -> int:
        """How many joint moves were observed."""
        return len(self._evidence.sights)

    @property
    def is_complete(self) -> bool:
        """Whether all positions are known that are possible."""
        return self._is_current and self._complete[-1]

    @property
    def _is_current(self) -> bool:
        return len(self._levels) > self.number

    @property
    def _particles(self) -> list[Particle[P]]:
        return self._levels[-1] if self._is_current else []

    def observe(self, move: Move | None, percepts: frozenset[Percept], deadline: Deadline | None = None) -> None:
        """Learn what the role saw of a joint move.

        Args:
            move: Its own move, as it was executed; None if it does not know.
            percepts: What it was shown.
            deadline: Until when to think about it; None to leave that for later.
        """
        self._evidence.sights.append(Sight(move, percepts))
        if deadline is not None:
            self.update(deadline)

    def agree(self, legal: Collection[Move], deadline: Deadline | None = None) -> None:
        """Learn that the match goes on, and which legal moves the role has now."""
        if self._evidence.demand(legal) and self._is_current:
            before = self._levels[-1]
            self._levels[-1] = self._fitting(before, self._budget(deadline))
            self._is_replenished &= len(self._levels[-1]) == len(before)
        self.update(deadline)

    def positions(self, legal: Collection[Move] | None = None, deadline: Deadline | None = None) -> list[P]:
        """Return positions that may be the true one, each as often as it is likely.

        Every beginning of the list is as typical as the whole. It is empty if the time was too short to find any, or if
        there is none: then what was seen contradicts the rules.

        Args:
            legal: The legal moves that the role has now, if the match goes on and they are known.
            deadline: When to stop looking.
        """
        if legal is None:
            self.update(deadline)
        else:
            self.agree(legal, deadline)
        particles = self._particles
        self._random.shuffle(particles)
        level_out(particles)
        shares = [particle.weight / len(particles) for particle in particles]
        times = [0] * len(particles)
        found: list[P] = []
        while particles and len(found) < self._size:
            place = max(range(len(times)), key=lambda each: shares[each] * (len(found) + 1) - times[each])
            times[place] += 1
            found.append(particles[place].position)
        return found

    def chances(self, deadline: Deadline | None = None) -> dict[P, float]:
        """Return the different positions that may be the true one, with the probability of each."""
        self.update(deadline)
        total = sum(particle.weight for particle in self._particles)
        return {particle.position: particle.weight / total for particle in self._particles}

    def lines(self) -> list[Line]:
        """Return how each of the different positions may have come about: joint moves from the beginning on."""
        return [particle.line() for particle in self._particles]

    def update(self, deadline: Deadline | None = None) -> None:
        """Take account of everything that was observed, and look for more positions if there are few."""
        budget = self._budget(deadline)
        while not self._is_current and not budget.exhausted:
            if self._levels[-1]:
                self._advance(budget)
            elif not self._replenish(budget):
                return
        if self._is_current:
            self._replenish(budget)

    def _budget(self, deadline: Deadline | None) -> Budget:
        seconds = inf if deadline is None else deadline.seconds_left
        return Budget(positions=MOST_STEPS) if seconds == inf else Budget(seconds)

    def _fitting(self, particles: list[Particle[P]], budget: Budget) -> list[Particle[P]]:
        """Return the particles that agree with the legal moves; what there is no time to look at is left out."""
        level = len(self._levels) - 1
        found = []
        for number, particle in enumerate(particles):
            if number and budget.exhausted:
                self._complete[level] = False
                break
            if self._evidence.allows(level, particle.position):
                found.append(particle)
        return found

    def _advance(self, budget: Budget) -> None:
        """Go one joint move on with all particles, or with as many as there is time for."""
        steps, is_complete, scale = self._steps(budget)
        made = []
        for number, step in enumerate(steps):
            if number and budget.exhausted:
                is_complete = False
                break
            budget.spend()
            made.append(self._evidence.follow(*step))
        merged = merge(made, self._random)
        self._levels.append([])
        self._complete.append(is_complete)
        self._scales.append(scale)
        particles = self._fitting(merged, budget)
        self._is_replenished &= len(particles) == len(merged)
        self._settle(particles)

    def _settle(self, particles: list[Particle[P]]) -> None:
        """Make particles those of the last level, no more of them than there is room for."""
        total = sum(particle.weight for particle in particles)
        if len(particles) > self._size:
            self._complete[-1] = False
            drawn = Counter(thin([particle.weight for particle in particles], self._size, self._random))
            for number, times in drawn.items():
                particles[number].weight = float(times)
            particles = [particles[number] for number in drawn]
        level_out(particles)
        self._levels[-1] = particles
        self._scales[-1] *= total / len(particles) if total > 0 else 1.0

    def _steps(self, budget: Budget) -> tuple[list[_Step[P]], bool, float]:
        """Return steps that the particles can make, whether they are all, and what their weights were divided by."""
        level = len(self._levels) - 1
        is_complete = self._complete[level]
        steps: list[_Step[P]] = []
        self._random.shuffle(self._levels[level])
        for number, particle in enumerate(self._levels[level]):
            if number and budget.exhausted:
                is_complete = False
                break
            found = self._evidence.continuations(level, particle.position, budget)
            is_complete &= found.is_complete
            self._is_replenished &= bool(found.moves)
            steps += [(particle, moves, particle.weight / found.tried) for moves in found.moves]
        if len(steps) <= CHILDREN * self._size:
            return steps, is_complete, 1.0
        weights = [step[2] for step in steps]
        drawn = Counter(thin(weights, self._size, self._random))
        chosen = [(*steps[number][:2], float(times)) for number, times in drawn.items()]
        return chosen, False, sum(weights) / self._size

    def _replenish(self, budget: Budget) -> bool:
        """Make more particles if there are few, until a whole sweep finds nothing new; tell whether there are any."""
        level = len(self._levels) - 1
        found = self._levels[level]
        if self._complete[level] or (found and (self._is_replenished or len(found) >= self._size // 2)):
            return bool(found)
        first = self._levels[0][0].position
        while len(found) < self._size and not budget.exhausted and not self._evidence.is_dead(0, first):
            before = len(found)
            found = self._sweep(found, budget)
            if found and len(found) == before:
                self._is_replenished = True
                break
        self._settle(found)
        return bool(found)

    def _sweep(self, found: list[Particle[P]], budget: Budget) -> list[Particle[P]]:
        """Return particles and others that were made from earlier and earlier points, at last from the beginning."""
        level = len(self._levels) - 1
        back, start = 1, level
        while start > 0 and len(found) < self._size:
            start = max(0, level - back)
            back *= 2
            found = merge([*found, *self._replay(start, budget), *self._vary(budget)], self._random)
        return found

    def _replay(self, start: int, budget: Budget) -> list[Particle[P]]:
        """Play on from particles of an earlier level, drawn by their weights; return what agrees."""
        made: list[Particle[P]] = []
        for _ in range(self._size // 2 + 1):
            sources = [each for each in self._levels[start] if not self._evidence.is_dead(start, each.position)]
            if not sources or budget.exhausted:
                break
            made += self._play_on(start, self._draw(sources), budget)
        return made

    def _vary(self, budget: Budget) -> list[Particle[P]]:
        """Change one joint move somewhere in histories up to the last level, and as little as can be after it.

        That finds what a replay hardly would: histories that agree but for something hidden long ago.
        """
        end = len(self._levels) - 1
        made: list[Particle[P]] = []
        for _ in range(self._size // 2 + 1):
            if not self._levels[end - 1] or budget.exhausted:
                break
            path = self._draw(self._levels[end - 1]).path()
            start = self._random.randrange(end)
            made += self._play_on(start, path[start], budget, (*(each.moves for each in path[1:]), ()))
        return made

    def _draw(self, particles: list[Particle[P]]) -> Particle[P]:
        return self._random.choices(particles, [particle.weight for particle in particles])[0]

    def _play_on(self, start: int, source: Particle[P], budget: Budget, guide: Line | None = None) -> list[Particle[P]]:
        """Return a particle of the last level that continues one of an earlier level, or none."""
        end = len(self._levels) - 1
        single = Particle(source.position, 1.0, source.moves, source.before)
        particle = self._evidence.play_on(single, (start, end), budget, guide)
        if particle is None:
            return []
        for scale in self._scales[start + 1 :]:
            particle.weight /= scale
        return [particle]

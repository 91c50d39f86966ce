"""Particles: histories that agree with what a role has seen, with weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Final, Generic, TypeVar

from woodstock.game.protocol import Move
from woodstock.game.walk import Line

P = TypeVar("P")

LIGHTEST: Final = 1e-9
"""The weight of a particle that is next to impossible, where the mean is 1."""


class Particle(Generic[P]):
    """A history: a position, and how it came about.

    Attributes:
        position: The position.
        weight: How likely it is, relative to others of the same length.
        moves: The joint move that led to it; none at the beginning.
        before: The history before that.
    """

    __slots__ = ("before", "moves", "position", "weight")

    def __init__(
        self, position: P, weight: float, moves: tuple[Move, ...] = (), before: Particle[P] | None = None
    ) -> None:
        self.position = position
        self.weight = weight
        self.moves = moves
        self.before = before

    def path(self) -> list[Particle[P]]:
        """Return all histories that this one continues, from the beginning on, and itself."""
        return list(self._backwards())[::-1]

    def line(self) -> Line:
        """Return the joint moves from the beginning on."""
        return tuple(particle.moves for particle in self.path()[1:])

    def _backwards(self) -> Iterator[Particle[P]]:
        particle: Particle[P] | None = self
        while particle is not None:
            yield particle
            particle = particle.before


def merge(particles: Iterable[Particle[P]], random: Random) -> list[Particle[P]]:
    """Return one particle for each position, as heavy as all of it together, with the history of any of them."""
    found: dict[P, Particle[P]] = {}
    for particle in particles:
        same = found.get(particle.position)
        if same is None:
            found[particle.position] = particle
            continue
        weight = same.weight + particle.weight
        if random.random() * weight < particle.weight:
            same.moves, same.before = particle.moves, particle.before
        same.weight = weight
    return list(found.values())


def level_out(particles: Sequence[Particle[P]]) -> None:
    """Scale weights so that their mean is 1; none becomes so small that it is lost."""
    mean = sum(particle.weight for particle in particles) / max(1, len(particles))
    for particle in particles:
        particle.weight = max(LIGHTEST, particle.weight / mean) if mean > 0 else 1.0


def thin(weights: Sequence[float], num: int, random: Random) -> list[int]:
    """Draw things in proportion to their weights, so evenly that none is drawn a whole time too often or too seldom.

    Systematic resampling (Carpenter, Clifford and Fearnhead 1999).

    Args:
        weights: How heavy each is; not all 0.
        num: How many to draw.
        random: Where random numbers come from.

    Returns:
        The numbers of what was drawn, in order, some perhaps more than once.
    """
    step = sum(weights) / num
    mark = random.random() * step
    reached = 0.0
    found: list[int] = []
    for number, weight in enumerate(weights):
        reached += weight
        while mark < reached and len(found) < num:
            found.append(number)
            mark += step
    return found

"""Strategies: what the side that can win does in every situation, to be stepped through and to be checked.

The tree of a strategy is exponential in the turns of the other side, so it is not written down: a strategy finds its
values when it is asked for them, with a solver that remembers what it has found. For a network that is true it is one
of the existential side; for one that is false it is one of the universal side, a *refutation*.

>>> from woodstock.cp import Network, Table
>>> from woodstock.qcsp.network import Block, QuantifiedNetwork
>>> network = Network()
>>> x, y = network.add_vars(("x", "y"), (0, 1, 2))
>>> network.add(Table((x, y), [(0, 1), (1, 2), (2, 0)]))
>>> strategy = find_strategy(QuantifiedNetwork(network, (Block(True, (x,)), Block(False, (y,)))))
>>> strategy.is_universal, strategy.choose([2])
(False, 0)
>>> strategy.check()
Check(lines=3, is_complete=True, fault=None)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, NamedTuple

from woodstock.common.errors import LimitError
from woodstock.common.limits import Limits
from woodstock.qcsp.network import QuantifiedNetwork
from woodstock.qcsp.situation import Compiled, Situation, Standing
from woodstock.qcsp.solver import Solver

NO_LIMITS: Final = Limits()


class Check(NamedTuple):
    """What playing a strategy against the other side showed.

    Attributes:
        lines: How many plays there were.
        is_complete: Whether these were all that the other side can do.
        fault: The values of a play that the strategy lost, or None.
    """

    lines: int
    is_complete: bool
    fault: tuple[int, ...] | None


@dataclass(frozen=True, eq=False)
class Strategy:
    """How one side wins.

    Attributes:
        solver: Finds the values.
        is_universal: Whose strategy it is.
        limits: For each search.
    """

    solver: Solver
    is_universal: bool
    limits: Limits = NO_LIMITS

    @property
    def quantified(self) -> QuantifiedNetwork:
        return self.solver.compiled.quantified

    def choose(self, places: Sequence[int]) -> int:
        """Return the place of the value of the next turn, which is one of this side, after some values.

        Where this side cannot win any more, which does not happen if it always followed the strategy, that is the first
        value.

        Raises:
            LimitError: The limits are too narrow.
        """
        return self._choose(Situation(self.solver.compiled, places))

    def _choose(self, situation: Situation) -> int:
        if situation.standing is Standing.LOST:
            return 0
        left = situation.places_left(situation.turn)
        if situation.standing is Standing.WON or len(left) == 1:
            return left[0]
        answer = self.solver.solve_situation(situation, self.limits)
        if answer.is_true is None:
            raise LimitError(f"no value for {self.quantified.names[situation.turn]} within the limits")
        return left[0] if answer.place is None else answer.place

    def check(self, max_lines: int = 1000, seed: int = 0) -> Check:
        """Play against everything that the other side can do, or against so many random lines of it.

        Whether a play is won is told by the definition of the constraints alone.
        """
        others = [turn for turn, universal in enumerate(self.quantified.is_universal) if universal != self.is_universal]
        sizes = [len(self.quantified.domains[turn]) for turn in others]
        is_complete = math.prod(sizes) <= max_lines
        count = 0
        for line in _all_lines(sizes) if is_complete else _random_lines(sizes, max_lines, seed):
            places = self.play(dict(zip(others, line, strict=True)))
            count += 1
            if self.quantified.is_solution(places) == self.is_universal:
                return Check(count, is_complete, tuple(places))
        return Check(count, is_complete, None)

    def play(self, line: dict[int, int]) -> list[int]:
        """Return the values of a play in which the other side gives its turns the values of a line."""
        situation = Situation(self.solver.compiled)
        while not situation.is_over:
            turn = situation.turn
            situation.give(line[turn] if turn in line else self._choose(situation))
        return situation.places

    def tree(self, depth: int, places: Sequence[int] = ()) -> dict[str, Any]:
        """Return the strategy's first turns as a tree of plain values, for JSON: so many turns of the other side."""
        situation = Situation(self.solver.compiled, places)
        given: dict[str, Any] = {}
        while not situation.is_over and situation.is_universal == self.is_universal:
            turn = situation.turn
            place = self._choose(situation)
            situation.give(place)
            given[self.quantified.names[turn]] = self.quantified.value(turn, place)
        found: dict[str, Any] = {"given": given} if given else {}
        if not situation.is_over and depth > 0:
            turn = situation.turn
            found["turn"] = self.quantified.names[turn]
            found["replies"] = [
                {"value": value, **self.tree(depth - 1, [*situation.places, place])}
                for place, value in enumerate(self.quantified.domains[turn])
            ]
        return found


def find_strategy(quantified: QuantifiedNetwork, limits: Limits | None = None) -> Strategy:
    """Return a strategy of the side that wins.

    Raises:
        LimitError: The limits are too narrow to tell which it is.
    """
    solver = Solver(Compiled(quantified))
    answer = solver.solve(limits=limits)
    if answer.is_true is None:
        raise LimitError(f"nobody knows who wins {quantified.name} after {answer.nodes} situations")
    return Strategy(solver, not answer.is_true, limits or NO_LIMITS)


def _all_lines(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, sizes))


def _random_lines(sizes: Sequence[int], count: int, seed: int) -> Iterator[tuple[int, ...]]:
    random = Random(seed)
    for _ in range(count):
        yield tuple(random.randrange(size) for size in sizes)

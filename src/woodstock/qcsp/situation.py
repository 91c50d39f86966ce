"""A network in play: some turns have their values, and propagation tells what is left of the others.

>>> from woodstock.qcsp.random_networks import Parameters, random_network
>>> compiled = Compiled(random_network(Parameters(num_turns=6, num_values=3, p_ee=0.4), seed=1))
>>> situation = Situation(compiled)
>>> situation.turn, situation.standing.name
(0, 'OPEN')
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.jit import jit
from woodstock.cp.constraints import Int64Array
from woodstock.qcsp.compiled import Arrays, Relations, make_arrays, relations_of
from woodstock.qcsp.network import QuantifiedNetwork
from woodstock.qcsp.propagation import Work, make_work, propagate_all, propagate_turn, pure_values


class Standing(Enum):
    """What propagation says of a situation."""

    OPEN = "open"
    """Nothing is known."""
    SHAKY = "shaky"
    """The universal side can win, if it finds out how."""
    LOST = "lost"
    """Whatever both do, some constraint will not hold."""
    WON = "won"
    """Whatever the universal side does, the existential one has one value left each time, and wins with it."""


@jit
def settle(net: Arrays, domains: Int64Array, work: Work, strict: bool) -> bool:
    """Make all domains consistent; see `propagate_all`."""
    return propagate_all(net, domains, work, strict)


@jit
def follow(net: Arrays, domains: Int64Array, work: Work, turn: int, strict: bool) -> bool:
    """Make domains consistent after a turn; see `propagate_turn`."""
    return propagate_turn(net, domains, work, turn, strict)


@jit
def find_pure(net: Arrays, domains: Int64Array, work: Work, turn: int) -> int:
    """Return the pure values of a turn; see `pure_values`."""
    return pure_values(net, domains, work, turn)


class Compiled:
    """A network for kernels.

    Attributes:
        quantified: The network.
        root: The domains after strict propagation, or all values if that fails.
        is_consistent: Whether it succeeded; if not, the network is false.
        full: Its arrays.
        arrays: The same without constraints of two variables that always hold for what is left at the root.
        work: For propagation; one thread at a time may use it.
    """

    def __init__(self, quantified: QuantifiedNetwork) -> None:
        self.quantified = quantified
        relations = relations_of(quantified)
        self.full = self.arrays = make_arrays(quantified, relations)
        self.work = make_work(self.full)
        self.root = self.full.domains.copy()
        self.is_consistent = bool(settle(self.full, self.root, self.work, True))
        if self.is_consistent:
            self.arrays = make_arrays(quantified, _without_idle(relations, self.root))
        else:
            self.root = self.full.domains.copy()

    @property
    def num_turns(self) -> int:
        return len(self.root)

    def places_in(self, mask: int) -> list[int]:
        """Return the places that a set of values holds."""
        return [place for place in range(int(mask).bit_length()) if int(mask) >> place & 1]


def _without_idle(relations: Relations, root: Int64Array) -> Relations:
    """Leave out constraints of two variables that hold for all values that are left."""
    width = relations.allowed.shape[1]
    inside = (root[:, None] >> np.arange(width)) & 1 == 1
    firsts, seconds = relations.pairs[:, 0], relations.pairs[:, 1]
    conflicts = ~relations.allowed & inside[firsts][:, :, None] & inside[seconds][:, None, :]
    kept = conflicts.any(axis=(1, 2))
    return Relations(relations.pairs[kept], relations.allowed[kept], relations.diagrams)


class Change(NamedTuple):
    """What a value did to the domain of another turn.

    Attributes:
        turn: The turn.
        removed: The places that are gone.
    """

    turn: int
    removed: tuple[int, ...]


class Situation:
    """The values given so far, and what is left.

    Attributes:
        compiled: The network.
        places: The place of the value of each turn that has one.
        standing: What propagation says.
        domains: A mask for each turn, shape (n,), int64: after strict propagation, or, where that fails, after one that
            is not strict.
        arrays: The arrays that go with these domains.
    """

    def __init__(self, compiled: Compiled, places: Iterable[int] = ()) -> None:
        self.compiled = compiled
        self.places: list[int] = []
        self.arrays = compiled.arrays
        self.domains = compiled.root.copy()
        self.standing = Standing.OPEN
        if not compiled.is_consistent:
            self._start_again()
        self._look_for_win()
        for place in places:
            self.give(place)

    @property
    def turn(self) -> int:
        """The turn that gets its value next; the number of turns if there is none."""
        return len(self.places)

    @property
    def is_over(self) -> bool:
        """Whether all turns have their values."""
        return self.turn == self.compiled.num_turns

    @property
    def is_universal(self) -> bool:
        """Whether the universal side gives the next value."""
        return self.compiled.quantified.is_universal[self.turn]

    def places_left(self, turn: int) -> list[int]:
        """Return the places that propagation leaves to a turn."""
        return self.compiled.places_in(self.domains[turn])

    def give(self, place: int) -> list[Change]:
        """Give the next turn its value; return what changed in later domains.

        Raises:
            UsageError: There is no turn left, or it has no such value.
        """
        if self.is_over:
            raise UsageError("expected no more values: all variables have one")
        size = len(self.compiled.quantified.domains[self.turn])
        if not 0 <= place < size:
            raise UsageError(f"expected the place of a value, 0 to {size - 1}, found {place}")
        before, turn = self.domains.copy(), self.turn
        self.places.append(place)
        bit = 1 << place
        is_kept = bool(self.domains[turn] & bit)
        self.domains[turn] = bit
        is_sound = self.standing in (Standing.OPEN, Standing.WON) and is_kept
        if self.standing is Standing.LOST:
            return []
        if not (is_sound and follow(self.arrays, self.domains, self.compiled.work, turn, True)):
            self._start_again()
        self._look_for_win()
        return self._changes(before, turn)

    def _changes(self, before: Int64Array, turn: int) -> list[Change]:
        if self.standing is Standing.LOST:
            return []
        gone = before & ~self.domains
        return [
            Change(other, tuple(self.compiled.places_in(gone[other])))
            for other in range(turn + 1, len(gone))
            if gone[other]
        ]

    def _start_again(self) -> None:
        """Propagate from all values: strictly, for the universal side may have missed its chance, and then not."""
        for strict, standing in ((True, Standing.OPEN), (False, Standing.SHAKY)):
            self.arrays = self.compiled.full
            self.domains = self.arrays.domains.copy()
            for turn, place in enumerate(self.places):
                self.domains[turn] = 1 << place
            self.standing = standing
            if settle(self.arrays, self.domains, self.compiled.work, strict):
                return
        self.standing = Standing.LOST

    def _look_for_win(self) -> None:
        if self.standing is not Standing.OPEN:
            return
        universal = np.array(self.compiled.quantified.is_universal)
        left = self.domains[~universal]
        if not (left & (left - 1)).any():
            self.standing = Standing.WON

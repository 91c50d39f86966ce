"""Quantified networks: a constraint network whose variables get their values in turn, each by one of two sides.

A *prefix* is a sequence of blocks; the variables of a block have the same quantifier. A *turn* is the place of a
variable in the prefix, and *places* are a value for each turn, as its place in the domain. The *existential* side wants
all constraints to hold at the end, the *universal* one that some do not. The network is *true* if the existential side
has a strategy that wins against everything.

>>> from woodstock.cp import Network, Table
>>> network = Network()
>>> x, y = network.add_vars(("x", "y"), (0, 1))
>>> network.add(Table((x, y), [(0, 1), (1, 0)]))
>>> different = QuantifiedNetwork(network, (Block(True, (x,)), Block(False, (y,))))
>>> print(different)
∀x ∃y, 1 constraint
>>> different.is_solution((0, 1)), different.is_solution((0, 0))
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from woodstock.common.errors import UsageError
from woodstock.cp.network import Domain, Network, Value
from woodstock.qcsp.semantics import holds


class Block(NamedTuple):
    """Variables with the same quantifier, one after the other.

    Attributes:
        is_universal: Whether the universal side gives the values.
        vars: Their numbers in the network, in the order in which they get values.
    """

    is_universal: bool
    vars: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class QuantifiedNetwork:
    """A network and its prefix.

    Attributes:
        network: Variables and hard constraints.
        blocks: The prefix: every variable once.
        name: What it is called.

    Raises:
        UsageError: The prefix is not one of this network.
    """

    network: Network
    blocks: tuple[Block, ...]
    name: str = "network"

    def __post_init__(self) -> None:
        order = [var for block in self.blocks for var in block.vars]
        if sorted(order) != list(range(self.network.num_vars)):
            names = self.network.names
            missing = [name for var, name in enumerate(names) if var not in order]
            twice = sorted({var for var in order if order.count(var) > 1})
            wrong = [names[var] if 0 <= var < len(names) else f"number {var}" for var in twice]
            found = f"without: {' '.join(missing) or 'none'}; twice: {' '.join(wrong) or 'none'}"
            raise UsageError(f"expected a prefix with each of the {len(names)} variables once, found one {found}")
        if not order:
            raise UsageError("expected at least one variable, found none")
        if self.network.utilities:
            raise UsageError("expected hard constraints alone, found utilities: they mean nothing here")

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The variable of each turn."""
        return tuple(var for block in self.blocks for var in block.vars)

    @cached_property
    def turn_of_var(self) -> tuple[int, ...]:
        """The turn of each variable."""
        return tuple(sorted(range(len(self.order)), key=self.order.__getitem__))

    @cached_property
    def is_universal(self) -> tuple[bool, ...]:
        """Whether the universal side has each turn."""
        return tuple(block.is_universal for block in self.blocks for _ in block.vars)

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """The values of the variable of each turn."""
        return tuple(self.network.domains[var] for var in self.order)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of the variable of each turn."""
        return tuple(self.network.names[var] for var in self.order)

    @property
    def num_turns(self) -> int:
        return len(self.order)

    def value(self, turn: int, place: int) -> Value:
        """Return a value of the variable of a turn."""
        return self.domains[turn][place]

    def is_solution(self, places: Sequence[int]) -> bool:
        """Tell whether all constraints hold, given the place of the value of every turn."""
        by_var = [places[turn] for turn in self.turn_of_var]
        return all(holds(self.network, constraint, by_var) for constraint in self.network.constraints)

    def __str__(self) -> str:
        parts = [
            f"{'∀' if is_universal else '∃'}{' '.join(names)}"
            for is_universal, names in (
                (key, [name for _, name in group])
                for key, group in groupby(zip(self.is_universal, self.names, strict=True), lambda pair: pair[0])
            )
        ]
        shown = " ".join(parts if len(parts) <= 8 else [*parts[:4], "…", *parts[-2:]])
        number = self.network.num_constraints
        return f"{shown}, {number} constraint{'' if number == 1 else 's'}"


def blocks_of(is_universal: Iterable[bool]) -> tuple[Block, ...]:
    """Return the prefix in which the variables get their values in the order of their numbers.

    >>> blocks_of([False, True, True])
    (Block(is_universal=False, vars=(0,)), Block(is_universal=True, vars=(1, 2)))
    """
    return tuple(
        Block(key, tuple(var for var, _ in group))
        for key, group in groupby(enumerate(is_universal), lambda pair: pair[1])
    )

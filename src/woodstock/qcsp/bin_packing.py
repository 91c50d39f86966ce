"""Online bin packing against an adversary (Stynes & Brown, CP 2009): items arrive one after the other.

For each item the adversary says how large it is, then it is put into a bin, before the next one is known. It is won if
no bin ever holds more than fits. The load of each bin after each item is a variable as well: it follows from the
others, and tables of four variables say how.

>>> print(bin_packing(BinPacking(num_items=2, num_bins=2, capacity=3, sizes=(1, 2, 3))))
∀size1 ∃bin1 load1_1 load2_1 ∀size2 ∃bin2 load1_2 load2_2, 4 constraints
"""

from __future__ import annotations

from dataclasses import dataclass

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Table
from woodstock.cp.network import Network
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of


@dataclass(frozen=True, slots=True)
class BinPacking:
    """Of a game of bin packing.

    Attributes:
        num_items: How many items arrive.
        num_bins: How many bins there are.
        capacity: What fits into a bin.
        sizes: What the adversary may choose from.
    """

    num_items: int = 4
    num_bins: int = 3
    capacity: int = 10
    sizes: tuple[int, ...] = (2, 3, 5)

    def __post_init__(self) -> None:
        if min(self.num_items, self.num_bins, self.capacity) < 1 or self.capacity > 61 or self.num_bins > 62:
            found = f"{self.num_items} items, {self.num_bins} bins of {self.capacity}"
            raise UsageError(f"expected at least one item, 1 to 62 bins and a capacity from 1 to 61, found {found}")
        if not self.sizes or min(self.sizes) < 0 or len(set(self.sizes)) != len(self.sizes):
            raise UsageError(f"expected different sizes that are not negative, found {self.sizes}")


def bin_packing(game: BinPacking) -> QuantifiedNetwork:
    """Return a game of bin packing as a network."""
    network = Network()
    universal: list[bool] = []
    before: list[int | None] = [None] * game.num_bins
    for item in range(1, game.num_items + 1):
        size = network.add_var(f"size{item}", sorted(game.sizes))
        bin_var = network.add_var(f"bin{item}", range(1, game.num_bins + 1))
        loads = network.add_vars([f"load{number}_{item}" for number in range(1, game.num_bins + 1)], _loads(game))
        universal += [True, False, *([False] * game.num_bins)]
        for place, load in enumerate(loads):
            network.add(_load_table(game, (before[place], size, bin_var, load), place))
        before = list(loads)
    name = f"bin-packing-{game.num_items}-{game.num_bins}-{game.capacity}"
    return QuantifiedNetwork(network, blocks_of(universal), name)


def _loads(game: BinPacking) -> range:
    return range(game.capacity + 1)


def _load_table(game: BinPacking, scope: tuple[int | None, int, int, int], place: int) -> Table:
    """Return what the load of a bin is after an item: more by its size if it was put there."""
    before, size, bin_var, load = scope
    rows = [
        (old, number, chosen, old + (added if chosen == place else 0))
        for old in (_loads(game) if before is not None else (0,))
        for number, added in enumerate(sorted(game.sizes))
        for chosen in range(game.num_bins)
        if old + (added if chosen == place else 0) <= game.capacity
    ]
    if before is None:
        return Table((size, bin_var, load), [row[1:] for row in rows])
    return Table((before, size, bin_var, load), rows)

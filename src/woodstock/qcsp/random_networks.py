"""Random quantified networks, as in Baba et al. (IJCAI 2011, §4) after Gent, Nightingale & Stergiou (IJCAI 2005).

The quantifiers alternate. A fraction `p` of the pairs of variables that may have a constraint get one: two existential
variables, or a universal one and a later existential one (all others could be removed beforehand). Of the d² pairs of
values of two existential variables a fraction `p_ee` is *forbidden*. Between a universal variable and an existential
one a random bijection is drawn, and a fraction `p_ue` of its d pairs is forbidden: so a value of the universal variable
takes at most one value away from the other, and large networks are not all false from the start (the flaw that Gent et
al. found). Numbers are rounded down. With the existential side first, this reading gives about the shares of true
networks that the paper reports.

>>> network = random_network(Parameters(num_turns=6, num_values=4), seed=7)
>>> print(network)
∃x0 ∀x1 ∃x2 ∀x3 ∃x4 ∀x5, 1 constraint
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from random import Random

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Table
from woodstock.cp.network import Network
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of


@dataclass(frozen=True, slots=True)
class Parameters:
    """Of a random network.

    Attributes:
        num_turns: Number of variables, n.
        num_values: Number of values of each, d.
        p: Fraction of the possible pairs of variables that have a constraint.
        p_ee: Fraction of the pairs of values that such a constraint of two existential variables forbids.
        p_ue: Fraction of a bijection that one of a universal and a later existential variable forbids.
        universal_first: Whether the universal side begins.
    """

    num_turns: int = 20
    num_values: int = 8
    p: float = 0.2
    p_ee: float = 0.65
    p_ue: float = 0.5
    universal_first: bool = False

    def __post_init__(self) -> None:
        if self.num_turns < 1 or not 1 <= self.num_values <= 62:
            found = f"{self.num_turns} variables of {self.num_values} values"
            raise UsageError(f"expected at least one variable, of 1 to 62 values, found {found}")
        for name in ("p", "p_ee", "p_ue"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"expected a fraction from 0 to 1 for {name}, found {getattr(self, name)}")


def random_network(parameters: Parameters, seed: int = 0) -> QuantifiedNetwork:
    """Return the network that parameters and a seed stand for."""
    key = " ".join(f"{value:g}" for value in asdict(parameters).values())
    random = Random(f"quantified {key} {seed}")
    size = parameters.num_values
    universal = [(turn % 2 == 0) == parameters.universal_first for turn in range(parameters.num_turns)]
    network = Network()
    network.add_vars([f"x{turn}" for turn in range(parameters.num_turns)], range(size))
    possible = [
        (first, second)
        for first in range(parameters.num_turns)
        for second in range(first + 1, parameters.num_turns)
        if not universal[second]
    ]
    num_ee, num_ue = _share(parameters.p_ee, size * size), _share(parameters.p_ue, size)
    for scope in sorted(random.sample(possible, _share(parameters.p, len(possible)))):
        if universal[scope[0]]:
            partners = random.sample(range(size), size)
            forbidden = np.array([(place, partners[place]) for place in random.sample(range(size), num_ue)], np.int32)
        else:
            cells = np.array(random.sample(range(size * size), num_ee), np.int32)
            forbidden = np.stack([cells // size, cells % size], axis=1)
        network.add(Table(scope, forbidden.reshape(-1, 2), is_allowed=False))
    return QuantifiedNetwork(network, blocks_of(universal), f"random-{seed}")


def _share(fraction: float, count: int) -> int:
    """Return a fraction of a number, rounded down; 0.3 of 10 is 3, whatever the computer makes of 0.3."""
    return math.floor(fraction * count + 1e-9)

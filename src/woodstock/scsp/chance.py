"""What decides a stochastic variable: conditional probability tables, with exact probabilities.

>>> die = unconditional(0, [Fraction(1, 2), Fraction(1, 2), 0])
>>> die.distribution(np.zeros(1, np.int32))
{0: Fraction(1, 2), 1: Fraction(1, 2)}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from woodstock.cp.constraints import Int32Array
from woodstock.cp.network import Network

Number = Fraction | float
"""A number that is meant exactly; see `as_fraction`."""

LARGEST_DENOMINATOR: Final = 10**6


def as_fraction(number: Number) -> Fraction:
    """Return a number as a fraction; a float stands for the nearest one whose denominator has at most six digits.

    So `0.29` is 29/100 and `1 / 3` is a third: two such fractions are never so near to each other that a float could
    stand for both.
    """
    if isinstance(number, float):
        return Fraction(number).limit_denominator(LARGEST_DENOMINATOR)
    return Fraction(number)


@dataclass(frozen=True, eq=False)
class ProbabilityTable:
    """The distribution of a stochastic variable for each combination of values of some variables before it.

    A combination that is not listed has no distribution: a policy never leads to it.

    Attributes:
        var: The stochastic variable.
        scope: Variables before it, each once.
        tuples: Places of values in their domains, all different, one row for each combination.
        probabilities: For each row, the probability of each value of the variable's domain.
    """

    var: int
    scope: tuple[int, ...]
    tuples: Sequence[Sequence[int]]
    probabilities: Sequence[Sequence[Number]]

    @cached_property
    def _rows(self) -> Mapping[tuple[int, ...], Mapping[int, Fraction]]:
        return {
            tuple(map(int, row)): {place: as_fraction(number) for place, number in enumerate(numbers) if number}
            for row, numbers in zip(self.tuples, self.probabilities, strict=True)
        }

    def distribution(self, places: Int32Array) -> Mapping[int, Fraction]:
        """Return the probability of each place that may be drawn, and nothing if there is no distribution.

        Args:
            places: The place of each variable's value, shape (num_vars,), int32; only those of the scope matter.
        """
        return self._rows.get(tuple(places[list(self.scope)].tolist()), {})

    def problems(self, network: Network) -> list[str]:
        """Return what is wrong with the table, in words."""
        name = network.names[self.var]
        size_of_var = len(network.domains[self.var])
        found = []
        if len(self.tuples) != len(self.probabilities):
            found.append(f"the table of {name} has {len(self.tuples)} tuples but {len(self.probabilities)} rows")
            return found
        sizes = [len(network.domains[var]) for var in self.scope]
        for row, numbers in zip(self.tuples, self.probabilities, strict=True):
            if len(row) != len(sizes) or not all(0 <= place < size for place, size in zip(row, sizes, strict=True)):
                found.append(f"expected a tuple of places below {sizes} in the table of {name}, found {tuple(row)}")
            fractions = [as_fraction(number) for number in numbers]
            if len(fractions) != size_of_var or min(fractions, default=Fraction(0)) < 0 or sum(fractions) != 1:
                shown = ", ".join(map(str, fractions))
                found.append(f"expected {size_of_var} probabilities of {name} with the sum 1, found {shown}")
        if len(self._rows) != len(self.tuples):
            found.append(f"the table of {name} has a tuple twice")
        return found


@dataclass(frozen=True, eq=False)
class UniformTable:
    """A stochastic variable of which some values are possible, all of them equally likely.

    What makes a value possible is a literal; so the table needs no row for each combination of these. If none of them
    holds there is no distribution: a policy never leads to this.

    Attributes:
        var: The stochastic variable.
        vars: For each value of its domain, the variable of its literal.
        places: For each value, the place of that variable's value that the literal is about.
        holds: For each value, whether that variable has to have the place, or has to have another one.
    """

    var: int
    vars: tuple[int, ...]
    places: tuple[int, ...]
    holds: tuple[bool, ...]

    @cached_property
    def scope(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self.vars))

    @cached_property
    def _arrays(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        return np.array(self.vars, np.int32), np.array(self.places, np.int32), np.array(self.holds, np.int32)

    def distribution(self, places: Int32Array) -> Mapping[int, Fraction]:
        """Return the probability of each place that may be drawn; see `ProbabilityTable`."""
        conditions, wanted, holds = self._arrays
        possible: list[int] = np.flatnonzero((places[conditions] == wanted) == holds).tolist()
        return {place: Fraction(1, len(possible)) for place in possible}

    def problems(self, network: Network) -> list[str]:
        """Return what is wrong with the table, in words."""
        size = len(network.domains[self.var])
        lengths = {len(self.vars), len(self.places), len(self.holds)}
        if lengths == {size}:
            return []
        return [f"expected a literal for each of the {size} values of {network.names[self.var]}, found {lengths}"]


ChanceTable = ProbabilityTable | UniformTable
"""A conditional probability table."""


def unconditional(var: int, probabilities: Sequence[Number]) -> ProbabilityTable:
    """Return the table of a variable that depends on nothing."""
    return ProbabilityTable(var, (), [()], [probabilities])


def uniform(network: Network, var: int, literals: Sequence[int] | None = None) -> ChanceTable:
    """Return the table of a variable whose values are equally likely, as far as they are possible.

    Args:
        network: The network of the variable.
        var: The variable.
        literals: For each value the literal that makes it possible; None if all values always are.
    """
    if literals is None:
        size = len(network.domains[var])
        return unconditional(var, [Fraction(1, size)] * size)
    choices = [literal >> 1 for literal in literals]
    conditions = [network.var_of_choice(choice) for choice in choices]
    places = [choice - network.first_choices[var] for choice, var in zip(choices, conditions, strict=True)]
    return UniformTable(var, tuple(conditions), tuple(places), tuple(literal & 1 == 0 for literal in literals))

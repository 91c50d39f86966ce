"""Constraint networks: variables with finite domains, and constraints over them.

A *variable* has a number, a name and a finite domain of values, which may be anything: numbers, Booleans, terms. The
kernels know a value by its place in the domain alone. A *choice* is a variable with one of its values; choices are
numbered over all variables, so that those of one variable follow each other. A *literal* says that a choice is made
(`2 * choice`) or that it is not (`2 * choice + 1`). A Boolean variable has the domain (False, True); its own literal
is that of its second choice.

>>> network = Network()
>>> x, y = network.add_var("x", (1, 2, 3)), network.add_var("y", (1, 2, 3))
>>> network.add(Table((x, y), [(0, 1), (1, 2)]))
>>> network.num_vars, network.num_choices, network.num_constraints
(2, 6, 1)
>>> network.choice_name(network.choice(y, 3))
'y = 3'
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import (
    Channel,
    Clauses,
    Constraint,
    Founded,
    Gates,
    Linear,
    OneHot,
    Predicate,
    Table,
    Utility,
)

Value = Hashable
Domain = tuple[Value, ...]

BOOLEANS: Final[Domain] = (False, True)


@dataclass
class Network:
    """Variables, hard constraints and soft ones; grows by `add_var`, `add_vars` and `add`.

    Attributes:
        names: The name of each variable.
        domains: The values of each variable.
        first_choices: The number of each variable's first choice, and at the end the number of all choices.
        constraints: Hard constraints; an entry may hold many.
        utilities: Soft constraints.
    """

    names: list[str] = field(default_factory=list)
    domains: list[Domain] = field(default_factory=list)
    first_choices: list[int] = field(default_factory=lambda: [0])
    constraints: list[Constraint] = field(default_factory=list)
    utilities: list[Utility] = field(default_factory=list)

    @property
    def num_vars(self) -> int:
        return len(self.names)

    @property
    def num_choices(self) -> int:
        return self.first_choices[-1]

    @property
    def num_constraints(self) -> int:
        """Hard constraints, each clause and gate counted."""
        return sum(count_constraints(constraint) for constraint in self.constraints)

    def add_var(self, name: str, domain: Iterable[Value] = BOOLEANS) -> int:
        """Add a variable; return its number."""
        values = tuple(domain)
        if not values or len(set(values)) != len(values):
            raise UsageError(f"expected different values for {name}, at least one, found {values}")
        self.names.append(name)
        self.domains.append(values)
        self.first_choices.append(self.num_choices + len(values))
        return len(self.names) - 1

    def add_vars(self, names: Sequence[str], domain: Iterable[Value] = BOOLEANS) -> range:
        """Add variables with the same domain; return their numbers."""
        values = tuple(domain)
        first = self.num_vars
        if names:
            self.add_var(names[0], values)
            self.names.extend(names[1:])
            self.domains.extend([values] * (len(names) - 1))
            step = len(values)
            self.first_choices.extend(range(self.num_choices + step, self.num_choices + step * len(names), step))
        return range(first, self.num_vars)

    def add(self, *constraints: Constraint | Utility) -> None:
        """Add constraints."""
        for constraint in constraints:
            if isinstance(constraint, Utility):
                self.utilities.append(constraint)
            else:
                self.constraints.append(constraint)

    def choice(self, var: int, value: Value) -> int:
        """Return the number of a variable's choice of a value."""
        try:
            return self.first_choices[var] + self.domains[var].index(value)
        except ValueError:
            raise UsageError(f"{self.names[var]} has no value {value!r}; it has {self.domains[var]}") from None

    def literal(self, var: int, value: Value = True, *, holds: bool = True) -> int:
        """Return the literal that says that a variable has a value, or that it has not."""
        return 2 * self.choice(var, value) + (not holds)

    def var_of_choice(self, choice: int) -> int:
        """Return the variable of a choice."""
        return bisect_right(self.first_choices, choice) - 1

    def choice_name(self, choice: int) -> str:
        """Return a choice in words."""
        var = self.var_of_choice(choice)
        return f"{self.names[var]} = {self.domains[var][choice - self.first_choices[var]]}"

    def values(self, places: Sequence[int]) -> Mapping[str, Value]:
        """Return an assignment, given as the place of each variable's value in its domain, by names."""
        return {name: domain[place] for name, domain, place in zip(self.names, self.domains, places, strict=True)}


def count_constraints(constraint: Constraint) -> int:
    """Return how many constraints an entry of a network holds."""
    match constraint:
        case Clauses() | Gates():
            return len(constraint.start) - 1
        case Table() | OneHot() | Channel() | Linear() | Founded() | Predicate():
            return 1

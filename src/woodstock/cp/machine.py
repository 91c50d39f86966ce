"""The machine: runs the kernels on a compiled network, and gives them what they cannot get themselves.

Kernels return when they need more room, the answer of a predicate, or a choice that a plug-in makes. The machine sees
to it and lets them go on. Whether it is the time for what it is told to do is not its concern, but the solver's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.compiled import Compiled
from woodstock.cp.constraints import Int64Array
from woodstock.cp.engine import (
    ASK_PREDICATE,
    ASK_VALUES,
    ASK_VARIABLE,
    CONSISTENT,
    FAILED,
    NO_ROOM,
    NONE,
    REFUSED,
    Pools,
    view,
)
from woodstock.cp.network import Network
from woodstock.cp.propagation import forget_answer
from woodstock.cp.registers import ASKED, BASE, CHOSEN, LEVEL, NUM_FRAMES, NUM_GIVEN, NUM_OPEN, NUM_SAVED
from woodstock.cp.search import POP, REMOVE, SETTLE, first_free, run

VariableChooser: TypeAlias = Callable[[], int]
ValueOrderer: TypeAlias = Callable[[int], Sequence[int]]

NO_NUMBERS = np.zeros(0, np.int64)
NO_ROWS = np.zeros((0, 0), np.int32)


class Machine:
    """A compiled network at a node.

    Attributes:
        network: The network.
        pools: All arrays.
        engine: The same, one by one.
        registers: The registers of the kernels; see `woodstock.cp.registers`.
        choose_variable: Plug-in for the order of variables, if there is one.
        order_values: Plug-in for the order of values, if there is one.
    """

    def __init__(self, network: Network, compiled: Compiled) -> None:
        self.network = network
        self._set_pools(compiled.pools)
        self.choose_variable: VariableChooser | None = None
        self.order_values: ValueOrderer | None = None
        self._predicates = compiled.predicates
        # Variables that are added to the network later are not known here.
        self._num_vars = network.num_vars
        self._first = tuple(network.first_choices)

    def _set_pools(self, pools: Pools) -> None:
        self.pools = pools
        self.engine = view(pools)
        self.registers = self.engine.domains.registers

    def domain(self, var: int) -> tuple[int, ...]:
        """Return the places of the values that are left of a variable."""
        first = self._first[var]
        choices = self.engine.domains.choices[first : first + int(self.engine.domains.size[var])].tolist()
        return tuple(choice - first for choice in sorted(choices))

    def is_open(self, var: int) -> bool:
        """Tell whether a variable is not assigned."""
        return bool(self.engine.domains.open_place[var] < self.registers[NUM_OPEN])

    def push(self) -> None:
        """Open a level."""
        registers, levels = self.registers, self.pools.levels
        level = int(registers[LEVEL])
        # A search opens a level for each variable at most, and never asks for room.
        if level + self._num_vars + 2 > len(levels):
            levels = np.concatenate([levels, np.zeros_like(levels)])
            self._set_pools(self.pools._replace(levels=levels))
        levels[level] = registers[:NUM_SAVED]
        registers[LEVEL] = level + 1

    def pop_to(self, level: int) -> None:
        """Close levels until so many are left."""
        self.registers[BASE] = level
        run(self.pools, POP, NO_NUMBERS, NO_NUMBERS, NO_ROWS)

    def settle(self, task: int, variables: Int64Array = NO_NUMBERS, places: Int64Array = NO_NUMBERS) -> bool:
        """Do a task that ends with a propagation; return whether all constraints may be satisfied."""
        self.registers[ASKED] = NONE
        outcome = run(self.pools, task, variables, places, NO_ROWS)
        while outcome != CONSISTENT and outcome != FAILED:
            if outcome == REFUSED:
                self._refuse(variables, places)
            self.serve(outcome)
            outcome = run(self.pools, SETTLE, NO_NUMBERS, NO_NUMBERS, NO_ROWS)
        return outcome == CONSISTENT

    def serve(self, outcome: int) -> None:
        """See to what a kernel needs before it can go on."""
        if outcome == NO_ROOM:
            undo = self.pools.undo
            self._set_pools(self.pools._replace(undo=np.concatenate([undo, np.zeros_like(undo)])))
        elif outcome == ASK_PREDICATE:
            self._ask_predicate(int(self.registers[ASKED]))
        elif outcome == ASK_VARIABLE:
            self._ask_variable()
        elif outcome == ASK_VALUES:
            self._ask_values(int(self.registers[CHOSEN]))

    def _ask_predicate(self, constraint: int) -> None:
        """Remove the values that a predicate refuses; all its variables but one are known."""
        predicate = self._predicates[constraint]
        domains = [self.domain(var) for var in predicate.scope]
        column = next((number for number, domain in enumerate(domains) if len(domain) > 1), 0)
        values = [self.network.domains[var][domain[0]] for var, domain in zip(predicate.scope, domains, strict=True)]
        var = predicate.scope[column]
        refused = []
        try:
            for place in domains[column]:
                values[column] = self.network.domains[var][place]
                if not predicate.holds(*values):
                    refused.append(place)
        except BaseException:
            forget_answer(self.engine, constraint)
            raise
        if refused:
            run(self.pools, REMOVE, np.full(len(refused), var, np.int64), np.array(refused, np.int64), NO_ROWS)

    def _ask_variable(self) -> None:
        """Let the plug-in choose a variable."""
        assert self.choose_variable is not None
        var = self.choose_variable()
        if not (0 <= var < self._num_vars and self.is_open(var)):
            raise UsageError(f"expected a variable that is open from the order of variables, found {var}")
        self.registers[CHOSEN] = var

    def _ask_values(self, var: int) -> None:
        """Let the plug-in order the values of a variable."""
        assert self.order_values is not None
        places = list(self.order_values(var))
        domain = self.domain(var)
        if sorted(places) != list(domain):
            name = self.network.names[var]
            raise UsageError(f"expected the places {domain} of {name} in some order from its order, found {places}")
        begin = first_free(self.engine.tree.frames, int(self.registers[NUM_FRAMES]))
        self.engine.tree.values[begin : begin + len(places)] = places
        self.registers[NUM_GIVEN] = len(places)

    def _refuse(self, variables: Int64Array, places: Int64Array) -> None:
        """Say which variable or place is none."""
        if variables.shape != places.shape:
            raise UsageError(f"expected as many places as variables, found {len(places)} and {len(variables)}")
        for var, place in zip(variables.tolist(), places.tolist(), strict=True):
            if not 0 <= var < self._num_vars:
                raise UsageError(f"expected a variable from 0 to {self._num_vars - 1}, found {var}")
            size = len(self.network.domains[var])
            if not 0 <= place < size:
                raise UsageError(f"expected a place from 0 to {size - 1} for {self.network.names[var]}, found {place}")

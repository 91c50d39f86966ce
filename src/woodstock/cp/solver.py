"""The solver: a compiled network at a node of a search, with a way back.

>>> from woodstock.cp.constraints import Table
>>> from woodstock.cp.network import Network
>>> network = Network()
>>> x, y = network.add_var("x", (1, 2, 3)), network.add_var("y", (1, 2, 3))
>>> network.add(Table((x, y), [(0, 1), (0, 2), (1, 2)]))
>>> solver = Solver(network)
>>> solver.domain(x), solver.domain(y)
((0, 1), (1, 2))
>>> solver.push()
>>> solver.assign(y, 1), solver.domain(x)
(True, (0,))
>>> solver.pop()
>>> solver.enumerate().places.tolist()
[[0, 1], [0, 2], [1, 2]]
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import UsageError
from woodstock.common.limits import Limits
from woodstock.cp.compiled import compile_network
from woodstock.cp.constraints import Int32Array, Int64Array
from woodstock.cp.enumeration import Request, Search
from woodstock.cp.machine import Machine
from woodstock.cp.network import Network
from woodstock.cp.orders import PLUG_IN, VALUE_CODES, VARIABLE_CODES, Strength, ValueOrder, VariableOrder
from woodstock.cp.registers import CASCADES, IS_FAILED, LEVEL, NUM_OPEN, RANDOM, VALUE_ORDER, VARIABLE_ORDER
from woodstock.cp.results import Best, Solutions, Statistics, Status
from woodstock.cp.search import ASSIGN, REMOVE, REVISE_ALL, REVISE_UNARY, SETTLE

__all__ = ["Best", "Solutions", "Solver", "Statistics", "Status", "Strength", "ValueOrder", "VariableOrder"]

NUMBERS_AT_ONCE: Final = 1 << 14
"""Size of the array that solutions are written to, unless a few are larger."""
ROWS_AT_ONCE: Final = 16

VariablePlugIn: TypeAlias = Callable[["Solver"], int]
"""Returns an open variable to branch on."""
ValuePlugIn: TypeAlias = Callable[["Solver", int], Sequence[int]]
"""Returns the places of the values that are left of a variable, in the order in which they are to be tried."""
Numbers: TypeAlias = Sequence[int] | npt.NDArray[np.integer]


class Solver:
    """A network with its domains, which propagation makes smaller and `pop` brings back.

    A solver that maintains arc consistency is always at a fixpoint, or failed. One that checks forward has revised each
    constraint once whenever a variable of it was assigned.
    """

    def __init__(
        self,
        network: Network,
        *,
        strength: Strength = Strength.MAC,
        variable_order: VariableOrder | VariablePlugIn = VariableOrder.DOM_WDEG,
        value_order: ValueOrder | ValuePlugIn = ValueOrder.FIRST,
        decisions: Sequence[int] | None = None,
        seed: int = 0,
    ) -> None:
        """Compile a network, and propagate.

        Args:
            network: The network; what is added to it later is not noticed.
            strength: What is done after an assignment.
            variable_order: Which variable to branch on.
            value_order: In which order to try its values.
            decisions: Variables to branch on before all others.
            seed: For values in random order; at least 0.
        """
        self.network = network
        self.strength = strength
        is_mac = strength is Strength.MAC
        first_vars = checked_vars(network, () if decisions is None else decisions, "decisions")
        compiled = compile_network(network, cascades=is_mac, decisions=first_vars)
        self._machine = Machine(network, compiled)
        self._num_players = compiled.num_players
        self._search: Search | None = None
        self._columns = np.arange(network.num_vars)
        num_rows = max(ROWS_AT_ONCE, NUMBERS_AT_ONCE // max(1, network.num_vars))
        self._rows = np.zeros((num_rows, network.num_vars), np.int32)
        self._set_orders(variable_order, value_order, seed)
        variables = self._machine.engine.domains.var_of[compiled.removed].astype(np.int64)
        places = compiled.removed - self._machine.engine.domains.first[variables]
        if self._machine.settle(REMOVE, variables, places):
            self._machine.settle(REVISE_ALL if is_mac else REVISE_UNARY)

    def _set_orders(
        self, variable_order: VariableOrder | VariablePlugIn, value_order: ValueOrder | ValuePlugIn, seed: int
    ) -> None:
        """Tell the machine about the orders."""
        registers = self._machine.registers
        if isinstance(variable_order, VariableOrder):
            registers[VARIABLE_ORDER] = VARIABLE_CODES[variable_order]
        else:
            registers[VARIABLE_ORDER] = PLUG_IN
            self._machine.choose_variable = lambda: variable_order(self)
        if isinstance(value_order, ValueOrder):
            registers[VALUE_ORDER] = VALUE_CODES[value_order]
        else:
            registers[VALUE_ORDER] = PLUG_IN
            self._machine.order_values = lambda var: value_order(self, var)
        registers[RANDOM] = 1 + seed % 2147483646

    # The node.

    @property
    def is_failed(self) -> bool:
        """Whether some constraint cannot be satisfied at this node."""
        return bool(self._machine.registers[IS_FAILED])

    @property
    def level(self) -> int:
        """How often one may go back."""
        return int(self._machine.registers[LEVEL])

    @property
    def open_vars(self) -> tuple[int, ...]:
        """The variables that are not assigned."""
        domains = self._machine.engine.domains
        return tuple(sorted(domains.open_vars[: int(domains.registers[NUM_OPEN])].tolist()))

    def is_open(self, var: int) -> bool:
        """Tell whether a variable is not assigned."""
        return self._machine.is_open(var)

    def domain(self, var: int) -> tuple[int, ...]:
        """Return the places of the values that are left of a variable."""
        return self._machine.domain(var)

    def domain_size(self, var: int) -> int:
        """Return how many values are left of a variable."""
        return int(self._machine.engine.domains.size[var])

    def weight(self, var: int) -> float:
        """Return what the constraints of a variable weigh; see `VariableOrder.DOM_WDEG`."""
        return float(self._machine.engine.agenda.weights[var])

    def push(self) -> None:
        """Open a level: `pop` leads back to here."""
        self._refuse_while_searching()
        self._machine.push()

    def pop(self) -> None:
        """Close the last level: everything is as it was when it was opened."""
        self._refuse_while_searching()
        level = int(self._machine.registers[LEVEL])
        if level == 0:
            raise UsageError("expected a push before this pop, found no open level")
        self._machine.pop_to(level - 1)

    def propagate(self) -> bool:
        """Revise constraints until nothing changes, whatever the strength; return whether all may be satisfied."""
        self._refuse_while_searching()
        if self.strength is Strength.MAC:
            # There is something left to do only if a predicate has raised an error.
            return self._machine.settle(SETTLE)
        registers = self._machine.registers
        registers[CASCADES] = 1
        try:
            return self._machine.settle(REVISE_ALL)
        finally:
            registers[CASCADES] = 0

    def assign(self, var: int, place: int) -> bool:
        """Assign a value to a variable, and propagate; return whether all constraints may be satisfied."""
        return self.fix((var,), (place,))

    def fix(self, variables: Numbers, places: Numbers) -> bool:
        """Assign values to variables, and propagate; return whether all constraints may be satisfied."""
        self._refuse_while_searching()
        return self._machine.settle(ASSIGN, _numbers(variables), _numbers(places))

    def remove(self, var: int, place: int) -> bool:
        """Remove a value of a variable, and propagate (MAC); return whether all constraints may be satisfied."""
        self._refuse_while_searching()
        return self._machine.settle(REMOVE, _numbers((var,)), _numbers((place,))) and self._machine.settle(SETTLE)

    # Search.

    def enumerate(
        self,
        limits: Limits | None = None,
        *,
        max_solutions: int | None = None,
        columns: Sequence[int] | None = None,
    ) -> Solutions:
        """Return the solutions below this node; afterwards the solver is at this node again.

        Args:
            limits: How many seconds it may take, how many nodes there may be, and how many bytes of solutions.
            max_solutions: How many solutions are enough.
            columns: The variables whose values are to be returned; None for all.
        """
        variables, rows = self._columns, self._rows
        if columns is not None:
            variables = checked_vars(self.network, columns, "columns").astype(np.int64)
            rows = np.zeros((max(ROWS_AT_ONCE, NUMBERS_AT_ONCE // max(1, len(columns))), len(columns)), np.int32)
        search = self._begin(Request(variables, rows, limits, max_solutions))
        try:
            found = [search.next_rows()]
            while not search.is_over:
                found.append(search.next_rows())
        finally:
            statistics = self._end(search)
        return Solutions(found[0] if len(found) == 1 else np.concatenate(found), search.status, statistics)

    def solutions(self, limits: Limits | None = None) -> Generator[Int32Array, None, None]:
        """Yield the solutions below this node as they are found; until it ends, the solver can only be looked at."""
        search = self._begin(Request(self._columns, self._rows[:1], limits))
        try:
            while not search.is_over:
                yield from search.next_rows()
        finally:
            self._end(search)

    def best(self, player: int, limits: Limits | None = None) -> Best:
        """Return a solution whose soft constraints give a player as much as possible, by branch and bound."""
        if not 0 <= player < self._num_players:
            raise UsageError(f"expected a player from 0 to {self._num_players - 1}, found {player}")
        # The best solution so far is the only row; another one is never written beside it.
        search = self._begin(Request(self._columns, self._rows[:2], limits, player=player))
        try:
            found = search.next_rows()
            utility = float(self._machine.engine.tree.bound[0])
        finally:
            statistics = self._end(search)
        if not len(found):
            return Best(None, None, search.status, statistics)
        return Best(found[0], utility, search.status, statistics)

    def _begin(self, request: Request) -> Search:
        self._refuse_while_searching()
        self._search = Search(self._machine, request)
        return self._search

    def _end(self, search: Search) -> Statistics:
        self._search = None
        return search.close()

    def _refuse_while_searching(self) -> None:
        if self._search is not None:
            raise UsageError("expected the end of the search that is under way: until then one can only look")


def _numbers(numbers: Numbers) -> Int64Array:
    """Return a copy that is like all others: for other types or other steps in memory the kernel is compiled anew."""
    array = np.array(numbers, np.int64)
    if array.ndim != 1:
        raise UsageError(f"expected a list of numbers, found an array of shape {array.shape}")
    return array


def checked_vars(network: Network, variables: Sequence[int], name: str) -> Int32Array:
    """Return different variables; refuse what is none."""
    array = np.array(variables, np.int64)
    wrong = array[(array < 0) | (array >= network.num_vars)]
    if len(wrong):
        raise UsageError(f"expected variables from 0 to {network.num_vars - 1} as {name}, found {wrong[0]}")
    if len(np.unique(array)) < len(array):
        raise UsageError(f"expected different variables as {name}, found {array.tolist()}")
    return array.astype(np.int32)

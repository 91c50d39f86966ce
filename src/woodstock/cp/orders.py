"""Orders: which variable a node of the search branches on, and in which order it tries its values."""

from __future__ import annotations

from enum import Enum
from typing import Final

from woodstock.common.jit import inner_kernel
from woodstock.cp.agenda import Agenda
from woodstock.cp.constraints import Int32Array, Int64Array
from woodstock.cp.domains import Domains
from woodstock.cp.engine import NONE, Tree
from woodstock.cp.registers import NUM_OPEN, RANDOM


class Strength(Enum):
    """What is done after each assignment.

    FC: Forward checking, nFC2 of Bessière, Meseguer, Freuder, Larrosa ("On forward checking for non-binary constraint
        satisfaction", CP 1999): each constraint of the assigned variable is revised once; what that removes wakes no
        other constraint, and a variable counts as assigned only by a decision.
    MAC: The consistency of the propagators is maintained: constraints are revised until nothing changes.
    """

    FC = "fc"
    MAC = "mac"


class VariableOrder(Enum):
    """Which open variable is next; ties go to the first one.

    STATIC: The first one.
    SMALLEST_DOMAIN: One with the fewest choices.
    DOM_WDEG: One with the fewest choices for the weight of its constraints, which is 1 for each, and 1 more whenever it
        fails (Boussemart, Hemery, Lecoutre, Sais: "Boosting systematic search by weighting constraints", ECAI 2004).
        Constraints whose other variables are all assigned count too, so that weights need no upkeep.
    """

    STATIC = "static"
    SMALLEST_DOMAIN = "smallest domain"
    DOM_WDEG = "dom/wdeg"


class ValueOrder(Enum):
    """In which order values are tried: as the domain has them, the other way round, or at random."""

    FIRST = "first"
    LAST = "last"
    RANDOM = "random"


# Codes of the orders, for kernels.
STATIC: Final = 0
SMALLEST_DOMAIN: Final = 1
DOM_WDEG: Final = 2
FIRST: Final = 0
LAST: Final = 1
RANDOM_VALUES: Final = 2
PLUG_IN: Final = 3
"""The order is a function in Python."""

VARIABLE_CODES: Final = {
    VariableOrder.STATIC: STATIC,
    VariableOrder.SMALLEST_DOMAIN: SMALLEST_DOMAIN,
    VariableOrder.DOM_WDEG: DOM_WDEG,
}
VALUE_CODES: Final = {ValueOrder.FIRST: FIRST, ValueOrder.LAST: LAST, ValueOrder.RANDOM: RANDOM_VALUES}


@inner_kernel
def choose_variable(domains: Domains, agenda: Agenda, tree: Tree, order: int) -> int:
    """Return the next variable: the best decision that is open, else the best of all that are open; there is one."""
    num_open = domains.registers[NUM_OPEN]
    best, least = NONE, 0.0
    for var in tree.decisions:
        if domains.open_place[var] < num_open:
            cost = _cost(domains, agenda, var, order)
            if best == NONE or cost < least:
                best, least = var, cost
                if order == STATIC:
                    break
    if best == NONE:
        for place in range(num_open):
            var = domains.open_vars[place]
            cost = _cost(domains, agenda, var, order)
            if best == NONE or cost < least or (cost == least and var < best):
                best, least = var, cost
    return best


@inner_kernel
def _cost(domains: Domains, agenda: Agenda, var: int, order: int) -> float:
    """Return what is to be as small as possible."""
    if order == STATIC:
        return 0.0
    if order == SMALLEST_DOMAIN:
        return float(domains.size[var])
    return float(domains.size[var] / agenda.weights[var])


@inner_kernel
def write_values(domains: Domains, values: Int32Array, begin: int, var: int, order: int) -> int:
    """Write the places of a variable's values in the order in which they are tried; return how many there are."""
    first, size = domains.first[var], domains.size[var]
    num_values = domains.first[var + 1] - first
    count = 0
    for place in range(num_values):
        if domains.truth[2 * (first + place) + 1] == 0:
            values[begin + (size - 1 - count if order == LAST else count)] = place
            count += 1
    if order == RANDOM_VALUES:
        for number in range(count - 1, 0, -1):
            other = begin + next_random(domains.registers) % (number + 1)
            values[begin + number], values[other] = values[other], values[begin + number]
    return count


@inner_kernel
def next_random(registers: Int64Array) -> int:
    """Return the next random number, from 1 to 2 ** 31 - 2 (Park and Miller, "Random number generators", 1988)."""
    registers[RANDOM] = registers[RANDOM] * 48271 % 2147483647
    return int(registers[RANDOM])

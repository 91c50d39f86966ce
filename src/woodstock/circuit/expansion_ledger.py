"""Ledgers of expansion: what is to be done with positions, in which order, and what is done already.

A pass works on positions of one phase, so positions are brought into an order by phase. Those that are like none that
can be reached come last: another wiring has their plan.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from woodstock.circuit.expansion_wiring import (
    ALWAYS,
    CARE,
    CHECKS,
    KEYS,
    MOVE_START,
    NUM_PLANS,
    NUM_ROLES,
    NUM_WORDS,
)
from woodstock.circuit.knowledge import obeys
from woodstock.circuit.network import BoolArray
from woodstock.circuit.packing import BITS
from woodstock.circuit.words import ALL, U0, U1, WordArray, count_bits
from woodstock.circuit.zobrist import find_keys
from woodstock.common.jit import jit

PHASE: Final = 0
ORDER: Final = 1
COUNT: Final = 2
START: Final = 3
STATE: Final = 4
NUM_ROWS: Final = 5
"""Rows of a ledger: the phase of each position; which position comes when; how many children each has; where they
begin, and after the last one their number; numbers for all of them together."""

PLACE: Final = 0
CHILD: Final = 1
NUM_OPEN: Final = 2
NUM_COMPLETE: Final = 3
NUM_STATES: Final = 4
"""Places in the last row: the place in the order, and the child, that are next; how many positions there is work for,
and how many of them get all their children."""

DONE: Final = 0
UNFINISHED: Final = 1
ELSEWHERE: Final = 2
"""What became of the work: all is done; there is more to do; what is left is for the plan of positions of no phase."""

KNOWS_KEYS: Final = 1
KNOWS_LEGAL: Final = 2
"""What is known of the positions beforehand."""

NO_PHASE: Final = np.uint64(255)
MANY: Final = np.uint64(1 << 40)
"""More children than anybody can keep."""
WINDOW: Final = np.uint64(1 << 14)
"""Positions that have so many children together are brought into an order; those that come later wait. So the first
positions are done if the time is over before the last."""


def new_ledger(num_positions: int) -> WordArray:
    """Return an empty ledger, shape (NUM_ROWS, at least num_positions + 1), uint64."""
    return np.empty((NUM_ROWS, max(num_positions + 1, NUM_STATES)), np.uint64)


@jit
def begin_ledger(wiring: WordArray, rows: WordArray, keys: WordArray, ledger: WordArray, knows: int) -> None:
    """Find the phases of positions, and their keys if not known; open all for a look if what is legal is not known.

    Args:
        wiring: The wiring of all phases.
        rows: Packed positions, shape (n, num_words), uint64.
        keys: Their Zobrist keys, shape (n,), uint64.
        ledger: See PHASE and those after it.
        knows: What is known: KNOWS_KEYS, KNOWS_LEGAL, or both.
    """
    num_positions, num_words = np.uint64(len(rows)), wiring[NUM_WORDS]
    for position in range(num_positions):
        found = NO_PHASE
        phase = U0
        while found == NO_PHASE and phase < wiring[NUM_PLANS]:
            care, always = wiring[CARE] + phase * num_words, wiring[ALWAYS] + phase * num_words
            number = U0
            while number < num_words and rows[position, number] & wiring[care + number] == wiring[always + number]:
                number += U1
            found = phase if number == num_words else NO_PHASE
            phase += U1
        is_known = found != NO_PHASE and obeys(wiring[wiring[CHECKS] :], rows[position])
        ledger[PHASE, position] = found if is_known else NO_PHASE
    if knows & KNOWS_KEYS == 0:
        find_keys(wiring[wiring[KEYS] :], rows, keys)
    if knows & KNOWS_LEGAL == 0:
        _sort_by_phase(wiring, ledger, U0, num_positions, U0)
        _sort_others(ledger, num_positions)
        for position in range(num_positions):
            ledger[COUNT, position] = U1
            ledger[START, position] = position
        ledger[STATE, PLACE] = U0
        ledger[STATE, CHILD] = U0
        ledger[STATE, NUM_OPEN] = num_positions


@jit
def count_children(wiring: WordArray, legal: WordArray, terminal: BoolArray, ledger: WordArray, capacity: int) -> int:
    """Count the children of positions, and open as many positions as there is room for.

    Args:
        wiring: The wiring of all phases.
        legal: Legal moves, packed, shape (n, num_move_words), uint64.
        terminal: Where the match is over, shape (n,), bool; shape (0,) if it is over nowhere.
        ledger: See PHASE and those after it.
        capacity: How many children there may be.

    Returns:
        The number of children to be made.
    """
    num_positions = np.uint64(len(legal))
    num_complete = U0
    total = U0
    ledger[START, 0] = U0
    for position in range(num_positions):
        is_over = len(terminal) > 0 and terminal[position]
        count = U0 if is_over else _count_joint_moves(wiring, legal, np.uint64(position))
        if total + count > np.uint64(capacity):
            break
        total += count
        ledger[COUNT, position] = count
        ledger[START, position + U1] = total
        num_complete += U1
    num_open = num_complete
    if num_complete == U0 and num_positions > U0:
        # There is no room for the first position alone: it gets its first children.
        num_open = U1
        total = np.uint64(capacity)
        ledger[COUNT, 0] = total
        ledger[START, 1] = total
    place = U0
    first = U0
    while first < num_open:
        end = first + U1
        while end < num_open and ledger[START, end + U1] - ledger[START, first] <= WINDOW:
            end += U1
        place = _sort_by_phase(wiring, ledger, first, end, place)
        first = end
    _sort_others(ledger, num_open)
    ledger[STATE, PLACE] = U0
    ledger[STATE, CHILD] = U0
    ledger[STATE, NUM_OPEN] = num_open
    ledger[STATE, NUM_COMPLETE] = num_complete
    return int(total)


@jit
def _sort_by_phase(
    wiring: WordArray, ledger: WordArray, first: np.uint64, end: np.uint64, place: np.uint64
) -> np.uint64:
    """Append some positions to the order, phase by phase; return the place after them."""
    for phase in range(wiring[NUM_PLANS]):
        for position in range(first, end):
            if ledger[PHASE, position] == phase:
                ledger[ORDER, place] = position
                place += U1
    return place


@jit
def _sort_others(ledger: WordArray, end: np.uint64) -> None:
    """Put the positions of no phase at the end of the order."""
    place = end
    for number in range(end):
        position = end - U1 - number
        if ledger[PHASE, position] == NO_PHASE:
            place -= U1
            ledger[ORDER, place] = position


@jit
def _count_joint_moves(wiring: WordArray, legal: WordArray, position: np.uint64) -> np.uint64:
    """Return the number of joint moves in a position; more than MANY count as that."""
    product = U1
    for role in range(wiring[NUM_ROLES]):
        start, end = wiring[wiring[MOVE_START] + role], wiring[wiring[MOVE_START] + role + U1]
        count = U0
        if start < end:
            for number in range(start // BITS, (end - U1) // BITS + U1):
                word = legal[position, number]
                first = number * BITS
                if first < start:
                    word &= ALL << (start - first)
                if first + BITS > end:
                    word &= ALL >> (first + BITS - end)
                count += count_bits(word)
        product = min(product * count, MANY)
    return product


def what_is_done(ledger: WordArray) -> tuple[int, int]:
    """Return how many positions, beginning with the first, have all their children, and the number of these.

    If the first one has not, those of its children are counted that it has.
    """
    place, num_complete = ledger.item(STATE, PLACE), ledger.item(STATE, NUM_COMPLETE)
    is_done = np.zeros(num_complete + 1, np.bool_)
    done = ledger[ORDER, :place]
    is_done[done[done < num_complete]] = True
    num_expanded = int(is_done.argmin())
    if num_expanded > 0:
        return num_expanded, ledger.item(START, num_expanded)
    return 0, ledger.item(STATE, CHILD) if ledger.item(ORDER, place) == 0 else 0

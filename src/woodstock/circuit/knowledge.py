"""What is known about the positions that can be reached, and the check that a position is like them.

Fluents that exclude each other make some atoms impossible: those that ask for two moves of which one is legal, say.
Such atoms need no gates. A position that breaks an exclusion is evaluated by a plan that was made without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from woodstock.circuit.network import BoolArray
from woodstock.circuit.packing import num_words
from woodstock.circuit.words import U0, U1, WordArray
from woodstock.common.jit import jit
from woodstock.ground.exclusion import prove_exclusions
from woodstock.ground.invariants import FluentGroup
from woodstock.ground.program import GroundProgram

WORK_PER_LITERAL: Final = 350
MOST_WORK: Final = 8_000_000
"""What a proof may cost, see `prove_exclusions`: some hundredths of a second."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What holds in all positions that can be reached.

    Attributes:
        groups: Fluents that exclude each other.
        impossible: Whether each atom never holds after legal moves in positions that obey the groups, shape
            (num_atoms,), bool.
        checks: The groups for `obeys`: how many there are; then for each twice the number of its words, plus 1 if one
            fluent has to hold, and its words, each with its number and the bits of the group, uint64.
    """

    groups: tuple[FluentGroup, ...]
    impossible: BoolArray
    checks: WordArray


def find_knowledge(program: GroundProgram, *, keeps_all: bool = False) -> Knowledge:
    """Return what is known; if it makes no atom impossible it is of little use, and is only kept if that is wanted."""
    groups: tuple[FluentGroup, ...] = ()
    impossible = np.zeros(program.num_atoms, np.bool_)
    if (np.diff(program.move_start) > 1).sum() > 1:  # of two who take turns, both never choose at once
        work = min(WORK_PER_LITERAL * len(program.body_data), MOST_WORK)
        found = prove_exclusions(program, work, with_latches=False)
        impossible = found.impossible
        groups = found.groups if keeps_all or impossible.any() else ()
    return Knowledge(groups, impossible, _make_checks(groups, program.num_fluents))


def _make_checks(groups: tuple[FluentGroup, ...], num_fluents: int) -> WordArray:
    checks = [len(groups)]
    for group in groups:
        masks = [0] * num_words(num_fluents)
        for fluent in group.fluents:
            masks[fluent >> 6] |= 1 << (fluent & 63)
        used = [(number, mask) for number, mask in enumerate(masks) if mask]
        checks.append(2 * len(used) + group.exactly_one)
        checks += [entry for pair in used for entry in pair]
    return np.array(checks, np.uint64)


@jit
def obeys(checks: WordArray, row: WordArray) -> bool:
    """Tell whether a packed position obeys all groups.

    Args:
        checks: See `Knowledge.checks`; there may be more behind them.
        row: A packed position, shape (num_words,), uint64.
    """
    place = U1
    for _ in range(checks[0]):
        end = place + U1 + (checks[place] & ~U1)
        must = checks[place] & U1
        place += U1
        seen = U0
        while place < end:
            bits = row[checks[place]] & checks[place + U1]
            # More than one bit, or one where there was one before.
            if bits & (bits - U1 if bits != U0 else U0) != U0 or (bits != U0 and seen != U0):
                return False
            seen |= bits
            place += U1 + U1
        if must != U0 and seen == U0:
            return False
    return True

"""Circuits: a game compiled for evaluation in lanes.

A circuit has one *plan* for positions of any kind, and, if the game has a clock, one for each of its phases, which is
smaller. A plan is a network with a schedule of three cones: what depends on the position, what comes next, the goals.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from woodstock.circuit.builder import Groups
from woodstock.circuit.clock import Clock, find_clock
from woodstock.circuit.knowledge import Knowledge, find_knowledge, obeys
from woodstock.circuit.network import FALSE, TRUE, Int32Array, Int64Array, Network
from woodstock.circuit.packing import pack
from woodstock.circuit.reach import find_reach
from woodstock.circuit.schedule import Schedule, schedule
from woodstock.circuit.sharing import share
from woodstock.circuit.specialise import specialise, without_fixed
from woodstock.circuit.translate import make_groups, translate
from woodstock.circuit.words import U0, WordArray
from woodstock.common.jit import jit
from woodstock.ground.program import GroundProgram

POSITION: Final = 0
NEXT: Final = 1
GOALS: Final = 2
NUM_CONES: Final = 3
"""The cones of a schedule."""

NO_PHASE: Final = -1


@dataclass(frozen=True, eq=False)
class Plan:
    """A network that is right in some positions, and its schedule.

    Attributes:
        network: The network.
        schedule: How it is evaluated: cones POSITION, NEXT and GOALS.
        candidates: For each role the moves, counted over all roles, that can be legal, int64.
    """

    network: Network
    schedule: Schedule
    candidates: tuple[Int64Array, ...]


@dataclass(frozen=True, eq=False)
class Draft:
    """A network that is right in some positions, before it is made ready for evaluation.

    Attributes:
        network: The network; moves that are never legal and moves of roles without a choice are fixed in it.
        groups: Inputs that are not fixed and exclude each other.
        candidates: See `Plan`.
    """

    network: Network
    groups: Groups
    candidates: tuple[Int64Array, ...]


class Circuit:
    """A game compiled for evaluation in lanes.

    Attributes:
        program: The ground program.
        knowledge: What is known about the positions that can be reached.
        network: The network for any position that can be reached.
        clock: What tells the phases apart; None if there is one phase only.
        seconds: How long it took to compile, by the processor's clock.
    """

    def __init__(self, program: GroundProgram, report: Callable[[], None] | None = None) -> None:
        """Compile a game.

        Args:
            program: The ground program.
            report: Called whenever a part is done: what is known, the network, what can be reached, each phase.
        """
        began = time.process_time()
        report = report or _say_nothing
        self.program = program
        self.knowledge = find_knowledge(program)
        report()
        groups = self.knowledge.groups
        self.network = translate(program, groups, assume_legal=True, impossible=self.knowledge.impossible)
        self._groups = make_groups(program, groups)
        report()
        self.clock: Clock | None = find_clock(self.network, program.initial)
        self.num_phases = 1 if self.clock is None else self.clock.num_phases
        self.reach = find_reach(self.network, program.initial, self.num_phases)
        report()
        phases = []
        for phase in range(self.num_phases):
            phases.append(make_plan(self.draft_phase(phase, self._groups)))
            report()
        self.phases = tuple(phases)
        self.seconds = time.process_time() - began

    @property
    def num_gates(self) -> int:
        """Gates that a step evaluates, on average over the phases."""
        return sum(plan.schedule.num_gates for plan in self.phases) // len(self.phases)

    @cached_property
    def num_edges(self) -> int:
        """Values that the gates of a step read, on average over the phases."""
        return sum(plan.schedule.num_edges for plan in self.phases) // len(self.phases)

    @cached_property
    def general(self) -> Plan:
        """The plan for any position at all."""
        network = translate(self.program, assume_legal=True)
        fixed = 2 * np.arange(network.num_inputs, dtype=np.int32)
        return make_plan(self._make_draft(network, make_groups(self.program, ()), fixed))

    def draft_phase(self, phase: int, groups: Groups) -> Draft:
        """Return the draft for one phase of the clock.

        Args:
            phase: The phase.
            groups: Inputs that exclude each other, the moves of each role among them.
        """
        fixed = 2 * np.arange(self.network.num_inputs, dtype=np.int32)
        fluents = fixed[1 : 1 + self.network.num_fluents]
        fluents[~self.reach.can_hold[phase]] = FALSE
        fluents[~self.reach.can_fail[phase]] = TRUE
        return self._make_draft(self.network, groups, fixed)

    def _make_draft(self, network: Network, groups: Groups, fixed: Int32Array) -> Draft:
        """Return a draft for positions where some inputs are fixed; see `specialise`."""
        network = specialise(network, groups, fixed)
        fixed = fixed.copy()
        first_move = 1 + self.program.num_fluents
        candidates = []
        for start, end in pairwise(self.program.move_start):
            possible = start + np.flatnonzero(network.legal[start:end] != FALSE)
            fixed[first_move + start : first_move + end][network.legal[start:end] == FALSE] = FALSE
            if len(possible) == 1:
                # Who has no choice makes that move; a role that has none at all stops the match before.
                fixed[first_move + possible[0]] = TRUE
            candidates.append(possible)
        return Draft(specialise(network, groups, fixed), without_fixed(groups, fixed), tuple(candidates))

    def with_phases(self, phases: Sequence[Plan], knowledge: Knowledge) -> Circuit:
        """Return this circuit with other plans, which are right in positions that obey some knowledge."""
        other = copy.copy(self)
        other.phases = tuple(phases)
        other.knowledge = knowledge
        vars(other).pop("num_edges", None)
        return other

    def phases_of(self, rows: WordArray) -> Int64Array:
        """Return the phase of each packed position, NO_PHASE where it is like no position that can be reached.

        Args:
            rows: Packed positions, shape (n, num_words), uint64.
        """
        never, always = self._masks
        return _find_phases(rows, never, always, self.knowledge.checks)

    @cached_property
    def _masks(self) -> tuple[WordArray, WordArray]:
        """For each phase, packed, the fluents that never hold and those that always do."""
        return pack(~self.reach.can_hold), pack(~self.reach.can_fail)


def make_plan(draft: Draft) -> Plan:
    """Return a draft made ready for evaluation."""
    network = share(draft.network, draft.groups)
    position = np.append(network.legal, np.int32(network.terminal))
    ordered = schedule(network, [position, network.next, network.goals], [POSITION, GOALS, GOALS])
    return Plan(network, ordered, draft.candidates)


@jit
def _find_phases(rows: WordArray, never: WordArray, always: WordArray, checks: WordArray) -> Int64Array:
    """Return the first phase that each position fits, or NO_PHASE."""
    found = np.empty(len(rows), np.int64)
    for number in range(len(rows)):
        found[number] = NO_PHASE
        for phase in range(len(never)):
            odd = U0
            for word in range(rows.shape[1]):
                odd |= (rows[number, word] & never[phase, word]) | (~rows[number, word] & always[phase, word])
            if odd == U0:
                if obeys(checks, rows[number]):
                    found[number] = phase
                break
    return found


def _say_nothing() -> None:
    pass

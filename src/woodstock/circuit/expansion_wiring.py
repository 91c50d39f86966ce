"""Wirings for expansion: the plans of a circuit in one array.

A call from Python into a kernel that hands over dozens of arrays takes longer than a pass over a small circuit. So all
that stays the same goes into one array: first the sizes, then where each section begins, then the sections. Each plan
has two schedules: one for the *step*, what comes next, and one for the *look* at a position, what is legal, whether the
match is over, and the goals. A step needs no look at the same position: what is legal there is known already.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.circuit.circuit import Circuit, Plan
from woodstock.circuit.evaluate import UInt32Array, tables
from woodstock.circuit.network import FALSE, Int32Array
from woodstock.circuit.packing import num_words, pack
from woodstock.circuit.schedule import Schedule, schedule
from woodstock.circuit.words import ALL, WordArray, aligned
from woodstock.circuit.zobrist import make_keys
from woodstock.gdl.keywords import goal_number
from woodstock.ground.program import GroundProgram

NUM_FLUENTS: Final = 0
NUM_WORDS: Final = 1
NUM_MOVES: Final = 2
NUM_MOVE_WORDS: Final = 3
NUM_ROLES: Final = 4
NUM_GOALS: Final = 5
NUM_PLANS: Final = 6
IS_GENERAL: Final = 7
NUM_SIZES: Final = 8
"""Sizes, the first numbers of a wiring. IS_GENERAL is 1 for the plan of positions of no phase."""

CONES: Final = 8
"""For each plan five numbers: where in the programs that of the step begins, the number of its segments, where that of
the look begins, the end of the segments for what is legal, and of those for the goals."""
NEXT_PLAN: Final = 9
"""For each plan that of the successors."""
CARE: Final = 10
ALWAYS: Final = 11
"""For each plan, packed, the fluents that hold always or never, bits that belong to none among them, and those that
hold always."""
MOVE_START: Final = 12
"""The first move of each role, and the number of moves."""
IS_READ: Final = 13
"""For each plan and role, whether the step depends on the moves of the role."""
NEXT: Final = 14
"""For each plan what each fluent becomes: a literal with the place of a node's words instead of the node."""
LEGAL: Final = 15
"""For each plan the literal of each move."""
VARIES: Final = 16
"""For each plan and 64 moves, whether one of them is legal only sometimes."""
CONSTANTS: Final = 17
"""For each plan, packed, the moves that can be legal: where VARIES is 0 they always are."""
TERMINAL: Final = 18
"""For each plan the literal of the end of the match."""
GOALS: Final = 19
"""For each plan the literal of each goal entry; the entries are sorted by role."""
GOAL_START: Final = 20
"""The first goal entry of each role, and their number."""
GOAL_CODE: Final = 21
"""What each goal entry counts, see ONE_GOAL."""
KEYS: Final = 22
"""The Zobrist numbers of the fluents."""
CHECKS: Final = 23
"""What positions of a phase obey, see `Knowledge`."""
NUM_HEADERS: Final = 24

ONE_GOAL: Final = np.uint64(256)
TWO_GOALS: Final = np.uint64(512)
"""A goal entry counts as 256 plus its value, or 512 if that is no number: a sum from 256 to 511 is one goal."""

STEP_VALUES: Final = 0
LOOK_VALUES: Final = 1
BLOCK: Final = 2
LANE_FROM: Final = 3
LANE_TO: Final = 4
SUMS: Final = 5
LANES: Final = 6
LEGAL_MOVES: Final = 7
ROLE_START: Final = 8
NUM_SPACES: Final = 9
"""Sections of a space, where they begin stands first: the words of all slots for the step, and for the look; of each
lane a word that is transposed, where the row of its position begins, its row in the results, a sum of goals; words that
are taken apart; the legal moves of a position, and where those of each role begin."""

LINE: Final = 8
"""Words of a cache line. A vector that lies across two lines takes twice as long, so sections begin at a line."""


def make_wiring(circuit: Circuit, width: int, *, is_general: bool) -> tuple[UInt32Array, WordArray, list[int]]:
    """Return the plans of all phases, or that for positions of no phase, for words of a width.

    Returns:
        The programs of all schedules, the wiring, and the sizes of the sections of its space.
    """
    plans = (circuit.general,) if is_general else circuit.phases
    steps = [schedule(plan.network, [plan.network.next]) for plan in plans]
    looks = [schedule(plan.network, [_position(plan), plan.network.goals]) for plan in plans]
    programs = [tables(each, width).program for pair in zip(steps, looks, strict=True) for each in pair]
    starts = np.cumsum([0, *map(len, programs)]).tolist()
    cones = [
        (starts[2 * number], step.cone_segment[1], starts[2 * number + 1], *look.cone_segment[1:])
        for number, (step, look) in enumerate(zip(steps, looks, strict=True))
    ]
    clock = None if is_general else circuit.clock
    program = circuit.program
    goals = np.argsort(program.goals.roles, kind="stable")
    sections: list[npt.ArrayLike] = [
        cones,
        np.zeros(1) if clock is None else clock.next_phase,
        pack(~(circuit.reach.can_hold & circuit.reach.can_fail)) | _spare_bits(program.num_fluents),
        pack(~circuit.reach.can_fail),
        program.move_start,
        [[len(moves) > 1 for moves in plan.candidates] for plan in plans],
        _places(steps, [plan.network.next for plan in plans], width),
        _places(looks, [plan.network.legal for plan in plans], width),
        [[(part > FALSE).any() for part in _blocks(plan.network.legal)] for plan in plans],
        pack(np.array([plan.network.legal != FALSE for plan in plans])),
        _places(looks, [_position(plan)[-1:] for plan in plans], width),
        _places(looks, [plan.network.goals[goals] for plan in plans], width),
        np.searchsorted(program.goals.roles[goals], np.arange(len(program.roles) + 1)),
        [_goal_code(goal_number(program.goals.terms[entry])) for entry in goals],
        make_keys(program.num_fluents),
        circuit.knowledge.checks,
    ]
    # Whole blocks of 64 fluents are loaded: the last may reach beyond the inputs.
    least = 1 + 64 * num_words(program.num_fluents)
    sizes = [
        *(max(least, *(part.num_slots for part in parts)) * width for parts in (steps, looks)),
        *[64 * width] * 4,
        width,
        program.num_moves,
        len(program.roles) + 1,
    ]
    return np.concatenate(programs), _join(_sizes(program, len(plans), is_general=is_general), sections), sizes


def _position(plan: Plan) -> Int32Array:
    """Return the literals of what is legal, and of the end of the match."""
    return np.append(plan.network.legal, np.int32(plan.network.terminal))


def _spare_bits(num_fluents: int) -> WordArray:
    """Return, packed, the bits that belong to no fluent."""
    return pack(np.arange(64 * num_words(num_fluents)) >= num_fluents)


def _sizes(program: GroundProgram, num_plans: int, *, is_general: bool) -> list[int]:
    counts = (program.num_fluents, program.num_moves)
    sizes = [number for count in counts for number in (count, num_words(count))]
    return [*sizes, len(program.roles), len(program.goals.terms), num_plans, int(is_general)]


def _places(schedules: Sequence[Schedule], literals: Sequence[Int32Array], width: int) -> npt.NDArray[np.int64]:
    """Return literals of each plan, with the place of their words instead of the node."""
    pairs = zip(schedules, literals, strict=True)
    slots = np.concatenate([part.slot_of_node[wanted >> 1] for part, wanted in pairs]).astype(np.int64)
    return 2 * width * slots + (np.concatenate(literals) & 1)


def _blocks(literals: Int32Array) -> list[Int32Array]:
    return [literals[first : first + 64] for first in range(0, len(literals), 64)]


def _goal_code(value: int | None) -> np.uint64:
    """Return what a goal entry counts."""
    return TWO_GOALS if value is None else ONE_GOAL + np.uint64(value)


def _join(sizes: Sequence[int], sections: Sequence[npt.ArrayLike]) -> WordArray:
    """Return sizes and sections as one array."""
    parts = [np.asarray(section).ravel().astype(np.uint64) for section in sections]
    starts = np.cumsum([NUM_HEADERS, *map(len, parts)])[:-1]
    return np.concatenate([np.array([*sizes, *starts], np.uint64), *parts])


def make_space(sizes: Sequence[int], width: int) -> WordArray:
    """Return space for sections of some sizes; slot 0 of the values is all ones, everything else 0."""
    starts = [LINE * -(-(len(sizes) + 1) // LINE)]
    for size in sizes:
        starts.append(starts[-1] + LINE * -(-size // LINE))
    space = aligned(starts[-1])
    space[: len(starts)] = starts
    for first, _ in pairwise(starts[:3]):
        space[first : first + width] = ALL
    return space

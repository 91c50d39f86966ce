"""Tapes: the plans of a circuit as flat arrays, for kernels that run through its phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from woodstock.circuit.choice import Candidates, arrange_candidates
from woodstock.circuit.circuit import GOALS, NEXT, POSITION, Plan
from woodstock.circuit.evaluate import Tables, tables
from woodstock.circuit.network import FALSE, TRUE, Int32Array, Int64Array
from woodstock.circuit.schedule import Schedule
from woodstock.circuit.words import ALL, U0, WordArray, Words, differing, load, spread
from woodstock.common.jit import jit
from woodstock.gdl.keywords import goal_number
from woodstock.ground.program import GroundProgram


class Places(NamedTuple):
    """Where the words of literals stand, for each phase.

    Attributes:
        start: Where the entries of each phase begin, and their number, shape (num_phases + 1,), int64.
        at: Place of the words, uint64.
        flip: All ones where the words are to be complemented, else 0, uint64.
    """

    start: Int64Array
    at: WordArray
    flip: WordArray


class Tape(NamedTuple):
    """The plans of all phases. Places are offsets in a values array, multiplied by the width.

    Attributes:
        tables: The schedules of all phases, one after the other.
        num_slots: Number of slots of a values array.
        num_fluents: Number of fluents.
        num_roles: Number of roles.
        cones: Where the segments of each cone of each phase begin, shape (num_phases * (NUM_CONES + 1),), int64.
        next_phase: The phase after each, shape (num_phases,), int64.
        candidates: The moves to choose from, a list for each role with a choice in each phase.
        choices: Where the lists of each phase begin, and their number, shape (num_phases + 1,), int64.
        forced: Whether roles without a choice can move, where it is in doubt.
        terminal: Whether the match is over, one entry for each phase.
        copied: What the fluents become that depend on gates; `copied_to` are their places.
        copied_to: Where each goes, uint64.
        moved: What the fluents become that are other fluents, or constants; `moved_to` are their places.
        moved_to: Where each goes, uint64.
        goals: The goal entries of more than nothing.
        goal_role: The role of each goal entry, shape (num_goals,), int64.
        goal_value: The value of each goal entry, 0 to 100, shape (num_goals,), int64.
        patience: How dear the goals of each phase are, in passes, shape (num_phases,), float64.
        first_move: The place of the first move.
        role_of_move: The role of each move, shape (num_moves,), int64.
    """

    tables: Tables
    num_slots: int
    num_fluents: int
    num_roles: int
    cones: Int64Array
    next_phase: Int64Array
    candidates: Candidates
    choices: Int64Array
    forced: Places
    terminal: Places
    copied: Places
    copied_to: WordArray
    moved: Places
    moved_to: WordArray
    goals: Places
    goal_role: Int64Array
    goal_value: Int64Array
    patience: np.typing.NDArray[np.float64]
    first_move: int
    role_of_move: Int64Array


def make_tape(program: GroundProgram, plans: Sequence[Plan], next_phase: Int64Array, width: int) -> Tape:
    """Return the plans of some phases as a tape for words of a width."""
    joined, cones = _join([plan.schedule for plan in plans])
    chosen = [[moves for moves in plan.candidates if len(moves) > 1] for plan in plans]
    forced = [np.concatenate([_forced(plan, moves) for moves in plan.candidates]) for plan in plans]
    steps = [_split_next(plan) for plan in plans]
    first_move = 1 + program.num_fluents
    values = np.array([goal_number(term) or 0 for term in program.goals.terms], np.int64)
    scoring = np.flatnonzero(values)
    lists = [(plan, moves) for plan, all_moves in zip(plans, chosen, strict=True) for moves in all_moves]
    legal = [_literals(plan, plan.network.legal[moves]) for plan, moves in lists]
    does = [first_move + moves for _, moves in lists]
    return Tape(
        tables=tables(joined, width),
        num_slots=joined.num_slots,
        num_fluents=program.num_fluents,
        num_roles=len(program.roles),
        cones=cones,
        next_phase=next_phase,
        candidates=arrange_candidates(
            _starts([len(moves) for _, moves in lists]),
            _concatenate([places for places, _ in legal]) * np.uint64(width),
            _concatenate([flips for _, flips in legal]),
            _concatenate([moves.astype(np.uint64) for moves in does]) * np.uint64(width),
        ),
        choices=_starts([len(moves) for moves in chosen]),
        forced=_places(plans, forced, width),
        terminal=_places(plans, [np.array([plan.network.terminal], np.int32) for plan in plans], width),
        copied=_places(plans, _next_of(plans, [gates for gates, _ in steps]), width),
        copied_to=_fluent_places([gates for gates, _ in steps], width),
        moved=_places(plans, _next_of(plans, [others for _, others in steps]), width),
        moved_to=_fluent_places([others for _, others in steps], width),
        goals=_places(plans, [plan.network.goals[scoring] for plan in plans], width),
        goal_role=program.goals.roles[scoring].astype(np.int64),
        goal_value=values[scoring],
        patience=np.array([_goal_cost(plan, len(scoring)) for plan in plans]),
        first_move=first_move * width,
        role_of_move=np.repeat(np.arange(len(program.roles)), np.diff(program.move_start)).astype(np.int64),
    )


def _join(schedules: Sequence[Schedule]) -> tuple[Schedule, Int64Array]:
    """Return the schedules of several phases as one, and where the segments of each cone of each phase begin."""
    counts = [int(part.cone_segment[-1]) for part in schedules]
    # A program begins with the places of its segments and of their end.
    place = sum(counts) + 1
    heads, bodies, marks = [], [], []
    for part, count in zip(schedules, counts, strict=True):
        heads.append(part.program[:count] + np.uint32(place) - np.uint32(count + 1))
        bodies.append(part.program[count + 1 :])
        marks.append(part.is_slot[count + 1 :])
        place += len(part.program) - count - 1
    firsts = _starts(counts)
    return replace(
        schedules[0],
        num_slots=max(part.num_slots for part in schedules),
        program=np.concatenate([*heads, np.array([place], np.uint32), *bodies]),
        is_slot=np.concatenate([np.zeros(sum(counts) + 1, np.bool_), *marks]),
    ), np.concatenate([part.cone_segment + first for part, first in zip(schedules, firsts, strict=False)])


def _starts(sizes: Sequence[int]) -> Int64Array:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def _concatenate(parts: Sequence[WordArray]) -> WordArray:
    return np.concatenate([np.zeros(0, np.uint64), *parts])


def _literals(plan: Plan, literals: Int32Array) -> tuple[WordArray, WordArray]:
    """Return the slots of literals, and which are to be complemented."""
    slots = plan.schedule.slot_of_node[literals >> 1].astype(np.uint64)
    return slots, np.where(literals & 1, ALL, U0)


def _places(plans: Sequence[Plan], literals: Sequence[Int32Array], width: int) -> Places:
    """Return the places of literals of each plan."""
    found = [_literals(plan, part) for plan, part in zip(plans, literals, strict=True)]
    return Places(
        _starts([len(part) for part in literals]),
        _concatenate([slots for slots, _ in found]) * np.uint64(width),
        _concatenate([flips for _, flips in found]),
    )


def _next_of(plans: Sequence[Plan], fluents: Sequence[Int64Array]) -> list[Int32Array]:
    """Return what some fluents of each plan become."""
    return [plan.network.next[part] for plan, part in zip(plans, fluents, strict=True)]


def _fluent_places(fluents: Sequence[Int64Array], width: int) -> WordArray:
    return _concatenate([(1 + part).astype(np.uint64) for part in fluents]) * np.uint64(width)


def _forced(plan: Plan, moves: Int64Array) -> Int32Array:
    """Return what says that a role without a choice can move at all, if there is a doubt."""
    if len(moves) == 0:
        return np.array([FALSE], np.int32)
    literals = plan.network.legal[moves[:1]] if len(moves) == 1 else np.zeros(0, np.int32)
    found: Int32Array = literals[literals != TRUE]
    return found


def _split_next(plan: Plan) -> tuple[Int64Array, Int64Array]:
    """Return the fluents that become what a gate says, and those that become another fluent or a constant."""
    own = 2 * (1 + np.arange(plan.network.num_fluents))
    by_gate = plan.network.next >> 1 >= plan.network.num_inputs
    return np.flatnonzero(by_gate), np.flatnonzero(~by_gate & (plan.network.next != own))


def _goal_cost(plan: Plan, num_goals: int) -> float:
    """Return what it costs to evaluate and count the goals, as a share of what a step costs.

    The unit is about one read of a circuit. The numbers were measured: what a step costs for each fluent and for each
    move to choose from, and what it costs to count a goal.
    """
    edges = [_count_edges(plan.schedule, cone) for cone in (POSITION, NEXT, GOALS)]
    num_choices = sum(len(moves) for moves in plan.candidates if len(moves) > 1)
    step = edges[POSITION] + edges[NEXT] + 2 * plan.network.num_fluents + 8 * num_choices + 200
    return (edges[GOALS] + 40 * num_goals + 50) / step


def _count_edges(ordered: Schedule, cone: int) -> int:
    """Return the length of the program of a cone, which is about what it costs."""
    first, end = ordered.cone_segment[cone], ordered.cone_segment[cone + 1]
    return int(ordered.program[end]) - int(ordered.program[first])


@jit
def read_lanes(places: Places, values: WordArray, number: int, like: Words) -> Words:
    """Return the lanes in which a literal holds."""
    return differing(load(values, places.at[number], like), spread(places.flip[number], like))

"""A game whose single positions are evaluated in a lane: slow, but by the plans and kernels of the batches.

It is there to be compared with other reasoners: what a lane answers, all playouts and expansions rest on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from woodstock.circuit.circuit import GOALS, NEXT, NO_PHASE, POSITION, Plan
from woodstock.circuit.evaluate import Tables, evaluate, tables
from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.packing import pack, unpack
from woodstock.circuit.words import ALL, WordArray, aligned, zero
from woodstock.game.protocol import JointMove, Move
from woodstock.gdl.terms import GroundTerm
from woodstock.ground.program import GroundProgram


class _Bench(NamedTuple):
    """A plan that is ready to be evaluated."""

    plan: Plan
    tables: Tables
    values: WordArray


class LaneGame(CircuitGame):
    """Plays a `GroundProgram` in lanes; each position takes the lane that its key says.

    Unlike its parent it takes it that positions can be reached and that moves are legal.
    """

    def __init__(self, program: GroundProgram, width: int) -> None:
        super().__init__(program)
        self.width = width
        self._benches: dict[int, _Bench] = {}

    def _bench(self, position: CircuitPosition) -> _Bench:
        phase = int(self.circuit.phases_of(position.row[None])[0])
        if phase not in self._benches:
            plan = self.circuit.general if phase == NO_PHASE else self.circuit.phases[phase]
            values = aligned(plan.schedule.num_slots * self.width)
            values[: self.width] = ALL
            self._benches[phase] = _Bench(plan, tables(plan.schedule, self.width), values)
        return self._benches[phase]

    def _evaluate(self, position: CircuitPosition, moves: list[int], last_cone: int) -> _Bench:
        """Evaluate the cones up to one, in the lane of a position, with moves that are made."""
        bench = self._bench(position)
        word, bit = self._lane(position)
        inputs = np.zeros(bench.plan.network.num_inputs, np.bool_)
        inputs[1 : 1 + self.program.num_fluents] = unpack(position.row, self.program.num_fluents)
        inputs[[1 + self.program.num_fluents + move for move in moves]] = True
        places = bench.values[self.width : len(inputs) * self.width].reshape(-1, self.width)
        places[:, word] = np.where(inputs[1:], places[:, word] | bit, places[:, word] & ~bit)
        end = bench.plan.schedule.cone_segment[last_cone + 1]
        evaluate(bench.tables, 0, int(end), bench.values, zero(self.width))
        return bench

    def _lane(self, position: CircuitPosition) -> tuple[int, np.uint64]:
        """Return the word of the lane of a position, and its bit there."""
        lane = position.key % (64 * self.width)
        return lane >> 6, np.uint64(1) << np.uint64(lane & 63)

    def _holds(self, bench: _Bench, position: CircuitPosition, literals: Int32Array) -> BoolArray:
        """Return which literals hold in the lane of a position."""
        word, bit = self._lane(position)
        slots = bench.plan.schedule.slot_of_node[literals >> 1].astype(np.int64)
        found: BoolArray = (bench.values[slots * self.width + word] & bit != 0) != (literals & 1 == 1)
        return found

    def legal_moves(self, position: CircuitPosition, role: int) -> tuple[Move, ...]:
        bench = self._evaluate(position, [], POSITION)
        start, end = self.program.move_start[role : role + 2]
        legal = self._holds(bench, position, bench.plan.network.legal[start:end])
        return tuple(self.program.moves[role][number] for number in np.flatnonzero(legal).tolist())

    def is_terminal(self, position: CircuitPosition) -> bool:
        bench = self._evaluate(position, [], POSITION)
        return bool(self._holds(bench, position, np.array([bench.plan.network.terminal], np.int32))[0])

    def next_position(self, position: CircuitPosition, moves: JointMove) -> CircuitPosition:
        numbers = [self._move_number(role, move) for role, move in enumerate(moves)]
        bench = self._evaluate(position, numbers, NEXT)
        return self.position(pack(self._holds(bench, position, bench.plan.network.next)), position)

    def goal_values(self, position: CircuitPosition, role: int) -> tuple[GroundTerm, ...]:
        bench = self._evaluate(position, [], GOALS)
        holds = self._holds(bench, position, bench.plan.network.goals)
        entries = self.program.goals
        return tuple(entries.terms[number] for number in np.flatnonzero(holds & (entries.roles == role)).tolist())

"""Foresight: playouts in which nobody misses a win.

A move *wins* if it ends the match at once, with the most that its role can get, whatever the others do at the same
time. It is *careless* if it ends the match with the least, or if another role can win after it. A circuit with
foresight is one in which a role that can win makes no other moves, and, if it has a foresight of two moves, no careless
ones unless all are. In playouts these are known as decisive and anti-decisive moves (Teytaud and Teytaud 2010).

Which moves win depends on the position alone, so gates can tell: those of `terminal` and `goal`, with what the move
makes of the fluents in the place of the fluents. Most of these gates do not depend on anything that a move changes, and
are the same for all moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.builder import FULL, GATES, STATUS, Builder, make_builder
from woodstock.circuit.circuit import Circuit, Draft, make_plan
from woodstock.circuit.conjunctions import make_and
from woodstock.circuit.knowledge import find_knowledge
from woodstock.circuit.loops import finish_network, make_loops
from woodstock.circuit.network import FALSE, NO_LOOP, TRUE, BoolArray, Int32Array, Network, Outputs
from woodstock.circuit.specialise import Gates, find_cone, gates_of, no_facts, specialise
from woodstock.circuit.translate import make_groups
from woodstock.common.jit import jit
from woodstock.common.limits import Deadline
from woodstock.gdl.keywords import RANDOM, goal_number
from woodstock.ground.program import GroundProgram

GROWTH: Final = 40
"""How many times larger than the network all gates may get that are made on the way."""
LEAST_GROWTH: Final = 4
MOST_EDGES: Final = 1 << 23
"""Edges that may be made for all phases together: some hundred megabytes."""

SECONDS_PER_EDGE: Final = 3e-6
"""What it takes to make a network ready for evaluation, on a busy machine."""

UNKNOWN: Final = -1
"""The literal of a node of which there is no copy yet."""


class _TooMuchError(Exception):
    """There is no room, or no time, for more gates."""


def foresee(circuit: Circuit, foresight: int, deadline: Deadline | None = None) -> Circuit | None:
    """Return a circuit in which roles foresee so many moves: 1 or 2.

    Args:
        circuit: The circuit of a game.
        foresight: 1 if nobody misses a win, 2 if nobody makes a careless move either.
        deadline: When to give up.

    Returns:
        The circuit. None if nobody can win with a move of its own, or if it takes too many gates, or too much time.
    """
    size = circuit.network.num_edges + circuit.network.num_gates + 1024
    room = min(GROWTH * size, MOST_EDGES // circuit.num_phases)
    if room < LEAST_GROWTH * size:
        return None
    knowledge = find_knowledge(circuit.program, keeps_all=True)
    groups = make_groups(circuit.program, knowledge.groups)
    try:
        phases = [
            _Phase(circuit, circuit.draft_phase(phase, groups), _Making(room, deadline or Deadline(None)))
            for phase in range(circuit.num_phases)
        ]
        if not any(move.wins != FALSE for phase in phases for move in phase.moves):
            return None
        if foresight > 1:
            for number, phase in enumerate(phases):
                phase.beware(phases[0 if circuit.clock is None else circuit.clock.next_phase[number]])
        plans = [make_plan(phase.finish()) for phase in phases]
    except _TooMuchError:
        return None
    return circuit.with_phases(plans, knowledge)


class _Making(NamedTuple):
    """What gates may take: so many edges, and the time up to a deadline."""

    room: int
    deadline: Deadline


class _Ends(NamedTuple):
    """What there is to be won by a role: the goal entries of the most, and those of the least."""

    most: Int32Array
    least: Int32Array

    @classmethod
    def of(cls, program: GroundProgram, role: int) -> _Ends:
        """Return what there is to be won by a role."""
        values = np.array([goal_number(term) or 0 for term in program.goals.terms])
        entries = np.flatnonzero(program.goals.roles == role).astype(np.int32)
        of_role = values[entries]
        is_open = of_role.min(initial=100) < of_role.max(initial=0)
        return cls(
            entries[of_role == of_role.max(initial=0)] if is_open else entries[:0],
            entries[of_role == of_role.min(initial=100)] if is_open else entries[:0],
        )


@dataclass(eq=False)
class _Move:
    """What comes of a move. All but the first three are literals.

    Attributes:
        number: Its number, counted over all roles.
        role: Whose move it is.
        next: The literals of the fluents after it, shape (num_fluents,), int32.
        wins: Whether it is legal, and wins.
        loses: Whether it ends the match with the least.
        ends: Whether it ends the match.
        careless: Whether it is careless; FALSE if nobody asked.
    """

    number: int
    role: int
    next: Int32Array
    wins: int
    loses: int
    ends: int
    careless: int = FALSE


class _Phase:
    """The moves of a phase, and what comes of them.

    Args:
        circuit: The circuit.
        draft: The network of the phase.
        making: What it may take.

    Attributes:
        moves: What comes of the moves that are somebody's choice.
    """

    def __init__(self, circuit: Circuit, draft: Draft, making: _Making) -> None:
        self._program = circuit.program
        self._network = draft.network
        self._candidates = draft.candidates
        self._gates = _Gates(draft, making)
        self._choosers = [
            role
            for role, candidates in enumerate(draft.candidates)
            if len(candidates) > 1 and circuit.program.roles[role] != RANDOM
        ]
        inputs = self._gates.inputs
        own = _Copies(self._gates, draft.network, np.concatenate(draft.network.outputs))
        self._outputs = Outputs(*(own.read(inputs, output) for output in draft.network.outputs))
        self._looks = _Copies(self._gates, draft.network, draft.network.legal)
        self._idle: dict[int, Int32Array] = {}
        self.moves: list[_Move] = []
        for role in self._choosers:
            self._foresee_moves(circuit.network, role)

    def _foresee_moves(self, whole: Network, role: int) -> None:
        """Find out what comes of the moves of a role; the network tells about any position."""
        network, gates = self._network, self._gates
        steps = _Copies(gates, network, network.next)
        ends = _Copies(gates, whole, np.append(whole.goals, np.int32(whole.terminal)))
        # The first copies are of a move that changes nothing: what other moves do not change is shared with them.
        idle = gates.inputs.copy()
        idle[1 + self._program.num_fluents + self._candidates[role]] = FALSE
        self._idle[role] = steps.read(idle, network.next)
        ends.read(self._position(self._idle[role]), whole.goals)
        entries = _Ends.of(self._program, role)
        for number in self._candidates[role].tolist():
            inputs = self._inputs_of(role, number)
            if inputs is None:
                continue
            after = steps.read(inputs, network.next)
            there = self._position(after)
            is_over = ends.read(there, np.array([whole.terminal], np.int32)).item()
            best, worst = (gates.any_of(ends.read(there, whole.goals[part])) for part in entries)
            self.moves.append(
                _Move(
                    number=number,
                    role=role,
                    next=after,
                    wins=gates.all_of([self._outputs.legal[number], gates.sure(gates.all_of([is_over, best]))]),
                    loses=gates.all_of([is_over, worst]),
                    ends=is_over,
                )
            )

    def _node(self, move: int) -> int:
        return 1 + self._program.num_fluents + move

    def _position(self, fluents: Int32Array) -> Int32Array:
        """Return inputs of which the fluents are some literals."""
        inputs = self._gates.inputs.copy()
        inputs[1 : 1 + len(fluents)] = fluents
        return inputs

    def _inputs_of(self, role: int, number: int) -> Int32Array | None:
        """Return the inputs if a move is made: it is legal then, and others may have no choice.

        None if its role has no choice either.
        """
        inputs = self._gates.inputs.copy()
        for literal in self._facts(int(self._network.legal[number])):
            self._gates.fix(inputs, literal)
        legal = self._looks.read(inputs, self._network.legal)
        for other, moves in enumerate(self._candidates):
            possible = moves[legal[moves] != FALSE]
            if other == role and possible.tolist() == [number]:
                return None
            inputs[1 + self._program.num_fluents + moves[legal[moves] == FALSE]] = FALSE
            if len(possible) == 1:
                self._gates.fix(inputs, 2 * self._node(int(possible[0])))
        self._gates.fix(inputs, 2 * self._node(number))
        return inputs

    def _facts(self, literal: int) -> list[int]:
        """Return the literals of inputs that hold if a literal does, as far as conjunctions tell."""
        network = self._network
        found, left = [], [literal]
        while left:
            literal = left.pop()
            gate = (literal >> 1) - network.num_inputs
            if gate < 0:
                found.append(literal)
            elif literal & 1 == 0:
                left += network.gate_data[network.gate_start[gate] : network.gate_start[gate + 1]].tolist()
        return [literal for literal in found if literal > FALSE]

    @cached_property
    def _can_win(self) -> dict[int, int]:
        """For each role that chooses, the literal that tells whether it can win."""
        return {
            role: self._gates.any_of(move.wins for move in self.moves if move.role == role) for role in self._choosers
        }

    @cached_property
    def _winners(self) -> Network:
        """The network whose percepts tell whether each role that chooses can win."""
        nothing = np.zeros(0, np.int32)
        outputs = Outputs(
            nothing, nothing, np.array([TRUE], np.int32), nothing, np.array(list(self._can_win.values()), np.int32)
        )
        return self._gates.finish(outputs)

    def beware(self, following: _Phase) -> None:
        """Find out which moves are careless.

        Args:
            following: The phase after this one.
        """
        winners, gates = following._winners, self._gates
        for role in self._choosers:
            threats = _Copies(gates, winners, winners.percepts)
            threats.read(self._position(self._idle[role]), winners.percepts)
            others = [place for place, other in enumerate(following._choosers) if other != role]
            for move in self.moves:
                if move.role == role:
                    threat = gates.any_of(threats.read(self._position(move.next), winners.percepts[others]))
                    goes_on = gates.all_of([move.ends ^ 1, threat])
                    move.careless = gates.sure(gates.any_of([move.loses, goes_on]))

    def finish(self) -> Draft:
        """Return the network in which only moves are legal that one with foresight makes."""
        gates = self._gates
        legal = self._outputs.legal.copy()
        for role, can_win in self._can_win.items():
            moves = [move for move in self.moves if move.role == role]
            careful = {
                move.number: gates.all_of([self._outputs.legal[move.number], move.careless ^ 1]) for move in moves
            }
            none_careful = gates.any_of(careful.values()) ^ 1
            for move in moves:
                anyway = gates.all_of([self._outputs.legal[move.number], none_careful])
                otherwise = gates.any_of([careful[move.number], anyway])
                legal[move.number] = gates.any_of([move.wins, gates.all_of([can_win ^ 1, otherwise])])
        return Draft(gates.finish(self._outputs._replace(legal=legal)), gates.groups, self._candidates)


class _Gates:
    """Gates that are being made for a phase.

    Args:
        draft: The network of the phase.
        making: What they may take.

    Attributes:
        groups: Inputs that exclude each other.
        inputs: The literals of the inputs, shape (num_inputs,), int32.
    """

    def __init__(self, draft: Draft, making: _Making) -> None:
        network = draft.network
        self.groups = draft.groups
        self.inputs = 2 * np.arange(network.num_inputs, dtype=np.int32)
        self._deadline = making.deadline
        self._builder = make_builder(draft.groups, no_facts(network.num_moves), making.room)
        num_nodes = network.num_inputs + len(self._builder.start)
        self._reads_moves = np.zeros(num_nodes, np.bool_)
        self._reads_moves[self._builder.first_move : network.num_inputs] = True
        self._num_read = 0

    def copy(self, gates: Gates, is_needed: BoolArray, first: Int32Array, inputs: Int32Array) -> Int32Array:
        """Return the literals of all nodes of a copy; see `_Copies`."""
        made = _copy(self._builder, gates, is_needed, first, inputs)
        self._check()
        return made

    def all_of(self, literals: Iterable[int]) -> int:
        """Return the literal of a conjunction."""
        found = np.array([*literals], np.int32)
        made = int(make_and(self._builder, found, len(found)))
        self._check()
        return made

    def any_of(self, literals: Iterable[int]) -> int:
        """Return the literal of a disjunction."""
        return self.all_of(literal ^ 1 for literal in literals) ^ 1

    def sure(self, literal: int) -> int:
        """Return a literal if it does not depend on what others do at the same time, else FALSE."""
        _mark_readers(self._builder, self._reads_moves, self._num_read)
        self._num_read = int(self._builder.counts[GATES])
        return FALSE if self._reads_moves[literal >> 1] else literal

    def fix(self, inputs: Int32Array, literal: int) -> None:
        """Change inputs so that a literal of one holds; those that it excludes do not."""
        node = literal >> 1
        inputs[node] = TRUE ^ (literal & 1)
        group = self.groups.of_node[node]
        if literal & 1 == 0 and group >= 0:
            members = self.groups.data[self.groups.start[group] : self.groups.start[group + 1]]
            inputs[members[members != node]] = FALSE

    def finish(self, outputs: Outputs) -> Network:
        """Return the network of some outputs."""
        network = finish_network(self._builder, make_loops(self._builder, 0), outputs)
        network = specialise(network, self.groups, self.inputs)
        if self._deadline.seconds_left < SECONDS_PER_EDGE * network.num_edges:
            raise _TooMuchError
        return network

    def _check(self) -> None:
        if self._builder.counts[STATUS] == FULL or self._deadline.expired:
            raise _TooMuchError


class _Copies:
    """Copies of a network with literals in the place of its inputs. Gates that depend on no change are not made anew.

    Args:
        gates: Where they are made.
        network: The network.
        outputs: The literals that will be read.
    """

    def __init__(self, gates: _Gates, network: Network, outputs: Int32Array) -> None:
        self._gates = gates
        self._network = gates_of(network)
        self._is_needed = find_cone(network, outputs)
        if (network.gate_loop[self._is_needed[network.num_inputs :]] != NO_LOOP).any():
            raise _TooMuchError
        self._first = np.full(len(self._is_needed), UNKNOWN, np.int32)
        self._last = self._first

    def read(self, inputs: Int32Array, outputs: Int32Array) -> Int32Array:
        """Return the literals of outputs in a copy.

        Args:
            inputs: The literals of the inputs of the copy, shape (num_inputs,), int32.
            outputs: Outputs of the network, int32.
        """
        if not np.array_equal(inputs, self._last[: len(inputs)]):
            self._last = self._gates.copy(self._network, self._is_needed, self._first, inputs)
            if self._first[0] == UNKNOWN:
                self._first = self._last
        found: Int32Array = self._last[outputs >> 1] ^ (outputs & 1)
        return found


@jit
def _copy(builder: Builder, gates: Gates, is_needed: BoolArray, first: Int32Array, inputs: Int32Array) -> Int32Array:
    """Return the literals of all nodes of a copy; those of gates that depend on no change are those of the first."""
    literal_of = first.copy()
    is_changed = np.zeros(len(first), np.bool_)
    scratch = np.zeros(len(gates.data) + 64, np.int32)
    for node in range(gates.num_inputs):
        literal_of[node] = inputs[node]
        is_changed[node] = inputs[node] != first[node]
    for gate in range(len(gates.start) - 1):
        node = gates.num_inputs + gate
        if not is_needed[node]:
            continue
        changes = False
        for place in range(gates.start[gate], gates.start[gate + 1]):
            changes = changes or is_changed[gates.data[place] >> 1]
        if changes:
            count = 0
            for place in range(gates.start[gate], gates.start[gate + 1]):
                literal = gates.data[place]
                scratch[count] = literal_of[literal >> 1] ^ (literal & 1)
                count += 1
            literal_of[node] = make_and(builder, scratch, count)
            is_changed[node] = literal_of[node] != first[node]
            if builder.counts[STATUS] == FULL:
                break
    return literal_of


@jit
def _mark_readers(builder: Builder, reads: BoolArray, first: int) -> None:
    """Mark the gates, from one on, that depend on a marked node."""
    for gate in range(first, builder.counts[GATES]):
        for place in range(builder.start[gate], builder.start[gate + 1]):
            if reads[builder.data[place] >> 1]:
                reads[builder.num_inputs + gate] = True
                break

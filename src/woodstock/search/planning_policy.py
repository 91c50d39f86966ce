"""Playouts with a policy that is adapted to the best of them (nested rollout policy adaptation, Rosin 2011).

A policy is a number for each move; legal moves are chosen with probabilities in proportion to the exponentials. Many
playouts are made at once, and the policy is adapted to the best sequence so far. After some rounds the outer policy is
adapted to the best of them, and the inner one starts from there again. Of playouts that are worth the same, that which
ends nearer to the goal is better, and then the longer one: where the task is to hold out, it came further.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from woodstock.circuit.game import CircuitPosition
from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.words import U0, U1, WordArray, lowest_bit
from woodstock.common.jit import inner_kernel, jit
from woodstock.common.limits import Deadline
from woodstock.search.planning_costs import GoalCosts
from woodstock.search.planning_findings import NOTHING, Findings
from woodstock.search.planning_puzzle import Moves, Puzzle
from woodstock.search.tree import Float64Array

LANES: Final = 64
HORIZON: Final = 500
"""Most joint moves of a playout."""
ROUNDS: Final = 40
"""Batches of playouts before the inner policy starts again, and how often that happens before the outer one does."""
STEP: Final = 1.0
NO_MOVE: Final = -1
SMALLEST_DRAW: Final = 2.0**-53
MOST_NEAR: Final = 20_000
"""Near costs of goals with more literals are not asked for."""
NEAR_WEIGHT: Final = 1e-6
LENGTH_WEIGHT: Final = 1e-12


@dataclass(eq=False)
class _Sequence:
    """A playout: what it is worth, the joint moves, and what was legal, shape (length, num_move_words), uint64."""

    score: float
    moves: Int32Array
    legal: WordArray


class PolicySearch:
    """Makes playouts and learns from the best.

    Attributes:
        name: What the part is called.
        is_over: The match is over.
        num_playouts: Playouts that were made.
    """

    name = "policy"

    def __init__(self, puzzle: Puzzle, findings: Findings, seed: int) -> None:
        self._puzzle = puzzle
        self._findings = findings
        self._state = np.array([(seed & 0xFFFFFFFFFFFF) * 2 + 1], np.uint64)
        self._outer = np.zeros(puzzle.program.num_moves)
        costs = GoalCosts(puzzle.program, (puzzle.goal_atom(puzzle.best_value),), puzzle.counter.likely)
        self._costs = costs if costs.num_near <= MOST_NEAR else None
        self._move_start = np.array(puzzle.program.move_start, np.int64)
        self.restart(findings.position)

    def restart(self, position: CircuitPosition) -> None:
        """Look for plans from another position from now on; what is known of moves is kept."""
        self._start = position
        self.num_playouts = 0
        self.is_over = False
        self._rounds = self._outer_rounds = 0
        self._inner = self._outer.copy()
        self._best: _Sequence | None = None
        self._outer_best: _Sequence | None = None

    def run(self, deadline: Deadline) -> None:
        """Go on until it is time to stop."""
        row = self._start.row[None].copy()
        look = self._puzzle.expander.look(row)
        self.is_over = bool(look.terminal[0])
        is_first = self._findings.value == NOTHING
        while not (self.is_over or self._findings.is_settled) and (is_first or not deadline.expired):
            is_first = False  # some plan is wanted, however little time there is
            found = self._play(row, look.legal, deadline)
            if found is None:
                return
            if self._best is None or found.score > self._best.score:
                self._best = found
            adapt(self._inner, self._move_start, self._best.moves, self._best.legal)
            self._rounds += 1
            if self._rounds == ROUNDS:
                self._end_rounds(self._best)

    def _end_rounds(self, best: _Sequence) -> None:
        """Adapt the outer policy, and start again from there."""
        if self._outer_best is None or best.score > self._outer_best.score:
            self._outer_best = best
        adapt(self._outer, self._move_start, self._outer_best.moves, self._outer_best.legal)
        self._outer_rounds += 1
        if self._outer_rounds == ROUNDS:
            self._outer[:] = 0
            self._outer_rounds, self._outer_best = 0, None
        self._inner = self._outer.copy()
        self._rounds, self._best = 0, None

    def _play(self, row: WordArray, legal: WordArray, deadline: Deadline) -> _Sequence | None:
        """Make playouts; return the best, None if there was no time."""
        rows, allowed = np.repeat(row, LANES, axis=0), np.repeat(legal, LANES, axis=0)
        lanes = np.arange(LANES)
        steps: list[tuple[Int64Array, Int32Array, WordArray]] = []
        best: tuple[float, int, int] | None = None
        keys = np.zeros(LANES, np.uint64)
        for length in range(1, HORIZON + 1):
            moves = np.empty((len(rows), self._puzzle.num_roles), np.int32)
            chosen = np.zeros_like(allowed)
            choose(allowed, self._inner, self._move_start, self._state, (moves, chosen))
            steps.append((lanes, moves, allowed))
            found = self._puzzle.expander.expand(rows, keys[: len(rows)], chosen)
            lanes = lanes[found.parent]
            ended = np.flatnonzero(found.terminal)
            if len(ended):
                scores = (
                    self._score(found.rows[ended], self._puzzle.values_of(found.goals[ended])) + LENGTH_WEIGHT * length
                )
                place = int(np.argmax(scores))
                if best is None or scores[place] > best[0]:
                    best = (float(scores[place]), int(lanes[ended[place]]), length)
                    value = float(self._puzzle.values_of(found.goals[ended[place : place + 1]])[0])
                    if value > self._findings.value:
                        self._findings.offer(value, self._read(steps, best[1], length), self.name)
            going_on = ~found.terminal
            rows, allowed, lanes = found.rows[going_on], found.legal[going_on], lanes[going_on]
            if not len(rows):
                break
            if deadline.expired and self._findings.value > NOTHING:
                return None
        self.num_playouts += LANES
        if best is None:
            best = (-2.0, 0, 1)
        score, lane, length = best
        taken = [(moves[lanes == lane][0], legal[lanes == lane][0]) for lanes, moves, legal in steps[:length]]
        return _Sequence(score, np.array([moves for moves, _ in taken]), np.array([legal for _, legal in taken]))

    def _score(self, rows: WordArray, values: Float64Array) -> Float64Array:
        """Return what ends of playouts are worth, those nearer to the goal a little more."""
        if self._costs is None:
            return values
        return values - NEAR_WEIGHT * np.minimum(self._costs.near(rows), 10_000)

    def _read(self, steps: list[tuple[Int64Array, Int32Array, WordArray]], lane: int, length: int) -> list[Moves]:
        """Return the joint moves of a lane."""
        return [tuple(moves[lanes == lane][0].tolist()) for lanes, moves, _ in steps[:length]]


@inner_kernel
def _draw(state: WordArray) -> float:
    """Return a random number from 0 to 1 (xorshift, Marsaglia 2003)."""
    state[0] ^= state[0] << np.uint64(13)
    state[0] ^= state[0] >> np.uint64(7)
    state[0] ^= state[0] << np.uint64(17)
    return float(state[0] >> np.uint64(11)) * SMALLEST_DRAW


@jit
def choose(
    legal: WordArray, policy: Float64Array, move_start: Int64Array, state: WordArray, out: tuple[Int32Array, WordArray]
) -> None:
    """Choose a legal move for each role in each lane, by a policy.

    Args:
        legal: Legal moves, packed, shape (n, num_move_words), uint64.
        policy: Number of each move, shape (num_moves,), float64.
        move_start: Number of the first move of each role, and the number of moves.
        state: Of the random numbers, changed, shape (1,), uint64.
        out: The moves, shape (n, num_roles), int32, NO_MOVE where there is none; the same, packed.
    """
    moves, chosen = out
    for lane in range(len(legal)):
        for role in range(len(move_start) - 1):
            total = 0.0
            picked = NO_MOVE
            for place in range(move_start[role] >> 6, (move_start[role + 1] + 63) >> 6):
                word = legal[lane, place]
                while word != U0:
                    move = 64 * place + int(lowest_bit(word))
                    word &= word - U1
                    if move_start[role] <= move < move_start[role + 1]:
                        weight = np.exp(policy[move])
                        total += weight
                        # The last one that replaces what was picked before is chosen by weight.
                        if _draw(state) * total < weight:
                            picked = move
            moves[lane, role] = picked
            if picked >= 0:
                chosen[lane, picked >> 6] |= U1 << np.uint64(picked & 63)


@jit
def adapt(policy: Float64Array, move_start: Int64Array, moves: Int32Array, legal: WordArray) -> None:
    """Make the moves of a sequence more likely, at the cost of the others that were legal.

    Args:
        policy: Number of each move, changed, shape (num_moves,), float64.
        move_start: Number of the first move of each role, and the number of moves.
        moves: The joint moves, shape (length, num_roles), int32.
        legal: What was legal, packed, shape (length, num_move_words), uint64.
    """
    change = np.zeros(len(policy))
    for step in range(len(moves)):
        for role in range(len(move_start) - 1):
            if moves[step, role] == NO_MOVE:
                continue
            total = 0.0
            for is_second in range(2):
                for place in range(move_start[role] >> 6, (move_start[role + 1] + 63) >> 6):
                    word = legal[step, place]
                    while word != U0:
                        move = 64 * place + int(lowest_bit(word))
                        word &= word - U1
                        if move_start[role] <= move < move_start[role + 1]:
                            if is_second:
                                change[move] -= STEP * np.exp(policy[move]) / total
                            else:
                                total += np.exp(policy[move])
            change[moves[step, role]] += STEP
    for move in range(len(policy)):
        policy[move] = min(max(policy[move] + change[move], -50.0), 50.0)

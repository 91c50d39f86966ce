"""Plans by constraint solving: a network of several stages in which the goal has to be reached.

The number of stages is doubled until the networks become too large; then the solver has more time for each. If it finds
that there is no solution, no plan of that length, or of less, reaches the goal.
"""

from __future__ import annotations

import time
from typing import Final

import numpy as np

from woodstock.circuit.game import CircuitPosition
from woodstock.circuit.packing import unpack
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline, Limits
from woodstock.cp.solver import Status
from woodstock.ground.exclusion import Exclusions, prove_exclusions
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_stages import GameStages, Threshold
from woodstock.search.planning_findings import Findings
from woodstock.search.planning_puzzle import Puzzle

MOST_LITERALS: Final = 150_000
"""Of all stages together."""
BUILD_SECONDS: Final = 5e-5
"""For each literal, to begin with: how long it takes to make a network and a solver, measured from then on."""
PROOF_SECONDS: Final = 2.0
"""What the exclusions of fluents may take, which are proved before the first network is made."""
FIRST_PATIENCE: Final = 0.02


class NetworkSearch:
    """Solves networks of more and more stages.

    Attributes:
        name: What the part is called.
        is_over: A network of more stages would be too large.
        num_refuted: No plan of so many joint moves reaches the best goal.
    """

    name = "network"

    def __init__(self, puzzle: Puzzle, findings: Findings) -> None:
        self._puzzle = puzzle
        self._findings = findings
        self._pace = BUILD_SECONDS
        self._kept: tuple[int, float, GameStages] | None = None
        self._exclusions: Exclusions | None = None
        self.restart(findings.position)

    def restart(self, position: CircuitPosition) -> None:
        """Look for plans from another position from now on."""
        self._position = tuple(np.flatnonzero(unpack(position.row, self._puzzle.program.num_fluents)).tolist())
        self._stages = 1
        self._patience = FIRST_PATIENCE
        self.num_refuted = 0
        self.is_over = not self._is_small(1)

    def _is_small(self, stages: int) -> bool:
        return stages * len(self._puzzle.program.body_data) <= MOST_LITERALS

    def run(self, deadline: Deadline) -> None:
        """Go on until it is time to stop."""
        while not (self.is_over or self._findings.is_settled or deadline.expired):
            target = self._findings.bound
            stages = self._network(self._stages, target)
            if stages is None:
                return
            try:
                self._solve(stages, target)
            except UsageError:  # the position is like none that can be reached, as far as the network knows
                self.is_over = True

    def _network(self, number: int, target: float) -> GameStages | None:
        """Return a network of so many stages; None if there is no time to make one."""
        if self._kept is not None and self._kept[:2] == (number, target):
            return self._kept[2]
        program, left = self._puzzle.program, self._findings.deadline.seconds_left
        size = number * max(1, len(program.body_data))
        # It cannot be interrupted: better none than one that comes too late.
        if 2 * size * self._pace + (PROOF_SECONDS if self._exclusions is None else 0) > left:
            return None
        if self._exclusions is None:
            self._exclusions = prove_exclusions(program, with_latches=False)
        began = time.perf_counter()
        game = GameNetwork(program, number, with_outcome=True, exclusions=self._exclusions)
        stages = GameStages(game, [Threshold(role=0, least=round(100 * target))])
        stages.solver.push()
        stages.solver.pop()
        self._pace = (time.perf_counter() - began) / size
        self._kept = (number, target, stages)
        return stages

    def _solve(self, stages: GameStages, target: float) -> None:
        """Look for a solution, for some time; go on to more stages if there is none, or if it takes too long."""
        seconds = min(self._patience, self._findings.deadline.seconds_left)
        if seconds <= 0:
            return
        plan = stages.find_plan(self._position, Limits(seconds=seconds))
        if plan.moves is not None:
            index = self._puzzle.program.move_index
            moves = [tuple(index[role][move] for role, move in enumerate(joint)) for joint in plan.moves]
            self._findings.offer(target, moves, self.name)
            return
        if plan.status is Status.COMPLETE:
            self.num_refuted = max(self.num_refuted, self._stages)
        self._stages *= 2
        if not self._is_small(self._stages):
            # Those that were given up get more time.
            self._patience *= 2
            self._stages = self.num_refuted + 1
            self.is_over = not self._is_small(self._stages)

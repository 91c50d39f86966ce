"""Positions of random play, to refute what is no symmetry before anybody tries to prove it."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from woodstock.common.limits import Deadline
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.program import NO_ATOM, BoolArray, GroundProgram
from woodstock.symmetry.symmetry import Symmetry
from woodstock.symmetry.verification import goal_images

SEED: Final = 1729
NUM_SAMPLES: Final = 100
MAX_STEPS: Final = 300
MOST_PLAYED: Final = 20
"""Positions that are played through for each that is kept."""


class Samples:
    """Positions of random playouts, each with a joint move and everything that the rules say.

    Args:
        program: The game.
        num_samples: How many positions are kept, of as many playouts as it takes.
        deadline: When to be content with fewer.
    """

    def __init__(
        self, program: GroundProgram, num_samples: int = NUM_SAMPLES, deadline: Deadline | None = None
    ) -> None:
        self._program = program
        self._evaluator = Evaluator(program)
        self._random = np.random.default_rng(SEED)
        self._samples: list[tuple[BoolArray, tuple[int, ...], BoolArray, BoolArray]] = []
        clock = deadline or Deadline(None)
        for _ in range(num_samples // 2):
            if clock.expired or len(self._samples) > MOST_PLAYED * num_samples:
                break
            self._play(clock)
        if len(self._samples) > num_samples:
            self._samples = self._choice(num_samples)

    def __len__(self) -> int:
        return len(self._samples)

    def _choice(self, number: int) -> list[tuple[BoolArray, tuple[int, ...], BoolArray, BoolArray]]:
        """Return some samples: all last positions, since goals differ there, and others at random."""
        last = [sample for sample in self._samples if not sample[1]][:number]
        others = [sample for sample in self._samples if sample[1]]
        size = min(len(others), number - len(last))
        return last + [others[place] for place in self._random.choice(len(others), size=size, replace=False).tolist()]

    def _play(self, deadline: Deadline) -> None:
        """Play once at random; the last position, where goals matter, has no moves."""
        program = self._program
        position = program.initial
        for _ in range(MAX_STEPS):
            before = self._evaluator.position(np.flatnonzero(position).tolist())
            over = program.terminal_atom != NO_ATOM and bool(before[2 * program.terminal_atom])
            moves = () if over else self._choose(before)
            after = self._evaluator.after(before, moves) if moves else before
            self._samples.append((position, moves, before, after))
            if not moves or deadline.expired:
                return
            position = holds(after, program.next_atom)

    def _choose(self, values: BoolArray) -> tuple[int, ...]:
        """Return a legal move of every role; none if a role has none."""
        legal = holds(values, self._program.legal_atom)
        starts = self._program.move_start
        moves = []
        for start, end in pairwise(starts):
            found = np.flatnonzero(legal[start:end])
            if not len(found):
                return ()
            moves.append(start + int(self._random.choice(found)))
        return tuple(moves)

    def refute(self, symmetry: Symmetry) -> bool:
        """Tell whether a permutation is seen to be no symmetry of the game."""
        return any(self._differs(sample, symmetry) for sample in self._samples)

    def _differs(self, sample: tuple[BoolArray, tuple[int, ...], BoolArray, BoolArray], symmetry: Symmetry) -> bool:
        program = self._program
        position, moves, before, after = sample
        image = symmetry.apply_to_position(position)
        there = self._evaluator.position(np.flatnonzero(image).tolist())
        if not np.array_equal(holds(there, program.legal_atom)[symmetry.moves], holds(before, program.legal_atom)):
            return True
        atoms = np.append(program.goals.atoms, program.terminal_atom)
        images = np.append(goal_images(program.goals, symmetry), program.terminal_atom)
        if not np.array_equal(holds(there, images), holds(before, atoms)):
            return True
        if not moves:
            return False
        # The image of a joint move has the roles' moves in another order, which does not matter here.
        there = self._evaluator.after(there, symmetry.moves[list(moves)].tolist())
        if not np.array_equal(holds(there, program.next_atom)[symmetry.fluents], holds(after, program.next_atom)):
            return True
        if program.percepts is None:
            return False
        percepts = program.percepts.atoms
        return not np.array_equal(holds(there, percepts)[symmetry.percepts], holds(after, percepts))

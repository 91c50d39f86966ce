"""MAST: playouts prefer moves that did well in earlier ones, wherever these were made.

Move-Average Sampling Technique (Finnsson and Björnsson 2008): the mean goal of all playouts in which a role made a move
is what the move is worth, and moves are drawn from the Gibbs distribution of these means.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from woodstock.circuit.network import Int64Array
from woodstock.circuit.runner import PlayoutResults

HEAVIEST: Final = 255
"""The weight of the best move: weights are whole numbers from 1 to this."""


class MoveAverages:
    """How well each move did.

    Args:
        move_start: The moves of role r are those from `move_start[r]` to `move_start[r + 1]`, int64.
        temperature: How much those that did well are preferred: small is more.
        nature: The role `random`, whose moves are as likely as the rules say; a negative number if there is none.

    Attributes:
        weights: How likely playouts are to choose each move, relative to the others of its role, shape (num_moves,),
            int64.
    """

    def __init__(self, move_start: Int64Array, temperature: float, nature: int = -1) -> None:
        self._move_start = move_start
        self._temperature = temperature
        self._nature = nature
        self._visits = np.zeros(int(move_start[-1]), np.int64)
        self._rewards = np.zeros(int(move_start[-1]), np.int64)
        self.weights: Int64Array = np.ones(int(move_start[-1]), np.int64)

    def add(self, results: PlayoutResults) -> None:
        """Learn from playouts that counted their moves."""
        self._visits += results.move_visits.sum(axis=0)
        self._rewards += results.move_rewards.sum(axis=0)
        for role, (start, end) in enumerate(pairwise(self._move_start.tolist())):
            if role != self._nature and start < end:
                self.weights[start:end] = self._weigh(start, end)

    def _weigh(self, start: int, end: int) -> Int64Array:
        """Return the weights of a role's moves; one that was never made is thought to be as good as the best."""
        visits, rewards = self._visits[start:end], self._rewards[start:end]
        means = rewards / (100 * np.maximum(visits, 1))
        best = means.max(initial=0.0)
        powers = np.exp((np.where(visits > 0, means, best) - best) / self._temperature)
        weights: Int64Array = np.rint(HEAVIEST * powers).astype(np.int64)
        return np.maximum(weights, 1)

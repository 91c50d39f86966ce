"""Flat search: the moves of one role are the arms of a bandit, pulled by UCB1 (Auer et al. 2002), with random playouts.

What the others do at the same time, nature among them, is drawn at random.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from random import Random
from typing import Any, Final, Protocol

import numpy as np

from woodstock.circuit.game import CircuitGame
from woodstock.circuit.network import Int64Array
from woodstock.circuit.runner import HORIZON, Batch, Runner
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game, Move, goal
from woodstock.game.walk import iter_playout, legal_moves
from woodstock.search.explanation import Candidate, Explanation
from woodstock.search.options import SearchStatistics
from woodstock.search.tree import Float64Array

ROUND_SECONDS: Final = 0.004
"""How long a round of playouts should take."""
SHARES: Final = 16
"""In a round, arms are chosen so often: each choice gets as many playouts as the others."""
LEAST_SHARE: Final = 64
"""Playouts of a share, at least: fewer do not fill the lanes of a batch, and would not be quicker."""
MOST_CHILDREN: Final = 20_000
"""Of more joint moves than that, only the first are tried."""


@dataclass(frozen=True)
class FlatOptions:
    """What a flat search does.

    Attributes:
        exploration: Weight of the confidence in UCB1, for utilities 0 to 1.
        horizon: Most joint moves of a playout.
    """

    exploration: float = 0.7
    horizon: int = HORIZON

    def __post_init__(self) -> None:
        if self.exploration < 0 or self.horizon < 1:
            raise UsageError("exploration must not be negative, and a horizon must be 1 or more")


class _Sampler(Protocol):
    """Makes playouts through the moves of a role in a position.

    Attributes:
        moves: The moves.
    """

    moves: tuple[Move, ...]

    def sample(self, counts: Int64Array, seed: int, deadline: Deadline) -> tuple[Int64Array, Float64Array]:
        """Make playouts through each move; return how many were made, and the sums of the utilities."""


class FlatSearch:
    """A bandit over the moves of a role in a position."""

    def __init__(self, game: Game[Any], options: FlatOptions | None = None, seed: int = 0) -> None:
        self.game = game
        self.options = options or FlatOptions()
        self.statistics = SearchStatistics()
        self._seed = seed
        self._rounds = 0
        self._runner = Runner(game.circuit) if isinstance(game, CircuitGame) else None

    def set_root(self, position: Any, role: int) -> None:
        """Look at the moves of a role in a position from now on."""
        self._role = role
        self._sampler: _Sampler
        if isinstance(self.game, CircuitGame) and self._runner is not None:
            self._sampler = _CircuitSampler(self.game, self._runner, position, role, self.options.horizon)
        else:
            self._sampler = _PlainSampler(self.game, position, role, self.options.horizon)
        self.statistics = SearchStatistics()
        self._counts = np.zeros(len(self._sampler.moves), np.int64)
        self._sums = np.zeros(len(self._sampler.moves), np.float64)
        self._pace = 1e-4

    def run(self, deadline: Deadline, iterations: int | None = None, report: Callable[[], None] | None = None) -> None:
        """Pull arms until the time is over or so many playouts have been made; see `TreeSearch.run`."""
        began = time.perf_counter()
        while not self._counts.any() or not deadline.expired:
            left = None if iterations is None else iterations - self.statistics.playouts
            if left is not None and left <= 0:
                break
            self._make_round(left, deadline)
            if report is not None:
                report()
        self.statistics.seconds += time.perf_counter() - began

    def _make_round(self, left: int | None, deadline: Deadline) -> None:
        began = time.perf_counter()
        size = max(LEAST_SHARE, int(ROUND_SECONDS / self._pace / SHARES))
        if left is not None:
            size = max(1, min(LEAST_SHARE, left // SHARES))
        wanted = self._allot(size)
        self._rounds += 1
        counts, sums = self._sampler.sample(wanted, hash((self._seed, self._rounds)) & 0x7FFFFFFFFFFFFFFF, deadline)
        self._counts += counts
        self._sums += sums
        made = int(counts.sum())
        self.statistics.playouts += made
        self.statistics.visits += made
        self.statistics.descents += made
        if made:
            self._pace += 0.2 * ((time.perf_counter() - began) / made - self._pace)

    def _allot(self, size: int) -> Int64Array:
        """Return how many playouts each arm gets in a round: what UCB1 chooses, arm by arm, if the means stay."""
        wanted = np.zeros(len(self._counts), np.int64)
        fresh = self._counts == 0
        if fresh.any():
            wanted[fresh] = size
            return wanted
        means = self._sums / self._counts
        for _ in range(SHARES):
            seen = self._counts + wanted
            bounds = means + self.options.exploration * np.sqrt(log(seen.sum()) / seen)
            wanted[int(bounds.argmax())] += size
        return wanted

    def explain(self) -> Explanation:
        """Return what the arms are worth, the best one first."""
        seen = np.maximum(self._counts, 1)
        means = np.where(self._counts > 0, self._sums / seen, -1.0)
        margins = 1.96 * np.sqrt(np.maximum(means * (1 - means), 1e-4) / seen)
        candidates = [
            Candidate(
                move,
                100 * float(means[arm]) if self._counts[arm] else None,
                100 * float(margins[arm]) if self._counts[arm] else None,
                int(self._counts[arm]),
            )
            for arm, move in enumerate(self._sampler.moves)
        ]
        order = sorted(range(len(candidates)), key=lambda arm: (-means[arm], -self._counts[arm]))
        facts: dict[str, float | int | str] = {
            "seconds": self.statistics.seconds,
            "playouts": self.statistics.playouts,
        }
        role = self.game.roles[self._role]
        return Explanation(role, tuple(candidates[arm] for arm in order), (), self.game.roles, facts)


class _CircuitSampler:
    """Playouts on a circuit."""

    def __init__(self, game: CircuitGame, runner: Runner, position: Any, role: int, horizon: int) -> None:
        found = game.expand([position], max_children=MOST_CHILDREN)
        numbers, arms = np.unique(found.moves[:, role], return_inverse=True)
        low = game.program.move_start[role]
        self.moves = tuple(game.program.moves[role][number - low] for number in numbers.tolist())
        self._runner = runner
        self._role = role
        self._horizon = horizon
        self._rows = found.rows
        self._ended = found.terminal
        self._goals = np.maximum(found.goals[:, role], 0).astype(np.int64)
        self._children = [np.flatnonzero(arms == arm) for arm in range(len(numbers))]

    def sample(self, counts: Int64Array, seed: int, deadline: Deadline) -> tuple[Int64Array, Float64Array]:
        random = np.random.default_rng(seed)
        shares = np.zeros(len(self._rows), np.int64)
        for arm, count in enumerate(counts.tolist()):
            children = self._children[arm]
            shares[children] = count // len(children)
            shares[random.permutation(children)[: count % len(children)]] += 1
        running = np.flatnonzero((shares > 0) & ~self._ended)
        results = self._runner.run(Batch(self._rows[running], shares[running], seed, self._horizon), deadline)
        made = np.where(self._ended, shares, 0)
        made[running] = results.counts
        sums = made * self._goals
        sums[running] = results.goal_sums[:, self._role]
        totals = [(int(made[children].sum()), int(sums[children].sum())) for children in self._children]
        return np.array([each[0] for each in totals], np.int64), np.array([each[1] / 100 for each in totals])


class _PlainSampler:
    """Playouts by any reasoner, one after the other."""

    def __init__(self, game: Game[Any], position: Any, role: int, horizon: int) -> None:
        self.moves = game.legal_moves(position, role)
        self._game = game
        self._position = position
        self._role = role
        self._horizon = horizon

    def sample(self, counts: Int64Array, seed: int, deadline: Deadline) -> tuple[Int64Array, Float64Array]:
        random = Random(seed)
        made, sums = np.zeros(len(counts), np.int64), np.zeros(len(counts), np.float64)
        for arm, count in enumerate(counts.tolist()):
            for _ in range(count):
                value = self._play(self.moves[arm], random, deadline)
                if value is None:
                    return made, sums
                made[arm] += 1
                sums[arm] += value
        return made, sums

    def _play(self, move: Move, random: Random, deadline: Deadline) -> float | None:
        """Return the utility of one playout through a move; None if the time was over before its end."""
        game, role = self._game, self._role
        legal = legal_moves(game, self._position)
        moves = [move if number == role else random.choice(each) for number, each in enumerate(legal)]
        position = first = game.next_position(self._position, moves)
        for steps, (reached, _) in enumerate(iter_playout(game, random, first)):
            position = reached
            if steps >= self._horizon:
                break
            if deadline.expired:
                return None
        return (goal(game, position, role) or 0) / 100

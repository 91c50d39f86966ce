"""Self-play: many matches at once, played quickly, from which the evaluation learns.

Temporal differences (Sutton 1988; Tesauro 1995): every role looks one joint move ahead and takes the move after which
the evaluation likes the position best, sometimes any other. When a match is over, each of its positions is told what
came of it, and what was expected a little later. Some matches are not learnt from: they tell how much the evaluation,
and how much playouts, should count.
"""

from __future__ import annotations

import time
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.expansion import Expander
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.runner import Batch, Runner
from woodstock.circuit.words import WordArray
from woodstock.common.jit import inner_kernel, jit
from woodstock.common.limits import Deadline
from woodstock.gdl.keywords import RANDOM
from woodstock.search.evaluation import Model, add_up, find_log_odds, make_model, squash, step_towards
from woodstock.search.growth import Children, children_of
from woodstock.search.tree import Float64Array, draw

LONGEST: Final = 500
"""A match that takes longer is given up, and nothing is learnt from it."""
TRACE: Final = 0.8
"""How much what came of a match counts against what was expected a step later."""
TRYING: Final = 0.1
"""How often any move is made, not the one that looks best."""
OPENING: Final = 8
"""Up to so many joint moves at the beginning of a match are any moves."""
UNSEEN: Final = 8
"""One in so many matches is not learnt from."""
MOST_MATCHES: Final = 256
MATCH_BYTES: Final = 1 << 25
"""Memory that the positions of all matches may take."""
STEP_SECONDS: Final = 0.004
"""More matches are played at once while a step of all takes less than that."""
KEPT: Final = 1 << 14
"""Positions of matches that were not learnt from."""
ENOUGH: Final = 200
"""With fewer of them nothing can be said about shares."""


class Matches(NamedTuple):
    """Matches that are being played.

    Attributes:
        rows: The positions of each so far, shape (n, longest, num_words), uint64.
        lengths: How many, shape (n,), int32.
        opening: How many joint moves at the beginning are any, shape (n,), int32.
    """

    rows: WordArray
    lengths: Int32Array
    opening: Int32Array


class Kept(NamedTuple):
    """Positions of matches that were not learnt from; the oldest are replaced.

    Attributes:
        rows: The positions, shape (n, num_words), uint64.
        utilities: What came of the match for each role, shape (n, num_roles), float64.
        seen: How many there were so far, shape (1,), int64.
    """

    rows: WordArray
    utilities: Float64Array
    seen: Int64Array


class Table(NamedTuple):
    """What players look at.

    Attributes:
        start: The position where matches begin, shape (num_words,), uint64.
        nature: The role `random`, or a negative number.
        target: Space to work in: what the position before is told, shape (num_roles,).
        expected: Space to work in: what was expected, shape (num_roles,).
        sums: Space to work in: what each move is worth, shape (num_moves,).
        counts: Space to work in: of how many positions, shape (num_moves,).
        random: State of the random numbers, shape (1,), uint64.
    """

    start: WordArray
    nature: int
    target: Float64Array
    expected: Float64Array
    sums: Float64Array
    counts: Int64Array
    random: WordArray


@jit
def play_on(model: Model, matches: Matches, kept: Kept, children: Children, table: Table) -> int:
    """Make a joint move in every match; learn from those that are over, and begin new ones in their place.

    Args:
        model: What learns.
        matches: The matches.
        kept: Positions of matches that are not learnt from.
        children: What the joint moves of the last positions of all matches lead to.
        table: What players look at.

    Returns:
        How many matches came to an end.
    """
    num_over = 0
    child = 0
    for match in range(len(matches.lengths)):
        first = child
        while child < len(children.parent) and children.parent[child] == match:
            child += 1
        length = matches.lengths[match]
        if first == child or length == matches.rows.shape[1]:
            _begin(matches, match, table)
            continue
        chosen = _choose(model, matches, children, (match, first, child), table)
        if children.terminal[chosen]:
            for role in range(len(table.target)):
                table.target[role] = max(0, children.goals[chosen, role]) / 100.0
            if match % UNSEEN == 0:
                _keep(matches, kept, match, table)
            else:
                _learn(model, matches, match, table)
            _begin(matches, match, table)
            num_over += 1
        else:
            for word in range(matches.rows.shape[2]):
                matches.rows[match, length, word] = children.rows[chosen, word]
            matches.lengths[match] = length + 1
    return num_over


@inner_kernel
def _begin(matches: Matches, match: int, table: Table) -> None:
    matches.lengths[match] = 1
    matches.opening[match] = 1 + draw(table.random, OPENING)
    for word in range(matches.rows.shape[2]):
        matches.rows[match, 0, word] = table.start[word]


@inner_kernel
def _choose(model: Model, matches: Matches, children: Children, span: tuple[int, int, int], table: Table) -> int:
    """Choose a child: each role its move, without knowing those of the others.

    `span` holds the match, its first child, and the end of its children.
    """
    match, first, end = span
    is_wild = matches.lengths[match] <= matches.opening[match] or draw(table.random, 1000) < TRYING * 1000
    low, high = first, end  # children with the moves that are chosen so far: those of the last role change quickest
    for role in range(len(table.target)):
        if children.moves[low, role] == children.moves[high - 1, role]:
            continue
        if role == table.nature or is_wild:
            move = children.moves[low + draw(table.random, high - low), role]
        else:
            move = _best_move(model, children, (first, end), role, table)
        while children.moves[low, role] != move:
            low += 1
        stop = low
        while stop < high and children.moves[stop, role] == move:
            stop += 1
        high = stop
    return low


@inner_kernel
def _best_move(model: Model, children: Children, span: tuple[int, int], role: int, table: Table) -> int:
    """Return the move of a role that is best on the average over what the others may do; any of several."""
    first, end = span
    for child in range(first, end):
        move = children.moves[child, role]
        table.sums[move] = 0.0
        table.counts[move] = 0
    for child in range(first, end):
        move = children.moves[child, role]
        if children.terminal[child]:
            table.sums[move] += max(0, children.goals[child, role]) / 100.0
        else:
            add_up(model, children.rows, child)
            table.sums[move] += squash(model.sums[role])
        table.counts[move] += 1
    best = children.moves[first, role]
    best_value = -1.0
    for child in range(first, end):
        move = children.moves[child, role]
        value = table.sums[move] / table.counts[move] + 1e-6 * draw(table.random, 1000)
        if value > best_value:
            best_value = value
            best = move
    return int(best)


@inner_kernel
def _learn(model: Model, matches: Matches, match: int, table: Table) -> None:
    """Tell the positions of a match, the last one first, what came of it; `Table.target` says that at first."""
    for step in range(matches.lengths[match] - 1, matches.opening[match] - 1, -1):
        num = add_up(model, matches.rows[match], step)
        for role in range(len(table.target)):
            table.expected[role] = squash(model.sums[role])
        step_towards(model, num, table.target)
        for role in range(len(table.target)):
            table.target[role] = TRACE * table.target[role] + (1 - TRACE) * table.expected[role]


@inner_kernel
def _keep(matches: Matches, kept: Kept, match: int, table: Table) -> None:
    """Keep the positions of a match that is over."""
    for step in range(matches.opening[match], matches.lengths[match]):
        at = kept.seen[0] % len(kept.rows)
        kept.seen[0] += 1
        for word in range(kept.rows.shape[1]):
            kept.rows[at, word] = matches.rows[match, step, word]
        for role in range(len(table.target)):
            kept.utilities[at, role] = table.target[role]


class SelfPlay:
    """Plays matches from the start of a game and learns from them.

    Args:
        game: The game.
        seed: What its random numbers are made from.

    Attributes:
        model: What was learnt.
        num_matches: How many matches came to an end.
    """

    def __init__(self, game: CircuitGame, seed: int = 0) -> None:
        program = game.program
        num_roles, start = len(program.roles), game.initial_position().row
        self._game = game
        self.model = make_model(program.num_fluents, num_roles)
        self.num_matches = 0
        self._seed = seed
        self._expander = Expander(game.circuit)
        self._most = int(np.clip(MATCH_BYTES // (8 * LONGEST * len(start)), UNSEEN, MOST_MATCHES))
        self._playing = UNSEEN
        self._matches = Matches(
            np.tile(start, (self._most, LONGEST, 1)), np.ones(self._most, np.int32), np.ones(self._most, np.int32)
        )
        self._kept = Kept(np.zeros((KEPT, len(start)), np.uint64), np.zeros((KEPT, num_roles)), np.zeros(1, np.int64))
        self._table = Table(
            start=start,
            nature=program.roles.index(RANDOM) if RANDOM in program.roles else -1,
            target=np.zeros(num_roles),
            expected=np.zeros(num_roles),
            sums=np.zeros(program.num_moves),
            counts=np.zeros(program.num_moves, np.int64),
            random=np.array([2 * (seed & 0xFFFFFFFFFFFF) + 1], np.uint64),
        )

    def run(self, deadline: Deadline, steps: int | None = None) -> None:
        """Play until the time is over, or for so many joint moves of all matches that are played at once."""
        done = 0
        while not deadline.expired and (steps is None or done < steps):
            began = time.perf_counter()
            rows, lengths, opening = self._matches
            matches = Matches(rows[: self._playing], lengths[: self._playing], opening[: self._playing])
            last = matches.rows[np.arange(self._playing), matches.lengths - 1]
            expansion = self._expander.expand(last, deadline=deadline)
            if not expansion.finished:
                break
            self.num_matches += play_on(self.model, matches, self._kept, children_of(expansion), self._table)
            done += 1
            if time.perf_counter() - began < STEP_SECONDS or steps is not None:
                self._playing = min(2 * self._playing, self._most)

    def weigh(self, samples: int, deadline: Deadline) -> None:
        """Find out how much the model and so many playouts should count, from matches that were not learnt from."""
        num = min(int(self._kept.seen[0]), KEPT)
        if num < ENOUGH:
            return
        chosen = np.random.default_rng(self._seed).permutation(num)[: KEPT // 4]
        rows = np.ascontiguousarray(self._kept.rows[chosen])
        results = Runner(self._game.circuit).run(Batch(rows, np.full(len(rows), samples), self._seed), deadline)
        is_sampled = results.counts == samples
        if int(is_sampled.sum()) < ENOUGH:
            return
        said = find_log_odds(self.model, rows)[is_sampled]
        sampled = (results.goal_sums[is_sampled] / 100 + 0.5) / (samples + 1)
        came = self._kept.utilities[chosen][is_sampled]
        for role in range(came.shape[1]):
            if role != self._table.nature:
                playouts = np.log(sampled[:, role] / (1 - sampled[:, role]))
                opinions = np.stack([said[:, role], playouts, np.ones(len(playouts))], axis=1)
                self.model.mixture[role] = fit_logistic(opinions, came[:, role])


def fit_logistic(features: Float64Array, targets: Float64Array) -> Float64Array:
    """Return the weights of a logistic regression (Newton's method), drawn to zero as by one example for each weight.

    Args:
        features: Shape (n, num_weights).
        targets: Numbers from 0 to 1, shape (n,).
    """
    weights = np.zeros(features.shape[1])
    for _ in range(12):
        expected = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        slope = features.T @ (expected - targets) + weights
        curve = (features * (expected * (1 - expected))[:, None]).T @ features + np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    return weights

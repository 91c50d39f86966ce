"""Self-play: matches from which the evaluation learns.

Temporal differences (Sutton 1988; Tesauro 1995): every role looks one joint move ahead and takes the move after which
the evaluation likes the position best, sometimes any other. When a match is over, each of its positions is told what
came of it, and what was expected a little later.
"""

from __future__ import annotations

import time
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.expansion import Expander
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.network import BoolArray, Int32Array, Int64Array
from woodstock.circuit.runner import Batch, Runner
from woodstock.circuit.words import U0, U1, WordArray
from woodstock.common.jit import inner_kernel, jit
from woodstock.common.limits import Deadline
from woodstock.gdl.keywords import RANDOM
from woodstock.search.evaluation import Model, add_up, log_odds_after, make_model, squash, step_towards
from woodstock.search.families import find_families
from woodstock.search.growth import Children, children_of
from woodstock.search.patterns import find_patterns
from woodstock.search.tree import Float64Array, draw
from woodstock.symmetry.group import SymmetryGroup

LONGEST: Final = 2000
"""A match that takes longer is given up, and nothing is learnt from it."""
TRACE: Final = 0.8
"""How much what came of a match counts against what was expected a step later."""
TRYING: Final = 0.1
"""How often any move is made, not the one that looks best."""
OPENING: Final = 8
"""Up to so many joint moves at the beginning of a match are any moves."""
FEWEST_MATCHES: Final = 8
MOST_MATCHES: Final = 256
PLAYED_SHARE: Final = 0.25
"""At once not more than so many of those that are over: what is learnt from a match should serve the next ones."""
MATCH_BYTES: Final = 1 << 26
"""Memory that the positions of all matches may take."""
STEP_SECONDS: Final = 0.004
"""More matches are played at once while a step of all takes less than that."""
SHARING: Final = 256
"""Playouts to see whether two roles share what there is to be won."""


class Matches(NamedTuple):
    """Matches that are being played.

    Attributes:
        rows: The positions of each so far, shape (n, longest, num_words), uint64.
        lengths: How many, shape (n,), int32.
        opening: How many joint moves at the beginning are any, shape (n,), int32.
        legal: The legal moves of the last position of each, packed, shape (n, num_move_words), uint64.
        tried: After which positions any move was made, not the best, shape (n, longest), bool.
    """

    rows: WordArray
    lengths: Int32Array
    opening: Int32Array
    legal: WordArray
    tried: BoolArray


class Step(NamedTuple):
    """What the joint moves that matches may go on with lead to.

    Attributes:
        positions: The last position of each match, shape (n, num_words), uint64.
        children: Their successors.
        legal: The legal moves of these, packed, shape (num_children, num_move_words), uint64.
    """

    positions: WordArray
    children: Children
    legal: WordArray


class Table(NamedTuple):
    """What players look at.

    Attributes:
        start: The position where matches begin, shape (num_words,), uint64.
        first_legal: Its legal moves, packed, shape (num_move_words,), uint64.
        move_start: The moves of role r are those from `move_start[r]` to `move_start[r + 1]`, int64.
        nature: The role `random`, or a negative number.
        target: Space to work in: what the position before is told, shape (num_columns,).
        expected: Space to work in: what was expected, shape (num_columns,).
        sums: Space to work in: what each move is worth, shape (num_moves,).
        counts: Space to work in: of how many positions, shape (num_moves,).
        random: State of the random numbers, shape (1,), uint64.
    """

    start: WordArray
    first_legal: WordArray
    move_start: Int64Array
    nature: int
    target: Float64Array
    expected: Float64Array
    sums: Float64Array
    counts: Int64Array
    random: WordArray


@jit
def narrow(matches: Matches, wanted: WordArray, table: Table) -> int:
    """Leave one move of each role, any, where players try something, and one of nature where it alone chooses.

    What is left is to be expanded; so nobody sees what nature does at the same time.

    Args:
        matches: The matches.
        wanted: The legal moves of their last positions, as in `Matches.legal`; changed.
        table: What players look at.

    Returns:
        In how many matches somebody has a choice, other than nature.
    """
    num_open = 0
    for match in range(len(matches.lengths)):
        is_wild = matches.lengths[match] <= matches.opening[match] or draw(table.random, 1000) < TRYING * 1000
        num_choosing = 0
        for role in range(len(table.move_start) - 1):
            if role != table.nature:
                num_choosing += _count_moves(wanted, match, role, table) > 1
        num_open += num_choosing > 0
        matches.tried[match, matches.lengths[match] - 1] = is_wild and num_choosing > 0
        if is_wild or num_choosing == 0:
            for role in range(len(table.move_start) - 1):
                _keep_one(wanted, match, role, table)
    return num_open


@inner_kernel
def _is_legal(legal: WordArray, match: int, move: int) -> bool:
    return bool((legal[match, move // 64] >> np.uint64(move % 64)) & U1 != U0)


@inner_kernel
def _count_moves(legal: WordArray, match: int, role: int, table: Table) -> int:
    num = 0
    for move in range(table.move_start[role], table.move_start[role + 1]):
        num += _is_legal(legal, match, move)
    return num


@inner_kernel
def _keep_one(legal: WordArray, match: int, role: int, table: Table) -> None:
    """Leave one of the legal moves of a role."""
    left = draw(table.random, max(1, _count_moves(legal, match, role, table)))
    for move in range(table.move_start[role], table.move_start[role + 1]):
        if _is_legal(legal, match, move):
            if left != 0:
                legal[match, move // 64] &= ~(U1 << np.uint64(move % 64))
            left -= 1


@jit
def play_on(model: Model, matches: Matches, step: Step, table: Table) -> int:
    """Make a joint move in every match; learn from those that are over, and begin new ones in their place.

    Args:
        model: What learns.
        matches: The matches.
        step: What their joint moves lead to.
        table: What players look at.

    Returns:
        How many matches came to an end.
    """
    children = step.children
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
        chosen = _choose(model, step, (match, first, child), table)
        if children.terminal[chosen]:
            for role in range(len(model.signs) - 1, -1, -1):  # a column is the first role's that it tells of
                if model.signs[role] > 0.0:
                    table.target[model.columns[role]] = max(0, children.goals[chosen, role]) / 100.0
            _learn(model, matches, match, table)
            _begin(matches, match, table)
            num_over += 1
        else:
            for word in range(matches.rows.shape[2]):
                matches.rows[match, length, word] = children.rows[chosen, word]
            for word in range(matches.legal.shape[1]):
                matches.legal[match, word] = step.legal[chosen, word]
            matches.lengths[match] = length + 1
    return num_over


@inner_kernel
def _begin(matches: Matches, match: int, table: Table) -> None:
    matches.lengths[match] = 1
    matches.opening[match] = 1 + draw(table.random, OPENING)
    for word in range(matches.rows.shape[2]):
        matches.rows[match, 0, word] = table.start[word]
    for word in range(matches.legal.shape[1]):
        matches.legal[match, word] = table.first_legal[word]


@inner_kernel
def _choose(model: Model, step: Step, span: tuple[int, int, int], table: Table) -> int:
    """Choose a child: each role its move, without knowing those of the others.

    `span` holds the match, its first child, and the end of its children.
    """
    _, first, end = span
    moves = step.children.moves
    low, high = first, end  # children with the moves that are chosen so far: those of the last role change quickest
    for role in range(len(model.signs)):
        if moves[low, role] == moves[high - 1, role]:
            continue
        if role == table.nature:
            move = moves[low + draw(table.random, high - low), role]
        else:
            move = _best_move(model, step, span, role, table)
        while moves[low, role] != move:
            low += 1
        stop = low
        while stop < high and moves[stop, role] == move:
            stop += 1
        high = stop
    return low


@inner_kernel
def _best_move(model: Model, step: Step, span: tuple[int, int, int], role: int, table: Table) -> int:
    """Return the move of a role that is best on the average over what the others may do; any of several."""
    match, first, end = span
    children = step.children
    sign, column = model.signs[role], model.columns[role]
    num = add_up(model, step.positions, match)
    for child in range(first, end):
        move = children.moves[child, role]
        table.sums[move] = 0.0
        table.counts[move] = 0
    for child in range(first, end):
        move = children.moves[child, role]
        if children.terminal[child]:
            table.sums[move] += max(0, children.goals[child, role]) / 100.0
        else:
            table.sums[move] += squash(
                sign * log_odds_after(model, num, (step.positions, match), (children.rows, child), column)
            )
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
    """Tell the positions of a match, the last one first, what came of it; `Table.target` says that at first.

    What came of a move that was only tried says nothing about the positions before (Watkins 1989).
    """
    for step in range(matches.lengths[match] - 1, matches.opening[match] - 1, -1):
        num = add_up(model, matches.rows[match], step)
        for column in range(len(table.target)):
            table.expected[column] = squash(model.sums[column])
        is_tried = matches.tried[match, step]
        if not is_tried:
            step_towards(model, num, table.target)
        trace = 0.0 if is_tried else TRACE
        for column in range(len(table.target)):
            table.target[column] = trace * table.target[column] + (1 - trace) * table.expected[column]


class SelfPlay:
    """Plays matches from the start of a game and learns from them.

    Args:
        game: The game.
        seed: What its random numbers are made from.
        symmetries: Symmetries of the game, such as exchange roles, too.

    Attributes:
        game: The game.
        model: What was learnt.
        num_matches: How many matches came to an end.
        num_choices: How many joint moves were made at which somebody had a choice.
    """

    def __init__(self, game: CircuitGame, seed: int = 0, symmetries: SymmetryGroup | None = None) -> None:
        program = game.program
        start = game.initial_position().row
        self.game = game
        self._seed = seed
        minds = [role != RANDOM for role in program.roles]
        families, patterns = find_families(program.fluents), find_patterns(program)
        self.model = make_model(program.num_fluents, minds, self._is_shared(), patterns, symmetries, families)
        self.num_matches = 0
        self.num_choices = 0
        self._expander = Expander(game.circuit)
        seen = self._expander.look(start[None])
        self._is_over = bool(seen.terminal[0])
        self._most = int(np.clip(MATCH_BYTES // (8 * LONGEST * len(start)), FEWEST_MATCHES, MOST_MATCHES))
        self._playing = FEWEST_MATCHES
        self._matches = Matches(
            np.tile(start, (self._most, LONGEST, 1)),
            np.ones(self._most, np.int32),
            np.ones(self._most, np.int32),
            np.tile(seen.legal, (self._most, 1)),
            np.zeros((self._most, LONGEST), np.bool_),
        )
        self._table = Table(
            start=start,
            first_legal=seen.legal[0],
            move_start=np.asarray(program.move_start, np.int64),
            nature=program.roles.index(RANDOM) if RANDOM in program.roles else -1,
            target=np.zeros(len(self.model.sums)),
            expected=np.zeros(len(self.model.sums)),
            sums=np.zeros(program.num_moves),
            counts=np.zeros(program.num_moves, np.int64),
            random=np.array([2 * (seed & 0xFFFFFFFFFFFF) + 1], np.uint64),
        )

    def _is_shared(self) -> bool:
        """Tell whether there are two minds, and what one wins the other loses, in some playouts at least."""
        minds = [number for number, role in enumerate(self.game.roles) if role != RANDOM]
        rows = np.tile(self.game.initial_position().row, (SHARING, 1))
        results = Runner(self.game.circuit).run(Batch(rows, np.ones(SHARING, np.int64), self._seed))
        return len(minds) == 2 and bool((results.goal_sums[results.counts > 0][:, minds].sum(axis=1) == 100).all())

    @property
    def mean_length(self) -> float:
        """How many joint moves of a match are somebody's choice."""
        return max(1.0, self.num_choices / max(1, self.num_matches))

    def run(self, deadline: Deadline, steps: int | None = None) -> None:
        """Play until the time is over, or for so many joint moves of all matches that are played at once."""
        done = 0
        while not (self._is_over or deadline.expired) and (steps is None or done < steps):
            began = time.perf_counter()
            rows, lengths, opening, legal, tried = self._matches
            now = slice(self._playing)
            matches = Matches(rows[now], lengths[now], opening[now], legal[now], tried[now])
            last = matches.rows[np.arange(self._playing), matches.lengths - 1]
            wanted = matches.legal.copy()
            self.num_choices += narrow(matches, wanted, self._table)
            expansion = self._expander.expand(last, legal=wanted, deadline=deadline)
            if not expansion.finished:
                break
            step = Step(last, children_of(expansion), expansion.legal)
            self.num_matches += play_on(self.model, matches, step, self._table)
            done += 1
            if time.perf_counter() - began < STEP_SECONDS or steps is not None:
                few = max(FEWEST_MATCHES, int(PLAYED_SHARE * self.num_matches))
                self._playing = max(self._playing, min(2 * self._playing, self._most, few))

"""Evaluation: what a position is worth by the fluents that hold in it.

Each fluent has a weight for each role, and so have each family of fluents, which counts once for each that holds, each
pair of fluents and each pattern; the sum of those that hold is the logarithm of the odds of the role's utility. What
symmetries take to each other shares a weight. Of the positions that are a joint move away from one that was added up,
only what changes has to be looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.words import U0, U1, WordArray, lowest_bit
from woodstock.common.jit import inner_kernel, jit
from woodstock.search.families import Family
from woodstock.search.patterns import Patterns, count_met, no_patterns, place_of, shift, touch
from woodstock.search.shared_weights import find_actions, share_families, share_fluents, share_pairs, share_patterns
from woodstock.search.tree import FLAGS, PENDING, VISITS, Float32Array, Float64Array, Tree
from woodstock.symmetry.group import SymmetryGroup

RATE: Final = 0.1
"""How far the first steps of a fluent's weight go."""
PAIR_RATE: Final = 0.02
"""How far those of a pair's weight go: there are many pairs."""
FAMILY_RATE: Final = 0.02
"""How far those of a family's weight go."""
PATTERN_RATE: Final = 0.02
"""How far those of a pattern's weight go."""
PULL: Final = 0.0001
"""How strongly weights of fluents are drawn to zero."""
FIRST_SQUARE: Final = 0.1
"""So much counts as gone before the first step of a weight,"""
FIRST_SQUARE_OF_MANY: Final = 10.0
"""or of one of many that hold at once, those of pairs and families: all of them together would go too far, and matches
would be spent on coming back."""
PAIR_BYTES: Final = 1 << 26
"""Pairs have weights if these take no more memory than that."""


class Model(NamedTuple):
    """What was learnt.

    There is a *column* of weights for each role that chooses; but if two roles share what there is to be won, one
    column tells of both. A weight is found by its code (see `woodstock.search.shared_weights`), and stands beside its
    opposite.

    Attributes:
        codes: Of each fluent, then of the constant, for each column, shape (num_columns, num_fluents + 1), int32.
        weights: Weights by codes, float64.
        squares: Sums of the squares of the steps that each weight has made, by half its code.
        family_codes: Of each fluent's families for each column, shape (num_columns, num_fluents, most), int32.
        families: Their weights by codes, float64.
        family_squares: Sums of the squares of the steps that each has made, by half its code.
        pair_codes: Of pairs for each column, shape (num_columns, num_fluents, num_fluents), int32, symmetric; empty if
            pairs have no weights.
        pairs: Their weights by codes, float32.
        pair_squares: Sums of the squares of the steps that each has made, by half its code.
        patterns: Fluents that have to hold together.
        own: Code of a pattern's first slot of its own, shape (num_columns, num_patterns), int32; the others follow at
            every second place.
        common: Code of the first slot of its kind, likewise.
        first_slot: Code of the first slot that is learnt; those before are always zero.
        slots: Weights of slots by codes, float64.
        slot_squares: Sums of the squares of the steps that each has made, by half its code.
        columns: Which column tells of a role, shape (num_roles,), int64.
        signs: What its log odds are multiplied by to have those of the role, shape (num_roles,), float64; zero for
            nature.
        sums: Space to work in: log odds, shape (num_columns,).
        held: Space to work in: fluents, shape (num_fluents,), int32.
        influence: Space to work in: by how much the log odds change with a fluent, shape (num_columns, num_fluents).
        asked: Space to work in: when that was found, shape (num_fluents + 1,), int64; the last entry is the present.
        added: Space to work in: fluents that a joint move makes true, shape (num_fluents,), int32.
        gone: Space to work in: those that it makes false.
        balance: Space to work in: how many fluents of a family hold, less those that count with the opposite sign, by
            half its code.
        tally: Space to work in: how many patterns are in each slot of a kind, which come first, by codes.
    """

    codes: Int32Array
    weights: Float64Array
    squares: Float64Array
    family_codes: Int32Array
    families: Float64Array
    family_squares: Float64Array
    pair_codes: Int32Array
    pairs: Float32Array
    pair_squares: Float32Array
    patterns: Patterns
    own: Int32Array
    common: Int32Array
    first_slot: int
    slots: Float64Array
    slot_squares: Float64Array
    columns: Int64Array
    signs: Float64Array
    sums: Float64Array
    held: Int32Array
    influence: Float64Array
    asked: Int64Array
    added: Int32Array
    gone: Int32Array
    balance: Float64Array
    tally: Float64Array

    @property
    def num_learnt(self) -> int:
        """How many weights can be other than zero."""
        num_slots = len(self.slot_squares) - self.first_slot // 2
        return len(self.squares) - 1 + len(self.family_squares) - 1 + len(self.pair_squares) - 1 + num_slots


def make_model(
    num_fluents: int,
    minds: Sequence[bool],
    is_shared: bool = False,
    patterns: Patterns | None = None,
    symmetries: SymmetryGroup | None = None,
    families: Sequence[Family] = (),
) -> Model:
    """Return a model that knows nothing.

    Args:
        num_fluents: How many fluents there are.
        minds: Of each role, whether it chooses: nature does not.
        is_shared: What one of two roles wins the other loses.
        patterns: Fluents that have to hold together.
        symmetries: Symmetries of the game, such as exchange roles, too.
        families: Fluents that are alike.
    """
    patterns = no_patterns(num_fluents) if patterns is None else patterns
    signs = np.array(minds, np.float64)
    columns = np.maximum(0, np.cumsum(signs) - 1).astype(np.int64)
    if is_shared and sum(minds) == 2:
        signs[int(np.flatnonzero(signs)[1])] = -1.0
        columns[:] = 0
    num_columns = int(columns.max()) + 1
    actions = find_actions(symmetries, columns, signs)
    codes = share_fluents(num_fluents, num_columns, actions)
    family_codes = share_families(families, num_fluents, num_columns, actions)
    side = num_fluents if 8 * num_columns * num_fluents**2 <= PAIR_BYTES else 0
    pair_codes = share_pairs(side, num_columns, actions if side else ())
    own, common = share_patterns(patterns, num_columns, actions)
    common, num_common = _make_room(common, patterns.sizes, 0)
    own, num_slots = _make_room(own, patterns.sizes, num_common)
    num_weights, num_families, num_pairs = (_num_weights(each) for each in (codes, family_codes, pair_codes))
    return Model(
        codes=codes,
        weights=np.zeros(2 * num_weights),
        squares=np.full(num_weights, FIRST_SQUARE),
        family_codes=family_codes,
        families=np.zeros(2 * num_families),
        family_squares=np.full(num_families, FIRST_SQUARE_OF_MANY),
        pair_codes=pair_codes,
        pairs=np.zeros(2 * num_pairs, np.float32),
        pair_squares=np.full(num_pairs, FIRST_SQUARE_OF_MANY, np.float32),
        patterns=patterns,
        own=own,
        common=common,
        first_slot=2 * (int(patterns.sizes.max(initial=0)) + 1),
        slots=np.zeros(2 * num_slots),
        slot_squares=np.full(num_slots, FIRST_SQUARE),
        columns=columns,
        signs=signs,
        sums=np.zeros(num_columns),
        held=np.zeros(num_fluents, np.int32),
        influence=np.zeros((num_columns, num_fluents)),
        asked=np.zeros(num_fluents + 1, np.int64),
        added=np.zeros(num_fluents, np.int32),
        gone=np.zeros(num_fluents, np.int32),
        balance=np.zeros(num_families),
        tally=np.zeros(2 * num_common),
    )


def _num_weights(codes: Int32Array) -> int:
    """Return how many weights there are, with the one that is always zero."""
    return int(codes.max(initial=1)) // 2 + 1


def _make_room(codes: Int32Array, sizes: Int32Array, first: int) -> tuple[Int32Array, int]:
    """Give every weight of a pattern as many places in a row as the pattern has slots, after the first ones.

    Returns:
        The codes of the first slot of each, and how many slots there are then. Patterns of which nothing can be learnt
        have slots that nobody learns, the first of all.
    """
    rooms = np.zeros(_num_weights(codes), np.int64)
    rooms[0] = 0 if first else sizes.max(initial=0) + 1
    numbers = codes >> 1
    rooms[numbers] = np.where(numbers > 0, sizes + 1, rooms[0])
    starts = first + np.cumsum(rooms) - rooms
    starts[0] = 0
    return (2 * starts[numbers] + (codes & 1)).astype(np.int32), int(first + rooms.sum())


@inner_kernel
def squash(log_odds: float) -> float:
    """Return a utility from its log odds."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, log_odds))))


@inner_kernel
def add_up(model: Model, rows: WordArray, number: int) -> int:
    """Set `Model.sums` to the log odds of a position, and list its fluents in `Model.held`; return how many hold."""
    num = 0
    for word in range(rows.shape[1]):
        num = _list_bits(rows[number, word], word, model.held, num)
    last = len(model.asked) - 1
    model.asked[last] += 1  # what was found before is of another position
    for column in range(len(model.sums)):
        total = model.weights[model.codes[column, last]]
        for at in range(num):
            total += _own_worth(model, model.held[at], column)
        if model.pair_codes.shape[1] > 0:
            for at in range(num):
                first = model.held[at]
                for other in range(at):
                    total += model.pairs[model.pair_codes[column, first, model.held[other]]]
        model.sums[column] = total
    if len(model.patterns.sizes) > 0:
        count_met(model.patterns, model.held, num)
        for column in range(len(model.sums)):
            for pattern in range(len(model.patterns.sizes)):
                model.sums[column] += _worth(model, pattern, column)
    return num


@inner_kernel
def _own_worth(model: Model, fluent: int, column: int) -> float:
    """Return what a fluent adds to the log odds, whatever else holds."""
    total = model.weights[model.codes[column, fluent]]
    for place in range(model.family_codes.shape[2]):
        total += model.families[model.family_codes[column, fluent, place]]
    return float(total)


@inner_kernel
def _worth(model: Model, pattern: int, column: int) -> float:
    """Return what a pattern adds to the log odds."""
    place = place_of(model.patterns, pattern)
    if place == 0:
        return 0.0
    return float(
        model.slots[model.common[column, pattern] + 2 * place] + model.slots[model.own[column, pattern] + 2 * place]
    )


@inner_kernel
def _list_bits(bits: np.uint64, word: int, numbers: Int32Array, num: int) -> int:
    """Append the numbers of the bits of a word to a list of some length; return its new length."""
    while bits != U0:
        numbers[num] = np.int64(64 * word) + np.int64(lowest_bit(bits))
        bits &= bits - U1
        num += 1
    return num


@inner_kernel
def log_odds_after(
    model: Model, num: int, before: tuple[WordArray, int], after: tuple[WordArray, int], column: int
) -> float:
    """Return the log odds of a position that differs little from the one that `add_up` was asked about.

    With x the fluents that hold and d what changes, the pairs' part is a quadratic form, which grows by d'Px + d'Pd/2;
    and Px, the influence of each fluent, is the same for all positions that are one joint move away.

    Args:
        model: The model.
        num: How many fluents hold in the position that it was asked about.
        before: Packed positions, and the number of that one.
        after: Packed positions, and the number of the other one.
        column: The column that is wanted.
    """
    rows, parent = before
    others, child = after
    num_added, num_gone = 0, 0
    for word in range(rows.shape[1]):
        old, new = rows[parent, word], others[child, word]
        if old != new:
            num_added = _list_bits(new & ~old, word, model.added, num_added)
            num_gone = _list_bits(old & ~new, word, model.gone, num_gone)
    has_pairs = model.pair_codes.shape[1] > 0
    total = model.sums[column]
    for at in range(num_added):
        fluent = model.added[at]
        total += _influence(model, num, fluent, column)
        if has_pairs:
            for other in range(at):
                total += model.pairs[model.pair_codes[column, fluent, model.added[other]]]
    for at in range(num_gone):
        fluent = model.gone[at]
        total -= _influence(model, num, fluent, column)
        if has_pairs:
            for other in range(at):
                total += model.pairs[model.pair_codes[column, fluent, model.gone[other]]]
            for other in range(num_added):
                total -= model.pairs[model.pair_codes[column, fluent, model.added[other]]]
    if len(model.patterns.sizes) > 0:
        total += _difference(model, num_added, num_gone, column)
    return float(total)


@inner_kernel
def _difference(model: Model, num_added: int, num_gone: int, column: int) -> float:
    """Return by how much the log odds change with the patterns, when fluents are added and others are gone."""
    patterns = model.patterns
    patterns.seen[len(patterns.sizes)] += 1
    num = touch(patterns, model.added, num_added, 0)
    num = touch(patterns, model.gone, num_gone, num)
    total = 0.0
    for at in range(num):
        total -= _worth(model, patterns.touched[at], column)
    shift(patterns, model.added, num_added, 1)
    shift(patterns, model.gone, num_gone, -1)
    for at in range(num):
        total += _worth(model, patterns.touched[at], column)
    shift(patterns, model.added, num_added, -1)
    shift(patterns, model.gone, num_gone, 1)
    return total


@inner_kernel
def _influence(model: Model, num: int, fluent: int, column: int) -> float:
    """Return by how much the log odds of the position that `add_up` was asked about change with a fluent."""
    present = model.asked[len(model.asked) - 1]
    if model.asked[fluent] != present:
        model.asked[fluent] = present
        for each in range(len(model.sums)):
            total = _own_worth(model, fluent, each)
            if model.pair_codes.shape[1] > 0:
                for at in range(num):
                    total += model.pairs[model.pair_codes[each, fluent, model.held[at]]]
            model.influence[each, fluent] = total
    return float(model.influence[column, fluent])


@jit
def find_log_odds(model: Model, rows: WordArray) -> Float64Array:
    """Return the log odds of positions for each role, shape (n, num_roles)."""
    found = np.empty((len(rows), len(model.signs)))
    for number in range(len(rows)):
        add_up(model, rows, number)
        for role in range(len(model.signs)):
            found[number, role] = model.signs[role] * model.sums[model.columns[role]]
    return found


@jit
def evaluate(tree: Tree, model: Model, nodes: Int32Array, parents: WordArray, parent_of: Int32Array) -> None:
    """Give nodes what the model says: as their first values, or beside these if the tree has room for both.

    Args:
        tree: The tree.
        model: The model.
        nodes: The nodes, shape (n,), int32.
        parents: Positions, shape (m, num_words), uint64.
        parent_of: The position from which a joint move leads to each node, shape (n,), int32.
    """
    is_beside = tree.judged.shape[1] > 0
    said = tree.judged if is_beside else tree.values
    last = -1
    num = 0
    for number in range(len(nodes)):
        node = nodes[number]
        parent = parent_of[number]
        if parent != last:
            last = parent
            num = add_up(model, parents, parent)
        if not is_beside:
            tree.nodes[node, FLAGS] &= ~PENDING
            tree.nodes[node, VISITS] = 1
        known = -1
        log_odds = 0.0
        for role in range(len(model.signs)):
            if model.columns[role] != known:
                known = model.columns[role]
                log_odds = log_odds_after(model, num, (parents, parent), (tree.rows, node), known)
            said[node, role] = squash(model.signs[role] * log_odds)


@inner_kernel
def step_towards(model: Model, num: int, target: Float64Array) -> None:
    """Learn that a position is worth something, after `add_up` was asked about it.

    Weights go down the slope of the cross entropy, the less the more they have gone already (AdaGrad: Duchi, Hazan and
    Singer 2011).

    Args:
        model: The model.
        num: How many fluents hold in the position.
        target: What it is worth by each column, shape (num_columns,).
    """
    last = len(model.asked) - 1
    for column in range(len(model.sums)):
        slope = squash(model.sums[column]) - target[column]
        _step(model, model.codes[column, last], slope)
        for at in range(num):
            code = model.codes[column, model.held[at]]
            _step(model, code, slope + PULL * model.weights[code])
        if model.family_codes.shape[2] > 0:
            _step_families(model, num, column, slope)
        if model.pair_codes.shape[1] > 0:
            _step_pairs(model, num, column, slope)
        if len(model.patterns.sizes) > 0:
            _step_patterns(model, column, slope)


@inner_kernel
def _step(model: Model, code: int, slope: float) -> None:
    if code > 1:
        model.squares[code >> 1] += slope * slope
        step = RATE * slope / sqrt(model.squares[code >> 1])
        model.weights[code] -= step
        model.weights[code ^ 1] += step


@inner_kernel
def _step_families(model: Model, num: int, column: int, slope: float) -> None:
    for at in range(num):
        for place in range(model.family_codes.shape[2]):
            code = model.family_codes[column, model.held[at], place]
            model.balance[code >> 1] += 1.0 - 2.0 * (code & 1)
    model.balance[0] = 0.0
    for at in range(num):
        for place in range(model.family_codes.shape[2]):
            weight = model.family_codes[column, model.held[at], place] >> 1
            if model.balance[weight] != 0.0:
                model.family_squares[weight] += slope * slope  # by the slope alone: who are many say more
                step = FAMILY_RATE * model.balance[weight] * slope / sqrt(model.family_squares[weight])
                model.balance[weight] = 0.0
                model.families[2 * weight] -= step
                model.families[2 * weight + 1] += step


@inner_kernel
def _step_pairs(model: Model, num: int, column: int, slope: float) -> None:
    down = np.float32(slope)
    way = np.float32(PAIR_RATE * slope)
    for at in range(num):
        first = model.held[at]
        for other in range(at):
            code = model.pair_codes[column, first, model.held[other]]
            if code > 1:
                model.pair_squares[code >> 1] += down * down
                step = way / np.float32(sqrt(model.pair_squares[code >> 1]))
                model.pairs[code] -= step
                model.pairs[code ^ 1] += step


@inner_kernel
def _step_patterns(model: Model, column: int, slope: float) -> None:
    model.tally[:] = 0.0
    patterns = model.patterns
    for pattern in range(len(patterns.sizes)):
        place = place_of(patterns, pattern)
        if place > 0:
            model.tally[model.common[column, pattern] + 2 * place] += 1.0
            _step_slot(model, model.own[column, pattern] + 2 * place, slope)
    for slot in range(0, len(model.tally), 2):
        num = model.tally[slot] - model.tally[slot + 1]
        if num != 0.0:
            _step_slot(model, slot, num * slope)


@inner_kernel
def _step_slot(model: Model, code: int, slope: float) -> None:
    if code >= model.first_slot:
        model.slot_squares[code >> 1] += slope * slope
        step = PATTERN_RATE * slope / sqrt(model.slot_squares[code >> 1])
        model.slots[code] -= step
        model.slots[code ^ 1] += step

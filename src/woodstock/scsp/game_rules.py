"""The rules of a game as the network of a stage needs them: what is asked of a position is told apart from its moves.

`legal`, `terminal` and `goal` are about a position in which no move is made yet. In most sheets they depend on no move;
where they do, what they depend on is written a second time, with no moves made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, GroundProgram
from woodstock.ground.rulebase import RuleBase, needed_atoms, offsets, ranges

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class StageRules:
    """Rules over the atoms of a ground program and, behind them, copies of some in which no move is made.

    Attributes:
        rules: Rules, sorted by head; an atom comes after those that it depends on, but for loops. A body may be empty.
        loop: The positive loop of each atom, or NO_LOOP, int64.
        legal: The atom that tells whether each move is legal, TRUE_ATOM or NO_ATOM, int64.
        terminal: The atom that tells whether the match is over.
        goals: The atom of each entry of the program's goals, int64.
        next: The atom that tells whether each fluent holds next, TRUE_ATOM or NO_ATOM, int64.
        percepts: The atom of each entry of the program's percepts, or NO_ATOM, int64.
        needs_moves: Whether each atom is false as long as no move is made, whatever the position; bool.
    """

    rules: RuleBase
    loop: IntArray
    legal: IntArray
    terminal: int
    goals: IntArray
    next: IntArray
    percepts: IntArray
    needs_moves: BoolArray


def make_stage_rules(program: GroundProgram, impossible: BoolArray | None = None) -> StageRules:
    """Return the rules of a stage of a game.

    Args:
        program: The game.
        impossible: Whether each atom depends on moves and never holds when moves are made, bool; they are left out.
    """
    rules = RuleBase(
        program.num_atoms,
        program.rule_head.astype(np.int64),
        program.body_start.astype(np.int64),
        program.body_data.astype(np.int64),
    )
    if impossible is None:
        impossible = np.zeros(program.num_atoms, dtype=np.bool_)
    rules = _without(rules, impossible)
    is_move = np.zeros(program.num_atoms, dtype=np.bool_)
    is_move[1 + program.num_fluents : 1 + program.num_fluents + program.num_moves] = True
    loop = program.atom_loop.astype(np.int64)
    asked = np.concatenate([program.legal_atom, program.goals.atoms, [program.terminal_atom]]).astype(np.int64)
    copied = needed_atoms(rules, asked[asked != NO_ATOM]) & _uses_moves(rules, is_move)
    if copied.any():
        rules, loop, asked = _with_copies(rules, loop, asked, copied, is_move)
        is_move = np.concatenate([is_move, np.zeros(rules.num_atoms - program.num_atoms, dtype=np.bool_)])
    num_legal = len(program.legal_atom)
    percepts = np.zeros(0, dtype=np.int32) if program.percepts is None else program.percepts.atoms
    return StageRules(
        rules=rules,
        loop=loop,
        legal=asked[:num_legal],
        terminal=int(asked[-1]),
        goals=asked[num_legal:-1],
        next=_possible(program.next_atom, impossible),
        percepts=_possible(percepts, impossible),
        needs_moves=_find_needs_moves(rules, is_move),
    )


def _without(rules: RuleBase, impossible: BoolArray) -> RuleBase:
    """Return the rules without some atoms, which never hold."""
    is_about = impossible[rules.data >> 1]
    kept = ~impossible[rules.head]
    kept[rules.rule_of_literal()[is_about & (rules.data & 1 == 0)]] = False
    return rules.select(kept, ~is_about)


def _possible(atoms: npt.NDArray[np.int32], impossible: BoolArray) -> IntArray:
    """Return atoms with NO_ATOM in place of those that never hold."""
    return np.where((atoms == NO_ATOM) | impossible[atoms], NO_ATOM, atoms).astype(np.int64)


def join_rules(num_atoms: int, parts: Sequence[RuleBase]) -> RuleBase:
    """Return the rules of all parts, sorted by head."""
    joined = RuleBase(
        num_atoms,
        np.concatenate([part.head for part in parts]),
        offsets(np.concatenate([np.diff(part.start) for part in parts])),
        np.concatenate([part.data for part in parts]),
    )
    return joined.permuted(np.argsort(joined.head, kind="stable"))


def make_rules(rules: Sequence[tuple[int, Sequence[int]]]) -> RuleBase:
    """Return rules, given as heads and bodies; those about the constant true are simplified."""
    kept = [(head, [literal for literal in body if literal != 2 * TRUE_ATOM]) for head, body in rules]
    kept = [(head, body) for head, body in kept if 2 * TRUE_ATOM + 1 not in body]
    return RuleBase(
        0,
        np.array([head for head, _ in kept], dtype=np.int64),
        offsets(np.array([len(body) for _, body in kept], dtype=np.int64)),
        np.array([literal for _, body in kept for literal in body], dtype=np.int64),
    )


def _uses_moves(rules: RuleBase, is_move: BoolArray) -> BoolArray:
    """Return which atoms depend on moves, or say that one is made."""
    by_body = RuleBase(rules.num_atoms, rules.data >> 1, offsets(np.ones_like(rules.data)), _heads_of_literals(rules))
    # With heads and bodies exchanged, "what is needed for" becomes "what is derived from".
    turned = RuleBase(by_body.num_atoms, by_body.head, by_body.start, 2 * by_body.data)
    return needed_atoms(turned, np.flatnonzero(is_move))


def _heads_of_literals(rules: RuleBase) -> IntArray:
    return np.repeat(rules.head, np.diff(rules.start))


def _with_copies(
    rules: RuleBase, loop: IntArray, asked: IntArray, copied: BoolArray, is_move: BoolArray
) -> tuple[RuleBase, IntArray, IntArray]:
    """Add copies of some atoms, with rules in which no move is made, and let what is asked for be the copies."""
    own = rules.num_atoms + np.cumsum(copied) - 1
    new_atom = np.where(copied, own, np.arange(rules.num_atoms))
    made, unmade = is_move[rules.data >> 1] & (rules.data & 1 == 0), is_move[rules.data >> 1] & (rules.data & 1 == 1)
    kept = copied[rules.head]
    kept[rules.rule_of_literal()[made]] = False
    total = rules.num_atoms + int(copied.sum())
    copies = rules.select(kept, ~unmade).renamed(new_atom, total)
    loops = np.where(loop[copied] == NO_LOOP, NO_LOOP, loop[copied] + loop.max() + 1)
    found = np.where(asked == NO_ATOM, NO_ATOM, new_atom[asked])
    return join_rules(total, [rules, copies]), np.concatenate([loop, loops]), found


def _find_needs_moves(rules: RuleBase, is_move: BoolArray) -> BoolArray:
    """Return which atoms cannot be derived without a move; negative literals are taken to hold."""
    positive = rules.data & 1 == 0
    waiting = np.bincount(rules.rule_of_literal()[positive], minlength=rules.num_rules)
    order = np.argsort(rules.data[positive], kind="stable")
    users = rules.rule_of_literal()[positive][order]
    user_start = offsets(np.bincount(rules.data[positive] >> 1, minlength=rules.num_atoms))
    needs = np.zeros(rules.num_atoms, dtype=np.bool_)
    needs[rules.head] = True
    needs |= is_move
    frontier = np.union1d(np.flatnonzero(~needs), rules.head[waiting == 0])
    while len(frontier):
        needs[frontier] = False
        used_by = users[ranges(user_start[frontier], user_start[frontier + 1])]
        np.subtract.at(waiting, used_by, 1)
        heads = rules.head[used_by[waiting[used_by] == 0]]
        frontier = np.unique(heads[needs[heads]])
    return needs

"""Effects: which moves make a fluent true or false, and under which conditions.

Where one role plays, exactly one move is made. So an atom that depends on moves alone stands for the set of moves for
which it holds, and the rules for `next` say what each move does, those that only keep a fluent as it is left out. To
make a fluent false takes a move for which none of its rules applies: that is more than failing each of them by some
move or other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.ground.program import NO_ATOM, TRUE_ATOM, GroundProgram

Literals = tuple[int, ...]


class Effects(NamedTuple):
    """What moves do. A *clause* is a disjunction of literals.

    Attributes:
        outcome: The literal that each effect makes hold, of a fluent, shape (n,), int32.
        moves: Number of the set of moves that have each effect, shape (n,), int32.
        first_clause: The clauses of each effect, all of which have to hold before, shape (n + 1,), int32.
        first_literal: The literals of each clause, shape (num_clauses + 1,), int32.
        literals: Literals, int32.
        first_member: The members of each set of moves, shape (num_sets + 1,), int32.
        members: Atoms of moves, int32.
    """

    outcome: Int32Array
    moves: Int32Array
    first_clause: Int32Array
    first_literal: Int32Array
    literals: Int32Array
    first_member: Int32Array
    members: Int32Array


class _Effects:
    """Effects that are being collected; sets of moves that are equal are one."""

    def __init__(self) -> None:
        self._sets: dict[bytes, int] = {}
        self._members: list[list[int]] = []
        self._effects: list[tuple[int, int, list[Literals]]] = []

    def add(self, outcome: int, moves: BoolArray, first_move: int, clauses: Iterable[Literals]) -> None:
        if not moves.any():
            return
        number = self._sets.setdefault(np.packbits(moves).tobytes(), len(self._sets))
        if number == len(self._members):
            self._members.append((first_move + np.flatnonzero(moves)).tolist())
        self._effects.append((outcome, number, list(clauses)))

    def arrays(self) -> Effects:
        clauses = [clause for _, _, found in self._effects for clause in found]
        return Effects(
            outcome=np.array([outcome for outcome, _, _ in self._effects], np.int32),
            moves=np.array([number for _, number, _ in self._effects], np.int32),
            first_clause=_starts(len(found) for _, _, found in self._effects),
            first_literal=_starts(len(clause) for clause in clauses),
            literals=np.array([literal for clause in clauses for literal in clause], np.int32),
            first_member=_starts(len(members) for members in self._members),
            members=np.array([move for members in self._members for move in members], np.int32),
        )


def _starts(sizes: Iterable[int]) -> Int32Array:
    return np.cumsum([0, *sizes]).astype(np.int32)


def find_effects(program: GroundProgram, fluents: BoolArray, pure: BoolArray) -> Effects:
    """Return what the moves of the only role do to some fluents.

    Args:
        program: The game.
        fluents: The fluents, shape (num_fluents,), bool.
        pure: Atoms that depend on moves and on no fluents, moves included, shape (num_atoms,), bool.
    """
    holds_for = _moves_of_atoms(program, pure)
    order = np.argsort(program.rule_head, kind="stable")
    heads = program.rule_head[order]
    found = _Effects()
    for fluent in np.flatnonzero(fluents).tolist():
        atom = int(program.next_atom[fluent])
        bodies: list[list[int]] = []
        if atom != NO_ATOM:
            first, last = np.searchsorted(heads, [atom, atom + 1])
            rules = order[first:last].tolist()
            bodies = [program.body_data[program.body_start[r] : program.body_start[r + 1]].tolist() for r in rules]
            if not bodies or pure[atom]:
                bodies = [[2 * atom]]
        _add_effects(found, program, fluent, [_split(body, holds_for, program.num_moves) for body in bodies])
    return found.arrays()


def _moves_of_atoms(program: GroundProgram, pure: BoolArray) -> dict[int, BoolArray]:
    """Return for each atom that depends on moves alone for which moves it holds."""
    first_move = 1 + program.num_fluents
    found = {TRUE_ATOM: np.ones(program.num_moves, np.bool_)}
    for move in range(program.num_moves):
        found[first_move + move] = np.zeros(program.num_moves, np.bool_)
        found[first_move + move][move] = True
    for rule in np.flatnonzero(pure[program.rule_head]).tolist():
        head = int(program.rule_head[rule])
        body = np.ones(program.num_moves, np.bool_)
        for literal in program.body_data[program.body_start[rule] : program.body_start[rule + 1]].tolist():
            moves = found[literal >> 1]
            body &= ~moves if literal & 1 else moves
        found[head] = found[head] | body if head in found else body
    return found


def _split(body: list[int], holds_for: dict[int, BoolArray], num_moves: int) -> tuple[BoolArray, Literals]:
    """Return the moves for which a body may hold, and its literals that do not depend on moves alone."""
    moves = np.ones(num_moves, np.bool_)
    rest = []
    for literal in body:
        chosen = holds_for.get(literal >> 1)
        if chosen is None:
            rest.append(literal)
        else:
            moves &= ~chosen if literal & 1 else chosen
    return moves, tuple(rest)


def _add_effects(found: _Effects, program: GroundProgram, fluent: int, rules: list[tuple[BoolArray, Literals]]) -> None:
    """Add the effects on a fluent, of which each rule for `next` has a set of moves and other literals."""
    own = 2 * (1 + fluent)
    first_move = 1 + program.num_fluents
    keeping = np.zeros(program.num_moves, np.bool_)
    signature = np.zeros(program.num_moves, np.uint64)
    random = np.random.default_rng(fluent).integers(1, 1 << 63, max(1, len(rules)), dtype=np.uint64)
    by_conditions: dict[Literals, BoolArray] = {}
    for number, (moves, literals) in enumerate(rules):
        if not [literal for literal in literals if literal != own]:
            keeping |= moves
        signature[moves] ^= random[number]
        if own not in literals:
            by_conditions[literals] = by_conditions.get(literals, np.zeros_like(moves)) | moves
    for conditions, moves in by_conditions.items():
        found.add(own, moves, first_move, [(literal,) for literal in conditions])
    for mark in np.unique(signature[~keeping]).tolist():
        alike = (signature == mark) & ~keeping
        first = int(np.argmax(alike))
        clauses = [tuple(literal ^ 1 for literal in literals) for moves, literals in rules if moves[first]]
        found.add(own ^ 1, alike, first_move, clauses)

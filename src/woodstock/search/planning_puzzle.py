"""Puzzles: games in which one mind chooses all moves, because one role plays, or because all have the same goals.

What is worth planning in such a game is the goal at the end; a role that has no goal there, or several, has 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.circuit.expansion import NO_GOAL, Expander
from woodstock.circuit.expansion_lanes import Int16Array
from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.packing import num_words, pack
from woodstock.circuit.words import WordArray
from woodstock.circuit.zobrist import find_keys
from woodstock.gdl.keywords import RANDOM, goal_number
from woodstock.gdl.terms import GroundTerm
from woodstock.ground.program import NO_LOOP, GroundProgram
from woodstock.search.planning_counter import Counter, find_counter

KeysOf = Callable[[WordArray], WordArray]
"""Finds the keys of packed positions: shape (n, num_words) gives shape (n,), both uint64."""
NEVER: Final = -1
"""The number of atoms without rules, which never hold."""
Moves = tuple[int, ...]
"""A joint move: the number of each role's move, counted over all roles."""


def is_puzzle(program: GroundProgram) -> bool:
    """Tell whether one mind may choose all moves: there is no chance, and one role, or proved to be equal goals."""
    return RANDOM not in program.roles and (len(program.roles) == 1 or has_common_goal(program))


def has_common_goal(program: GroundProgram) -> bool:
    """Tell whether the ground rules show that all roles have the same goals in every position.

    Two atoms are the same if the sets of their rules are, with the same atoms in the bodies; an atom of a positive loop
    is the same as itself only. So nothing is taken to be the same that is not.
    """
    wanted = program.goals.atoms[program.goals.atoms >= 0]
    same = _find_classes(program, _cone(program, wanted))
    goals: list[set[tuple[GroundTerm, int]]] = [set() for _ in program.roles]
    entries = zip(program.goals.roles.tolist(), program.goals.terms, program.goals.atoms.tolist(), strict=True)
    for role, term, atom in entries:
        if atom >= 0:
            goals[role].add((term, same[atom]))
    return all(found == goals[0] for found in goals)


def _cone(program: GroundProgram, atoms: Int32Array) -> BoolArray:
    """Return which atoms some atoms depend on, themselves included."""
    found = np.zeros(program.num_atoms, np.bool_)
    found[atoms] = True
    before = -1
    while before != (before := int(found.sum())):
        heads = np.repeat(program.rule_head, np.diff(program.body_start))
        found[program.body_data[found[heads]] >> 1] = True
    return found


def _find_classes(program: GroundProgram, cone: BoolArray) -> dict[int, int]:
    """Return a number for each atom of a cone: atoms that have the same number hold in the same positions."""
    first_derived = 1 + program.num_fluents + program.num_moves
    atoms = np.flatnonzero(cone)
    same = {atom: atom for atom in atoms.tolist() if atom < first_derived}
    loops = np.flatnonzero(cone & (program.atom_loop != NO_LOOP)).tolist()
    same |= {atom: atom for atom in loops}
    same |= dict.fromkeys(np.setdiff1d(atoms[atoms >= first_derived], program.rule_head).tolist(), NEVER)
    seen: dict[frozenset[frozenset[tuple[int, int]]], int] = {}
    bodies: dict[int, set[frozenset[tuple[int, int]]]] = {}
    inside = np.flatnonzero(cone[program.rule_head] & (program.atom_loop[program.rule_head] == NO_LOOP)).tolist()
    head = -1
    for rule in inside:
        if int(program.rule_head[rule]) != head:
            _close(head, bodies, seen, same)
            head = int(program.rule_head[rule])
        literals = program.body_data[program.body_start[rule] : program.body_start[rule + 1]].tolist()
        bodies.setdefault(head, set()).add(frozenset((same[literal >> 1], literal & 1) for literal in literals))
    _close(head, bodies, seen, same)
    return same


def _close(
    head: int,
    bodies: dict[int, set[frozenset[tuple[int, int]]]],
    seen: dict[frozenset[frozenset[tuple[int, int]]], int],
    same: dict[int, int],
) -> None:
    """Give an atom whose rules are all known its number."""
    if head >= 0:
        same[head] = seen.setdefault(frozenset(bodies.pop(head)), head)


class Puzzle:
    """A game in which one mind chooses all moves, and what the parts of a planner need of it.

    Attributes:
        game: The game.
        program: Its ground program.
        expander: Expands positions.
        best_value: No position is worth more, by the goals that the rules mention.
    """

    def __init__(self, game: CircuitGame, keys_of: KeysOf | None = None) -> None:
        self.game = game
        self.program = game.program
        self.expander = Expander(game.circuit)
        numbers = [goal_number(term) for term in self._terms()]
        self.best_value = max((number for number in numbers if number is not None), default=0) / 100
        self.num_words = num_words(self.program.num_fluents)
        self.num_move_words = num_words(self.program.num_moves)
        self.num_roles = len(self.program.roles)
        self._keys_of = keys_of

    def _terms(self) -> list[GroundTerm]:
        """Return the goals of the first role, which are those of all."""
        goals = self.program.goals
        return [term for role, term in zip(goals.roles.tolist(), goals.terms, strict=True) if role == 0]

    @cached_property
    def counter(self) -> Counter:
        """What counts the joint moves in positions."""
        return find_counter(self.program)

    def goal_atom(self, value: float) -> int:
        """Return the atom that says that the goal is a value, which the rules have to mention."""
        goals = self.program.goals
        entries = zip(goals.roles.tolist(), goals.terms, goals.atoms.tolist(), strict=True)
        return int(next(atom for role, term, atom in entries if role == 0 and goal_number(term) == round(100 * value)))

    @cached_property
    def values(self) -> tuple[float, ...]:
        """All values that the rules mention, the highest first."""
        numbers = {goal_number(term) for term in self._terms()}
        return tuple(sorted((number / 100 for number in numbers if number is not None), reverse=True))

    def values_of(self, goals: Int16Array) -> npt.NDArray[np.float64]:
        """Return what positions are worth, by the goals of all roles, shape (n, num_roles)."""
        own = goals[:, 0]
        return np.where(own == NO_GOAL, 0, own) / 100.0

    def keys_without(self, ignored: BoolArray) -> KeysOf:
        """Return what finds keys that do not depend on some fluents.

        Symmetries are used as well if they leave each of these fluents where it is.
        """
        mask = pack(~ignored)
        plain = self.game.keys

        def find(rows: WordArray) -> WordArray:
            found = np.empty(len(rows), np.uint64)
            find_keys(plain, rows & mask, found)
            return found

        symmetric = self._keys_of
        if symmetric is None or not _leaves_in_place(symmetric, ignored):
            return find
        return lambda rows: symmetric(rows & mask)

    def replay(
        self, position: CircuitPosition, moves: list[Moves]
    ) -> tuple[list[CircuitPosition], list[tuple[GroundTerm, ...]]]:
        """Return the positions that joint moves lead to, one after the other, and the moves as terms."""
        terms = [move for role_moves in self.program.moves for move in role_moves]
        positions, joint = [], []
        for numbers in moves:
            joint.append(tuple(terms[number] for number in numbers))
            position = self.game.next_position(position, joint[-1])
            positions.append(position)
        return positions, joint


def _leaves_in_place(keys_of: KeysOf, fluents: BoolArray) -> bool:
    """Tell whether the symmetries behind some keys leave each of some fluents where it is.

    Positions with one fluent each have the same key if a symmetry takes the one to the other.
    """
    keys = keys_of(pack(np.eye(len(fluents), dtype=np.bool_)))
    _, first, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return bool((counts[first[fluents]] == 1).all())

"""From the grounder's answer to the ground program: constants folded, duplicates merged, what is not needed dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from woodstock.gdl.terms import GroundTerm
from woodstock.ground.program import NO_ATOM, TRUE_ATOM, GroundProgram, RoleTerms
from woodstock.ground.rulebase import (
    BoolArray,
    IntArray,
    RuleBase,
    ValueArray,
    levels_and_loops,
    needed_atoms,
    tidy,
)

MAX_PASSES = 50
"""Passes of constant propagation; to stop early is sound, only less is folded."""

_UNKNOWN, _TRUE, _FALSE = 0, 1, -1


@dataclass(frozen=True, slots=True)
class NamedAtoms:
    """Atoms with their terms: `role` is -1 where a relation has no role."""

    atoms: IntArray
    roles: IntArray
    terms: tuple[GroundTerm, ...]

    def select(self, keep: BoolArray) -> NamedAtoms:
        kept = np.flatnonzero(keep)
        return NamedAtoms(self.atoms[keep], self.roles[keep], tuple(self.terms[place] for place in kept.tolist()))


def named_atoms(entries: Sequence[tuple[int, int, GroundTerm]]) -> NamedAtoms:
    """Make named atoms of (atom, role, term) triples."""
    atoms = np.array([atom for atom, _, _ in entries], dtype=np.int64)
    roles = np.array([role for _, role, _ in entries], dtype=np.int64)
    return NamedAtoms(atoms, roles, tuple(term for _, _, term in entries))


@dataclass(frozen=True)
class RawProgram:
    """The grounder's answer with names; atom 0 is the constant true.

    Attributes:
        roles: Names of the roles.
        rules: All rules; those of inputs are left out.
        fluents: Input atoms `true(f)`.
        moves: Input atoms `does(r, m)`.
        initial: The terms of `init`.
        next: Atoms `next(f)`.
        legal: Atoms `legal(r, m)`.
        terminal: The atom `terminal`, or NO_ATOM.
        goals: Atoms `goal(r, v)`.
        percepts: Atoms `sees(r, p)`; None without `sees` rules.
    """

    roles: tuple[str, ...]
    rules: RuleBase
    fluents: NamedAtoms
    moves: NamedAtoms
    initial: frozenset[GroundTerm]
    next: NamedAtoms
    legal: NamedAtoms
    terminal: int
    goals: NamedAtoms
    percepts: NamedAtoms | None


def simplify(raw: RawProgram) -> GroundProgram:
    """Simplify and order a raw ground program."""
    next_atom = _atom_of_terms(raw.next, raw.fluents)
    legal_atom = _atom_of_terms(raw.legal, raw.moves)
    initial = np.array([term in raw.initial for term in raw.fluents.terms], dtype=np.bool_)
    value = _propagate(raw.rules, _Links(raw.fluents.atoms, initial, next_atom, raw.moves.atoms, legal_atom))
    base = tidy(_fold(raw.rules, value))
    alias = _aliases(base)
    base = tidy(_without_identities(base.renamed(alias, base.num_atoms)))

    def resolve(atoms: IntArray) -> IntArray:
        """Return what stands for some atoms now: a constant, or the atom that they are aliases of."""
        known = np.where(atoms == NO_ATOM, _FALSE, value[atoms])
        return np.where(known == _TRUE, TRUE_ATOM, np.where(known == _FALSE, NO_ATOM, alias[atoms]))

    fluent_kept = value[raw.fluents.atoms] != _FALSE
    move_kept = value[raw.moves.atoms] != _FALSE
    outputs = _Outputs(
        next=resolve(next_atom[fluent_kept]),
        legal=resolve(legal_atom[move_kept]),
        terminal=resolve(np.array([raw.terminal])),
        goals=replace(raw.goals, atoms=resolve(raw.goals.atoms)),
        percepts=None if raw.percepts is None else replace(raw.percepts, atoms=resolve(raw.percepts.atoms)),
    )
    kept = replace(raw, fluents=raw.fluents.select(fluent_kept), moves=raw.moves.select(move_kept))
    return _assemble(kept, base, initial[fluent_kept], outputs)


@dataclass(frozen=True, slots=True)
class _Links:
    """How inputs hang on outputs from one position to the next."""

    fluents: IntArray
    initial: BoolArray
    next: IntArray
    moves: IntArray
    legal: IntArray

    def apply(self, value: ValueArray) -> None:
        """A fluent that starts false and is never made true is false; a move that is never legal is never made."""
        following = np.where(self.next >= 0, value[self.next], _FALSE)
        value[self.fluents[~self.initial & (following == _FALSE)]] = _FALSE
        value[self.fluents[self.initial & (following == _TRUE)]] = _TRUE
        legal = np.where(self.legal >= 0, value[self.legal], _FALSE)
        value[self.moves[legal == _FALSE]] = _FALSE


@dataclass(frozen=True, slots=True)
class _Outputs:
    next: IntArray
    legal: IntArray
    terminal: IntArray
    goals: NamedAtoms
    percepts: NamedAtoms | None

    def roots(self) -> IntArray:
        """Return every atom that an output needs."""
        parts = [self.next, self.legal, self.terminal, self.goals.atoms]
        if self.percepts is not None:
            parts.append(self.percepts.atoms)
        atoms = np.concatenate(parts)
        found: IntArray = atoms[atoms != NO_ATOM]
        return found


def _atom_of_terms(outputs: NamedAtoms, inputs: NamedAtoms) -> IntArray:
    """Return for each input the output atom with the same role and term, or NO_ATOM."""
    found = {
        (role, term): atom
        for role, term, atom in zip(outputs.roles.tolist(), outputs.terms, outputs.atoms.tolist(), strict=True)
    }
    keys = zip(inputs.roles.tolist(), inputs.terms, strict=True)
    return np.array([found.get(key, NO_ATOM) for key in keys], dtype=np.int64)


def _propagate(base: RuleBase, links: _Links) -> ValueArray:
    """Return which atoms are constant in every reachable position."""
    value = np.zeros(base.num_atoms, dtype=np.int8)
    value[TRUE_ATOM] = _TRUE
    lengths = np.diff(base.start)
    filled = lengths > 0
    starts = base.start[:-1][filled]
    atoms, signs = base.data >> 1, (1 - 2 * (base.data & 1)).astype(np.int8)
    worst = np.full(base.num_rules, _TRUE, dtype=np.int8)
    derived = np.ones(base.num_atoms, dtype=np.bool_)
    derived[links.fluents] = derived[links.moves] = derived[TRUE_ATOM] = False
    for _ in range(MAX_PASSES):
        before = value.copy()
        if len(starts):
            worst[filled] = np.minimum.reduceat(value[atoms] * signs, starts)
        value[base.head[worst == _TRUE]] = _TRUE
        supported = np.zeros(base.num_atoms, dtype=np.bool_)
        supported[base.head[worst != _FALSE]] = True
        value[derived & ~supported & (value != _TRUE)] = _FALSE
        links.apply(value)
        if np.array_equal(before, value):
            break
    return value


def _fold(base: RuleBase, value: ValueArray) -> RuleBase:
    """Drop rules of constant atoms, rules that can never apply, and literals that always hold."""
    literal_value = value[base.data >> 1] * (1 - 2 * (base.data & 1))
    rules = value[base.head] == _UNKNOWN
    rules[base.rule_of_literal()[literal_value == _FALSE]] = False
    return base.select(rules, literal_value == _UNKNOWN)


def _aliases(base: RuleBase) -> IntArray:
    """Return for each atom the one that it always equals: a lone rule with a lone positive literal."""
    num_rules = np.bincount(base.head, minlength=base.num_atoms)
    lone = np.flatnonzero((np.diff(base.start) == 1) & (num_rules[base.head] == 1))
    lone = lone[base.data[base.start[lone]] & 1 == 0]
    identity = np.arange(base.num_atoms)
    alias = identity.copy()
    alias[base.head[lone]] = base.data[base.start[lone]] >> 1
    has_alias = alias != identity
    for _ in range(base.num_atoms.bit_length()):
        alias = alias[alias]
    return np.where(has_alias[alias], identity, alias)  # what still has an alias runs in a circle


def _without_identities(base: RuleBase) -> RuleBase:
    """Drop the rules that say that an atom holds if it holds."""
    of = base.rule_of_literal()
    rules = np.ones(base.num_rules, dtype=np.bool_)
    rules[of[base.data == 2 * base.head[of]]] = False
    return base.select(rules)


def _assemble(raw: RawProgram, base: RuleBase, initial: BoolArray, outputs: _Outputs) -> GroundProgram:
    """Number the atoms in their final order and drop those that no output needs."""
    by_role = np.argsort(raw.moves.roles, kind="stable")
    inputs = np.concatenate([[TRUE_ATOM], raw.fluents.atoms, raw.moves.atoms[by_role]])
    needed = needed_atoms(base, outputs.roots())
    base = base.select(needed[base.head])
    level, loop = levels_and_loops(base)
    needed[inputs] = False
    derived = np.flatnonzero(needed)
    derived = derived[np.argsort(level[derived], kind="stable")]
    old_atoms = np.concatenate([inputs, derived])
    new_atom = np.full(base.num_atoms + 1, NO_ATOM, dtype=np.int64)  # the last entry is for NO_ATOM itself
    new_atom[old_atoms] = np.arange(len(old_atoms))
    base = base.renamed(new_atom, len(old_atoms))
    base = base.permuted(np.argsort(base.head, kind="stable"))
    return GroundProgram(
        roles=raw.roles,
        fluents=raw.fluents.terms,
        moves=tuple(
            tuple(term for term, owner in zip(raw.moves.terms, raw.moves.roles.tolist(), strict=True) if owner == role)
            for role in range(len(raw.roles))
        ),
        initial=initial,
        rule_head=base.head.astype(np.int32),
        body_start=base.start.astype(np.int32),
        body_data=base.data.astype(np.int32),
        atom_level=level[old_atoms].astype(np.int32),
        atom_loop=loop[old_atoms].astype(np.int32),
        next_atom=new_atom[outputs.next].astype(np.int32),
        legal_atom=new_atom[outputs.legal[by_role]].astype(np.int32),
        terminal_atom=int(new_atom[outputs.terminal[0]]),
        goals=_role_terms(outputs.goals, new_atom),
        percepts=None if outputs.percepts is None else _role_terms(outputs.percepts, new_atom),
    )


def _role_terms(named: NamedAtoms, new_atom: IntArray) -> RoleTerms:
    """Keep the entries that can hold at all."""
    kept = named.select(named.atoms != NO_ATOM)
    return RoleTerms(kept.roles.astype(np.int32), kept.terms, new_atom[kept.atoms].astype(np.int32))

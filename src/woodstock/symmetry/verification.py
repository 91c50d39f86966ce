"""Verifying symmetries against the ground program, exactly: the image of the program is the program.

The rules are compared as sets: heads and literals are renamed, bodies sorted, rules sorted, and the arrays compared.
Hashes only decide in which order things stand, so a collision can make a symmetry be refused, but none be accepted.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from woodstock.ground.program import NO_ATOM, BoolArray, GroundProgram, RoleTerms
from woodstock.symmetry.graphs import Int32Array, Int64Array
from woodstock.symmetry.symmetry import Symmetry

WordArray = npt.NDArray[np.uint64]
NATURE = "random"


def keeps_program(program: GroundProgram, symmetry: Symmetry, atoms: Int32Array | None = None) -> bool:
    """Tell whether a symmetry takes the ground program to itself.

    Args:
        program: The program.
        symmetry: What is to be verified.
        atoms: Where it takes each atom; found out if it is not given, which may fail for atoms in loops.
    """
    if not is_well_formed(program, symmetry):
        return False
    image = find_atoms(program, symmetry) if atoms is None else atoms
    if not agrees_on_inputs(program, symmetry, image) or not bool(keeps_atoms(program, image).all()):
        return False
    return all(bool(kept.all()) for kept in kept_outputs(program, symmetry, image).values())


def is_well_formed(program: GroundProgram, symmetry: Symmetry) -> bool:
    """Tell whether a symmetry permutes fluents, moves and roles, moves along with their roles, and keeps nature."""
    sizes = (program.num_fluents, program.num_moves, len(program.roles))
    parts = (symmetry.fluents, symmetry.moves, symmetry.roles)
    if not all(_is_permutation(part, size) for part, size in zip(parts, sizes, strict=True)):
        return False
    num_percepts = 0 if program.percepts is None else len(program.percepts.terms)
    if not _is_permutation(symmetry.percepts, num_percepts):
        return False
    owner = np.repeat(np.arange(len(program.roles)), np.diff(program.move_start))
    if not np.array_equal(owner[symmetry.moves], symmetry.roles[owner]):
        return False
    chance = np.array([role == NATURE for role in program.roles])
    return np.array_equal(chance[symmetry.roles], chance)


def _is_permutation(image: Int32Array, size: int) -> bool:
    return len(image) == size and np.array_equal(np.sort(image), np.arange(size))


def agrees_on_inputs(program: GroundProgram, symmetry: Symmetry, atoms: Int32Array) -> bool:
    """Tell whether a map of atoms does with the inputs what a symmetry does."""
    return np.array_equal(atoms[: 1 + program.num_fluents + program.num_moves], _inputs(program, symmetry))


def _inputs(program: GroundProgram, symmetry: Symmetry) -> Int32Array:
    parts = [np.zeros(1, dtype=np.int32), 1 + symmetry.fluents, 1 + program.num_fluents + symmetry.moves]
    return np.concatenate(parts).astype(np.int32)


def kept_outputs(program: GroundProgram, symmetry: Symmetry, atoms: Int32Array) -> dict[str, BoolArray]:
    """Return for each output whether the image of its atom is the atom of its image.

    The names are `next` (an entry for each fluent), `legal` (each move), `terminal` (one), `goals` and `percepts` (each
    entry). Atoms whose image is not known have a negative one.
    """
    image = np.append(atoms, NO_ATOM)  # NO_ATOM is -1, which finds this last entry

    def kept(before: npt.NDArray[np.integer], after: npt.NDArray[np.integer]) -> BoolArray:
        same: BoolArray = (image[before] == after) & ((image[before] >= 0) | (before == NO_ATOM))
        return same

    terminal = np.array([program.terminal_atom])
    found = {
        "next": kept(program.next_atom, program.next_atom[symmetry.fluents]),
        "legal": kept(program.legal_atom, program.legal_atom[symmetry.moves]),
        "terminal": kept(terminal, terminal),
        "goals": kept(program.goals.atoms, goal_images(program.goals, symmetry)),
    }
    if program.percepts is not None:
        percepts = program.percepts
        same_role = percepts.roles[symmetry.percepts] == symmetry.roles[percepts.roles]
        found["percepts"] = kept(percepts.atoms, percepts.atoms[symmetry.percepts]) & same_role
    return found


def goal_images(goals: RoleTerms, symmetry: Symmetry) -> Int32Array:
    """Return for each goal the atom of the same value for the image of its role, or NO_ATOM."""
    roles, atoms = goals.roles.tolist(), goals.atoms.tolist()
    known = {(role, term): atom for role, term, atom in zip(roles, goals.terms, atoms, strict=True)}
    keys = zip(symmetry.roles[goals.roles].tolist(), goals.terms, strict=True)
    return np.array([known.get(key, NO_ATOM) for key in keys], dtype=np.int32)


def keeps_atoms(program: GroundProgram, atoms: Int32Array) -> BoolArray:
    """Return which atoms have images whose rules are the images of their rules, all the way down to the inputs.

    Args:
        program: The program.
        atoms: Where each atom goes; inputs are believed. A negative number stands for an atom whose image is not known.

    Returns:
        Shape (num_atoms,), bool.
    """
    kept = _plausible(program, atoms)
    first_derived = 1 + program.num_fluents + program.num_moves
    derived = kept.copy()
    derived[:first_derived] = False
    # Hashes have told which atoms can be meant; now all of their rules are compared, to the letter.
    if not _same_rules(program, atoms, derived):
        kept[first_derived:] = False
    return kept


def _plausible(program: GroundProgram, atoms: Int32Array) -> BoolArray:
    """Return the atoms that hashes of their rules allow, and whose rules use no others."""
    kept = atoms >= 0
    image = np.where(kept, atoms, 0)
    changed = 2 * image[program.body_data >> 1].astype(np.int64) + (program.body_data & 1)
    rules = _hash_rules(program, changed)
    before, after = np.zeros((2, program.num_atoms), dtype=np.uint64)
    np.add.at(before, program.rule_head, rules)
    np.add.at(after, program.rule_head, _hash_rules(program, program.body_data.astype(np.int64)))
    kept &= before == after[image]
    counts = np.bincount(image[kept], minlength=program.num_atoms)
    kept &= counts[image] <= 1
    head = np.repeat(program.rule_head, np.diff(program.body_start))
    while True:
        bad = head[~kept[program.body_data >> 1] & kept[head]]
        if not len(bad):
            return kept
        kept[bad] = False


def _same_rules(program: GroundProgram, atoms: Int32Array, chosen: BoolArray) -> bool:
    """Tell whether the images of the rules of some atoms are the rules of the images."""
    there = np.zeros(program.num_atoms, dtype=np.bool_)
    there[atoms[chosen]] = True
    identity = np.arange(program.num_atoms, dtype=np.int32)
    ours = _sorted_rules(program, atoms, chosen[program.rule_head])
    theirs = _sorted_rules(program, identity, there[program.rule_head])
    return all(np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))


def _sorted_rules(
    program: GroundProgram, atoms: Int32Array, rules: BoolArray
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return heads, lengths and literals of some rules, renamed, in an order that does not depend on the names."""
    lengths = np.diff(program.body_start).astype(np.int64)[rules]
    literals = program.body_data[np.repeat(rules, np.diff(program.body_start))].astype(np.int64)
    literals = 2 * atoms[literals >> 1].astype(np.int64) + (literals & 1)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    literals = literals[np.lexsort((literals, owner))]
    heads = atoms[program.rule_head[rules]].astype(np.int64)
    sums = np.zeros(len(lengths), dtype=np.uint64)
    np.add.at(sums, owner, _mix(literals.astype(np.uint64)))
    order = np.lexsort((sums, lengths, heads))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return heads[order], lengths[order], literals[np.argsort(place[owner], kind="stable")]


def _hash_rules(program: GroundProgram, literals: Int64Array) -> WordArray:
    """Return a hash of each rule's body that does not depend on the order of its literals."""
    owner = np.repeat(np.arange(program.num_rules), np.diff(program.body_start))
    sums = np.zeros(program.num_rules, dtype=np.uint64)
    np.add.at(sums, owner, _mix(literals.astype(np.uint64)))
    return _mix(sums)


def _mix(words: WordArray) -> WordArray:
    """Scatter numbers over 64 bits (SplitMix64's finish)."""
    words = (words + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def find_atoms(program: GroundProgram, symmetry: Symmetry) -> Int32Array:
    """Return where a symmetry must take each atom, by the rules' shapes, level by level; -1 where nothing fits.

    Atoms in loops are looked for by going round: what is around them tells them apart, as far as it does. Atoms that
    have the same rules are told apart by the outputs that they stand for.
    """
    shape = symmetry.shape
    still = Symmetry.from_points(np.arange(shape.degree), shape)
    ours = _shapes(program, _inputs(program, symmetry)) + _labels(program, symmetry)
    theirs = _shapes(program, _inputs(program, still)) + _labels(program, still)
    place = {shape: atom for atom, shape in enumerate(theirs.tolist())}
    found = np.array([place.get(shape, -1) for shape in ours.tolist()], dtype=np.int32)
    found[: 1 + program.num_fluents + program.num_moves] = _inputs(program, symmetry)
    return found


def _shapes(program: GroundProgram, inputs: Int32Array) -> WordArray:
    """Return a hash of what each atom is made of, down to the inputs, which are called as is said."""
    shape = np.zeros(program.num_atoms, dtype=np.uint64)
    shape[: len(inputs)] = _mix(inputs.astype(np.uint64))
    owner = np.repeat(np.arange(program.num_rules), np.diff(program.body_start))
    negated = (program.body_data & 1).astype(np.uint64)
    for _ in range(int(program.atom_level.max(initial=0)) + _rounds(program)):
        sums = np.zeros(program.num_rules, dtype=np.uint64)
        np.add.at(sums, owner, _mix(shape[program.body_data >> 1] + negated))
        heads = np.zeros(program.num_atoms, dtype=np.uint64)
        np.add.at(heads, program.rule_head, _mix(sums))
        derived = _mix(heads + np.uint64(7))
        before, shape = shape, np.where(np.arange(program.num_atoms) < len(inputs), shape, derived)
        if np.array_equal(before, shape):
            break
    return shape


def _labels(program: GroundProgram, symmetry: Symmetry) -> WordArray:
    """Return a hash of the outputs that each atom stands for, which are called as a symmetry says."""
    labels = np.zeros(program.num_atoms + 1, dtype=np.uint64)  # the last entry is for NO_ATOM
    values = sorted({repr(term) for term in program.goals.terms})
    value = np.array([values.index(repr(term)) for term in program.goals.terms], dtype=np.int64)
    parts = [
        (program.next_atom, symmetry.fluents.astype(np.int64)),
        (program.legal_atom, symmetry.moves.astype(np.int64)),
        (np.array([program.terminal_atom]), np.zeros(1, dtype=np.int64)),
        (program.goals.atoms, value * len(program.roles) + symmetry.roles[program.goals.roles]),
    ]
    if program.percepts is not None:
        parts.append((program.percepts.atoms, symmetry.percepts.astype(np.int64)))
    for number, (atoms, names) in enumerate(parts):
        np.add.at(labels, atoms, _mix((names * 8 + number).astype(np.uint64)))
    return labels[:-1]


def _rounds(program: GroundProgram) -> int:
    """Return how often to go round the largest loop."""
    loops = program.atom_loop[program.atom_loop >= 0]
    return int(np.bincount(loops).max(initial=0)) if len(loops) else 1

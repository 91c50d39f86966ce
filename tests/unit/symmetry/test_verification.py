from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naive.symmetric_sheets import PLAIN_LAMPS, SPY, STRIP, program_of
from woodstock.symmetry.symmetry import Symmetry
from woodstock.symmetry.verification import find_atoms, keeps_atoms, keeps_program, kept_outputs


def lamps_exchanged() -> Symmetry:
    program = program_of(PLAIN_LAMPS)
    moves = np.arange(program.num_moves)
    one, other = program.move_index[0]["press", "a"], program.move_index[0]["press", "b"]
    moves[[one, other]] = other, one
    return Symmetry.of([1, 0], moves, [0])


def test_a_symmetry_is_accepted_and_what_does_half_of_it_is_not() -> None:
    program, symmetry = program_of(PLAIN_LAMPS), lamps_exchanged()
    still = np.arange(program.num_moves)
    assert keeps_program(program, symmetry)
    assert keeps_program(program, Symmetry.of([0, 1], still, [0]))
    assert not keeps_program(program, Symmetry.of([1, 0], still, [0]))
    assert not keeps_program(program, Symmetry.of([0, 1], symmetry.moves, [0]))


def test_a_wrong_map_of_atoms_is_refused() -> None:
    program, symmetry = program_of(PLAIN_LAMPS), lamps_exchanged()
    atoms = find_atoms(program, symmetry)
    assert keeps_program(program, symmetry, atoms)
    assert not keeps_program(program, symmetry, np.arange(program.num_atoms, dtype=np.int32))
    atoms[-1] = -1
    assert not keeps_atoms(program, atoms)[-1]
    assert not keeps_program(program, symmetry, atoms)


@pytest.mark.parametrize(
    "symmetry",
    [
        Symmetry.of([0, 0], [0, 1, 2], [0]),
        Symmetry.of([0, 1], [0, 1], [0]),
        Symmetry.of([0, 1], [0, 1, 2], [0], [0]),
    ],
)
def test_what_is_no_permutation_is_no_symmetry(symmetry: Symmetry) -> None:
    assert not keeps_program(program_of(PLAIN_LAMPS), symmetry)


def test_moves_go_with_their_roles_and_nature_stays() -> None:
    strip = program_of(STRIP)
    moves = np.arange(strip.num_moves)
    assert not keeps_program(strip, Symmetry.of(np.arange(strip.num_fluents), moves, [1, 0]))
    spy = program_of(SPY)
    assert not keeps_program(spy, Symmetry.of(np.arange(spy.num_fluents), np.arange(spy.num_moves), [1, 0], [0, 1]))


def test_outputs_that_are_not_kept_are_named() -> None:
    program = program_of(STRIP)
    mirrored = {str(cell): str(6 - cell) for cell in range(1, 6)}
    fluents = [program.fluent_index[_mirror(fluent, mirrored)] for fluent in program.fluents]
    moves = [
        program.move_index[role][_mirror(move, mirrored)]
        for role, of_role in enumerate(program.moves)
        for move in of_role
    ]
    symmetry = Symmetry.of(fluents, moves, [0, 1])
    atoms = find_atoms(program, symmetry)
    kept = kept_outputs(program, symmetry, np.where(keeps_atoms(program, atoms), atoms, -1).astype(np.int32))
    assert kept["next"].all()
    assert kept["legal"].all()
    assert not kept["terminal"].any()
    assert not kept["goals"].any()


def _mirror(term: Any, images: dict[str, str]) -> Any:
    return tuple(images.get(word, word) for word in term) if isinstance(term, tuple) else term

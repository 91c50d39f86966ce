from __future__ import annotations

import numpy as np
import pytest

from naive.symmetric_sheets import CHAINED_LAMPS, HELPED_LAMPS, PLAIN_LAMPS, STRIP, program_of
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.ground.program import GroundProgram
from woodstock.symmetry import DetectionOptions, GameSymmetries, SymmetryGroup, find_symmetries, miter
from woodstock.symmetry.detection import shape_of
from woodstock.symmetry.diagrams import Diagrams, prove_by_diagrams
from woodstock.symmetry.hidden import find_hidden
from woodstock.symmetry.miter import Claim, Miter, Verdict, open_claims
from woodstock.symmetry.sampling import Samples
from woodstock.symmetry.symmetry import Symmetry
from woodstock.symmetry.verification import find_atoms, keeps_atoms, kept_outputs

pytest.importorskip("igraph")
pytest.importorskip("pysat")


def exchanged(program: GroundProgram, one: str, other: str) -> Symmetry:
    """Two constants change places in all fluents and moves."""
    images = {one: other, other: one}

    def image(term: object) -> object:
        return (
            tuple(images.get(word, word) for word in term) if isinstance(term, tuple) else images.get(str(term), term)
        )

    fluents = [program.fluent_index[image(fluent)] for fluent in program.fluents]  # type: ignore[index]
    moves = [
        program.move_index[role][image(move)]  # type: ignore[index]
        for role, of_role in enumerate(program.moves)
        for move in of_role
    ]
    return Symmetry.of(fluents, moves, range(len(program.roles)))


def left_to_prove(program: GroundProgram, symmetry: Symmetry) -> tuple[np.ndarray, list[Claim]]:
    atoms = find_atoms(program, symmetry)
    atoms = np.where(keeps_atoms(program, atoms), atoms, -1).astype(np.int32)
    return atoms, open_claims(program, symmetry, kept_outputs(program, symmetry, atoms))


def look(sheet: str, beyond_syntax: bool = True) -> GameSymmetries:
    return find_symmetries(program_of(sheet), DetectionOptions(beyond_syntax=beyond_syntax, use_cache=False))


def test_a_chain_of_cases_is_proved_by_a_solver_and_by_diagrams() -> None:
    program = program_of(CHAINED_LAMPS)
    symmetry = exchanged(program, "a", "c")
    atoms, claims = left_to_prove(program, symmetry)
    assert claims
    proof = Miter(program, symmetry, atoms)
    assert proof.prove(claims, Deadline(60)) is Verdict.PROVED
    proof.close()
    assert prove_by_diagrams(program, symmetry, atoms, claims, Deadline(60))


def test_what_is_no_symmetry_is_refuted() -> None:
    sheet = CHAINED_LAMPS.replace("(<= (goal r 100) odd3)", "(<= (goal r 100) odd2)")
    program = program_of(sheet)
    symmetry = exchanged(program, "a", "c")
    atoms, claims = left_to_prove(program, symmetry)
    proof = Miter(program, symmetry, atoms)
    assert proof.prove(claims, Deadline(60)) is Verdict.REFUTED
    proof.close()
    assert not prove_by_diagrams(program, symmetry, atoms, claims, Deadline(60))
    assert Samples(program).refute(symmetry)
    assert not Samples(program).refute(exchanged(program, "a", "b"))


def test_no_time_leaves_it_open() -> None:
    program = program_of(CHAINED_LAMPS)
    symmetry = exchanged(program, "a", "c")
    atoms, claims = left_to_prove(program, symmetry)
    proof = Miter(program, symmetry, atoms)
    assert proof.prove(claims, Deadline(0)) is Verdict.OPEN
    proof.close()


@pytest.mark.parametrize(
    ("sheet", "shown", "in_all"), [(PLAIN_LAMPS, 2, 2), (HELPED_LAMPS, 1, 2), (CHAINED_LAMPS, 2, 6), (STRIP, 1, 2)]
)
def test_hidden_symmetries_are_found(sheet: str, shown: int, in_all: int) -> None:
    assert look(sheet, beyond_syntax=False).order == shown
    found = look(sheet)
    assert found.order == in_all
    assert found.proved
    samples = Samples(program_of(sheet))
    assert not any(samples.refute(symmetry) for symmetry in found.generators)


def test_paths_from_one_end_are_those_from_the_other() -> None:
    program = program_of(STRIP)
    found = find_hidden(program, SymmetryGroup([], shape_of(program)), False, Deadline(60))
    assert found.how == ["SAT solver"]
    assert SymmetryGroup(found.proved, shape_of(program)).order == 2


def test_paths_that_differ_are_not_merged() -> None:
    # A one-way step makes the way there another one than the way back.
    sheet = STRIP.replace("(<= (joined ?x ?y) (near ?y ?x))", "(<= (joined ?x ?y) (near ?y ?x) (distinct ?x 3))")
    assert look(sheet).order == 1


def test_what_nobody_can_prove_is_told_and_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Miter, "prove", lambda *_: Verdict.OPEN)
    monkeypatch.setattr("woodstock.symmetry.hidden.prove_by_diagrams", lambda *_: False)
    found = look(STRIP)
    assert found.order == 1
    assert "random play does not refute" in found.refused[0]


def test_a_missing_solver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(miter, "available", lambda: False)
    program = program_of(STRIP)
    with pytest.raises(UsageError, match="python-sat"):
        Miter(program, exchanged(program, "1", "5"), np.full(program.num_atoms, -1, dtype=np.int32))
    assert look(STRIP).order == 1


def test_diagrams_of_equal_functions_are_equal() -> None:
    diagrams = Diagrams(3, max_nodes=100)
    x, y, z = (diagrams.variable(number) for number in range(3))
    one = diagrams.either(diagrams.both(x, y), diagrams.both(x, z))
    assert one == diagrams.both(x, diagrams.either(z, y))
    assert diagrams.negation(diagrams.negation(one)) == one
    assert diagrams.both(one, diagrams.negation(one)) == 0

from __future__ import annotations

import numpy as np
import pytest

from naive.symmetric_sheets import CHAINED_LAMPS, HELPED_LAMPS, STRIP, program_of
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.program import GroundProgram
from woodstock.symmetry.unfolding import unfold, without_implied


def outputs(program: GroundProgram, position: list[int], move: int) -> list[object]:
    evaluator = Evaluator(program)
    before = evaluator.position(position)
    after = evaluator.after(before, [move])
    goals = {
        (role, term)
        for role, term, holding in zip(
            program.goals.roles.tolist(), program.goals.terms, holds(before, program.goals.atoms).tolist(), strict=True
        )
        if holding
    }
    terminal = holds(before, np.array([program.terminal_atom], dtype=np.int32)).tolist()
    return [holds(before, program.legal_atom).tolist(), holds(after, program.next_atom).tolist(), terminal, goals]


@pytest.mark.parametrize("sheet", [CHAINED_LAMPS, HELPED_LAMPS, STRIP])
def test_an_unfolded_program_says_the_same_of_every_position(sheet: str) -> None:
    program = program_of(sheet)
    unfolded = unfold(program)
    assert unfolded is not None
    random = np.random.default_rng(5)
    for _ in range(100):
        position = np.flatnonzero(random.random(program.num_fluents) < 0.5).tolist()
        move = int(random.integers(program.num_moves))
        assert outputs(program, position, move) == outputs(unfolded, position, move)


def test_implied_conjunctions_go() -> None:
    terms = [frozenset(each) for each in ([1, 2, 3], [1, 2], [4], [2, 4], [5, 6])]
    assert without_implied(terms) == {frozenset([1, 2]), frozenset([4]), frozenset([5, 6])}
    assert without_implied([*terms, frozenset()]) == {frozenset()}


def test_too_much_work_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woodstock.symmetry.unfolding.LEAST_WORK", 0)
    monkeypatch.setattr("woodstock.symmetry.unfolding.WORK_PER_LITERAL", 0)
    assert unfold(program_of(CHAINED_LAMPS)) is None

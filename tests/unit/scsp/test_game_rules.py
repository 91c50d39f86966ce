"""The rules of a stage: what depends on moves, and what is asked for before there are any."""

from __future__ import annotations

import numpy as np

from naive.small_games import ASKING, program_of, random_game
from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.program import NO_ATOM, GroundProgram
from woodstock.scsp.game_rules import StageRules, make_rules, make_stage_rules

SHEET = """
(role a) (init p) (legal a x) (<= (legal a y) (true p))
(<= moved (does a x)) (<= moved (does a y) (true p))
(<= quiet (not moved)) (<= both (true p) moved)
(<= (next p) quiet) (<= (next q) both) (<= (next r) (true p)) (<= (next r) moved)
(<= terminal (true r) (true q)) (goal a 0)
"""


def next_needs_moves(program: GroundProgram, rules: StageRules) -> dict[object, bool]:
    atoms = zip(program.fluents, rules.next.tolist(), strict=True)
    return {fluent: bool(rules.needs_moves[atom]) for fluent, atom in atoms if atom > 0}


def test_an_atom_needs_moves_if_all_its_bodies_do() -> None:
    program = program_of(SHEET)
    found = next_needs_moves(program, make_stage_rules(program))
    assert found == {"p": False, "q": True, "r": False}


def test_what_needs_moves_is_false_without_them() -> None:
    rng = np.random.default_rng(11)
    seen = 0
    for _ in range(60):
        program = random_game(rng)
        rules = make_stage_rules(program)
        evaluator = Evaluator(program)
        for _ in range(5):
            fluents = np.flatnonzero(rng.random(program.num_fluents) < 0.5).tolist()
            # `after` no moves at all is the position with everything that moves could change evaluated too.
            values = evaluator.after(evaluator.position(fluents), [])
            needing = np.flatnonzero(rules.needs_moves[: program.num_atoms]).astype(np.int32)
            assert not holds(values, needing).any()
            seen += len(needing)
    assert seen > 1000


def test_good_sheets_need_no_copies() -> None:
    program = program_of(SHEET)
    rules = make_stage_rules(program)
    assert rules.rules.num_atoms == program.num_atoms
    assert np.array_equal(rules.legal, program.legal_atom)
    assert rules.terminal == program.terminal_atom


def test_what_asks_for_moves_gets_a_copy_in_which_there_are_none() -> None:
    program = program_of(ASKING)
    rules = make_stage_rules(program)
    assert rules.rules.num_atoms > program.num_atoms
    first = 1 + program.num_fluents
    copied = rules.rules.head >= program.num_atoms
    assert copied.any()
    atoms = rules.rules.data[copied[rules.rules.rule_of_literal()]] >> 1
    assert not ((atoms >= first) & (atoms < first + program.num_moves)).any()
    assert (np.diff(rules.rules.head) >= 0).all()


def test_impossible_atoms_are_gone() -> None:
    program = program_of(SHEET)
    impossible = np.zeros(program.num_atoms, np.bool_)
    both = program.next_atom[program.fluent_index["q"]]
    impossible[both] = True
    rules = make_stage_rules(program, impossible)
    assert rules.next[program.fluent_index["q"]] == NO_ATOM
    assert both not in rules.rules.head
    assert both not in rules.rules.data >> 1


def test_constants_in_rules_are_folded() -> None:
    found = make_rules([(5, [0, 4]), (6, [1, 4]), (7, [0])])
    assert found.head.tolist() == [5, 7]
    assert found.start.tolist() == [0, 1, 1]
    assert found.data.tolist() == [4]

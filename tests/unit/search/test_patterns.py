"""Patterns: what is found in rules, and what it is worth, against a plain evaluation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from naive.evaluation import NaiveEvaluation, NaivePattern
from woodstock.circuit.packing import pack
from woodstock.common.jit import jit
from woodstock.game.load import load_rules
from woodstock.gdl import parse_rules
from woodstock.ground import GroundProgram, ground
from woodstock.search import patterns as module
from woodstock.search.evaluation import Model, add_up, find_log_odds, log_odds_after, make_model, step_towards
from woodstock.search.patterns import Patterns, find_patterns
from woodstock.search.tree import Float64Array

LINES = [
    *([(column, row) for column in "123"] for row in "123"),
    *([(column, row) for row in "123"] for column in "123"),
    list(zip("123", "123", strict=True)),
    list(zip("123", "321", strict=True)),
]

COUNTED = """
(role robot)
(base (lit 1)) (base (lit 2)) (base (lit 3)) (base done)
(init (lit 1))
(succ 0 1) (succ 1 2) (succ 2 3)
(input robot (light 2)) (input robot (light 3))
(legal robot (light 2)) (legal robot (light 3))
(<= (next (lit ?n)) (does robot (light ?n)))
(<= (next (lit ?n)) (true (lit ?n)))
(<= (next done) (true (lit 2)))
(<= terminal (true done))
(<= (sum 1 1) (true (lit 1)))
(<= (sum 1 0) (not (true (lit 1))))
(<= (sum ?n ?more) (succ ?m ?n) (sum ?m ?less) (succ ?less ?more) (true (lit ?n)))
(<= (sum ?n ?same) (succ ?m ?n) (sum ?m ?same) (not (true (lit ?n))))
(<= (goal robot 100) (sum 3 3))
(<= (goal robot 66) (sum 3 2))
(<= (goal robot 33) (sum 3 1))
(<= (goal robot 0) (sum 3 0))
"""


@jit
def _learn(model: Model, rows: np.ndarray, number: int, target: Float64Array) -> None:
    step_towards(model, add_up(model, rows, number), target)


@jit
def _log_odds_after(model: Model, rows: np.ndarray, before: int, after: int, column: int) -> float:
    num = add_up(model, rows, before)
    return log_odds_after(model, num, (rows, before), (rows, after), column)


def _program(name: str) -> GroundProgram:
    return ground(load_rules(name))


def _members(patterns: Patterns, number: int, bars: bool = False) -> set[int]:
    """Return the fluents of a pattern, or those that bar it."""
    fluents = np.repeat(np.arange(len(patterns.start) - 1), np.diff(patterns.start))
    return set(fluents[patterns.entries == 2 * number + bars].tolist())


def _tic_tac_toe() -> tuple[GroundProgram, list[NaivePattern]]:
    program = _program("tic_tac_toe")
    found = []
    for player, other in (("x", "o"), ("o", "x")):
        for number, line in enumerate(LINES):
            members = tuple(frozenset((program.fluent_index["square", *square, player],)) for square in line)
            bars = frozenset(program.fluent_index["square", *square, other] for square in line)
            found.append(NaivePattern(f"{player}{number}", player, members, bars))
    return program, found


def test_the_lines_of_tic_tac_toe_are_found() -> None:
    program, expected = _tic_tac_toe()
    patterns = find_patterns(program)
    found = {
        (frozenset(_members(patterns, number)), frozenset(_members(patterns, number, bars=True)))
        for number in range(len(patterns.sizes))
    }
    assert found == {(frozenset().union(*pattern.members), pattern.bars) for pattern in expected}
    kinds = {
        program.fluents[min(_members(patterns, number))][-1]: patterns.kinds[number]
        for number in range(len(patterns.sizes))
    }
    assert len(set(patterns.kinds.tolist())) == len(set(kinds.values())) == 2


def test_what_a_square_shows_is_a_member() -> None:
    """In quarto eight pieces have a property, and any of them will do."""
    patterns = find_patterns(_program("quarto"))
    assert len(patterns.sizes) == 80  # ten lines, eight properties
    assert set(patterns.sizes.tolist()) == {4}
    assert {len(_members(patterns, number)) for number in range(80)} == {4 * 8}
    assert {len(_members(patterns, number, bars=True)) for number in range(80)} == {4 * 8}


@pytest.mark.parametrize("name", ["hex", "breakthrough_small", "yahtzee"])
def test_where_nothing_has_to_come_together_there_are_no_patterns(name: str) -> None:
    assert len(find_patterns(_program(name)).sizes) == 0


def test_what_is_counted_is_no_pattern() -> None:
    program = ground(parse_rules(COUNTED))
    assert [len(_members(find_patterns(program), number)) for number in range(len(find_patterns(program).sizes))] == [3]


def _positions(program: GroundProgram, num: int) -> np.ndarray:
    """Return boards with some marks on them, whether or not they can be reached."""
    random = np.random.default_rng(3)
    held = np.zeros((num, program.num_fluents), np.bool_)
    for number, square in product(range(num), product("123", "123")):
        mark = random.choice(["x", "o", "none"])
        if mark != "none":
            held[number, program.fluent_index["square", *square, str(mark)]] = True
    return held


@pytest.mark.parametrize("is_shared", [True, False])
def test_learning_is_that_of_the_naive_evaluation(is_shared: bool) -> None:
    program, naive_patterns = _tic_tac_toe()
    held = _positions(program, 60)
    rows = pack(held)
    model = make_model(program.num_fluents, [True, True], is_shared, find_patterns(program))
    naive = [NaiveEvaluation(naive_patterns) for _ in range(len(model.sums))]
    targets = np.random.default_rng(6).random((len(held), len(naive)))
    for number, target in enumerate(targets):
        _learn(model, rows, number, target)
        for column, each in enumerate(naive):
            each.learn(np.flatnonzero(held[number]).tolist(), float(target[column]))
    found = find_log_odds(model, rows)
    assert np.abs(model.slots).max() > 0.01
    for number in range(len(held)):
        fluents = np.flatnonzero(held[number]).tolist()
        assert found[number, : len(naive)] == pytest.approx([each.log_odds(fluents) for each in naive], abs=1e-4)
    for before in range(len(rows)):
        after = (7 * before + 3) % len(rows)
        for column in range(len(naive)):
            assert _log_odds_after(model, rows, before, after, column) == pytest.approx(found[after, column], abs=1e-4)


def test_a_line_is_learnt_from_other_lines() -> None:
    """Two in a row are worth the same in a row that was never seen: patterns of a kind share what they learn."""
    program, patterns = _tic_tac_toe()
    held = np.zeros((9, program.num_fluents), np.bool_)
    for number, pattern in enumerate(patterns[:8]):
        for member in pattern.members[:2]:
            held[number, min(member)] = True
    rows = pack(held)
    model = make_model(program.num_fluents, [True, True], True, find_patterns(program))
    for _ in range(200):
        for number in range(1, 9):  # the last one has no marks
            _learn(model, rows, number, np.array([0.1 if number == 8 else 0.9]))
    model.weights[:] = 0.0
    model.pairs[:] = 0.0
    model.slots[len(model.tally) :] = 0.0
    assert find_log_odds(model, rows)[0, 0] > 0.1


def test_large_games_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    program = _program("tic_tac_toe")
    monkeypatch.setattr(module, "MOST_RULES", program.num_rules - 1)
    assert len(find_patterns(program).sizes) == 0


def test_what_many_relations_share_is_looked_through_once() -> None:
    """Each relation asks twice for the one below: there are 2 ** 60 ways down to the fluent."""
    chain = "".join(
        f"(<= (r {n + 1} ?x) (r {n} ?x) (s {n} ?x)) (<= (s {n + 1} ?x) (s {n} ?x) (r {n} ?x))" for n in range(60)
    )
    rules = f"""
        (role you) (base (lit 1)) (base (lit 2)) (base (lit 3)) (input you (light 1))
        (light 1) (light 2) (light 3) (<= (legal you (light ?x)) (light ?x))
        (<= (next (lit ?x)) (does you (light ?x))) (<= (next (lit ?x)) (true (lit ?x)))
        (<= (r 0 ?x) (true (lit ?x))) (<= (s 0 ?x) (true (lit ?x))) {chain}
        (<= all (r 60 1) (s 60 2) (r 60 3))
        (<= terminal all) (<= (goal you 100) all) (<= (goal you 0) (not all))
    """
    patterns = find_patterns(ground(parse_rules(rules)))
    assert patterns.sizes.tolist() == [3]

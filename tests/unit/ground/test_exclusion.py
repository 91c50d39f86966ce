"""Mutual exclusion: what is proved holds in every position, and what is wanted is found."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

from naive.exclusion import Position, Step, all_steps, positions_of, random_program
from naive.random_sheets import FLUENTS, sheets
from woodstock.common.errors import LimitError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Limits
from woodstock.game.load import load_rules
from woodstock.gdl.printer import to_kif
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import GroundProgram, ground
from woodstock.ground.exclusion import Exclusions, prove_exclusions
from woodstock.ground.invariants import FluentGroup, prove_invariants

NUM_PROGRAMS = 15 if JIT_DISABLED else 200
SMALL_GAMES = ["lights_out", "matching_pennies", "monty_hall", "nim", "pig", "rock_paper_scissors", "tic_tac_toe"]
LARGER_GAMES = ["atari_go", "breakthrough_small", "connect_four", "hex_small", "treasure_hunt"]
ALL_GAMES = SMALL_GAMES if JIT_DISABLED else [*SMALL_GAMES, *LARGER_GAMES]


def check_groups(groups: Iterable[FluentGroup], positions: set[Position]) -> None:
    for group in groups:
        members = frozenset(group.fluents)
        counts = {len(members & position) for position in positions}
        assert counts <= ({1} if group.exactly_one else {0, 1})


def check(program: GroundProgram, found: Exclusions, steps: list[Step]) -> None:
    check_groups(found.groups, positions_of(program, steps))
    for step in steps:
        assert not any(found.stays_true[fluent] for fluent in step.before - step.after)
        assert not any(found.stays_false[fluent] for fluent in step.after - step.before)
        assert not (found.impossible & step.atoms).any()


def as_texts(program: GroundProgram, groups: Iterable[FluentGroup]) -> set[tuple[frozenset[str], bool]]:
    return {
        (frozenset(to_kif(program.fluents[fluent]) for fluent in group.fluents), group.exactly_one) for group in groups
    }


@pytest.mark.parametrize("name", ALL_GAMES)
def test_what_is_proved_about_a_game_holds(name: str) -> None:
    program = ground(load_rules(name))
    check(program, prove_exclusions(program), list(all_steps(program, most=2000)))


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_what_is_proved_about_a_random_program_holds(seed: int) -> None:
    program = random_program(np.random.default_rng(seed))
    check(program, prove_exclusions(program), list(all_steps(program)))


FRAME = """
(small a) (small b) (small gz) (small (g a)) (small (g b))
(legal r1 a) (legal r2 noop) (legal r2 (mark a b))
(<= (next ?x) (p ?x) (small ?x))
(<= (next (cell ?x ?y)) (t ?x ?y) (small ?x) (small ?y) (not (s)))
(<= (next (cell ?x ?y)) (true (cell ?x ?y)) (u ?x ?z ?y))
(<= (next (cell a b)) (does r2 (mark a b))) (<= (next (cell a gz)) (does r2 noop) (v a))
(<= terminal (s) (t a b))
"""


@settings(max_examples=4 if JIT_DISABLED else 12, suppress_health_check=[HealthCheck.too_slow])
@given(sheet=sheets())
def test_what_is_proved_about_a_random_sheet_holds(sheet: Rules) -> None:
    starts = " ".join(f"(init {to_kif(fluent)})" for fluent in FLUENTS[::2])
    try:
        program = ground(Rules([*sheet, *parse_rules(FRAME + starts)]), Limits(seconds=10), use_cache=False)
    except LimitError:
        assume(False)
    check(program, prove_exclusions(program), list(all_steps(program, most=300)))


@pytest.mark.parametrize("name", ALL_GAMES)
def test_the_bundled_games_need_no_solver(name: str) -> None:
    """Unit propagation finds the groups that a solver finds, and no others."""
    program = ground(load_rules(name))
    found, expected = prove_exclusions(program), prove_invariants(program)
    assert as_texts(program, found.groups) == as_texts(program, expected.groups)
    assert not (expected.stays_true & ~found.stays_true).any()
    assert not (expected.stays_false & ~found.stays_false).any()


@pytest.mark.parametrize("work", [0, 10_000, 100_000, 1_000_000])
@pytest.mark.parametrize("name", ["nim", "tic_tac_toe", "monty_hall"])
def test_with_little_work_less_is_proved_but_nothing_else(name: str, work: int) -> None:
    program = ground(load_rules(name))
    less, more = prove_exclusions(program, work), prove_exclusions(program)
    for group in less.groups:
        assert any(set(group.fluents) <= set(other.fluents) for other in more.groups)
    check(program, less, list(all_steps(program, most=1000)))
    if not work:
        assert less.groups == ()


MODES = """
(role x)
(init select) (init (cell 1 empty)) (init (cell 2 empty))
(<= (legal x (pick ?n)) (true select) (num ?n))
(<= (legal x (put ?n)) (true (picked ?n)))
(<= (next (picked ?n)) (does x (pick ?n)))
(<= (next select) (does x (put ?n)))
(<= (next (cell ?n full)) (does x (put ?n)))
(<= (next (cell ?n ?c)) (true (cell ?n ?c)) (true select))
(<= (next (cell ?n ?c)) (true (cell ?n ?c)) (does x (put ?m)) (distinct ?n ?m))
(num 1) (num 2)
(<= terminal (true (cell 1 full)) (true (cell 2 full)))
(goal x 100)
"""


def test_fluents_of_several_names_are_joined() -> None:
    program = ground(parse_rules(MODES), use_cache=False)
    assert as_texts(program, prove_exclusions(program).groups) == {
        (frozenset({"select", "(picked 1)", "(picked 2)"}), True),
        (frozenset({"(cell 1 empty)", "(cell 1 full)"}), True),
        (frozenset({"(cell 2 empty)", "(cell 2 full)"}), True),
    }


def test_what_random_play_hardly_ever_refutes_is_not_proved() -> None:
    """The two lamps are never seen on together in a sample, but they can be."""
    doors = " ".join(f"(succ {number} {number + 1})" for number in range(40))
    text = (
        "(role x) (init (depth 0)) (init (lamp a)) (legal x left) (legal x right) (legal x wait)"
        "(<= (next (depth ?n)) (true (depth ?m)) (succ ?m ?n) (does x left))"
        "(<= (next (depth 0)) (does x right))"
        "(<= (next (lamp a)) (true (lamp a))) (<= (next (lamp b)) (true (depth 39)) (does x left))"
        "(<= terminal (true (lamp b))) (goal x 100)" + doors
    )
    program = ground(parse_rules(text), use_cache=False)
    lamps = frozenset({"(lamp a)", "(lamp b)"})
    assert all(names != lamps for names, _ in as_texts(program, prove_exclusions(program).groups))


def test_long_counters_are_proved() -> None:
    steps = " ".join(f"(succ {number} {number + 1})" for number in range(150))
    text = (
        "(role x) (init (step 0)) (legal x wait) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
        "(<= terminal (true (step 150))) (goal x 100)" + steps
    )
    program = ground(parse_rules(text), use_cache=False)
    (group,) = prove_exclusions(program).groups
    assert group == FluentGroup(tuple(range(151)), exactly_one=True)


LATCHES = """
(role x) (init off) (init free) (legal x push) (legal x wait) (<= (legal x take) (true free))
(<= (next on) (does x push)) (<= (next on) (true on) (does x wait)) (<= (next on) (true on) (does x take))
(<= (next off) (true off) (not (does x push)))
(<= (next free) (true free) (not (does x take)))
(<= (next taken) (true free) (not (next free)))
(<= (next taken) (true taken) (not (true free)))
(<= terminal (true taken) (true on)) (goal x 100)
"""


def test_fluents_that_stay_are_found() -> None:
    """`on` stays by all moves together, `taken` because it excludes `free`; `off` and `free` never come back."""
    program = ground(parse_rules(LATCHES), use_cache=False)
    found = prove_exclusions(program)
    number = program.fluent_index
    assert {fluent for fluent in number if found.stays_true[number[fluent]]} == {"on", "taken"}
    assert {fluent for fluent in number if found.stays_false[number[fluent]]} == {"off", "free"}
    check(program, found, list(all_steps(program)))


TWO_MOVES = """
(role x) (role y) (init (control x)) (num 1) (num 2) (num 3)
(<= (legal ?r (mark ?n)) (true (control ?r)) (num ?n)) (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (control x)) (true (control y))) (<= (next (control y)) (true (control x)))
(<= two (does ?r (mark ?n)) (does ?s (mark ?m)) (distinct ?n ?m))
(<= (next strange) two) (<= (next (marked ?n)) (does ?r (mark ?n))) (<= (next (marked ?n)) (true (marked ?n)))
(<= (next plain) (not two))
(<= terminal (true (marked 1)) (true (marked 2)) (true (marked 3))) (goal x 100) (goal y 0)
"""


def test_atoms_that_need_two_moves_at_once_are_impossible() -> None:
    program = ground(parse_rules(TWO_MOVES), use_cache=False)
    found = prove_exclusions(program)
    strange = program.next_atom[program.fluent_index["strange"]]
    assert found.impossible[strange]
    check(program, found, list(all_steps(program)))
    both_at_once = TWO_MOVES.replace("(true (control ?r)) (num ?n)", "(role ?r) (num ?n)")
    program = ground(parse_rules(both_at_once), use_cache=False)
    strange = program.next_atom[program.fluent_index["strange"]]
    assert not prove_exclusions(program).impossible[strange]


def test_a_game_without_fluents_or_rules_has_nothing_to_prove() -> None:
    program = ground(parse_rules("(role x) (legal x wait) terminal (goal x 100)"), use_cache=False)
    found = prove_exclusions(program)
    assert found.groups == ()
    assert len(found.stays_true) == program.num_fluents


def test_the_answer_is_always_the_same() -> None:
    program = ground(load_rules("pig"))
    one, two = prove_exclusions(program), prove_exclusions(program)
    assert one.groups == two.groups
    assert (one.stays_true == two.stays_true).all()
    assert (one.impossible == two.impossible).all()

"""Proofs by induction: each kind of reasoning, and next to it what must not be concluded."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from naive.exclusion import all_steps, positions_of, random_program
from woodstock.common.jit import JIT_DISABLED
from woodstock.gdl.sheet import parse_rules
from woodstock.gdl.terms import GroundTerm
from woodstock.ground import GroundProgram, ground
from woodstock.ground.candidates import Candidate, Shape
from woodstock.ground.induction import Induction

WORK = 10**9
NUM_PROGRAMS = 10 if JIT_DISABLED else 150

START = "(role x) (role y) (init (p a)) (legal x go) (legal x stop) (legal y go) (legal y stop) (goal x 1) (goal y 1)"
"""Two roles with two moves each, whatever happens."""


def make_program(text: str) -> GroundProgram:
    return ground(parse_rules(text), use_cache=False)


def candidate(program: GroundProgram, *fluents: GroundTerm, is_exact: bool = False) -> Candidate:
    return Candidate(tuple(sorted(program.fluent_index[fluent] for fluent in fluents)), is_exact, Shape.PART)


def prove(program: GroundProgram, candidates: list[Candidate], work: int = WORK) -> list[Candidate]:
    induction = Induction(program, work)
    induction.prepare(candidates)
    return induction.prove(candidates, [])


def excludes(text: str, *fluents: GroundTerm) -> bool:
    """Tell whether it is proved that these fluents, or `p(a)` and `p(b)`, exclude each other."""
    program = make_program(text)
    wanted = candidate(program, *(fluents or (("p", "a"), ("p", "b"))))
    return prove(program, [wanted]) == [wanted]


def test_complementary_literals_exclude_each_other() -> None:
    sheet = START + "(init s) (<= (next s) (does x go)) (<= (next (p a)) (true s)) (<= (next (p b)) {})"
    assert excludes(sheet.format("(not (true s))"))
    assert not excludes(sheet.format("(does x stop)"))


def test_a_role_makes_one_move() -> None:
    sheet = START + "(<= (next (p a)) (does x go)) (<= (next (p b)) (does {} stop))"
    assert excludes(sheet.format("x"))
    assert not excludes(sheet.format("y"))


def test_a_role_makes_some_move() -> None:
    sheet = (
        START
        + "(<= busy (does x go)) (<= busy (does x {})) (<= (next (p a)) (not busy)) (<= (next (p b)) (true (p a)))"
    )
    assert excludes(sheet.format("stop"), ("p", "b"), ("p", "a")) is True
    assert not excludes(sheet.format("go"))


def test_what_is_supposed_excludes_itself() -> None:
    sheet = START + "(<= (next (p a)) (true (p b))) (<= (next (p b)) {})"
    assert excludes(sheet.format("(true (p a))"))
    assert not excludes(sheet.format("(does x go)"))


TURNS = START.replace("(legal y go)", "(<= (legal y go) {})").replace("(legal x go)", "(<= (legal x go) (true on))")
TURNS += "(init on) (<= (next on) (does x stop)) (<= (next (p a)) (does x go)) (<= (next (p b)) (does y go))"


def test_a_move_is_legal() -> None:
    assert excludes(TURNS.format("(not (true on))"))
    assert not excludes(TURNS.format("(true (p a))"))


def test_all_reasons_for_a_move_have_something_in_common() -> None:
    """No single rule makes the move legal, but each of them asks for the same."""
    reasons = "(<= why (true (p a)) (true off)) (<= why (not (true (p a))) (true {}))"
    sheet = TURNS.format("why") + reasons + "(<= (next off) (does y stop))"
    induction = "(<= (next (q a)) (does y go)) (<= (next (q b)) (not (true off)))"
    assert excludes(sheet.format("off") + induction, ("q", "a"), ("q", "b"))
    assert not excludes(sheet.format("on") + induction, ("q", "a"), ("q", "b"))


def test_nothing_follows_a_terminal_position() -> None:
    sheet = (
        START
        + "(init s) (<= (next s) (does x go)) (<= (next (p a)) (does y go)) (<= (next (p b)) (true s)) (<= terminal {})"
    )
    assert excludes(sheet.format("(true s)"))
    assert not excludes(sheet.format("(true s) (true (p a))"))


PAIRS = """
(role x) (init (p a)) (legal x go) (legal x run) (legal x wait) (legal x stop) (goal x 1)
(<= moving (does x go)) (<= moving (does x run))
(<= (next (p a)) (true u) moving) (<= (next (p a)) (does x wait))
(<= (next (p b)) (true {}) moving) (<= (next (p b)) (does x stop))
(<= (next u) (does x go)) (<= (next v) (does x run)) (<= (next w) (does x go))
"""


def test_alternatives_are_compared_in_pairs() -> None:
    """`u` and `moving` leave room for `p(b)`, and so does `v` for `p(a)`; but not both of them."""
    for name, is_exclusive in (("v", True), ("w", False)):
        program = make_program(PAIRS.format(name))
        wanted = candidate(program, ("p", "a"), ("p", "b"))
        assert (wanted in prove(program, [wanted, candidate(program, "u", "v")])) == is_exclusive


def test_cases_are_split() -> None:
    """Either reason of `some` must do; each one excludes `p(b)` in its own way."""
    sheet = START + (
        "(<= some (true s) (does y go)) (<= some (true t) (does x go))"
        "(<= (next s) (does x go)) (<= (next t) (does x stop))"
        "(<= other (not (true s)) (does x stop)) (<= other (does y stop) {})"
        "(<= (next (p a)) some) (<= (next (p b)) other)"
    )
    assert excludes(sheet.format("(not (true t))"))
    assert not excludes(sheet.format("(does x go)"))


DERIVED_TURN = """
(role x) (role y) (init (last y)) (init (cell 1 b)) (init (cell 2 b)) (other x y) (other y x) (n 1) (n 2)
(<= open (true (cell ?n b)))
(<= (turn ?r) (true (last ?s)) (other ?r ?s) open) (<= (turn ?r) (true (last {})) (role ?r) (not open))
(<= (legal ?r (mark ?n)) (turn ?r) (n ?n)) (<= (legal ?r noop) (role ?r) (not (turn ?r)))
(<= (next (last ?r)) (does ?r (mark ?n)))
(<= (next (cell ?n ?r)) (does ?r (mark ?n)))
(<= (next (cell ?n ?c)) (true (cell ?n ?c)) (does ?r (mark ?m)) (distinct ?m ?n))
(goal x 1) (goal y 1)
"""


def test_whose_turn_it_is_may_be_derived() -> None:
    cell = (("cell", "1", "b"), ("cell", "1", "x"), ("cell", "1", "y"))
    program = make_program(DERIVED_TURN.format("?r"))
    wanted = [candidate(program, *cell), candidate(program, ("last", "x"), ("last", "y"), is_exact=True)]
    assert set(prove(program, wanted)) == set(wanted)
    program = make_program(DERIVED_TURN.format("?s"))
    wanted = [candidate(program, *cell), candidate(program, ("last", "x"), ("last", "y"), is_exact=True)]
    assert not prove(program, wanted)


def test_candidates_that_need_each_other_are_proved_together_only() -> None:
    sheet = START + (
        "(init (q a)) (<= (next (p a)) (true (q a))) (<= (next (p b)) (true (q b)))"
        "(<= (next (q a)) (true (p a)) (does x go)) (<= (next (q b)) (true (p b)))"
        "(<= (next (q b)) (true (p a)) (does x stop))"
    )
    program = make_program(sheet)
    both = [candidate(program, (name, "a"), (name, "b")) for name in "pq"]
    assert set(prove(program, both)) == set(both)
    assert not prove(program, both[:1])
    assert not prove(program, both[1:])


def test_what_depends_on_a_candidate_that_fails_is_not_proved() -> None:
    sheet = START + (
        "(init (q a)) (<= (next (p a)) (true (q a))) (<= (next (p b)) (true (q b)))"
        "(<= (next (q a)) (does x go)) (<= (next (q b)) (does y go))"
    )
    program = make_program(sheet)
    assert not prove(program, [candidate(program, (name, "a"), (name, "b")) for name in "pq"])


def test_one_of_a_group_always_holds() -> None:
    sheet = START + "(<= (next (p b)) (true (p a))) (<= (next (p a)) (true (p b)) {})"
    for condition, is_exact in (("", True), ("(does x go)", False)):
        program = make_program(sheet.format(condition))
        wanted = candidate(program, ("p", "a"), ("p", "b"), is_exact=True)
        (found,) = prove(program, [wanted])
        assert found.is_exact == is_exact


def test_one_of_a_given_group_always_holds() -> None:
    sheet = START + (
        "(init (q a)) (<= (next (p b)) (does x go)) (<= (next (p a)) (does x stop))"
        "(<= (next (q a)) (does x go)) (<= (next (q b)) (does x stop) (does y go))"
    )
    program = make_program(sheet)
    given = [candidate(program, (name, "a"), (name, "b")) for name in "pq"]
    induction = Induction(program, WORK)
    induction.prepare(given)
    assert set(induction.prove(given, [])) == set(given)
    found = induction.prove_exact(given, {group.fluents for group in given})
    assert [group.is_exact for group in found] == [True, False]


def test_legality_that_depends_on_moves_proves_nothing() -> None:
    """No good sheet does this: `legal` is asked for when no moves are made, so nothing can be said of those made."""
    sheet = START.replace("(legal y go)", "(<= (legal y go) (not (does x {})))")
    sheet += "(<= (next (p a)) (does x go)) (<= (next (p b)) (does y go))"
    assert not excludes(sheet.format("go"))


def test_an_end_that_depends_on_moves_proves_nothing() -> None:
    sheet = (
        START + "(<= (next (p a)) (does x go)) (<= (next (p b)) (does y go)) (<= terminal (does x {0}) (does y {0}))"
    )
    assert not excludes(sheet.format("go"))


def test_fluents_with_a_reason_in_common_do_not_exclude_each_other() -> None:
    sheet = START + "(<= (next (p a)) (does x {0})) (<= (next (p b)) (does x {1}))"
    assert excludes(sheet.format("go", "stop"))
    assert not excludes(sheet.format("go", "go"))
    assert not excludes(START + "(<= (next (p a)) (true s)) (<= (next (p b)) (true s)) (<= (next s) (does x go))")


def test_without_room_for_domains_pairs_are_compared_by_their_literals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woodstock.ground.induction.MAX_DOMAIN_WORDS", 0)
    test_alternatives_are_compared_in_pairs()
    test_cases_are_split()


def test_without_work_nothing_is_proved() -> None:
    program = make_program(START + "(<= (next (p a)) (does x go)) (<= (next (p b)) (does x stop) (does y go))")
    wanted = candidate(program, ("p", "a"), ("p", "b"))
    assert prove(program, [wanted]) == [wanted]
    assert not prove(program, [wanted], work=10)


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_of_all_groups_only_those_are_proved_that_hold(seed: int) -> None:
    """Random play does not help here: all groups of fluents are candidates."""
    rng = np.random.default_rng(seed)
    program = random_program(rng)
    positions = positions_of(program, list(all_steps(program)))
    candidates = []
    for size in (2, 3, 4):
        for group in itertools.combinations(range(program.num_fluents), size):
            count = int(program.initial[list(group)].sum())
            if count <= 1 and rng.random() < 0.7:
                candidates.append(Candidate(group, bool(count == 1 and rng.random() < 0.6), Shape.PART))
    induction = Induction(program, WORK)
    induction.prepare(candidates)
    if seed % 2:
        induction.learn([])
    found = induction.prove(candidates, [])
    wanted = {group.fluents for group in found if program.initial[list(group.fluents)].sum() == 1}
    more = induction.prove_exact(found, wanted)
    induction.learn(more)
    for group in [*found, *induction.prove(candidates, more)]:
        counts = {len(position.intersection(group.fluents)) for position in positions}
        assert counts <= ({1} if group.is_exact else {0, 1})

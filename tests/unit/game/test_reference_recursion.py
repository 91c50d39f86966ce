"""Relations that depend on themselves: complete answers, whatever the order of rules and questions."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest

from woodstock.game.reference import ReferenceGame
from woodstock.gdl.sheet import parse_rules
from woodstock.gdl.terms import LogicVar

X, Y, Z = LogicVar("?x"), LogicVar("?y"), LogicVar("?z")
NOWHERE = frozenset()

LEFT = "(<= (path ?x ?y) (path ?x ?z) (edge ?z ?y)) (<= (path ?x ?y) (edge ?x ?y))"
RIGHT = "(<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?y) (edge ?x ?z) (path ?z ?y))"
DOUBLE = "(<= (path ?x ?y) (path ?x ?z) (path ?z ?y)) (<= (path ?x ?y) (edge ?x ?y))"
GRAPH = "(edge a b) (edge b c) (edge c a) (edge c d) (edge e e)"


def game(text: str) -> ReferenceGame:
    return ReferenceGame(parse_rules(text, "kif"))


@pytest.mark.parametrize("rules", [LEFT, RIGHT, DOUBLE])
class TestClosure:
    def test_cycles_are_closed(self, rules):
        asked = game(GRAPH + rules)
        cycle = {(one, other) for one in "abc" for other in "abcd"} | {("e", "e")}
        assert {atom[1:] for atom in asked.query(("path", X, Y), NOWHERE)} == cycle

    def test_every_binding_gives_the_same_relation(self, rules):
        asked = game(GRAPH + rules)
        assert asked.query(("path", "b", X), NOWHERE) == [("path", "b", end) for end in "abcd"]
        assert asked.query(("path", X, "d"), NOWHERE) == [("path", start, "d") for start in "abc"]
        assert asked.holds(("path", "a", "a"), NOWHERE)
        assert not asked.holds(("path", "d", "a"), NOWHERE)
        assert asked.query(("path", X, X), NOWHERE) == [("path", node, node) for node in "abce"]

    def test_it_follows_the_position(self, rules):
        asked = game(rules + "(<= (edge ?x ?y) (true (edge ?x ?y)))")
        assert asked.holds(("path", "a", "c"), asked.position_of([("edge", "a", "b"), ("edge", "b", "c")]))
        assert not asked.holds(("path", "a", "c"), asked.position_of([("edge", "a", "b")]))


def test_relations_that_define_each_other():
    text = """(next 0 1) (next 1 2) (next 2 3) (next 3 4)
              (even 0) (<= (even ?n) (next ?m ?n) (odd ?m)) (<= (odd ?n) (next ?m ?n) (even ?m))"""
    text = text.replace("next", "succ")
    asked = game(text)
    assert asked.query(("odd", X), NOWHERE) == [("odd", "1"), ("odd", "3")]
    assert asked.holds(("even", "4"), NOWHERE)
    assert not asked.holds(("even", "3"), NOWHERE)


def test_a_goal_is_not_taken_for_complete_while_its_leader_is_at_work():
    # p asks q, q asks p: the answers of q found on the way lack what p gets later from its last rule.
    text = "(<= (p ?x) (q ?x)) (<= (q ?x) (p ?x)) (<= (q ?x) (c ?x)) (<= (p b) (q a)) (c a)"
    asked = game(text)
    assert asked.query(("p", X), NOWHERE) == [("p", "a"), ("p", "b")]
    assert asked.query(("q", X), NOWHERE) == [("q", "a"), ("q", "b")]


def test_negation_of_a_recursive_relation():
    text = GRAPH + LEFT + "(<= (node ?x) (edge ?x ?y)) (<= (cut ?x ?y) (node ?x) (node ?y) (not (path ?x ?y)))"
    assert game(text).query(("cut", "e", X), NOWHERE) == [("cut", "e", node) for node in "abc"]


def test_rules_that_are_stratified_by_their_constants_only():
    text = """(role r) (role s) (<= (goal ?r 100) (true (won ?r)))
              (<= (goal ?r 50) (role ?r) (not (goal r 100)) (not (goal s 100)))
              (<= (goal ?r 0) (role ?r) (not (goal ?r 100)) (not (goal ?r 50)))"""
    asked = game(text)
    won = asked.position_of([("won", "r")])
    assert [asked.goal_values(won, role) for role in (0, 1)] == [("100",), ("0",)]
    assert [asked.goal_values(NOWHERE, role) for role in (0, 1)] == [("50",), ("50",)]


def test_lists_are_taken_apart_and_built():
    text = """(list nil) (<= (list ?l) (true (holds ?l)))
              (<= (member ?x (cons ?x ?l)) (true (holds (cons ?x ?l))))
              (<= (append nil ?l ?l) (true (holds ?l)))
              (<= (append (cons ?h ?t) ?l (cons ?h ?r)) (part (cons ?h ?t)) (append ?t ?l ?r))
              (<= (part ?l) (true (holds ?l))) (<= (part ?t) (part (cons ?h ?t)))"""
    asked = game(text)
    two = ("cons", "a", ("cons", "b", "nil"))
    position = asked.position_of([("holds", two), ("holds", "nil")])
    assert asked.query(("append", two, two, X), position) == [
        ("append", two, two, ("cons", "a", ("cons", "b", two)))
    ]  # fmt: skip
    assert len(asked.query(("append", X, Y, two), position)) == 2


def test_numbers_as_terms_have_no_end_but_a_question_about_one_of_them_has():
    asked = game("(number z) (<= (number (s ?n)) (number ?n))")
    ten = "z"
    for _ in range(10):
        ten = ("s", ten)
    assert asked.holds(("number", ten), NOWHERE)
    assert not asked.holds(("number", ("s", "nothing")), NOWHERE)


def test_a_chain_of_thousands_of_steps_needs_no_stack():
    length = 5_000
    facts = " ".join(f"(succ {one} {other})" for one, other in pairwise(range(length + 1)))
    asked = game(facts + "(<= (less ?x ?y) (succ ?x ?y)) (<= (less ?x ?y) (succ ?x ?z) (less ?z ?y))")
    assert asked.holds(("less", "0", str(length)), NOWHERE)
    assert not asked.holds(("less", str(length), "0"), NOWHERE)


def test_a_chain_of_a_thousand_relations_gets_the_stack_that_it_needs_and_gives_it_back():
    before = sys.getrecursionlimit()
    chain = " ".join(f"(<= (p{number + 1} ?x) (p{number} ?x) (true ?x))" for number in range(1_500))
    asked = game(f"(p0 a) {chain}")
    assert asked.holds(("p1500", "a"), asked.position_of("a"))
    assert sys.getrecursionlimit() == before

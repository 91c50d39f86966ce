"""What the reference reasoner refuses, and what it stops."""

from __future__ import annotations

import pytest

from woodstock.common.errors import LimitError
from woodstock.game.reference import Limits, ReferenceGame
from woodstock.game.reference.limits import outgrows
from woodstock.gdl.diagnostics import GdlError
from woodstock.gdl.sheet import parse_rules
from woodstock.gdl.source import SourceText
from woodstock.gdl.terms import LogicVar

NOWHERE = frozenset()


def game(text: str, **limits: float) -> ReferenceGame:
    return ReferenceGame(parse_rules(SourceText(text, "bad.kif"), "kif"), limits=Limits(**limits))


class TestRefusedAtOnce:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("\n(<= terminal (p ?x) (not (q ?y)))", r"bad.kif:2:1: .*unsafe rule: \?y occurs in `not` or `distinct`"),
            ("(<= (next (c ?x)) (true (c ?y)))", r"bad.kif:1:1: .*unsafe rule: \?x occurs in the head"),
            ("(<= terminal (distinct ?x a))", r"\?x occurs in `not` or `distinct`"),
            ("(<= terminal (not (distinct ?x a)))", r"\?x occurs in `not` or `distinct`"),
            ("(p ?x)\n(<= terminal (p a))", r"bad.kif:1:1: .*\?x occurs in the head"),
            ("(<= terminal (p ?y) (or (q ?x) (q ?y)) (not (r ?x)))", r"\?x"),
            ("(<= terminal (distinct a b c))", r"bad.kif:1:14: .*`distinct` compares two terms, found 3"),
            ("(true a) (<= terminal (true a))", r"bad.kif:1:1: .*`true` is given by the match"),
            ("(<= terminal (does r a)) (<= (does r a) (p))", r"bad.kif:1:26: .*`does` is given by the match"),
            ("(<= p (not q)) (<= q (not p)) (<= terminal p)", r"`p` is defined by the negation of `q`"),
            ("(<= (win ?x) (move ?x ?y) (not (win ?y))) (<= terminal (win a))", r"negation of `win`"),
            ("(<= (goal r 0) (not (goal r 100))) (<= (goal r 100) (goal r 0))", r"negation of `goal`"),
        ],
    )
    def test_the_message_names_the_rule(self, text, message):
        with pytest.raises(GdlError, match=message):
            game(text)

    def test_all_bad_rules_are_listed(self):
        with pytest.raises(GdlError) as caught:
            game("(<= terminal (not (q ?y)))\n(<= (next ?x) (not p))\n(<= (legal r ?z) p)")
        assert [problem.span.start for problem in caught.value.diagnostics] == [0, 27, 50]

    def test_a_rule_that_nothing_needs_is_refused_only_when_it_is_asked_for(self):
        asked = game("(role r) (<= (odd ?x) (not (even ?x))) (<= (base ?x) p)")
        assert not asked.is_terminal(NOWHERE)
        with pytest.raises(GdlError, match="unsafe"):
            asked.query(("odd", LogicVar("?x")), NOWHERE)
        with pytest.raises(GdlError, match="unsafe"):
            asked.holds(("odd", "1"), NOWHERE)


class TestStopped:
    def test_terms_that_grow_without_end(self):
        asked = game("(p z)\n(<= (p (s ?x)) (p ?x))\n(<= (init ?x) (p ?x))")
        with pytest.raises(LimitError, match=r"bad.kif:2:1: the relation `p` makes a term of more than 200 levels"):
            asked.initial_position()

    def test_terms_that_double_without_end(self):
        asked = game("(p z) (<= (p (f ?x ?x)) (p ?x)) (<= (init ?x) (p ?x))", term_size=1000)
        with pytest.raises(LimitError, match="the relation `p` makes a term of more than 1000 symbols"):
            asked.initial_position()

    def test_questions_that_grow_without_end(self):
        asked = game("(<= (p ?x) (p (s ?x)) (q ?x)) (q z) (<= (q (s ?x)) (q ?x)) (<= terminal (p z))")
        with pytest.raises(LimitError, match="the relation `p` makes a term of more than 200 levels"):
            asked.is_terminal(NOWHERE)

    def test_terms_that_grow_from_position_to_position(self):
        asked = game("(role r) (init (c z)) (<= (next (c (s ?x))) (true (c ?x)))", term_depth=20)
        position = asked.initial_position()
        for _ in range(20):
            position = asked.next_position(position, ["go"])
        with pytest.raises(LimitError, match="the relation `next` makes a term of more than 20 levels"):
            asked.next_position(position, ["go"])

    def test_more_tuples_than_allowed_in_a_join(self):
        domain = " ".join(f"(d {number})" for number in range(40))
        asked = game(domain + "\n(<= (init (c ?x ?y ?z)) (d ?x) (d ?y) (d ?z))", tuples=5_000)
        with pytest.raises(LimitError, match=r"bad.kif:2:1: the relation `init` derives more than 5000 tuples"):
            asked.initial_position()

    def test_more_tuples_than_allowed_in_a_recursion(self):
        domain = " ".join(f"(d {number})" for number in range(40))
        rules = "(<= (p ?x ?y ?z) (d ?x) (d ?y) (d ?z)) (<= (p ?y ?x ?z) (p ?x ?y ?z)) (<= (init ?x) (p ?x ?x ?x))"
        with pytest.raises(LimitError, match="derives more than 5000 tuples"):
            game(domain + rules, tuples=5_000).query(("p", *map(LogicVar, ("?a", "?b", "?c"))), NOWHERE)

    def test_more_time_than_allowed(self):
        domain = " ".join(f"(d {number})" for number in range(60))
        asked = game(
            domain + "(<= terminal (d ?x) (d ?y) (d ?z) (not (e ?x ?y ?z))) (<= (e ?x ?y ?z) (d ?x) (d ?y) (d ?z))",
            seconds=0,
        )
        with pytest.raises(LimitError, match="takes more than 0 seconds"):
            asked.is_terminal(NOWHERE)

    def test_after_a_stop_other_questions_are_answered(self):
        asked = game("(role r) (p z) (<= (p (s ?x)) (p ?x)) (<= terminal (p ?x) (q ?x)) (<= (legal r ?x) (true ?x))")
        with pytest.raises(LimitError):
            asked.query(("p", LogicVar("?x")), NOWHERE)
        assert asked.legal_moves(asked.position_of(["a"]), 0) == ("a",)
        assert asked.holds(("p", ("s", "z")), NOWHERE)


class TestTermSize:
    def test_small_terms_pass(self):
        assert outgrows("a", Limits(term_depth=1, term_size=1)) == ""
        assert outgrows(("f", "a", ("g", "b")), Limits(term_depth=3, term_size=10)) == ""

    def test_a_shared_term_counts_as_often_as_it_is_written(self):
        term = "a"
        for _ in range(64):
            term = ("f", term, term)
        assert outgrows(term, Limits()) == "more than 20000 symbols"

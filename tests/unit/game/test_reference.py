"""The reference reasoner as a game, and as something to put questions to."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from naive.bottom_up import NaiveGame
from woodstock.common.errors import UsageError
from woodstock.game.protocol import Game, goal
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.sheet import parse_rules
from woodstock.gdl.terms import GroundTerm, LogicVar

X, Y = LogicVar("?x"), LogicVar("?y")

RACE = """
(role red) (role blue)
(succ 0 1) (succ 1 2) (succ 2 3)
(init (at red 0)) (init (at blue 0)) (init running)
(<= (legal ?r (go ?n)) (true (at ?r ?k)) (succ ?k ?n))
(<= (legal ?r stay) (role ?r))
(<= (next (at ?r ?n)) (does ?r (go ?n)))
(<= (next (at ?r ?n)) (does ?r stay) (true (at ?r ?n)))
(<= (next running) (not (wins red)) (not (wins blue)))
(<= (wins ?r) (does ?r (go 3)))
(<= terminal (not (true running)))
(<= (goal ?r 100) (true (at ?r 3)))
(<= (goal ?r 0) (role ?r) (not (true (at ?r 3))))
"""


def game(text: str) -> ReferenceGame:
    return ReferenceGame(parse_rules(text, "kif"))


def tuples(text: str, pattern: GroundTerm, fluents: tuple[GroundTerm, ...] = ()) -> list[GroundTerm]:
    """Return what a pattern's relation holds for, without its name."""
    asked = game(text)
    return [atom[1:] for atom in asked.query(pattern, asked.position_of(fluents))]


class TestProtocol:
    def test_a_match_from_the_first_position_to_the_goals(self):
        race: Game[frozenset[GroundTerm]] = game(RACE)
        position = race.initial_position()
        assert race.roles == ("red", "blue")
        assert position == {("at", "red", "0"), ("at", "blue", "0"), "running"}
        assert race.legal_moves(position, 0) == (("go", "1"), "stay")
        for number in ("1", "2", "3"):
            assert not race.is_terminal(position)
            position = race.next_position(position, [("go", number), "stay"])
        assert race.fluents(position) == {("at", "red", "3"), ("at", "blue", "0")}
        assert race.is_terminal(position)
        assert [goal(race, position, role) for role in (0, 1)] == [100, 0]

    def test_every_position_of_a_game_is_what_the_naive_twin_makes_of_it(self):
        race = game(RACE + "(<= (sees ?r (met ?n)) (true (at ?r ?n)) (true (at ?s ?n)) (distinct ?r ?s))")
        twin = NaiveGame(race.rules)
        seen, waiting = set(), [race.initial_position()]
        assert waiting == [twin.initial_position()]
        while waiting:
            position = waiting.pop()
            seen.add(position)
            assert race.is_terminal(position) == twin.is_terminal(position)
            moves = [race.legal_moves(position, role) for role in (0, 1)]
            for role in (0, 1):
                assert set(moves[role]) == set(twin.legal_moves(position, role))
                assert set(race.goal_values(position, role)) == set(twin.goal_values(position, role))
            for joint in product(*moves) if not race.is_terminal(position) else ():
                after = race.next_position(position, joint)
                assert after == twin.next_position(position, joint)
                assert race.percepts(position, joint, 1) == twin.percepts(position, joint, 1)
                if after not in seen:
                    waiting.append(after)
        assert len(seen) == 16

    def test_roles_are_numbered_in_the_order_of_the_sheet(self):
        assert game("(role zoe) (succ 1 2) (role adam) (role zoe)").roles == ("zoe", "adam")

    def test_all_goal_values_are_returned(self):
        both = game("(role r) (goal r 50) (<= (goal r 0) (true lost)) (<= (goal r (sum 1 2)) (true odd))")
        assert both.goal_values(both.position_of(["lost", "odd"]), 0) == (("sum", "1", "2"), "0", "50")
        assert both.goal_values(both.position_of([]), 0) == ("50",)

    def test_each_legal_move_is_given_once(self):
        twice = game("(role r) (p a 1) (p a 2) (<= (legal r ?x) (p ?x ?y)) (<= (legal r a) (true f)) (legal r b)")
        assert twice.legal_moves(twice.position_of(["f"]), 0) == ("a", "b")

    def test_the_order_of_moves_is_the_same_in_every_process(self):
        program = (
            "from woodstock.game.reference import ReferenceGame; from woodstock.gdl.sheet import parse_rules;"
            "game = ReferenceGame(parse_rules('(role r) (<= (legal r (m ?x)) (true (c ?x)))', 'kif'));"
            "print(game.legal_moves(game.position_of(('c', str(n)) for n in range(30)), 0))"
        )
        runs = [
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
            ).stdout
            for seed in ("1", "2")
        ]  # fmt: skip
        assert runs[0] == runs[1] != ""

    def test_relations_that_depend_on_moves_are_computed_anew_for_other_moves(self):
        race = game(RACE)
        position = race.position_of([("at", "red", "2"), ("at", "blue", "2"), "running"])
        first = race.next_position(position, [("go", "3"), "stay"])
        second = race.next_position(position, ["stay", "stay"])
        assert "running" not in first
        assert second == position
        assert race.next_position(position, [("go", "3"), "stay"]) == first

    def test_a_wrong_number_of_moves_is_refused(self):
        race = game(RACE)
        with pytest.raises(UsageError, match="expected 2 moves, one for each role, found 1"):
            race.next_position(race.initial_position(), ["stay"])

    def test_base_and_input_are_ignored_even_if_they_are_unsafe(self):
        text = RACE + "(base (at ?r ?n)) (<= (input ?r (go ?n)) (number ?n))"
        assert game(text).initial_position() == game(RACE).initial_position()

    def test_several_threads_may_ask(self):
        race = game(RACE)
        positions = [race.position_of([("at", "red", str(n)), ("at", "blue", "0")]) for n in (0, 1, 2)] * 50
        expected = [race.legal_moves(position, 0) for position in positions]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda position: race.legal_moves(position, 0), positions)) == expected


class TestPercepts:
    def test_without_sees_every_role_sees_every_move(self):
        race = game(RACE)
        seen = race.percepts(race.initial_position(), [("go", "1"), "stay"], 1)
        assert seen == {("did", "red", ("go", "1")), ("did", "blue", "stay")}

    def test_sees_rules_say_what_each_role_sees(self):
        text = RACE + "(<= (sees blue (heard ?r)) (does ?r (go ?n))) (<= (sees ?r (at ?n)) (true (at ?r ?n)))"
        race = game(text)
        position, moves = race.initial_position(), [("go", "1"), "stay"]
        assert race.percepts(position, moves, 0) == {("at", "0")}
        assert race.percepts(position, moves, 1) == {("at", "0"), ("heard", "red")}


class TestQuestions:
    def test_a_pattern_returns_the_atoms_of_its_form(self):
        race = game(RACE)
        position = race.initial_position()
        assert race.query(("succ", "1", X), position) == [("succ", "1", "2")]
        assert race.query(("legal", X, ("go", Y)), position) == [
            ("legal", "blue", ("go", "1")),
            ("legal", "red", ("go", "1")),
        ]
        assert race.query(("true", ("at", X, "0")), position) == [
            ("true", ("at", "blue", "0")),
            ("true", ("at", "red", "0")),
        ]
        assert race.query(("succ", X, X), position) == []

    def test_moves_can_be_given_and_otherwise_nobody_does_anything(self):
        race = game(RACE)
        position = race.initial_position()
        assert race.holds(("wins", "red"), position, [("go", "3"), "stay"])
        assert not race.holds(("wins", "red"), position)
        assert race.query(("does", X, Y), position) == []
        assert race.query(("does", X, "stay"), position, [("go", "3"), "stay"]) == [("does", "blue", "stay")]

    def test_distinct_and_unknown_relations(self):
        race = game(RACE)
        position = race.initial_position()
        assert race.holds(("distinct", "a", "b"), position)
        assert not race.holds(("distinct", ("f", "a"), ("f", "a")), position)
        assert race.query(("no-such", X), position) == []
        assert not race.holds("no-such", position)
        with pytest.raises(UsageError, match="ground terms"):
            race.query(("distinct", X, "a"), position)

    def test_facts_and_relations_without_arguments(self):
        asked = game("(p a) flag (<= (q) (p ?x))")
        assert asked.query("flag", frozenset()) == ["flag"]
        assert asked.query("q", frozenset()) == ["q"]
        assert asked.query(("p", X), frozenset()) == [("p", "a")]


class TestMeaning:
    def test_distinct_compares_compound_terms(self):
        text = "(c a) (c b) (<= (p ?x ?y) (c ?x) (c ?y) (distinct (f ?x b) (f a ?y)))"
        assert tuples(text, ("p", X, Y)) == [("a", "a"), ("b", "a"), ("b", "b")]

    def test_negated_distinct_is_equality(self):
        assert tuples("(c a) (c b) (<= (p ?x) (c ?x) (not (distinct ?x a)))", ("p", X)) == [("a",)]

    def test_facts_that_claim_to_define_distinct_are_ignored(self):
        assert tuples("(distinct a a) (c a) (<= (p ?x) (c ?x) (distinct ?x a))", ("p", X)) == []

    def test_the_negation_of_what_nothing_defines_holds(self):
        assert tuples("(c a) (<= (p ?x) (c ?x) (not (nothing ?x)))", ("p", X)) == [("a",)]

    def test_negation_inside_a_disjunction(self):
        text = "(c a) (c b) (d a) (<= (p ?x) (c ?x) (or (not (d ?x)) (true on)))"
        assert tuples(text, ("p", X)) == [("b",)]
        assert tuples(text, ("p", X), ("on",)) == [("a",), ("b",)]

    def test_the_same_name_with_other_arities_is_another_relation(self):
        text = "(p a) (p a b) (<= (q ?x) (p ?x)) (<= (q ?x) (p ?y ?x))"
        assert tuples(text, ("q", X)) == [("a",), ("b",)]
        fluents = (("c", "1"), ("c", "1", "2"), "c")
        assert tuples("(<= (q ?x) (true (c ?x))) (<= (q one) (true c))", ("q", X), fluents) == [("1",), ("one",)]

    def test_a_constant_is_not_taken_for_a_term_that_begins_with_its_letter(self):
        fluents = (("c", "fz"), ("c", ("f", "a")))
        assert tuples("(<= (q ?x) (true (c (f ?x))))", ("q", X), fluents) == [("a",)]
        assert tuples(
            "(<= (q ?x) (true (c ?y)) (r ?y ?x)) (<= (r (f ?x) ?x) (d ?x)) (d a) (d z)", ("q", X), fluents
        ) == [("a",)]

    def test_the_same_variable_twice_in_a_pattern(self):
        fluents = (("c", "1", "1"), ("c", "1", "2"), ("d", ("g", "1", "1")), ("d", ("g", "1", "2")))
        assert tuples("(<= (q ?x) (true (c ?x ?x)))", ("q", X), fluents) == [("1",)]
        assert tuples("(<= (q ?x) (true (d (g ?x ?x))))", ("q", X), fluents) == [("1",)]

    def test_whole_fluents_and_moves_as_variables(self):
        text = "(role r) (<= (next ?f) (true ?f) (not (forgets ?f))) (<= (forgets ?f) (does r (forget ?f)))"
        asked = game(text)
        position = asked.position_of(["a", ("c", "1")])
        assert asked.next_position(position, [("forget", ("c", "1"))]) == {"a"}

    def test_keywords_in_bodies_are_ordinary_relations(self):
        text = """(role r) (init a) (<= (legal r go) (true a)) (<= (next ?x) (true ?x)) (<= (next b) (legal r go))
                  (<= terminal (next b) (init ?x) (true ?x)) (<= (goal r 100) terminal) (<= (won ?r) (goal ?r 100))"""
        asked = game(text)
        position = asked.initial_position()
        assert asked.is_terminal(position)
        assert asked.holds(("won", "r"), position)
        assert asked.next_position(position, ["go"]) == {"a", "b"}

    def test_a_condition_without_variables_is_needed_like_any_other(self):
        text = "(<= (p ?x) (true (c ?x)) (true on) (does r ?y)) (role r)"
        asked = game(text)
        position = asked.position_of([("c", "1"), "on"])
        assert asked.holds(("p", "1"), position, ["any"])
        assert not asked.holds(("p", "1"), position)

    def test_more_conditions_than_python_allows_nested_loops(self):
        number = 45
        body = " ".join(f"(true (c {place} ?x{place}))" for place in range(number))
        same = " ".join(f"(not (distinct ?x{place} ?x0))" for place in range(number))
        text = f"(<= (p ?x0) {body} {same}) (<= terminal {body} {same})"
        fluents = [("c", str(place), value) for place in range(number) for value in ("a", f"only{place}")]
        asked = game(text)
        assert asked.query(("p", X), asked.position_of(fluents)) == [("p", "a")]
        assert asked.is_terminal(asked.position_of(fluents))
        assert not asked.is_terminal(asked.position_of(fluents[2:]))

"""Wide static relations are unfolded where that keeps the meaning."""

from __future__ import annotations

from woodstock.game.ground_game import GroundGame
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.dependency import DependencyGraph
from woodstock.gdl.rules import Clause
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import ground
from woodstock.ground.unfold import unfold_static

ALIKE = "(<= (alike ?a ?b ?c ?d) (has ?a ?x) (has ?b ?x) (has ?c ?x) (has ?d ?x))"
ROW = "(<= terminal (true (at 1 ?x)) (true (at 2 ?y)) (true (at 3 ?z)) (true (at 4 ?x)) (alike ?x ?y ?z ?x))"
FACTS = "(has p red) (has p big) (has q red) (has r big) (has s blue)"


def unfolded(text: str) -> list[Clause]:
    clauses = parse_rules(text).clauses
    return unfold_static(clauses, DependencyGraph(clauses).dynamic)


def uses(clauses: list[Clause], name: str) -> int:
    return sum(literal.name == name for clause in clauses for literal in clause.body)


def test_a_join_is_unfolded() -> None:
    assert uses(unfolded(ALIKE + ROW), "alike") == 0
    assert uses(unfolded(ALIKE + ROW), "has") == 4 + 3  # ?x stands twice, and says the same


def test_what_could_not_be_taken_apart_is_left_alone() -> None:
    alternatives = ALIKE + "(<= (alike ?a ?b ?c ?d) (same ?a ?b ?c ?d ?e))" + ROW
    recursive = "(<= (alike ?a ?b ?c ?d) (alike ?b ?a ?d ?e) (has ?c ?e))" + ROW
    negated = ALIKE + "(<= terminal (true (at 1 ?x)) (true (at 2 ?y)) (not (alike ?x ?y ?x ?y)))"
    no_join = "(<= (alike ?a ?b ?c ?d) (has ?a ?b) (has ?c ?d))" + ROW
    for text in (alternatives, recursive, negated, no_join):
        assert uses(unfolded(text), "alike") == uses(list(parse_rules(text).clauses), "alike")


def test_variables_are_kept_apart() -> None:
    """Two uses in one rule, and a variable of the rule that is called as one of the definition."""
    text = (
        ALIKE
        + FACTS
        + "(role x) (init (at 1 p)) (init (at 2 q)) (init (at 3 q)) (init (at 4 r)) (legal x a)"
        + "(<= (next (won ?a)) (true (at ?a ?p)) (true (at ?x ?q)) (true (at ?b ?r)) (distinct ?p ?q) (distinct ?q ?r)"
        + "    (distinct ?p ?r) (alike ?p ?q ?q ?p) (alike ?p ?r ?r ?p))"
        + "(<= terminal (true (won 1))) (goal x 100)"
    )
    rules = parse_rules(text)
    reference, grounded = ReferenceGame(rules), GroundGame(ground(rules, use_cache=False))
    one = reference.next_position(reference.initial_position(), ["a"])
    two = grounded.next_position(grounded.initial_position(), ["a"])
    assert reference.fluents(one) == grounded.fluents(two) == {("won", "1")}

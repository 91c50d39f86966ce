"""Rules of the form "some other than" keep their meaning when they are rewritten."""

from __future__ import annotations

import itertools

import pytest

from woodstock.game.ground_game import GroundGame
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.dependency import DependencyGraph
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import ground
from woodstock.ground.others import TWO, rewrite_others

COMPARISON = """
(<= (differ ?a ?b ?c ?d) (distinct ?a ?c) (num ?a) (num ?b) (num ?c) (num ?d))
(<= (differ ?a ?b ?c ?d) (distinct ?b ?d) (num ?a) (num ?b) (num ?c) (num ?d))
(num 1) (num 2)
"""

GAME = (
    """
(role x)
(init (at 0 0))
(<= (legal x (put ?a ?b)) (num ?a) (num ?b))
(<= (next (at ?a ?b)) (does x (put ?a ?b)))
(<= (next (at ?a ?b)) (true (at ?a ?b)))
(<= (next (safe ?a ?b ?p ?q)) (other ?a ?b ?p ?q ?m ?n) (num ?m) (num ?n))
(<= (other ?a ?b ?p ?q ?m ?n)
    (num ?a) (num ?b) (num ?p) (num ?q) (num ?m) (num ?n)
    (true (at ?c ?d))
    (differ ?a ?b ?c ?d))
(<= terminal (true (at 1 1)) (true (at 2 2)) (true (at 1 2)))
(<= (goal x 50) (true (at 1 1)))
"""
    + COMPARISON
)


def test_the_rewriting_applies() -> None:
    rules = parse_rules(GAME).clauses
    rewritten, new = rewrite_others(rules, DependencyGraph(rules).dynamic)
    assert any(clause.name.startswith(TWO) for clause in rewritten)
    assert len(new) == 3


@pytest.mark.parametrize("comparison", ["(differ ?a ?b ?c ?d)", "(distinct (f ?a ?b) (f ?c ?d))"])
def test_it_means_the_same_in_every_position(comparison: str) -> None:
    """`(at 0 0)` is outside the domain of the relation, so that it never counts there, but it does for `distinct`."""
    text = GAME.replace("    (differ ?a ?b ?c ?d))", f"    {comparison})")
    rules = parse_rules(text)
    assert any(
        clause.name.startswith(TWO)
        for clause in rewrite_others(rules.clauses, DependencyGraph(rules.clauses).dynamic)[0]
    )
    reference, grounded = ReferenceGame(rules), GroundGame(ground(rules, use_cache=False))
    cells = [("at", "0", "0"), *(("at", one, two) for one in "12" for two in "12")]
    for size in range(len(cells) + 1):
        for fluents in itertools.combinations(cells, size):
            for move in (("put", "1", "1"), ("put", "2", "1")):
                one = reference.next_position(reference.position_of(fluents), [move])
                two = grounded.next_position(grounded.position_of(fluents), [move])
                assert reference.fluents(one) == grounded.fluents(two)


@pytest.mark.parametrize(
    "change",
    [
        ("(distinct ?b ?d) (num ?a)", "(distinct ?b ?d) (big ?a)"),  # the domains differ
        ("(distinct ?b ?d)", "(distinct ?a ?d)"),  # the pairs overlap
        ("(<= (differ ?a ?b ?c ?d) (distinct ?b ?d)", "(<= (differ ?a ?a ?c ?d) (distinct ?a ?d)"),
    ],
)
def test_what_is_no_comparison_is_left_alone(change: tuple[str, str]) -> None:
    rules = parse_rules(GAME.replace(*change) + "(big 1)").clauses
    rewritten, new = rewrite_others(rules, DependencyGraph(rules).dynamic)
    assert rewritten == list(rules)
    assert not new

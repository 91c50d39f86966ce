"""Relations are restricted to what is asked of them, and never further."""

from __future__ import annotations

from woodstock.gdl.dependency import DependencyGraph, relation
from woodstock.gdl.sheet import parse_rules
from woodstock.ground.demand import NEED, restrict

ROOTS = frozenset([("next", 1), ("legal", 2), ("terminal", 0), ("goal", 2)])


def demands(text: str) -> dict[str, int]:
    """Return the number of bound arguments of each relation that is restricted."""
    rules = parse_rules(text).clauses
    guarded, _, _ = restrict(rules, DependencyGraph(rules).dynamic, ROOTS)
    found = {}
    for clause in guarded:
        needs = [literal for literal in clause.body if literal.name.startswith(NEED)]
        if needs:
            found[relation(clause.head)[0]] = relation(needs[0].atom)[1]
    return found


def test_constants_bind() -> None:
    assert demands(
        "(<= (line ?a ?b ?w) (true (cell ?a ?w)) (true (cell ?b ?w)))"
        "(<= (goal x 100) (line 1 2 x)) (<= (goal o 100) (line 2 3 o))"
    ) == {"line": 3}


def test_one_free_use_frees_the_argument() -> None:
    assert (
        demands(
            "(<= (line ?a ?b ?w) (true (cell ?a ?w)) (true (cell ?b ?w)))"
            "(<= (goal x 100) (line 1 2 x)) (<= terminal (line ?a ?b ?w))"
        )
        == {}
    )


def test_demand_passes_through_heads() -> None:
    assert demands(
        "(<= (full ?a ?b) (taken ?a) (taken ?b)) (<= (taken ?a) (true (cell ?a ?w))) (<= terminal (full 1 2))"
    ) == {"full": 2, "taken": 1}


def test_recursion_keeps_what_it_hands_on() -> None:
    found = demands(
        "(<= (reach ?a ?b) (true (edge ?a ?b))) (<= (reach ?a ?c) (true (edge ?a ?b)) (reach ?b ?c))"
        "(<= terminal (reach 1 9))"
    )
    assert found == {"reach": 1}  # the end stays 9 all along; the start does not stay 1


def test_a_negated_use_of_many_arguments_asks_for_what_stands_beside_it() -> None:
    text = (
        "(<= (hit ?a ?b ?c ?d) (true (p ?a ?b)) (true (p ?c ?d)))"
        "(<= (legal x (go ?a ?b)) (true (p ?a ?b)) (not (hit ?a ?b 1 2)))"
    )
    assert demands(text) == {"hit": 4}


def test_static_relations_do_not_wait_for_the_position() -> None:
    assert demands("(<= (far ?a ?b) (p ?a) (p ?b)) (p 1) (<= (legal x (go ?a)) (true (at ?a)) (far ?a ?b))") == {}

"""The dependency graph against a plain reading of its definitions."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woodstock.gdl import dependency
from woodstock.gdl.dependency import DependencyGraph, Relation
from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.sheet import parse_rules

NAMES = "abcdef"


def graph_of(text: str) -> DependencyGraph:
    return DependencyGraph(parse_rules(text, "kif").clauses)


def dependences(graph: DependencyGraph) -> set[tuple[Relation, Relation]]:
    """Return the pairs (x, y) such that x depends on y, by plain transitive closure."""
    pairs = {(edge.head, edge.body) for edge in graph.edges}
    for middle, user, used in product(graph.relations, repeat=3):
        if (user, middle) in pairs and (middle, used) in pairs:
            pairs.add((user, used))
    return pairs


graphs = st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES))).map(
    lambda edges: DependencyGraph([Clause(user, (Literal(used),)) for user, used in sorted(edges)])
)


@given(graphs)
def test_components_are_the_classes_of_mutual_dependence(graph: DependencyGraph) -> None:
    pairs = dependences(graph)
    assert sorted(name for names in graph.components for name in names) == sorted(graph.relations)
    for one, two in product(graph.relations, repeat=2):
        together = graph.component_of[one] == graph.component_of[two]
        assert together == (one == two or ((one, two) in pairs and (two, one) in pairs))
    assert all(graph.is_recursive(name) == ((name, name) in pairs) for name in graph.relations)


@given(graphs)
def test_components_come_after_what_they_use(graph: DependencyGraph) -> None:
    assert all(graph.component_of[edge.body] <= graph.component_of[edge.head] for edge in graph.edges)


@given(graphs)
def test_reaching_and_reached_are_the_closure(graph: DependencyGraph) -> None:
    pairs = dependences(graph)
    for name in graph.relations:
        assert graph.reaching([name]) == {name, *(user for user, used in pairs if used == name)}
        assert graph.reached_from([name]) == {name, *(used for user, used in pairs if user == name)}


def test_long_chains_do_not_exhaust_the_stack() -> None:
    count = 20_000
    graph = DependencyGraph([Clause(f"p{n}", (Literal(f"p{(n + 1) % count}"),)) for n in range(count)])
    assert len(graph.components) == 1


def test_arity_tells_relations_apart() -> None:
    graph = graph_of("(<= (p ?x) (p ?x ?y)) (p a b)")
    assert not graph.is_recursive(("p", 1))


def test_recursion_and_negative_cycles() -> None:
    graph = graph_of("(<= a (not b)) (<= b c) (<= c a) (<= d d) (<= e (not d))")
    assert graph.is_recursive(("a", 0))
    assert graph.is_recursive(("d", 0))
    assert not graph.is_recursive(("e", 0))
    (edge,) = graph.negative_cycle_edges()
    assert (edge.head, edge.body, edge.clause) == (("a", 0), ("b", 0), 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(<= p (not q)) (<= q r)", []),
        ("(<= p (not q)) (<= q p)", ["q"]),
        ("(<= (p a) (not (p b))) (p b)", []),
        ("(<= (p a) (not (p b))) (<= (p b) (p a))", ["p"]),
        ("(<= (p ?x) (q ?x) (not (p b))) (q a)", ["p"]),
        ("(<= (p a) (not (p ?x)) (q ?x)) (<= (p b) q2) (q c)", ["p"]),
        ("(<= (p (f a)) (not (p (f b)))) (<= (p (f b)) (not (p (f c))))", []),
        ("(<= p (not p)) (<= r (not r))", ["p", "r"]),
    ],
)
def test_negative_cycles_clause_by_clause(text: str, expected: list[str]) -> None:
    graph = graph_of(text)
    assert [edge.body[0] for edge in graph.unstratified_edges()] == expected


def test_very_many_clauses_are_taken_relation_by_relation(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of("(<= (p a) (not (p b))) (p b)")
    assert graph.unstratified_edges() == ()
    monkeypatch.setattr(dependency, "MAX_CLAUSES_COMPARED", 1)
    assert graph.unstratified_edges() == graph.negative_cycle_edges() != ()


def test_distinct_is_no_dependence() -> None:
    graph = graph_of("(<= (p ?x ?y) (q ?x) (q ?y) (distinct ?x ?y))")
    assert graph.uses[("p", 2)] == (("q", 1),)


def test_what_depends_on_the_position_is_dynamic() -> None:
    graph = graph_of("(<= a (true p)) (<= b a) (<= c (does x m)) (<= d (e)) (e)")
    assert {name for name, _ in graph.dynamic} == {"true", "does", "a", "b", "c"}
    assert graph.reached_from([("b", 0)]) == {("b", 0), ("a", 0), ("true", 1)}

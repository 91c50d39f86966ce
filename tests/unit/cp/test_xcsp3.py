"""XCSP3 files: what is written, what is read, and that nothing is lost on the way."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from naive.networks import KINDS, brute_force, cp_sat, random_network
from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Channel, Clauses, Founded, Gates, Linear, OneHot, Predicate, Table, Utility
from woodstock.cp.network import Network
from woodstock.cp.xcsp3 import Stage, read_xcsp3, write_xcsp3

NUM_NETWORKS = 25
"""Random networks of each kind."""


def written(network: Network, **options: object) -> str:
    out = io.StringIO()
    write_xcsp3(network, out, **options)  # type: ignore[arg-type]
    return out.getvalue()


def body(network: Network) -> list[str]:
    """Return the constraints that are written."""
    lines = [line.strip() for line in written(network).splitlines()]
    return lines[lines.index("<constraints>") + 1 : lines.index("</constraints>")]


@pytest.fixture
def network() -> Network:
    """A network without constraints: a choice of three values, a constant and three Booleans."""
    made = Network()
    made.add_var("cell(1,1)", ("x", "o", "b"))
    made.add_var("one", (7,))
    made.add_vars(("p", "q", "r"))
    return made


def test_variables(network: Network) -> None:
    network.add_var('a "<&>"\n\x00', ("é", "<"))
    assert written(network).splitlines()[:8] == [
        '<instance format="XCSP3" type="CSP">',
        "  <variables>",
        '    <var id="v0" note="cell(1,1): x o b"> 0..2 </var>',
        '    <var id="v1" note="one: 7"> 0 </var>',
        '    <var id="v2" note="p: False True"> 0..1 </var>',
        '    <var id="v3" note="q: False True"> 0..1 </var>',
        '    <var id="v4" note="r: False True"> 0..1 </var>',
        '    <var id="v5" note=\'a "&lt;&amp;&gt;"&#10;\N{REPLACEMENT CHARACTER}: é &lt;\'> 0..1 </var>',
    ]
    assert read_xcsp3(written(network)).domains == [(0, 1, 2), (0,), *[(0, 1)] * 4]


def test_tables(network: Network) -> None:
    network.add(
        Table((2, 0), [(1, 2), (0, 1), (1, 2)]),
        Table((0,), [(2,), (0,)]),
        Table((0, 3), [(0, 0)], is_allowed=False),
        Table((0, 3), np.zeros((0, 2), np.int32), is_allowed=False),
        Table((0, 3), np.zeros((0, 2), np.int32)),
        Table((), np.zeros((0, 0), np.int32)),
        Table((), np.zeros((1, 0), np.int32)),
    )
    network.add(Predicate((0, 2), lambda cell, p: (cell == "x") == p))
    assert body(network) == [
        "<extension> <list> v2 v0 </list> <supports> (0,1)(1,2) </supports> </extension>",
        "<extension> <list> v0 </list> <supports> 0 2 </supports> </extension>",
        "<extension> <list> v0 v3 </list> <conflicts> (0,0) </conflicts> </extension>",
        "<intension> lt(v0,0) </intension>",
        "<intension> lt(v0,0) </intension>",
        "<extension> <list> v0 v2 </list> <supports> (0,1)(1,0)(2,0) </supports> </extension>",
    ]


def test_literals_are_simplified(network: Network) -> None:
    x, one = network.literal(0, "x"), network.literal(1, 7)
    p, q, r = (network.literal(var) for var in (2, 3, 4))
    not_q = network.literal(3, False)
    clauses = [[x, p ^ 1, not_q], [p], [p, not_q, q], [p, p], [one ^ 1], [one, p], [x ^ 1, one ^ 1]]
    gates = [(p, [q, x ^ 1]), (p, []), (p ^ 1, [q]), (p, [q, not_q]), (one, [q, r]), (one ^ 1, [q, r]), (p, [p, q])]
    gates += [(p, [not_q, p ^ 1]), (p, [p]), (p, [one, q])]
    start = np.cumsum([0, *map(len, clauses)])
    network.add(Clauses(start, np.array([literal for clause in clauses for literal in clause], np.int32)))
    start = np.cumsum([0, *(len(body) for _, body in gates)])
    outs = np.array([out for out, _ in gates], np.int32)
    network.add(Gates(outs, start, np.array([literal for _, body in gates for literal in body], np.int32)))
    expressions = [line.removeprefix("<intension> ").removesuffix(" </intension>") for line in body(network)]
    assert expressions[:5] == ["or(eq(v0,0),not(v2),not(v3))", "eq(v2,1)", "eq(v2,1)", "lt(v0,0)", "ne(v0,0)"]
    assert expressions[5:9] == ["iff(v2,and(v3,ne(v0,0)))", "eq(v2,1)", "iff(not(v2),v3)", "not(v2)"]
    assert expressions[9:12] == ["eq(v3,1)", "eq(v4,1)", "or(not(v3),not(v4))"]
    assert expressions[12:] == ["or(not(v2),v3)", "not(v2)", "eq(v3,1)", "iff(v2,v3)"]


def test_sums(network: Network) -> None:
    x, one = network.literal(0, "x"), network.literal(1, 7)
    p, q, r = (network.literal(var) for var in (2, 3, 4))
    network.add(OneHot((x, p, q)), OneHot((p, q), exactly=False), OneHot((p ^ 1, q)), OneHot((p,), exactly=False))
    network.add(Linear((p, q, r ^ 1, p, one), (2, -1, 3, 1, 5), 6, 7))
    network.add(Linear((p, p ^ 1), (1, 1), 0, 0), Linear((p, q), (1, 2), 2, 9), Linear((p, one), (3, 1), 0, 3))
    network.add(Linear((p, q), (1, 2), -1, 3), Linear((), (), 1, 1), Linear((p, q), (1, 2), 3, 2))
    assert body(network) == [
        "<sum> <list> eq(v0,0) v2 v3 </list> <coeffs> 1 1 1 </coeffs> <condition> (eq,1) </condition> </sum>",
        "<sum> <list> v2 v3 </list> <coeffs> 1 1 </coeffs> <condition> (le,1) </condition> </sum>",
        "<sum> <list> v2 v3 </list> <coeffs> -1 1 </coeffs> <condition> (eq,0) </condition> </sum>",
        "<sum> <list> v2 v3 v4 </list> <coeffs> 3 -1 -3 </coeffs> <condition> (in,-2..-1) </condition> </sum>",
        "<intension> lt(v0,0) </intension>",
        "<sum> <list> v2 v3 </list> <coeffs> 1 2 </coeffs> <condition> (ge,2) </condition> </sum>",
        "<intension> not(v2) </intension>",
        "<intension> lt(v0,0) </intension>",
        "<intension> lt(v0,0) </intension>",
    ]


def test_channels(network: Network) -> None:
    network.add(Channel(0, tuple(network.literal(var) for var in (2, 3, 4))))
    assert body(network) == [f"<intension> iff(v{2 + place},eq(v0,{place})) </intension>" for place in range(3)]


def test_derivations_are_unrolled(network: Network) -> None:
    p, q, r = (network.literal(var) for var in (2, 3, 4))
    network.add(Founded(np.array([p, q, q], np.int32), np.array([0, 1, 2, 4]), np.array([q, p, p ^ 1, r], np.int32)))
    text = written(network)
    assert text.count("<var ") == 5 + 2 * (2 + 3)
    assert "<intension> not(f0_1_2) </intension>" in text
    assert "<intension> iff(f0_2_2,and(v3,f0_1_1)) </intension>" in text
    assert "<intension> iff(f0_2_1,or(f0_2_3,f0_2_4)) </intension>" in text
    assert "<intension> or(not(v2),f0_2_0) </intension>" in text
    # p and q cannot hold together: each would have the other one as its only reason.
    found = {row[2:5] for row in cp_sat(read_xcsp3(text))}
    assert found == {(0, 0, 0), (0, 0, 1), (0, 1, 1)}


@pytest.mark.parametrize("kind", [*KINDS, "mixed"])
def test_what_is_written_and_read_has_the_same_solutions(kind: str) -> None:
    for seed in range(NUM_NETWORKS):
        made = random_network(random.Random(f"{kind} {seed}"), KINDS if kind == "mixed" else (kind,), largest=100)
        again = read_xcsp3(written(made))
        assert again.names[: made.num_vars] == [f"v{var}" for var in range(made.num_vars)]
        found = cp_sat(again)
        projected = {row[: made.num_vars] for row in found}
        assert projected == brute_force(made), seed
        assert len(projected) == len(found), seed


def test_soft_constraints_are_not_written(network: Network) -> None:
    network.add(Utility((2,), [(1,)], [(1.0,)]))
    assert body(network) == []


def test_what_cannot_be_written() -> None:
    with pytest.raises(UsageError, match="expected a network with variables"):
        written(Network())
    large = Network()
    large.add(Predicate(tuple(large.add_vars([f"x{n}" for n in range(3)], range(50))), lambda *_: True, "anything"))
    with pytest.raises(UsageError, match=r"at most 100000 combinations of values for anything.*found 125000"):
        written(large)


def test_stochastic_networks(network: Network) -> None:
    stages = [Stage((2, 1)), Stage((0,), is_stochastic=True), Stage((3, 4))]
    weights = [Fraction(1, 3), 0.25, Fraction(5, 12)]
    text = written(network, stages=stages, probabilities={0: weights})
    assert text.startswith('<instance format="XCSP3" type="SCSP">\n')
    assert '<var id="v0" type="stochastic" note="cell(1,1): x o b"> 0:1/3 1:1/4 2:5/12 </var>' in text
    assert [line.strip() for line in text.splitlines()[-6:]] == [
        "<stages>",
        "<decision> v2 v1 </decision>",
        "<stochastic> v0 </stochastic>",
        "<decision> v3 v4 </decision>",
        "</stages>",
        "</instance>",
    ]
    with pytest.raises(UsageError, match="of type CSP, found <instance> of type SCSP"):
        read_xcsp3(text)


def test_what_is_derived_comes_in_the_last_stage(network: Network) -> None:
    p = network.literal(2)
    network.add(Founded(np.array([p], np.int32), np.array([0, 1]), np.array([p ^ 1], np.int32)))
    text = written(network, stages=[Stage((0, 1, 2, 3, 4))])
    assert text.splitlines()[-3].strip() == "<decision> f0_1_0 f0_1_1 </decision>"


@pytest.mark.parametrize(
    ("stages", "probabilities", "message"),
    [
        (None, {0: [1, 0, 0]}, "expected stages that say which"),
        ([Stage((0, 1, 2, 3))], None, "expected each of the 5 variables in one stage"),
        ([Stage((0, 1, 2, 3, 4, 4))], None, "expected each of the 5 variables in one stage"),
        ([Stage((0, 1, 2, 3)), Stage((4,), is_stochastic=True)], None, "expected probabilities for r"),
        ([Stage((0, 1, 2, 3, 4))], {1: [1]}, "expected no probabilities for one"),
        ([Stage((1, 2, 3, 4)), Stage((0,), is_stochastic=True)], {0: [0.5, 0.5]}, "expected 3 probabilities of cell"),
        ([Stage((1, 2, 3, 4)), Stage((0,), is_stochastic=True)], {0: [0.5, 0.5, 0.5]}, "with the sum 1"),
        ([Stage((1, 2, 3, 4)), Stage((0,), is_stochastic=True)], {0: [1.5, -1, 0.5]}, "with the sum 1"),
    ],
)
def test_stages_that_do_not_fit(network: Network, stages: object, probabilities: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        written(network, stages=stages, probabilities=probabilities)


def instance(variables: str, constraints: str) -> str:
    parts = f"<variables> {variables} </variables> <constraints> {constraints} </constraints>"
    return f'<?xml version="1.0"?><instance format="XCSP3" type="CSP"> {parts} </instance>'


def solutions(text: str) -> set[tuple[int, ...]]:
    """Return the solutions of an instance, as values."""
    read = read_xcsp3(text)
    rows = brute_force(read)
    assert rows == cp_sat(read)
    return {tuple(int(str(d[p])) for d, p in zip(read.domains, row, strict=True)) for row in rows}


Meaning = Callable[[int, int, int], bool]


@pytest.mark.parametrize(
    ("constraint", "meaning"),
    [
        ("<intension> le(add(x,1),y) </intension>", lambda x, y, z: x + 1 <= y),
        ("<intension> <function> eq(x,y,z) </function> </intension>", lambda x, y, z: x == y == z),
        ("<intension> or(eq(x,3),ne(2,y),z) </intension>", lambda x, y, z: x == 3 or y != 2 or z == 1),
        ("<intension> and(ne(x,1),or(z,eq(y,-1))) </intension>", lambda x, y, z: x != 1 and (z == 1 or y == -1)),
        ("<intension> iff(not(z),or(eq(x,1),eq(y,2))) </intension>", lambda x, y, z: (z != 1) == (x == 1 or y == 2)),
        ("<intension> iff(and(eq(x,1),eq(y,2)),z) </intension>", lambda x, y, z: (z == 1) == (x == 1 and y == 2)),
        ("<intension> iff(lt(x,y),z) </intension>", lambda x, y, z: (x < y) == (z == 1)),
        ("<intension> imp(gt(x,y),not(z)) </intension>", lambda x, y, z: x <= y or z == 0),
        ("<intension> xor(eq(x,5),eq(y,2),z) </intension>", lambda x, y, z: (y == 2) != (z == 1)),
        ("<intension> eq(if(z,x,neg(y)),mul(y,sqr(1))) </intension>", lambda x, y, z: (x if z else -y) == y),
        ("<intension> in(sub(x,y),set(1,3)) </intension>", lambda x, y, z: x - y in (1, 3)),
        ("<intension> notin(x,set(1,3)) </intension>", lambda x, y, z: x not in (1, 3)),
        ("<intension> ge(dist(x,y),max(x,y,z)) </intension>", lambda x, y, z: abs(x - y) >= max(x, y, z)),
        ("<intension> lt(abs(y),min(x,2)) </intension>", lambda x, y, z: abs(y) < min(x, 2)),
        ("<intension> eq(div(sub(0,x),2),y) </intension>", lambda x, y, z: -(x // 2) == y),
        ("<intension> eq(mod(sub(0,x),2),y) </intension>", lambda x, y, z: -(x % 2) == y),
        ("<intension> le(div(x,y),1) </intension>", lambda x, y, z: y != 0 and int(x / y) <= 1),
        ("<intension> le(1,2) </intension>", lambda x, y, z: True),
        ("<intension> le(2,1) </intension>", lambda x, y, z: False),
        ("<extension> <list> x </list> <supports> 1 3..9 </supports> </extension>", lambda x, y, z: x != 2),
        ("<extension> <list> x </list> <conflicts> 1..2 </conflicts> </extension>", lambda x, y, z: x == 3),
        (
            "<extension> <list> x y </list> <supports> (1,*)(2,0)(7,0) (*,2) </supports> </extension>",
            lambda x, y, z: x == 1 or (x, y) == (2, 0) or y == 2,
        ),
        (
            "<extension> <list> x z </list> <conflicts> (3,*)(2,0) </conflicts> </extension>",
            lambda x, y, z: x == 1 or (x, z) == (2, 1),
        ),
        (
            "<sum> <list> x y z </list> <coeffs> 1 2 -3 </coeffs> <condition> (le,1) </condition> </sum>",
            lambda x, y, z: x + 2 * y - 3 * z <= 1,
        ),
        ("<sum> <list> x y </list> <condition> (gt,z) </condition> </sum>", lambda x, y, z: x + y > z),
        ("<sum> <list> x y </list> <condition> (lt,3) </condition> </sum>", lambda x, y, z: x + y < 3),
        ("<sum> <list> x y </list> <condition> (ge,3) </condition> </sum>", lambda x, y, z: x + y >= 3),
        ("<sum> <list> x y </list> <condition> (ne,3) </condition> </sum>", lambda x, y, z: x + y != 3),
        ("<sum> <list> x y </list> <condition> (ne,z) </condition> </sum>", lambda x, y, z: x + y != z),
        ("<sum> <list> x y </list> <condition> (in,1..3) </condition> </sum>", lambda x, y, z: 1 <= x + y <= 3),
        (
            "<sum> <list> x y </list> <condition> (notin,1..3) </condition> </sum>",
            lambda x, y, z: x + y < 1 or x + y > 3,
        ),
        ("<sum> <list> x y </list> <condition> (in,{0, 4}) </condition> </sum>", lambda x, y, z: x + y in (0, 4)),
        (
            "<sum> <list> eq(x,2) mul(y,y) not(z) </list> <condition> (eq,2) </condition> </sum>",
            lambda x, y, z: (x == 2) + y * y + (z == 0) == 2,
        ),
        (
            "<sum> <list> mul(x,y) z </list> <coeffs> 2 1 </coeffs> <condition> (eq,4) </condition> </sum>",
            lambda x, y, z: 2 * x * y + z == 4,
        ),
        (
            "<count> <list> x y z </list> <values> 1 2 </values> <condition> (eq,2) </condition> </count>",
            lambda x, y, z: sum(value in (1, 2) for value in (x, y, z)) == 2,
        ),
        ("<allDifferent> x y z </allDifferent>", lambda x, y, z: len({x, y, z}) == 3),
        ("<allDifferent> <list> x y </list> </allDifferent>", lambda x, y, z: x != y),
        ("<allDifferent> x x </allDifferent>", lambda x, y, z: False),
        (
            "<instantiation> <list> x y </list> <values> 2 -1 </values> </instantiation>",
            lambda x, y, z: (x, y) == (2, -1),
        ),
        ("<instantiation> <list> x </list> <values> 9 </values> </instantiation>", lambda x, y, z: False),
        (
            "<block> <intension> lt(x,y) </intension> <block> <intension> ne(x,1) </intension> </block> </block>",
            lambda x, y, z: x < y and x != 1,
        ),
        (
            "<group> <intension> ne(%0,%1) </intension> <args> x y </args> <args> y z </args><args> x 1</args></group>",
            lambda x, y, z: x not in {y, 1} and y != z,
        ),
        (
            "<group> <sum> <list> %... </list> <condition> (eq,%0) </condition> </sum> <args> 3 x y z </args> </group>",
            lambda x, y, z: x + y + z == 3,
        ),
    ],
)
def test_constraints_that_are_read(constraint: str, meaning: Meaning) -> None:
    domains = ((1, 2, 3), (-1, 0, 1, 2), (0, 1))
    variables = '<var id="x"> 1..3 </var> <var id="y"> 2 -1..1 </var> <var id="z"> 0 1 </var>'
    expected = {row for row in itertools.product(*domains) if meaning(*row)}
    assert solutions(instance(variables, constraint)) == expected


def test_large_expressions_become_predicates() -> None:
    text = instance('<array id="x" size="[3]"> 0..29 </array>', "<intension> eq(add(x[0],x[1],x[2]),80) </intension>")
    read = read_xcsp3(text)
    (constraint,) = read.constraints
    assert isinstance(constraint, Predicate)
    assert (constraint.scope, constraint.holds(29, 29, 22), constraint.holds(29, 29, 21)) == ((0, 1, 2), True, False)


def test_arrays() -> None:
    variables = """
        <var id="a"> 0..1 </var>
        <array id="x" size="[2][3]"> 0..1 </array>
        <array id="y" size="[4]">
          <domain for="y[0] y[2..3]"> 5 6 </domain>
          <domain for="others"> 1 </domain>
        </array>
        <var id="b" as="a"/>
        <array id="z" as="y" size="[4]"/>
        <array id="w" size="[2]"> <domain for="w[1]"> 0 </domain> </array>
    """
    read = read_xcsp3(instance(variables, "<allDifferent> x[1][0..1] y[2] </allDifferent>"))
    assert read.names[:8] == ["a", "x[0][0]", "x[0][1]", "x[0][2]", "x[1][0]", "x[1][1]", "x[1][2]", "y[0]"]
    assert read.names[11:] == ["b", "z[0]", "z[1]", "z[2]", "z[3]", "w[1]"]
    assert read.domains[7:12] == [(5, 6), (1,), (5, 6), (5, 6), (0, 1)]
    assert read.domains[12:] == [(5, 6), (1,), (5, 6), (5, 6), (0,)]
    found = [entry.literals for entry in read.constraints if isinstance(entry, OneHot)]
    assert found == [tuple(read.literal(var, value) for var in (4, 5)) for value in (0, 1)]


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ("<regular> x </regular>", "constraint 1, <regular>: expected one of extension intension .*found <regular>"),
        ('<intension reifiedBy="x"> eq(x,1) </intension>', "not reified"),
        ("<intension> eq(x,1) </intension> <intension> eq(x,u) </intension>", "constraint 2, <intension>: .*found 'u'"),
        ("<intension> eq(x,1 </intension>", "expected a comma or a closing bracket, found the end in 'eq\\(x,1'"),
        ("<intension> eq(x,,1) </intension>", "expected an operand after ,, found ,"),
        ("<intension> eq(x) </intension>", "expected at least 2 operands, found eq with 1"),
        ("<intension> not(x,x) </intension>", "expected 1 operands, found not with 2"),
        ("<intension> pow(x,2) </intension>", "expected one of the operators neg abs .*, found pow"),
        ("<intension> eq(x,1)) </intension>", "expected the end after \\), found \\)"),
        ("<intension> ) </intension>", "expected an expression, found \\)"),
        ("<intension> , </intension>", "expected an operand after ,"),
        ("<intension> eq(x,$) </intension>", "expected a number, a name, a bracket or a comma, found \\$"),
        ("<intension> eq(x,set(1)) </intension>", "expected set\\(…\\) as the second operand"),
        ("<intension> </intension>", "expected an expression, found the end"),
        (f"<intension> {'not(' * 300}x{')' * 300} </intension>", "expected at most 200 nested operators"),
        ("<intension> <list> x </list> </intension>", "expected  \\[<function>\\], found <list>"),
        ("<extension> <list> x y </list> </extension>", "expected a <list> of different variables, and <supports> or"),
        ("<extension> <list> x x </list> <supports> (1,1) </supports> </extension>", "of different variables"),
        ("<extension> <list> x y </list> <supports> (1,2,3) </supports> </extension>", "2 whole numbers or \\*, found"),
        ("<extension> <list> x y </list> <supports> (1,2) 3 </supports> </extension>", "tuples such as .*found '3'"),
        (
            "<extension> <list> x </list> <supports> a </supports> </extension>",
            "whole numbers and intervals, found 'a'",
        ),
        ("<sum> <list> x y </list> <condition> le 3 </condition> </sum>", "a condition such as \\(le,3\\), found"),
        ("<sum> <list> x y </list> <condition> (is,3) </condition> </sum>", "a number after lt le ge gt eq ne"),
        ("<sum> <list> x y </list> <coeffs> 1 </coeffs> <condition> (le,3) </condition> </sum>", "2 coefficients"),
        ("<sum> <list> x y </list> </sum>", "expected <list> <condition> \\[<coeffs>\\], found <list>"),
        ("<sum> <list> x </list> <list> y </list> <condition> (le,3) </condition> </sum>", "found <list> <list>"),
        ("<allDifferent> <list> x y </list> <except> 0 </except> </allDifferent>", "found <list> <except>"),
        ("<allDifferent> x add(x,y) </allDifferent>", "expected the name of a variable, found 'add"),
        ("<instantiation> <list> x y </list> <values> 2 </values> </instantiation>", "expected 2 values, found 1"),
        ("<group> <args> x </args> </group>", "expected one constraint and its arguments, found 0"),
        ("<group> <intension> eq(%0,%1) </intension> <args> x </args> </group>", "at least 2 arguments, found 1"),
        ("<allDifferent> z[] </allDifferent>", "expected 2 indices of z, found z\\[\\]"),
        ("<allDifferent> z[][a] </allDifferent>", "expected a number, an interval or nothing between brackets"),
        ("<allDifferent> z[1..2][0] </allDifferent>", "expected indices from 0 to 1, found z\\[1..2\\]\\[0\\]"),
    ],
)
def test_constraints_that_are_not_read(constraints: str, message: str) -> None:
    variables = '<var id="x"> 1..3 </var> <var id="y"> 1..3 </var> <array id="z" size="[2][2]"> 0 </array>'
    with pytest.raises(UsageError, match=message):
        read_xcsp3(instance(variables, constraints))


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ('<var id="x" type="symbolic"> a b </var>', "expected <var> or <array> of integers, found <var> x symbolic"),
        ('<var id="x"> 0 </var> <var id="x"> 0 </var>', "expected a new id for <var>, found 'x'"),
        ("<var> 0 </var>", "expected a new id for <var>, found ''"),
        ('<var id="x"> </var>', "expected different values for x, at least one"),
        ('<var id="x"> 0..99999999 </var>', "expected at most 1000000 values"),
        ('<array id="x" size="3"> 0 </array>', "expected a size such as \\[3\\]\\[4\\]"),
        ('<array id="x" size="[9999][9999]"> 0 </array>', "expected at most 1000000 variables in the array x"),
        ('<array id="x" size="[2]" startIndex="1"> 0 </array>', "indices from 0"),
    ],
)
def test_variables_that_are_not_read(variables: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_xcsp3(instance(variables, ""))


def test_what_is_no_instance() -> None:
    with pytest.raises(UsageError, match="found what is no XML: syntax error: line 1, column 0"):
        read_xcsp3("x = 1")
    with pytest.raises(UsageError, match="expected an <instance> of type CSP, found <html> of type None"):
        read_xcsp3("<html></html>")

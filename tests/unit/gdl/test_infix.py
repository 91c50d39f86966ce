"""The infix reader: notation, dialects, errors and where they are reported."""

from __future__ import annotations

import pytest

from woodstock.gdl.infix import looks_like_infix
from woodstock.gdl.sheet import Sheet, parse_rules, read_sheet
from woodstock.gdl.syntax import MAX_DEPTH, Group, Word


def infix(text: str) -> Sheet:
    return read_sheet(text, "infix")


@pytest.mark.parametrize(
    ("text", "kif"),
    [
        ("role(x)", "(role x)"),
        ("terminal", "terminal"),
        ("p(a, Y) :- q(Y)", "(<= (p a ?y) (q ?y))"),
        ("q(Y) :- p(a,Y) & p(Y,c)", "(<= (q ?y) (p a ?y) (p ?y c))"),
        ("q(Y):-p(a,Y),p(Y,c).", "(<= (q ?y) (p a ?y) (p ?y c))"),
        ("h :- ~p(X) & r(X)", "(<= h (not (p ?x)) (r ?x))"),
        ("h :- not p(X) & r(X)", "(<= h (not (p ?x)) (r ?x))"),
        ("h :- not(p(X)) & r(X)", "(<= h (not (p ?x)) (r ?x))"),
        ("h :- \\+ p(X), r(X).", "(<= h (not (p ?x)) (r ?x))"),
        ("h :- not (p & q)", "(<= h (not (and p q)))"),
        ("h :- ~~p", "(<= h (not (not p)))"),
        ("h :- a | b", "(<= h (or a b))"),
        ("h :- (a | b) & c", "(<= h (or a b) c)"),
        ("h :- a & b | c", "(<= h (or (and a b) c))"),
        ("h :- a & (b | c & d)", "(<= h a (or b (and c d)))"),
        ("h :- (a & b)", "(<= h (and a b))"),
        ("h :- ((a))", "(<= h a)"),
        ("h :- or(a, b & c)", "(<= h (or a (and b c)))"),
        ("h :- and(a) & or(b)", "(<= h (and a) (or b))"),
        ("h :- and() & b", "(<= h (and) b)"),
        ("not(p(a))", "(not (p a))"),
        ("h :- distinct(X, b) & p(X)", "(<= h (distinct ?x b) (p ?x))"),
        ("p('++', '8,9', -1, 3.5, 2nd, two-words)", "(p ++ 8,9 -1 3.5 2nd two-words)"),
        ('p("+")', "(p +)"),
        (r"p('it\'s', '\\')", r"(p it's \)"),
        ("'not'", "not"),
        ("h :- 'and' & 'or'", "(<= h and or)"),
        ("h :- p(?x, ?'a,b', ?)", "(<= h (p ?x ?a,b ?))"),
        ("h :- p(Xy, XY, xy)", "(<= h (p ?xy ?xy xy))"),
        ("f() :- g()", "(<= (f) (g))"),
        ("p(a) q(b) h :- c d", "(p a) (q b) (<= h c) d"),
        ("p(a). q(b).\nh :- c.", "(p a) (q b) (<= h c)"),
        ("\ufeff% start\np(a) % end", "(p a)"),
        ("p(Été)", "(p ?été)"),
    ],
)
def test_same_rules_as_kif(text: str, kif: str) -> None:
    sheet = infix(text)
    assert sheet.diagnostics == ()
    assert sheet.rules == parse_rules(kif, "kif")


def test_each_underscore_is_a_variable_of_its_own() -> None:
    rules = infix("p(_, _, _1, ?_) :- q(_)").rules
    names = [str(var) for var in (*rules.rules[0].head[1:], rules.rules[0].body[0].atom[1])]  # type: ignore[union-attr]
    assert len(set(names)) == 5


def test_places_in_the_source() -> None:
    node = infix("% first\nq(Y) :- ~p(a, Y) &\n  r").statements[0]
    assert isinstance(node, Group)
    arrow, head, negation, last = node.items
    text = "% first\nq(Y) :- ~p(a, Y) &\n  r"
    cut = [text[item.span.start : item.span.end] for item in (node, arrow, head, negation, last)]
    assert cut == ["q(Y) :- ~p(a, Y) &\n  r", ":-", "q(Y)", "~p(a, Y)", "r"]
    assert isinstance(head, Group)
    assert head.items[1] == Word("?Y", head.items[1].span)
    assert text[slice(*head.items[1].span)] == "Y"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("p(a\nq(b)", 2, 1, "expected `,` or `)`, found 'q'"),
        ("p(a))", 1, 5, "expected `:-` or the next statement, found ')'"),
        ("h :- ", 1, 5, "expected a name, a number or a variable, found the end of the text"),
        ("h :- a & & b", 1, 10, "expected a name, a number or a variable, found '&'"),
        ("h :- (a | b", 1, 11, "expected `&`, `|` or `)`, found the end of the text"),
        ("h :- X = Y", 1, 8, "expected `&`, `|` or the next statement, found '='"),
        ("h :- a ; b", 1, 8, "expected `&`, `|` or the next statement, found ';'"),
        ("p('a", 1, 3, 'expected a name, a number or a variable, found "\'"'),
        ("p (a)", 1, 3, "expected no space before the parenthesis, found '('"),
        ("X :- p", 1, 1, "expected a fact or a rule, found the variable X"),
        (":- p", 1, 1, "expected a fact or a rule, found ':-'"),
        ("p('a b')", 1, 3, "the quoted name 'a b' has a space, a parenthesis or a semicolon in it"),
        ("p('')", 1, 3, "the quoted name '' is empty"),
        ("p('?x')", 1, 3, "'?x' cannot be the name of a constant"),
        ("h :- X(a)", 1, 6, "the variable ?X cannot name a relation or function"),
    ],
)
def test_errors_say_what_and_where(text: str, line: int, column: int, message: str) -> None:
    sheet = infix(text)
    first = sheet.diagnostics[0]
    assert (first.message, *first.source.position(first.span.start)) == (message, line, column)


def test_reading_goes_on_after_an_error() -> None:
    sheet = infix("role(x)\nh :- X = Y &\n  q(X)\nrole(o)\np(a b). role(z).\n  legal(x, a) :-\n    & b\n  role(w)")
    assert sheet.rules == parse_rules("(role x) (role o) (role z) (role w)")
    assert [problem.source.position(problem.span.start)[0] for problem in sheet.diagnostics] == [2, 5, 7]


@pytest.mark.parametrize(
    "text", ["p(" * 5000, "h :- " + "~" * 5000, "h :- " + "(" * 5000 + "a", "h :- " + "not " * 5000]
)
def test_deep_nesting_is_refused(text: str) -> None:
    sheet = infix(text)
    assert sheet.has_errors
    assert len(sheet.diagnostics) < 10


def test_depth_is_counted_as_in_kif() -> None:
    def alternating(depth: int) -> str:
        return "h :- " + "(a | b & " * depth + "c" + ")" * depth

    assert not infix(alternating((MAX_DEPTH - 1) // 2)).has_errors
    assert [problem.code for problem in infix(alternating(MAX_DEPTH // 2)).diagnostics] == ["nesting"]
    deepest = "p(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH
    assert not infix(deepest).has_errors
    assert infix(f"f({deepest})").has_errors


@pytest.mark.parametrize(
    "text",
    [
        "role(x)",
        "terminal :- p",
        "  % note\n role(x)",
        "% only a comment",
        "p q(a)",
        "'++'(a)",
        "; a note\nrole(x)",
        "\ufeffrole(x)",
        "terminal\n:- ~(p)",
    ],
)
def test_infix_is_recognised(text: str) -> None:
    assert looks_like_infix(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(role x)",
        "; note\n(role x)",
        "% odd\n(role x)",
        "terminal (role x)",
        "terminal\n(p a) :-",
        ") (role x)",
        "; only a comment",
        "p q r",
        "0123(5)",
        "\ufeff(init(cell 1))",
    ],
)
def test_kif_is_recognised(text: str) -> None:
    assert not looks_like_infix(text)

"""The prefix reader: what it reads, and where it says that parentheses went wrong."""

from __future__ import annotations

import pytest

from woodstock.gdl.kif import read_kif
from woodstock.gdl.source import SourceText, Span
from woodstock.gdl.syntax import MAX_DEPTH, Group, Node, Word


def read(text: str) -> tuple[list[str], list[str]]:
    """Return the statements, and the errors as `line:column message`."""
    source = SourceText(text)
    errors: list[str] = []

    def report(code: str, message: str, span: Span, hint: str) -> None:
        line, column = source.position(span.start)
        errors.append(f"{line}:{column} {message} | {hint}")

    statements, _ = read_kif(source, report)
    return [show(node) for node in statements], errors


def show(node: Node) -> str:
    if isinstance(node, Word):
        return node.text
    return "(" + " ".join(show(item) for item in node.items) + ")"


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("(role x)(role y)", ["(role x)", "(role y)"]),
        ("( role\tx )", ["(role x)"]),
        ("(<=(legal x a)(true(p)))", ["(<= (legal x a) (true (p)))"]),
        ("(p a); (q b)", ["(p a)"]),
        ("(p ;inside\n a)", ["(p a)"]),
        ("(p a)\r\n(q b)\r(r c)\x0c(s d)", ["(p a)", "(q b)", "(r c)", "(s d)"]),
        ("word (p ++ -1 a.b)", ["word", "(p ++ -1 a.b)"]),
        ("", []),
        ("; only a comment", []),
    ],
)
def test_reads_what_is_well_formed(text: str, statements: list[str]) -> None:
    assert read(text) == (statements, [])


def test_spans_and_comments_are_kept() -> None:
    source = SourceText("(p ?x) ; why\n")
    (statement,), (comment,) = read_kif(source, lambda *_: pytest.fail("an error in good text"))
    assert isinstance(statement, Group)
    assert [source.text[slice(*item.span)] for item in statement.items] == ["p", "?x"]
    assert (source.text[slice(*statement.span)], comment.text) == ("(p ?x)", "; why")


class TestUnclosed:
    """A parenthesis that is missing."""

    def test_indentation_shows_which_one(self) -> None:
        text = "(<= (next (cell ?x)\n    (true (cell ?x)))\n\n(<= terminal\n    (true b))\n"
        statements, errors = read(text)
        assert errors == ["1:5 opening parenthesis is never closed | a closing parenthesis seems to be missing at 1:20"]
        assert statements == ["(<= terminal (true b))"]

    def test_indentation_inside_a_disjunction(self) -> None:
        text = "(<= terminal\n    (or (true a)\n        (true b)\n    (not (true c)))\n(<= (goal x 1) terminal)"
        statements, errors = read(text)
        assert errors == ["2:5 opening parenthesis is never closed | a closing parenthesis seems to be missing at 3:17"]
        assert statements == ["(<= (goal x 1) terminal)"]

    def test_facts_that_follow_are_kept(self) -> None:
        statements, errors = read("(init (cell 1)\n(init (cell 2))\n(init (cell 3))\n(<= a (true b))")
        assert errors == ["1:1 opening parenthesis is never closed | a closing parenthesis seems to be missing at 1:15"]
        assert statements == ["(init (cell 2))", "(init (cell 3))", "(<= a (true b))"]

    def test_conditions_at_the_left_edge_are_no_facts(self) -> None:
        statements, errors = read("(<= (p ?x)\n(q ?x)\n(r ?x)\n\n(<= a\n(true b))")
        assert errors == ["1:1 opening parenthesis is never closed | a closing parenthesis seems to be missing at 3:7"]
        assert statements == ["(<= a (true b))"]

    def test_at_the_end_of_the_text(self) -> None:
        assert read("(p a)\n(q (r b)")[1] == [
            "2:1 opening parenthesis is never closed | a closing parenthesis seems to be missing at 2:9"
        ]

    def test_several_at_once(self) -> None:
        assert read("(q (r (b")[1] == [
            "1:1 opening parenthesis is never closed | 3 closing parentheses seem to be missing at 1:9"
        ]

    def test_every_broken_rule_is_reported(self) -> None:
        statements, errors = read("(<= a (b)\n(<= c (d))\n(<= e (f)\n")
        assert [error.split()[0] for error in errors] == ["1:1", "3:1"]
        assert statements == ["(<= c (d))"]

    def test_a_rule_on_the_same_line_is_not_swallowed(self) -> None:
        assert read("(<= a (b) (<= c (d))")[0] == ["(<= c (d))"]


class TestSuperfluous:
    """A parenthesis too many."""

    def test_after_a_fact(self) -> None:
        statements, errors = read("(role x))\n(role y)")
        assert errors == ["1:9 closing parenthesis without an opening one | remove it"]
        assert statements == ["(role x)", "(role y)"]

    def test_rule_closed_too_early(self) -> None:
        statements, errors = read("(<= (next b)\n    (true b))\n    (true c))\n(init q)")
        (error,) = errors
        assert error.startswith("2:13 this parenthesis closes the rule too early")
        assert error.endswith("remove it, or the one at 3:13")
        assert statements == ["(<= (next b) (true b) (true c))", "(init q)"]

    def test_facts_after_a_rule_are_no_conditions(self) -> None:
        statements, errors = read("(<= a b) (init c))")
        assert errors == ["1:18 closing parenthesis without an opening one | remove it"]
        assert statements == ["(<= a b)", "(init c)"]

    def test_many_in_a_row_are_one_error(self) -> None:
        assert read("(p a) )))) (q b)")[1] == ["1:7 4 closing parentheses without an opening one | "]


class TestNesting:
    """Terms may be nested to a limit."""

    def test_as_deep_as_allowed(self) -> None:
        text = "(f " * MAX_DEPTH + "a" + ")" * MAX_DEPTH
        assert read(text) == ([text], [])

    def test_deeper_is_reported_once_and_reading_goes_on(self) -> None:
        statements, errors = read("(f " * 5000 + "a" + ")" * 5000 + "(p b)")
        assert errors == [f"1:{3 * MAX_DEPTH + 1} nested deeper than {MAX_DEPTH} parentheses | "]
        assert statements[-1] == "(p b)"
